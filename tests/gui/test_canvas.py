import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDropEvent, QFontMetrics, QGuiApplication, QPointingDevice
from PySide6.QtWidgets import QApplication, QMenu

from pcaimage.codec import Region
from pcaimage.gui.clipboard import to_image
from pcaimage.gui.colours import LIGHT, colours_for
from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.compare.viewport import Size, Viewport
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.requests import ShowRight
from pcaimage.gui.session.sources import copy_of
from pcaimage.gui.session.state import Rival, SessionState
from pcaimage.progress import no_progress
from tests.gui.mouse import move, turn

IMAGE = Size(400, 200)


@pytest.fixture
def canvas(qtbot):
    canvas = ImageCanvas("Original")
    qtbot.addWidget(canvas)
    canvas.viewportRequested.connect(canvas.set_viewport)
    canvas.resize(400, 300)
    canvas.show()
    canvas.set_image_size(int(IMAGE.width), int(IMAGE.height))
    canvas.set_viewport(Viewport(200, 100, 1.0))
    qtbot.wait(1)
    return canvas


def plain(colour, region, side=8):
    array = np.empty((side, side, len(colour)), np.uint8)
    array[:] = colour
    return Picture(array, region)


def seen(canvas, x, y):
    return canvas.grab().toImage().pixelColor(x, y).name()


def test_a_picture_is_painted_where_its_region_belongs(canvas):
    canvas.set_picture(plain((255, 0, 0), (100, 50, 300, 150)))
    around = colours_for(canvas.palette().window().color().name()).canvas
    assert seen(canvas, 110, 110) == "#ff0000"
    assert seen(canvas, 290, 190) == "#ff0000"
    assert seen(canvas, 90, 110) == around


def test_the_old_picture_moves_along_over_the_backdrop_until_a_new_one_comes(canvas):
    canvas.set_backdrop(plain((0, 0, 255), (0, 0, 400, 200)))
    canvas.set_picture(plain((255, 0, 0), (0, 0, 200, 200)))
    canvas.set_viewport(Viewport(300, 100, 1.0))
    assert seen(canvas, 50, 150) == "#ff0000"
    assert seen(canvas, 150, 150) == "#0000ff"
    canvas.set_backdrop(None)
    canvas.set_picture(None)
    assert seen(canvas, 150, 150) == LIGHT.canvas


def test_enlarged_pixels_have_edges_and_slightly_enlarged_ones_have_not(canvas):
    array = np.zeros((2, 2, 1), np.uint8)
    array[:, 1] = 255
    canvas.set_image_size(2, 2)
    canvas.set_picture(Picture(array, (0, 0, 2, 2)))
    canvas.set_viewport(Viewport(1, 1, 64.0))
    assert {seen(canvas, 195, 150), seen(canvas, 205, 150)} == {"#000000", "#ffffff"}
    canvas.set_viewport(Viewport(1, 1, 2.5))
    assert seen(canvas, 200, 150) not in {"#000000", "#ffffff"}


def test_a_checkerboard_shows_through_a_transparent_image(canvas):
    canvas.set_backdrop(plain((0, 0, 255), (0, 0, 400, 200)))
    canvas.set_picture(plain((255, 0, 0, 0), (0, 0, 400, 200)))
    assert {seen(canvas, x, 150) for x in range(4, 64, 4)} == set(LIGHT.checker)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((4, 4, 3), np.uint16),
        np.zeros((0, 4, 3), np.uint8),
        np.zeros((4, 8, 3), np.uint8)[:, ::2],
    ],
)
def test_what_qt_cannot_show_is_no_picture(array):
    with pytest.raises(ValueError, match="picture"):
        Picture(array, (0, 0, 4, 4))


def test_several_moves_ask_for_one_picture_and_an_unmoved_view_for_none(canvas, qtbot):
    asked = []
    canvas.pictureNeeded.connect(lambda region, scale: asked.append((region, scale)))
    with qtbot.assertNotEmitted(canvas.pictureNeeded, wait=20):
        canvas.set_viewport(canvas.viewport)
        canvas.set_viewport(Viewport(1, 1, 1))
        canvas.set_viewport(Viewport(200, 100, 1.0))
    for scale in (1.5, 2.0, 4.0):
        canvas.set_viewport(Viewport(200, 100, scale))
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == [(Region(150, 62, 250, 138), 4.0)]
    with qtbot.waitSignal(canvas.pictureNeeded):
        canvas.request_picture()
    with qtbot.waitSignal(canvas.pictureNeeded):
        canvas.resize(300, 300)


