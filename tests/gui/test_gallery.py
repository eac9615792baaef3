from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QImage, QMouseEvent
from PySide6.QtWidgets import QApplication

from pcaimage.gui.colours import DARK, LIGHT
from pcaimage.gui.compare.peek_key import KEEPS_SPACE
from pcaimage.gui.tabs.components.figures import summary, wanted
from pcaimage.gui.tabs.components.page import ComponentGallery
from pcaimage.gui.tabs.components.view import HOVER_AFTER
from pcaimage.gui.theme import qt_palette
from pcaimage.insight.components import Shares

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

LEFT = Qt.MouseButton.LeftButton
SHARES = Shares.of(1000.0 * 0.9 ** np.arange(192))


class Hand:
    """What the gallery asked for."""

    def __init__(self, gallery: ComponentGallery) -> None:
        self.left_out: list[tuple[int, bool]] = []
        self.only: list[int] = []
        self.committed: list[int] = []
        self.hovered: list[int] = []
        self.needed: list[tuple[int, int]] = []
        self.all = 0
        gallery.leftOutRequested.connect(lambda number, out: self.left_out.append((number, out)))
        gallery.onlyRequested.connect(self.only.append)
        gallery.componentsCommitted.connect(self.committed.append)
        gallery.hovered.connect(self.hovered.append)
        gallery.picturesNeeded.connect(lambda *seen: self.needed.append(seen))
        gallery.allRequested.connect(self.count)

    def count(self) -> None:
        self.all += 1


@pytest.fixture
def gallery(qtbot: QtBot) -> Iterator[ComponentGallery]:
    gallery = ComponentGallery()
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
def hand(gallery: ComponentGallery) -> Hand:
    return Hand(gallery)


def place_of(gallery: ComponentGallery, number: int) -> QPoint:
    return gallery.view.visualRect(gallery.model.index(number - 1)).center()


def move(gallery: ComponentGallery, place: QPoint) -> None:
    """Move the mouse to a place of the list, wherever the system's own is."""
    surface, at = gallery.view.viewport(), QPointF(place)
    none, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QEvent.Type.MouseMove, at, surface.mapToGlobal(at), none, none, keys)
    QApplication.sendEvent(surface, event)


def leave(gallery: ComponentGallery) -> None:
    QApplication.sendEvent(gallery.view.viewport(), QEvent(QEvent.Type.Leave))


