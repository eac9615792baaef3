import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication

from pcaimage.gui.colours import DARK, LIGHT
from pcaimage.gui.compare.peek_key import KEEPS_SPACE
from pcaimage.gui.session.requests import Keep, KeepOnly, LeaveOut, Toggle
from pcaimage.gui.tabs.components.figures import wanted
from pcaimage.gui.tabs.components.page import ComponentsPage
from pcaimage.gui.tabs.components.tiles import HOVER_AFTER
from pcaimage.gui.theme import qt_palette
from pcaimage.insight.components import Shares
from pcaimage.insight.formatting import kept_words
from tests.gui.work import calls_of

LEFT = Qt.MouseButton.LeftButton
SHARES = Shares.of(1000.0 * 0.9 ** np.arange(192))


class Asked:
    """Records what the gallery requests and tells."""

    def __init__(self, gallery):
        self.requests = []
        self.hovered = []
        self.needed = []
        gallery.requested.connect(self.requests.append)
        gallery.hovered.connect(self.hovered.append)
        gallery.picturesNeeded.connect(lambda: self.needed.append(gallery.seen))


@pytest.fixture
def gallery(qtbot):
    gallery = ComponentsPage()
    qtbot.addWidget(gallery)
    gallery.setPalette(qt_palette(LIGHT))
    gallery.resize(900, 190)
    gallery.show()
    gallery.set_components(192, SHARES)
    gallery.set_k(5)
    gallery.grab()
    yield gallery
    gallery.hide()


@pytest.fixture
def asked(gallery):
    return Asked(gallery)


def place_of(gallery, number):
    return gallery.view.visualRect(gallery.model.index(number - 1)).center()


def move(gallery, place):
    """Move the mouse to a place of the list, wherever the system's own is."""
    surface, at = gallery.view.viewport(), QPointF(place)
    none, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QEvent.Type.MouseMove, at, surface.mapToGlobal(at), none, none, keys)
    QApplication.sendEvent(surface, event)


def leave(gallery):
    QApplication.sendEvent(gallery.view.viewport(), QEvent(QEvent.Type.Leave))


def picture(value):
    return np.full((8, 8, 1), value, np.uint8)


def tile(gallery, number):
    rect = gallery.view.visualRect(gallery.model.index(number - 1))
    return gallery.view.viewport().grab(rect).toImage()


def spoken(gallery, number):
    return str(gallery.model.index(number - 1).data(Qt.ItemDataRole.AccessibleTextRole))


def act(gallery, number, text):
    menu = gallery.menu_for(number)
    actions = {action.text().replace("&", ""): action for action in menu.actions()}
    actions[text].trigger()
    return actions[text]


def test_a_click_leaves_a_component_out_and_the_next_puts_it_back(gallery, asked, qtbot):
    qtbot.mouseClick(gallery.view.viewport(), LEFT, pos=place_of(gallery, 3))
    assert asked.requests == [Toggle(3, out=True)]
    gallery.set_left_out({3})
    qtbot.mouseClick(gallery.view.viewport(), LEFT, pos=place_of(gallery, 3))
    assert asked.requests == [Toggle(3, out=True), Toggle(3, out=False)]


def test_a_click_between_pictures_or_with_another_button_changes_nothing(gallery, asked, qtbot):
    gallery.set_components(3, SHARES)
    qtbot.mouseClick(gallery.view.viewport(), LEFT, pos=QPoint(600, 60))
    qtbot.mouseClick(gallery.view.viewport(), Qt.MouseButton.RightButton, pos=place_of(gallery, 2))
    assert asked.requests == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_keys_move_among_the_components_and_leave_one_out(gallery, asked, qtbot, key):
    gallery.view.setCurrentIndex(gallery.model.index(0))
    for move_key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(gallery.view, move_key)
    below = gallery.view.currentIndex().row() + 1
    assert place_of(gallery, below).x() == place_of(gallery, 3).x()
    qtbot.keyClick(gallery.view, key)
    assert asked.requests == [Toggle(below, out=True)]


def test_space_means_something_here(gallery):
    # Elsewhere in the window, Space shows the original.
    assert gallery.view.property(KEEPS_SPACE)