def test_the_wheel_zooms_about_the_cursor(canvas):
    before = canvas.viewport.to_image(100, 100, canvas.view_size)
    turn(canvas, 240, at=QPoint(100, 100))
    assert canvas.viewport.scale == pytest.approx(1.25**2)
    assert canvas.viewport.to_image(100, 100, canvas.view_size) == pytest.approx(before)
    turn(canvas, -120, keys=Qt.KeyboardModifier.ControlModifier)
    turn(canvas, 0)
    assert canvas.viewport.scale == pytest.approx(1.25)


def test_two_fingers_pan_and_zoom_with_ctrl(canvas):
    turn(canvas, 0, pixels=QPoint(-30, 10))
    assert canvas.viewport == Viewport(230, 90, 1.0)
    turn(canvas, 0, pixels=QPoint(0, 240), keys=Qt.KeyboardModifier.ControlModifier)
    assert canvas.viewport.scale == pytest.approx(2.0)


@pytest.mark.parametrize("button", [Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton])
def test_dragging_moves_the_image_with_the_hand(canvas, qtbot, button):
    qtbot.mousePress(canvas, button, pos=QPoint(100, 100))
    move(canvas, QPoint(80, 90))
    move(canvas, QPoint(70, 80))
    assert canvas.viewport == Viewport(230, 120, 1.0)
    qtbot.mouseRelease(canvas, button, pos=QPoint(70, 80))
    move(canvas, QPoint(10, 10))
    assert canvas.viewport == Viewport(230, 120, 1.0)


def test_a_double_click_changes_between_fit_and_100_percent(canvas, qtbot):
    canvas.set_viewport(Viewport(200, 100, 3.0))
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    assert canvas.viewport == Viewport.fit(canvas.view_size, IMAGE)
    canvas.resize(200, 300)
    canvas.set_viewport(Viewport.fit(canvas.view_size, IMAGE))
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(50, 150))
    assert canvas.viewport.scale == pytest.approx(1.0)
    qtbot.mouseDClick(canvas, Qt.MouseButton.RightButton, pos=QPoint(50, 150))
    assert canvas.viewport.scale == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("key", "viewport"),
    [
        (Qt.Key.Key_Right, Viewport(216, 100, 4.0)),
        (Qt.Key.Key_Left, Viewport(184, 100, 4.0)),
        (Qt.Key.Key_Down, Viewport(200, 116, 4.0)),
        (Qt.Key.Key_Plus, Viewport(200, 100, 5.0)),
        (Qt.Key.Key_Minus, Viewport(200, 100, 3.2)),
    ],
)
def test_arrows_pan_and_plus_and_minus_zoom(canvas, qtbot, key, viewport):
    canvas.set_viewport(Viewport(200, 100, 4.0))
    qtbot.keyClick(canvas, key)
    assert canvas.viewport.scale == pytest.approx(viewport.scale)
    assert canvas.viewport.centre_x == pytest.approx(viewport.centre_x)
    assert canvas.viewport.centre_y == pytest.approx(viewport.centre_y)


def test_a_pinch_zooms(canvas):
    from PySide6.QtGui import QNativeGestureEvent

    touchpad, zoom = QPointingDevice.primaryPointingDevice(), Qt.NativeGestureType.ZoomNativeGesture
    QApplication.sendEvent(
        canvas, QNativeGestureEvent(zoom, touchpad, 2, *[QPointF(200, 150)] * 3, 0.5, QPointF())
    )
    assert canvas.viewport.scale == pytest.approx(1.5)


def test_the_pixel_under_the_cursor_is_told_until_it_leaves_the_image(canvas, qtbot):
    with qtbot.waitSignal(canvas.cursorMoved) as moved:
        move(canvas, QPoint(10, 60))
    assert moved.args == [10, 10]
    with qtbot.waitSignal(canvas.cursorLeft):
        move(canvas, QPoint(10, 20))
    with qtbot.assertNotEmitted(canvas.cursorLeft):
        move(canvas, QPoint(10, 30))


