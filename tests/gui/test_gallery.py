from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication

from pcaimage.gui.colours import LIGHT
from pcaimage.gui.session.requests import Choose, Keep, KeepOnly, LeaveOut, ShowFrame, Toggle
from pcaimage.gui.tabs.components import PICTURE_SIDE, ComponentsFeed, OverlayFeed
from pcaimage.gui.tabs.components.figures import wanted
from pcaimage.gui.tabs.components.page import ComponentsPage
from pcaimage.gui.tabs.components.tiles import HOVER_AFTER
from pcaimage.insight.components import Shares, overlay_of, picture_of
from pcaimage.insight.formatting import kept_words
from tests.gui.conftest import SessionUser
from tests.gui.mouse import move

LEFT = Qt.MouseButton.LeftButton
SHARES = Shares.of(1000.0 * 0.9 ** np.arange(192))


@pytest.fixture
def gallery(on_screen):
    gallery = on_screen(ComponentsPage(), 900, 190)
    gallery.set_components(192, SHARES)
    gallery.set_k(5)
    gallery.grab()
    yield gallery
    gallery.hide()


@pytest.fixture
def asked(gallery):
    """What the gallery requests and tells."""
    asked = SimpleNamespace(requests=[], hovered=[], needed=[])
    gallery.requested.connect(asked.requests.append)
    gallery.hovered.connect(asked.hovered.append)
    gallery.picturesNeeded.connect(lambda: asked.needed.append(gallery.seen))
    return asked


def place_of(gallery, number):
    return gallery.view.visualRect(gallery.model.index(number - 1)).center()


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


def box_of(gallery, number):
    delegate = gallery.view.itemDelegate()
    return delegate.box(gallery.view.visualRect(gallery.model.index(number - 1))).center()


def test_the_box_of_a_component_leaves_it_out_and_puts_it_back(gallery, asked, qtbot):
    surface = gallery.view.viewport()
    assert not gallery.all_button.isEnabled()
    qtbot.mouseClick(surface, LEFT, pos=box_of(gallery, 3))
    gallery.set_left_out({3})
    qtbot.mouseClick(surface, LEFT, pos=box_of(gallery, 3))
    qtbot.mouseClick(gallery.all_button, LEFT)
    assert asked.requests == [Toggle(3, out=True), Toggle(3, out=False), LeaveOut(frozenset())]
    gallery.set_left_out(frozenset())
    assert not gallery.all_button.isEnabled()
    gallery.set_components(3, SHARES)
    qtbot.mouseClick(surface, LEFT, pos=QPoint(600, 60))  # between pictures
    qtbot.mouseClick(surface, Qt.MouseButton.RightButton, pos=place_of(gallery, 2))
    assert len(asked.requests) == 3


def test_a_click_shows_a_component_in_the_picture_until_the_next(gallery, asked, qtbot):
    qtbot.mouseClick(gallery.view.viewport(), LEFT, pos=place_of(gallery, 3))
    assert asked.requests == []
    assert asked.hovered[-1] == 3
    leave(gallery)
    qtbot.wait(2 * HOVER_AFTER)
    assert asked.hovered[-1] == 3
    gallery.view.setCurrentIndex(gallery.model.index(2))
    qtbot.keyClick(gallery.view, Qt.Key.Key_Return)
    assert asked.hovered[-1] == 0


def test_keys_move_among_the_components_and_leave_one_out(gallery, asked, qtbot):
    gallery.view.setCurrentIndex(gallery.model.index(0))
    for move_key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(gallery.view, move_key)
    below = gallery.view.currentIndex().row() + 1
    assert place_of(gallery, below).x() == place_of(gallery, 3).x()
    qtbot.keyClick(gallery.view, Qt.Key.Key_Space)
    assert asked.requests == [Toggle(below, out=True)]