def picture(value: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((8, 8, 1), value, np.uint8)


def tile(gallery: ComponentGallery, number: int) -> QImage:
    rect = gallery.view.visualRect(gallery.model.index(number - 1))
    return gallery.view.viewport().grab(rect).toImage()


def spoken(gallery: ComponentGallery, number: int) -> str:
    return str(gallery.model.index(number - 1).data(Qt.ItemDataRole.AccessibleTextRole))


def act(gallery: ComponentGallery, number: int, text: str) -> QAction:
    menu = gallery.menu_for(number)
    actions = {action.text().replace("&", ""): action for action in menu.actions()}
    actions[text].trigger()
    return actions[text]


def test_a_click_leaves_a_component_out_and_the_next_puts_it_back(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    qtbot.mouseClick(gallery.view.viewport(), LEFT, pos=place_of(gallery, 3))
    assert hand.left_out == [(3, True)]
    gallery.set_left_out({3})
    qtbot.mouseClick(gallery.view.viewport(), LEFT, pos=place_of(gallery, 3))
    assert hand.left_out == [(3, True), (3, False)]


def test_a_click_between_pictures_or_with_another_button_changes_nothing(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    gallery.set_components(3, SHARES)
    qtbot.mouseClick(gallery.view.viewport(), LEFT, pos=QPoint(600, 60))
    qtbot.mouseClick(gallery.view.viewport(), Qt.MouseButton.RightButton, pos=place_of(gallery, 2))
    assert hand.left_out == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_keys_move_among_the_components_and_leave_one_out(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot, key: Qt.Key
) -> None:
    gallery.view.setCurrentIndex(gallery.model.index(0))
    for move_key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(gallery.view, move_key)
    below = gallery.view.currentIndex().row() + 1
    assert place_of(gallery, below).x() == place_of(gallery, 3).x()
    qtbot.keyClick(gallery.view, key)
    assert hand.left_out == [(below, True)]


def test_space_means_something_here(gallery: ComponentGallery) -> None:
    # Elsewhere in the window, Space shows the original.
    assert gallery.view.property(KEEPS_SPACE)


def test_all_can_be_put_back_when_one_is_left_out(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    assert not gallery.all_button.isEnabled()
    gallery.set_left_out({9})
    qtbot.mouseClick(gallery.all_button, LEFT)
    assert hand.all == 1
    gallery.set_left_out(frozenset())
    assert not gallery.all_button.isEnabled()


def test_the_menu_offers_what_can_be_done_with_a_component(gallery: ComponentGallery, hand: Hand) -> None:
    act(gallery, 4, "Leave Out")
    act(gallery, 6, "Keep Only This One")
    act(gallery, 7, "Keep up to Here (7)")
    gallery.set_left_out({4})
    act(gallery, 4, "Put Back")
    assert hand.left_out == [(4, True), (4, False)]
    assert (hand.only, hand.committed) == ([6], [7])


def test_a_picture_can_be_copied_when_it_is_there(gallery: ComponentGallery) -> None:
    QGuiApplication.clipboard().clear()
    assert not act(gallery, 2, "Copy Picture").isEnabled()
    assert QGuiApplication.clipboard().image().isNull()
    gallery.set_pictures(2, [picture(200)])
    act(gallery, 2, "Copy Picture")
    copied = QGuiApplication.clipboard().image()
    assert (copied.width(), copied.height()) == (256, 256)
    assert copied.pixelColor(100, 100).red() == 200


def test_a_rest_of_the_mouse_hovers_and_a_passing_one_does_not(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    for number in (1, 2, 3):
        move(gallery, place_of(gallery, number))
    assert gallery.text.startswith("component 3 · ")
    assert hand.hovered == []
    qtbot.waitUntil(lambda: hand.hovered == [3])
    leave(gallery)
    assert gallery.text == "5 of 192 components are kept"
    qtbot.waitUntil(lambda: hand.hovered == [3, 0])


def test_a_mouse_that_comes_back_at_once_has_not_left(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    move(gallery, place_of(gallery, 2))
    qtbot.waitUntil(lambda: hand.hovered == [2])
    leave(gallery)
    move(gallery, place_of(gallery, 2) + QPoint(3, 3))
    qtbot.wait(2 * HOVER_AFTER)
    assert hand.hovered == [2]


def test_keys_hover_as_the_mouse_does_until_the_focus_goes(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    gallery.activateWindow()
    gallery.view.setFocus(Qt.FocusReason.TabFocusReason)
    gallery.view.setCurrentIndex(gallery.model.index(0))
    qtbot.keyClick(gallery.view, Qt.Key.Key_Right)
    assert gallery.text.startswith("component 2 · ")
    qtbot.waitUntil(lambda: hand.hovered == [2])
    gallery.view.clearFocus()
    qtbot.waitUntil(lambda: hand.hovered == [2, 0])


def test_other_components_are_not_hovered_before_the_mouse_moves(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    move(gallery, place_of(gallery, 2))
    qtbot.waitUntil(lambda: hand.hovered == [2])
    gallery.set_components(10, SHARES)
    assert hand.hovered == [2, 0]


def test_the_state_is_told_in_words(gallery: ComponentGallery) -> None:
    gallery.set_left_out({2, 9})
    assert spoken(gallery, 2) == "Component 2, 9.00\u00a0% of the variance, left out"
    assert spoken(gallery, 5).endswith(", kept")
    assert spoken(gallery, 6).endswith(", not kept")
    assert gallery.text == "5 of 192 components are kept, 1 of them left out"
    move(gallery, place_of(gallery, 2))
    assert gallery.text.endswith("cumulative 19.00\u00a0% · left out · click to put it back")
    assert gallery.accessibleDescription() == gallery.text
    assert summary(9, 3, {7}) == "3 of 9 components are kept"


def test_kept_and_discarded_and_left_out_components_look_different(gallery: ComponentGallery) -> None:
    gallery.set_pictures(1, [picture(60)] * 10)
    middle = place_of(gallery, 1) - gallery.view.visualRect(gallery.model.index(0)).topLeft()
    above = middle - QPoint(0, 36)  # beside the arms of a cross
    assert QColor(tile(gallery, 4).pixel(above)).red() == 60
    assert QColor(tile(gallery, 7).pixel(above)).red() > 100
    gallery.set_left_out({4})
    assert QColor(tile(gallery, 4).pixel(above)).red() > 100
    assert LIGHT.error in {tile(gallery, 4).pixelColor(x, 40).name() for x in range(10, 70)}
    assert LIGHT.error not in {tile(gallery, 7).pixelColor(x, 40).name() for x in range(10, 70)}


def test_a_line_stands_behind_the_last_component_that_is_kept(gallery: ComponentGallery) -> None:
    def lined(number: int) -> bool:
        shown = tile(gallery, number)
        return shown.pixelColor(shown.width() - 1, 40).name() == LIGHT.accent

    assert [number for number in range(1, 9) if lined(number)] == [5]
    gallery.set_k(7)
    assert [number for number in range(1, 9) if lined(number)] == [7]


def test_pixels_of_a_small_picture_stay_squares(gallery: ComponentGallery) -> None:
    checked = np.indices((5, 5)).sum(axis=0)[..., None].astype(np.uint8) % 2 * 255
    gallery.set_pictures(1, [checked])
    values = {tile(gallery, 1).pixelColor(x, 40).red() for x in range(12, 68)}
    assert values <= {0, 255}


def test_few_pictures_are_as_large_as_there_is_room_for(gallery: ComponentGallery, hand: Hand) -> None:
    def width(number: int) -> int:
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
    assert hand.hovered == []


def test_only_pictures_that_are_seen_are_asked_for(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: bool(hand.needed))
    first, last = hand.needed[-1]
    assert first == 1
    assert 11 <= last <= 33
    assert gallery.view.viewport().rect().intersects(gallery.view.visualRect(gallery.model.index(last - 1)))
    bar = gallery.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: hand.needed[-1][1] == 192)
    first = hand.needed[-1][0]
    assert gallery.view.viewport().rect().intersects(gallery.view.visualRect(gallery.model.index(first - 1)))
    assert first > 150


def test_of_other_components_pictures_are_asked_for_anew(
    gallery: ComponentGallery, hand: Hand, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: bool(hand.needed))
    gallery.set_pictures(1, [picture(1)])
    hand.needed.clear()
    gallery.set_components(7, SHARES)
    assert gallery.model.pictures == {}
    qtbot.waitUntil(lambda: hand.needed == [(1, 7)])


def test_of_thousands_of_components_showing_another_k_is_quick(gallery: ComponentGallery) -> None:
    import time

    gallery.set_components(12288, Shares.of(1.0 / np.arange(1, 12289)))
    gallery.grab()
    start = time.thread_time()
    for k in range(100, 120):
        gallery.set_k(k)
        gallery.grab()
    assert (time.thread_time() - start) / 20 < 0.05


def test_without_components_the_gallery_says_why(gallery: ComponentGallery, hand: Hand) -> None:
    gallery.set_components(0, Shares.of([]))
    gallery.set_message("Finding the components…")
    assert gallery.text == "Finding the components…"
    assert gallery.accessibleDescription() == gallery.text
    assert ComponentGallery().text.startswith("The components appear here")
    assert hand.left_out == []


def test_the_gallery_follows_the_colour_scheme(gallery: ComponentGallery) -> None:
    gallery.setPalette(qt_palette(DARK))
    shown = tile(gallery, 5)
    assert shown.pixelColor(shown.width() - 1, 40).name() == DARK.accent
    assert shown.pixelColor(2, 40).name() == DARK.base


def test_what_is_seen_comes_first_then_what_is_behind_and_then_what_is_before() -> None:
    assert wanted((), 11, 14, 100, 3) == (11, 12, 13)
    assert wanted({11, 12, 13}, 11, 14, 100, 9) == (14,)
    assert wanted(range(11, 15), 11, 14, 100, 9) == (15, 16, 17, 18)
    assert wanted(range(11, 19), 11, 14, 100, 9) == (10, 9, 8, 7)
    assert wanted(range(7, 19), 11, 14, 100, 9) == ()
    assert wanted((), 1, 4, 4, 9) == (1, 2, 3, 4)
    assert wanted(range(1, 5), 1, 4, 4, 9) == ()
    assert wanted((), 1, 0, 4, 9) == ()