def test_dropped_files_are_handed_on(canvas, qtbot, tmp_path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(f"{tmp_path}/a.png"), QUrl("https://example.org/b.png")])
    held = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    with qtbot.waitSignal(canvas.filesDropped) as dropped:
        canvas.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, *held))
    assert dropped.args == [[f"{tmp_path}/a.png"]]


def test_the_caption_is_also_read_aloud(canvas):
    assert not canvas.caption.isVisible()
    canvas.set_caption(["Original", "768 x 512", "493 KB PNG", "a fourth is not shown"])
    assert canvas.caption.lines == ("Original", "768 x 512", "493 KB PNG")
    assert canvas.accessibleName() == "Original"
    assert canvas.accessibleDescription().startswith("Original\n768 x 512")
    canvas.caption.set_busy("encoding 40 %")
    tall = canvas.caption.height()
    assert canvas.grab().toImage().pixelColor(14, 24) != LIGHT.canvas
    canvas.caption.set_busy("")
    assert canvas.caption.height() < tall
    canvas.set_caption([])
    assert not canvas.caption.isVisible()


def test_figures_that_have_no_room_fold_into_another_line(canvas):
    lines = [
        "k = 24 of 192",
        "13.3 KB · 2.9 % of the original PNG",
        "34.12 dB (36.01 dB before rounding) · SSIM 0.968",
    ]
    canvas.resize(600, 300)
    canvas.set_caption(lines)
    flat, metrics = canvas.caption.height(), QFontMetrics(canvas.caption.font())
    canvas.resize(metrics.horizontalAdvance(lines[2]), 300)
    assert canvas.caption.height() == flat + metrics.height()
    assert canvas.caption.lines == tuple(lines)
    first = lines[2].rpartition(" · ")[0]
    assert canvas.caption.width() >= metrics.horizontalAdvance(first)
    assert canvas.caption.geometry().right() < canvas.width()


def click(view, canvas):
    place = QPoint(60, 80)
    widget = getattr(view, canvas)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)


def test_every_picture_asks_for_its_own_menu(qtbot):
    view = CompareView()
    qtbot.addWidget(view)
    asked = []
    view.menuRequested.connect(lambda name, _: asked.append(name))
    for canvas in ("original", "reconstruction", "difference"):
        click(view, canvas)
    assert asked == ["left", "right", "difference"]


def test_without_an_image_nothing_is_copied():
    assert copy_of(SessionState(), "left") is None
    assert copy_of(SessionState(), "difference") is None


def chosen(user, view, text):
    menu = user.window.picture_menus.menu(view)
    entries = {action.text().replace("&", ""): action for action in menu.actions()}
    entries[text].trigger()


def clipboard():
    return to_image(QGuiApplication.clipboard().image()).pixels


def test_what_a_picture_shows_is_copied(user, photo):
    user.open(photo)
    chosen(user, "left", "Copy Original")
    user.until(lambda: user.message == "The original is on the clipboard.")
    np.testing.assert_array_equal(clipboard(), user.state.original.pixels)
    chosen(user, "right", "Copy Reconstruction")
    user.until(lambda: user.message == "The reconstruction is on the clipboard.")
    np.testing.assert_array_equal(clipboard(), user.state.exact.pixels)

    user.window.session.request(ShowRight(Rival("jpeg")))
    user.until(lambda: user.state.rivalry is not None)
    chosen(user, "right", "Copy Picture")
    user.until(lambda: "JPEG, quality" in user.message)
    rival = user.state.rivalry.pixels  # so small a JPEG is grey
    np.testing.assert_array_equal(np.broadcast_to(clipboard(), rival.shape), rival)

    faint, bright = (
        copy_of(user.state, "difference", scale).make(no_progress).pixels.astype(int).sum()
        for scale in (200.0, 10.0)
    )
    assert faint < bright
    user.trigger("difference")
    chosen(user, "difference", "Copy Difference")
    user.until(lambda: user.message == "The difference is on the clipboard.")

    menu = user.window.picture_menus.menu("difference")
    texts = [action.text().replace("&", "") for action in menu.actions()]
    assert {"Export…", "Fit", "100 %", "Compare with JPEG"} <= set(texts)
    assert "Bands…" not in texts
    shown = next(each for each in menu.findChildren(QMenu) if each.title() == "S&how")
    radios = [action for action in shown.actions() if action.isCheckable()]
    assert [action.text() for action in radios if action.isChecked()] == ["JPEG of the same size"]
    assert len({action.actionGroup() for action in radios}) == 1