def test_the_menu_offers_what_can_be_done_with_a_component(gallery, asked):
    act(gallery, 4, "Leave Out")
    act(gallery, 6, "Keep Only This One")
    act(gallery, 7, "Keep up to Here (7)")
    gallery.set_left_out({4})
    act(gallery, 4, "Put Back")
    assert asked.requests == [Toggle(4, out=True), KeepOnly(6), Keep(7), Toggle(4, out=False)]
    QGuiApplication.clipboard().clear()
    assert not act(gallery, 2, "Copy Picture").isEnabled()  # it is not there yet
    assert QGuiApplication.clipboard().image().isNull()
    gallery.set_picture(2, picture(200))
    act(gallery, 2, "Copy Picture")
    copied = QGuiApplication.clipboard().image()
    assert (copied.width(), copied.height()) == (256, 256)
    assert copied.pixelColor(100, 100).red() == 200


def test_a_rest_of_the_mouse_hovers_and_a_passing_one_does_not(gallery, asked, qtbot):
    rest = next(each for each in gallery.view.findChildren(QTimer) if each.interval() == HOVER_AFTER)
    rest.setInterval(60_000)  # however busy the machine is, the mouse passes
    for number in (1, 2, 3):
        move(gallery.view.viewport(), place_of(gallery, number))
    assert gallery.text.startswith("component 3 · ")
    assert asked.hovered == []
    rest.setInterval(HOVER_AFTER)
    qtbot.waitUntil(lambda: asked.hovered == [3])
    leave(gallery)
    move(gallery.view.viewport(), place_of(gallery, 3) + QPoint(3, 3))
    qtbot.wait(2 * HOVER_AFTER)
    assert asked.hovered == [3]  # who comes back at once has not left
    leave(gallery)
    assert gallery.text == "5 of 192 components are kept"
    qtbot.waitUntil(lambda: asked.hovered == [3, 0])


def test_keys_hover_as_the_mouse_does_until_the_focus_goes(gallery, asked, qtbot):
    gallery.activateWindow()
    gallery.view.setFocus(Qt.FocusReason.TabFocusReason)
    gallery.view.setCurrentIndex(gallery.model.index(0))
    qtbot.keyClick(gallery.view, Qt.Key.Key_Right)
    assert gallery.text.startswith("component 2 · ")
    qtbot.waitUntil(lambda: asked.hovered == [2])
    gallery.view.clearFocus()
    qtbot.waitUntil(lambda: asked.hovered == [2, 0])


def test_the_state_is_told_in_words(gallery):
    gallery.set_left_out({2, 9})
    assert spoken(gallery, 2) == "Component 2, 9.00\u00a0% of the variance, left out"
    assert spoken(gallery, 5).endswith(", kept")
    assert spoken(gallery, 6).endswith(", not kept")
    assert gallery.text == "5 of 192 components are kept, 1 of them left out"
    move(gallery.view.viewport(), place_of(gallery, 2))
    assert gallery.text.endswith(
        "cumulative 19.00\u00a0% · left out · click to see it in the picture, its box puts it back"
    )
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


def test_what_is_seen_comes_first_then_what_is_behind_and_then_what_is_before():
    assert wanted((), 11, 14, 100, 3) == (11, 12, 13)
    assert wanted({11, 12, 13}, 11, 14, 100, 9) == (14,)
    assert wanted(range(11, 15), 11, 14, 100, 9) == (15, 16, 17, 18)
    assert wanted(range(11, 19), 11, 14, 100, 9) == (10, 9, 8, 7)
    assert wanted(range(7, 19), 11, 14, 100, 9) == ()
    assert wanted((), 1, 4, 4, 9) == (1, 2, 3, 4)
    assert wanted(range(1, 5), 1, 4, 4, 9) == ()
    assert wanted((), 1, 0, 4, 9) == ()


class Shown(SessionUser):
    """A session whose components are shown."""

    def __init__(self, session, qtbot):
        super().__init__(session, qtbot)
        self.gallery = ComponentsPage()
        qtbot.addWidget(self.gallery)
        self.gallery.resize(900, 190)
        self.gallery.show()
        self.feed = ComponentsFeed(self.session, self.gallery)
        self.overlays = OverlayFeed(self.session, self.gallery)
        self.laid = []
        self.overlays.overlayReady.connect(lambda overlay, text: self.laid.append((overlay, text)))

    def open(self, *paths):
        self.drop(*paths)
        self.until(lambda: self.state.fit is not None and self.rests)

    @property
    def rests(self):
        return not any(self.session.jobs.busy(kind) for kind in ("open", "fit", "gallery", "overlay"))

    @property
    def pictures(self):
        return set(self.gallery.model.pictures)

    def has(self, number):
        """Whether a component's picture is that of the present components."""
        fit = self.session.state.fit
        expected = picture_of(fit.preview, number, PICTURE_SIDE)
        found = self.gallery.model.pictures[number]
        if (found.height(), found.width()) != expected.shape[:2]:
            return False
        corner = found.pixelColor(0, 0)
        return (corner.red(), corner.blue()) == (expected[0, 0, 0], expected[0, 0, -1])


