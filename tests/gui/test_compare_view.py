import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from pcaimage.codec import Region
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.compare.viewport import Size, Viewport
from pcaimage.gui.screen.picture import Picture
from pcaimage.insight.error_map import HEAT
from tests.gui.mouse import move

IMAGE = Size(400, 200)
RED, BLUE, GREEN = "#ff0000", "#0000ff", "#00ff00"


def plain(colour):
    array = np.empty((4, 8, 3), np.uint8)
    array[:] = tuple(bytes.fromhex(colour[1:]))
    return Picture(array, (0, 0, *IMAGE))


@pytest.fixture
def compare(compare_view):
    """Red against blue."""
    view = compare_view
    view.original.set_picture(plain(RED))
    view.reconstruction.set_picture(plain(BLUE))
    view.original.set_caption(["Original"])
    view.reconstruction.set_caption(["k = 24"])
    return view


def seen(view, x, y=250):
    return view.grab().toImage().pixelColor(x, y).name()


def test_split_shows_the_left_picture_left_of_the_divider_and_the_right_one_right_of_it(compare):
    compare.set_mode("split")
    assert (seen(compare, 380), seen(compare, 422)) == (RED, BLUE)
    compare.set_divider(0.75)
    assert (seen(compare, 422), seen(compare, 640)) == (RED, BLUE)
    compare.set_divider(0.0)
    assert seen(compare, 201) == BLUE
    compare.set_divider(1.0)
    assert seen(compare, 640) == RED
    compare.set_mode("side-by-side")
    assert (seen(compare, 390, 150), seen(compare, 410, 150)) == (RED, BLUE)


def test_an_image_that_was_fitted_stays_fitted_in_every_mode_and_another_keeps_its_place(compare):
    assert compare.viewport.scale == pytest.approx(1.0)
    for mode, scale in (("split", 1.5), ("difference", 1.5), ("side-by-side", 1.0)):
        compare.set_mode(mode)
        assert compare.mode == mode
        assert compare.viewport.scale == pytest.approx(scale)
        assert all(canvas.viewport == compare.viewport for canvas in compare.canvases)
    compare.set_viewport(Viewport(120, 80, 3.0))
    for mode in ("split", "difference", "side-by-side"):
        compare.set_mode(mode)
        assert compare.viewport == Viewport(120, 80, 3.0)


def test_panoramas_are_above_each_other_where_they_are_larger_so(compare):
    compare.set_image_size(4000, 100)
    compare.fit()
    left, right = compare.original.geometry(), compare.reconstruction.geometry()
    assert left.bottom() < right.top()
    assert compare.viewport.scale == pytest.approx(802 / 4000)
    compare.set_image_size(400, 200)
    assert compare.original.height() == compare.height()


def test_a_fitted_image_stays_fitted_when_the_window_grows(compare):
    compare.set_mode("split")
    compare.resize(1202, 500)
    assert compare.viewport.scale == pytest.approx(2.5)
    assert compare.original.size() == compare.reconstruction.size() == compare.size()
    compare.set_viewport(Viewport(200, 100, 5.0))
    compare.resize(802, 300)
    assert compare.viewport.scale == 5.0


def test_both_views_ask_together_for_one_picture_of_what_is_now_visible(compare, qtbot):
    asked = []
    compare.pictureNeeded.connect(lambda region, scale: asked.append((region, scale)))
    compare.zoom_to(2.0)
    qtbot.waitUntil(lambda: bool(asked))
    qtbot.wait(10)
    compare.request_picture()
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert asked == [(Region(100, 25, 300, 175), 2.0)] * 2
    with qtbot.waitSignal(compare.pictureNeeded):
        compare.set_viewport(Viewport(200, 100, 4.0))
    asked.clear()
    compare.set_mode("split")
    qtbot.waitUntil(lambda: bool(asked))
    qtbot.wait(10)
    assert asked == [(Region(99, 62, 301, 138), 4.0)]


def test_captions_stand_in_opposite_corners_of_a_split_view_and_never_under_the_divider(compare):
    compare.original.set_caption(["A very long name for an original", "768 × 512 · 493 KB PNG"])
    compare.set_mode("split")
    left, right = compare.original.caption, compare.reconstruction.caption
    assert left.x() == 8
    assert right.geometry().right() == compare.width() - 9
    compare.set_divider(0.2)
    assert left.geometry().right() < 0.2 * compare.width()
    compare.set_mode("side-by-side")
    assert left.width() > 0.2 * compare.width()
    assert right.x() == 8