def test_all_can_be_put_back_when_one_is_left_out(gallery, asked, qtbot):
    assert not gallery.all_button.isEnabled()
    gallery.set_left_out({9})
    qtbot.mouseClick(gallery.all_button, LEFT)
    assert asked.requests == [LeaveOut(frozenset())]
    gallery.set_left_out(frozenset())
    assert not gallery.all_button.isEnabled()


def test_the_menu_offers_what_can_be_done_with_a_component(gallery, asked):
    act(gallery, 4, "Leave Out")
    act(gallery, 6, "Keep Only This One")
    act(gallery, 7, "Keep up to Here (7)")
    gallery.set_left_out({4})
    act(gallery, 4, "Put Back")
    assert asked.requests == [Toggle(4, out=True), KeepOnly(6), Keep(7), Toggle(4, out=False)]


def test_a_picture_can_be_copied_when_it_is_there(gallery):
    QGuiApplication.clipboard().clear()
    assert not act(gallery, 2, "Copy Picture").isEnabled()
    assert QGuiApplication.clipboard().image().isNull()
    gallery.set_picture(2, picture(200))
    act(gallery, 2, "Copy Picture")
    copied = QGuiApplication.clipboard().image()
    assert (copied.width(), copied.height()) == (256, 256)
    assert copied.pixelColor(100, 100).red() == 200


def test_a_rest_of_the_mouse_hovers_and_a_passing_one_does_not(gallery, asked, qtbot):
    for number in (1, 2, 3):
        move(gallery, place_of(gallery, number))
    assert gallery.text.startswith("component 3 · ")
    assert asked.hovered == []
    qtbot.waitUntil(lambda: asked.hovered == [3])
    leave(gallery)
    assert gallery.text == "5 of 192 components are kept"
    qtbot.waitUntil(lambda: asked.hovered == [3, 0])


def test_a_mouse_that_comes_back_at_once_has_not_left(gallery, asked, qtbot):
    move(gallery, place_of(gallery, 2))
    qtbot.waitUntil(lambda: asked.hovered == [2])
    leave(gallery)
    move(gallery, place_of(gallery, 2) + QPoint(3, 3))
    qtbot.wait(2 * HOVER_AFTER)
    assert asked.hovered == [2]


def test_keys_hover_as_the_mouse_does_until_the_focus_goes(gallery, asked, qtbot):
    gallery.activateWindow()
    gallery.view.setFocus(Qt.FocusReason.TabFocusReason)
    gallery.view.setCurrentIndex(gallery.model.index(0))
    qtbot.keyClick(gallery.view, Qt.Key.Key_Right)
    assert gallery.text.startswith("component 2 · ")
    qtbot.waitUntil(lambda: asked.hovered == [2])
    gallery.view.clearFocus()
    qtbot.waitUntil(lambda: asked.hovered == [2, 0])


def test_other_components_are_not_hovered_before_the_mouse_moves(gallery, asked, qtbot):
    move(gallery, place_of(gallery, 2))
    qtbot.waitUntil(lambda: asked.hovered == [2])
    gallery.set_components(10, SHARES)
    assert asked.hovered == [2, 0]


def test_the_state_is_told_in_words(gallery):
    gallery.set_left_out({2, 9})
    assert spoken(gallery, 2) == "Component 2, 9.00\u00a0% of the variance, left out"
    assert spoken(gallery, 5).endswith(", kept")
    assert spoken(gallery, 6).endswith(", not kept")
    assert gallery.text == "5 of 192 components are kept, 1 of them left out"
    move(gallery, place_of(gallery, 2))
    assert gallery.text.endswith("cumulative 19.00\u00a0% · left out · click to put it back")
    assert gallery.accessibleDescription() == gallery.text
    assert kept_words(9, 3, {7}) == "3 of 9 components are kept"


@pytest.mark.slow
def test_kept_and_discarded_and_left_out_components_look_different(gallery):
    for number in range(1, 11):
        gallery.set_picture(number, picture(60))
    middle = place_of(gallery, 1) - gallery.view.visualRect(gallery.model.index(0)).topLeft()
    above = middle - QPoint(0, 36)  # beside the arms of a cross
    assert QColor(tile(gallery, 4).pixel(above)).red() == 60
    assert QColor(tile(gallery, 7).pixel(above)).red() > 100
    gallery.set_left_out({4})
    assert QColor(tile(gallery, 4).pixel(above)).red() > 100
    assert LIGHT.error in {tile(gallery, 4).pixelColor(x, 40).name() for x in range(10, 70)}
    assert LIGHT.error not in {tile(gallery, 7).pixelColor(x, 40).name() for x in range(10, 70)}