@pytest.fixture
def shown(session, qtbot):
    return Shown(session, qtbot)


@pytest.mark.slow
def test_pictures_are_made_of_what_is_seen_and_about_once_more(shown, draw, tmp_path):
    shown.feed.set_active(True)
    shown.session.request(Choose(method="blocks", block=16))
    shown.open(draw(tmp_path / "large.png", 330, 330, 3))
    shown.session.request(Choose(block=16))
    shown.until(lambda: len(shown.pictures) > 20 and shown.rests)
    count = shown.gallery.model.rowCount()
    assert shown.pictures == set(range(1, 2 * shown.gallery.seen[1] + 1)) < set(range(1, count + 1))
    assert all(shown.has(number) for number in (1, 7, 20))
    bar = shown.gallery.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    shown.until(lambda: count in shown.pictures)
    shown.session.request(Keep(9))
    shown.session.request(Toggle(4, out=True))
    assert shown.gallery.text == f"9 of {count} components are kept, 1 of them left out"
    shown.session.request(Toggle(4, out=False))
    assert shown.gallery.text == f"9 of {count} components are kept"


@pytest.mark.parametrize("method", ["photo", "channels", "blocks"])
@pytest.mark.slow
def test_another_method_brings_its_own_pictures(shown, photo, method):
    shown.feed.set_active(True)
    shown.open(photo)
    shown.until(lambda: 1 in shown.pictures)
    for each in (method, "blocks", method):
        shown.session.request(Choose(method=each))
        fit = shown.session.state.fit
        shown.until(lambda: shown.session.state.fitted and 3 in shown.pictures and shown.rests)
        assert each == "blocks" or shown.session.state.fit is not fit
        assert shown.has(1)
        assert shown.has(3)


def test_a_file_without_its_original_shows_its_components(shown, compressed):
    shown.feed.set_active(True)
    shown.open(compressed)
    shown.until(lambda: shown.pictures == set(range(1, 11)))
    assert shown.has(10)


@pytest.mark.slow
def test_a_stack_shows_whole_images(shown, draw, tmp_path):
    shown.feed.set_active(True)
    paths = [draw(tmp_path / f"{number}.png", 300, 400, 1, seed=number) for number in range(5)]
    shown.open(*paths)
    shown.until(lambda: len(shown.pictures) >= 4)
    assert shown.has(1)
    assert shown.gallery.model.pictures[1].width() == 200
    shown.overlays.set_component(1)
    shown.until(lambda: shown.laid and shown.laid[-1][0])
    first = shown.laid[-1][0]
    shown.session.request(ShowFrame(3))
    shown.until(lambda: shown.laid[-1][0] is not first)


def test_the_gallery_says_why_there_are_no_pictures(shown, photo, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("pcaimage.gui.tabs.components.picture_of", fail)
    shown.open(photo)
    shown.feed.set_active(True)
    shown.until(lambda: "not enough memory" in shown.gallery.text)
    shown.session.request(Keep(5))
    assert "not enough memory" in shown.gallery.text


@pytest.mark.slow
def test_a_hovered_component_is_laid_over_the_image_and_taken_off(shown, photo):
    shown.open(photo)
    shown.overlays.set_component(3)
    shown.until(lambda: shown.laid and shown.laid[-1][0])
    fit = shown.session.state.fit
    overlay, text = shown.laid[-1]
    assert text.startswith("component 3 · ")
    assert np.array_equal(overlay.pixels, overlay_of(fit.preview, 3).pixels)
    shown.overlays.set_component(0)
    assert shown.laid[-1] == (None, "")