def test_the_divider_is_dragged_and_moved_by_keys(compare, qtbot):
    compare.set_mode("split")
    middle = compare.divider.rect().center()
    qtbot.mousePress(compare.divider, Qt.MouseButton.LeftButton, pos=middle)
    move(compare.divider, middle + QPoint(100, 30))
    assert compare.divider_place == pytest.approx(501 / 802, abs=2e-3)
    move(compare.divider, middle + QPoint(2000, 0))
    assert compare.divider_place == 1.0
    qtbot.mouseRelease(compare.divider, Qt.MouseButton.LeftButton)
    move(compare.divider, middle)
    assert compare.divider_place == 1.0
    qtbot.mouseDClick(compare.divider, Qt.MouseButton.LeftButton)
    assert compare.divider_place == 0.5
    steps = ((Qt.Key.Key_Right, 0.51), (Qt.Key.Key_Left, 0.5), (Qt.Key.Key_End, 1.0), (Qt.Key.Key_Right, 1.0))
    for key, place in (*steps, (Qt.Key.Key_Home, 0.0)):
        qtbot.keyClick(compare.divider, key)
        assert compare.divider_place == pytest.approx(place)
    qtbot.keyClick(compare.divider, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert compare.divider_place == pytest.approx(0.1)


def test_keys_stay_with_the_pictures_when_the_focused_one_goes(qtbot):
    window, compare = QWidget(), CompareView()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addWidget(compare)
    column.addWidget(QLineEdit())
    window.show()
    compare.original.setFocus()
    compare.set_mode("difference")
    assert window.focusWidget() is compare.difference
    compare.set_mode("split")
    compare.divider.setFocus()
    compare.set_mode("side-by-side")
    assert window.focusWidget() is compare.reconstruction


def test_the_difference_has_a_legend_once_its_scale_is_known(compare):
    compare.difference.set_picture(plain(GREEN))
    compare.set_mode("difference")
    assert seen(compare, 401, 100) == GREEN
    legend = compare.legend
    assert not legend.isVisible()
    compare.legend.set_full_scale(12.6, automatic=True)
    assert legend.isVisible()
    assert legend.texts == ("0", "6.3", "13 levels")
    image, row = legend.grab().toImage(), legend.button.height() + 10
    ends = [image.pixelColor(x, row).getRgb()[:3] for x in (10, legend.width() - 11)]
    assert np.abs(np.subtract(ends, HEAT[[0, -1]].astype(int))).max() < 12
    compare.legend.set_full_scale(0, automatic=True)
    assert not legend.isVisible()


def test_the_amplification_is_chosen_on_the_canvas(compare):
    asked = []
    compare.legend.scaleRequested.connect(asked.append)
    compare.legend.set_full_scale(16, automatic=False)
    menu = compare.legend.menu
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()][:3] == ["Auto", "4 levels", "8 levels"]
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["16 levels"]
    menu.actions()[0].trigger()
    menu.actions()[1].trigger()
    compare.legend.set_full_scale(2000, automatic=True, deep=True)
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["Auto"]
    menu.actions()[1].trigger()
    assert asked == [None, 4, 4 * 257]


def test_peeking_shows_the_left_picture_at_once_and_says_so(compare):
    compare.peek(on=True)
    assert seen(compare, 600, 150) == RED
    assert compare.reconstruction.caption.lines == ("Original",)
    compare.reconstruction.set_caption(["k = 25"])
    compare.original.set_picture(plain(GREEN))
    assert seen(compare, 600, 150) == GREEN
    assert compare.reconstruction.caption.lines == ("Original",)
    compare.peek(on=False)
    assert seen(compare, 600, 150) == BLUE
    assert compare.reconstruction.caption.lines == ("k = 25",)


def test_peeking_works_in_every_mode_and_when_the_mode_changes_meanwhile(compare):
    compare.difference.set_picture(plain(GREEN))
    compare.legend.set_full_scale(16, automatic=False)
    compare.set_mode("split")
    compare.peek(on=True)
    assert seen(compare, 600) == RED
    compare.set_mode("difference")
    assert seen(compare, 600, 100) == RED
    assert not compare.legend.isVisible()
    compare.peek(on=False)
    assert seen(compare, 600, 100) == GREEN
    assert compare.legend.isVisible()
    compare.set_mode("side-by-side")
    assert seen(compare, 600, 150) == BLUE


def test_without_an_original_there_is_nothing_to_compare_with(compare):
    compare.set_mode("difference")
    compare.set_original_available(False)
    assert compare.mode == "side-by-side"
    assert compare.reconstruction.size() == compare.size()
    assert compare.wanted()[0] == Region(0, 0, 400, 200)
    compare.peek(on=True)
    assert seen(compare, 401, 150) == BLUE
    compare.peek(on=False)
    compare.set_original_available(True)
    assert compare.mode == "difference"


def test_the_wheel_over_the_divider_zooms(compare, qtbot):
    compare.set_mode("split")
    QTest.wheelEvent(compare.windowHandle(), QPoint(401, 150), QPoint(0, 120))
    qtbot.wait(1)
    assert compare.viewport.scale == pytest.approx(1.5 * 1.25)


def test_an_image_fitted_before_the_window_opened_fits_the_window(qtbot):
    view = CompareView()
    qtbot.addWidget(view)
    view.viewportRequested.connect(view.set_viewport)
    view.set_image_size(400, 200)
    view.fit()
    view.resize(1202, 400)
    view.show()
    assert view.viewport.scale == pytest.approx(1.5)