def test_a_line_stands_behind_the_last_component_that_is_kept(gallery):
    def lined(number):
        shown = tile(gallery, number)
        return shown.pixelColor(shown.width() - 1, 40).name() == LIGHT.accent

    assert [number for number in range(1, 9) if lined(number)] == [5]
    gallery.set_k(7)
    assert [number for number in range(1, 9) if lined(number)] == [7]


def test_pixels_of_a_small_picture_stay_squares(gallery):
    checked = np.indices((5, 5)).sum(axis=0)[..., None].astype(np.uint8) % 2 * 255
    gallery.set_picture(1, checked)
    values = {tile(gallery, 1).pixelColor(x, 40).red() for x in range(12, 68)}
    assert values <= {0, 255}


def test_few_pictures_are_as_large_as_there_is_room_for(gallery, asked):
    def width(number):
        return gallery.view.visualRect(gallery.model.index(number - 1)).width()

    small = width(1)
    gallery.set_components(3, SHARES)
    gallery.grab()
    assert width(3) == small + 32
    gallery.resize(900, 420)
    gallery.grab()
    assert width(3) == small + 64
    gallery.set_components(100, SHARES)
    gallery.grab()
    assert width(3) == small
    assert asked.hovered == []


def test_only_pictures_that_are_seen_are_asked_for(gallery, asked, qtbot):
    qtbot.waitUntil(lambda: bool(asked.needed))
    first, last = asked.needed[-1]
    assert first == 1
    assert 11 <= last <= 33
    assert gallery.view.viewport().rect().intersects(gallery.view.visualRect(gallery.model.index(last - 1)))
    bar = gallery.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: asked.needed[-1][1] == 192)
    first = asked.needed[-1][0]
    assert gallery.view.viewport().rect().intersects(gallery.view.visualRect(gallery.model.index(first - 1)))
    assert first > 150


def test_of_other_components_pictures_are_asked_for_anew(gallery, asked, qtbot):
    qtbot.waitUntil(lambda: bool(asked.needed))
    gallery.set_picture(1, picture(1))
    asked.needed.clear()
    gallery.set_components(7, SHARES)
    assert gallery.model.pictures == {}
    qtbot.waitUntil(lambda: asked.needed == [(1, 7)])


@pytest.mark.slow
def test_showing_another_k_is_no_more_work_among_thousands_of_components(gallery):
    def show():
        for k in range(100, 120):
            gallery.set_k(k)
            gallery.grab()

    def calls(n):
        gallery.set_components(n, Shares.of(1.0 / np.arange(1, n + 1)))
        gallery.grab()
        return calls_of(show)

    assert calls(12288) < 2 * calls(600)


def test_without_components_the_gallery_says_why(gallery, asked):
    gallery.set_components(0, Shares.of([]))
    gallery.set_message("Finding the components…")
    assert gallery.text == "Finding the components…"
    assert gallery.accessibleDescription() == gallery.text
    assert ComponentsPage().text.startswith("The components appear here")
    assert asked.requests == []


def test_the_gallery_follows_the_colour_scheme(gallery):
    gallery.setPalette(qt_palette(DARK))
    shown = tile(gallery, 5)
    assert shown.pixelColor(shown.width() - 1, 40).name() == DARK.accent
    assert shown.pixelColor(2, 40).name() == DARK.base


def test_what_is_seen_comes_first_then_what_is_behind_and_then_what_is_before():
    assert wanted((), 11, 14, 100, 3) == (11, 12, 13)
    assert wanted({11, 12, 13}, 11, 14, 100, 9) == (14,)
    assert wanted(range(11, 15), 11, 14, 100, 9) == (15, 16, 17, 18)
    assert wanted(range(11, 19), 11, 14, 100, 9) == (10, 9, 8, 7)
    assert wanted(range(7, 19), 11, 14, 100, 9) == ()
    assert wanted((), 1, 4, 4, 9) == (1, 2, 3, 4)
    assert wanted(range(1, 5), 1, 4, 4, 9) == ()
    assert wanted((), 1, 0, 4, 9) == ()
