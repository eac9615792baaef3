import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from pcaimage.codec import Region
from pcaimage.gui.compare.viewport import Viewport
from pcaimage.gui.screen.picture import Picture
from tests.gui.mouse import move


def plain(*colour):
    array = np.empty((2, 4, len(colour)), np.uint8)
    array[:] = colour
    return Picture(array, (0, 0, 400, 200))


@pytest.fixture
def compare(compare_view):
    for canvas in compare_view.canvases:
        canvas.set_picture(plain(128, 128, 128))
    return compare_view


def image(widget):
    return widget.grab().toImage()


def changed(before, after):
    """The bounding box of the pixels that differ, right and bottom exclusive."""
    arrays = [
        np.frombuffer(each.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint32)
        for each in (before, after)
    ]
    rows, columns = np.nonzero((arrays[0] != arrays[1]).reshape(after.height(), after.width()))
    if not len(rows):
        return None
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def test_the_cursor_is_marked_in_the_other_picture_only(compare):
    left, right = image(compare.original), image(compare.reconstruction)
    move(compare.original, QPoint(100, 120))
    assert compare.reconstruction.crosshair == (100, 70)
    assert changed(left, image(compare.original)) is None
    box = changed(right, image(compare.reconstruction))
    assert (box[0] + box[2]) / 2 == pytest.approx(100.5, abs=1)
    assert (box[1] + box[3]) / 2 == pytest.approx(120.5, abs=1)
    move(compare.reconstruction, QPoint(50, 100))
    assert compare.original.crosshair == (50, 50)
    assert compare.reconstruction.crosshair is None
    assert changed(right, image(compare.reconstruction)) is None
    move(compare.reconstruction, QPoint(50, 10))
    assert compare.original.crosshair is None


@pytest.mark.sweep(3)
@pytest.mark.parametrize("level", [0, 128, 255])
def test_the_mark_is_seen_on_any_ground(compare, level):
    canvas = compare.reconstruction
    canvas.set_picture(plain(level, level, level))
    canvas.set_crosshair((200, 100))
    arms = [image(canvas).pixelColor(200 + dx, 150).lightness() for dx in range(4, 16)]
    around = [
        image(canvas).pixelColor(200 + dx, 150 + dy).lightness() for dx in range(4, 16) for dy in (-1, 0, 1)
    ]
    assert max(abs(each - level) for each in arms + around) > 80


def test_a_marker_frames_pixels_in_all_pictures(compare):
    before = image(compare.original)
    compare.set_marker(Region(100, 50, 140, 90))
    assert [canvas.marker for canvas in compare.canvases] == 3 * [Region(100, 50, 140, 90)]
    box = changed(before, image(compare.original))
    assert 95 <= box[0] < 100
    assert 140 < box[2] <= 145
    assert image(compare.original).pixelColor(120, 120).name() == "#808080"
    compare.set_marker(None)
    assert changed(before, image(compare.original)) is None


def test_an_overlay_is_translucent_ends_where_the_image_ends_and_is_hidden_while_peeking(compare):
    canvas, before = compare.reconstruction, image(compare.reconstruction).pixelColor(200, 100)
    overlay = Picture(np.full((3, 5, 4), (255, 0, 0, 128), np.uint8), (0, 0, 500, 300))
    outside = image(canvas).pixelColor(200, 270)
    canvas.set_overlay(overlay, "Scores of component 3")
    mixed = image(canvas).pixelColor(200, 100)
    assert (mixed.red(), mixed.green()) == (pytest.approx(192, abs=2), pytest.approx(64, abs=2))
    assert image(canvas).pixelColor(200, 270) == outside
    assert canvas.overlay_label.isVisible()
    assert canvas.overlay_label.text == "Scores of component 3"
    compare.peek(on=True)
    assert image(canvas).pixelColor(200, 100) == before
    assert not canvas.overlay_label.isVisible()
    compare.peek(on=False)
    assert canvas.overlay_label.isVisible()
    canvas.set_overlay(None)
    assert not canvas.overlay_label.isVisible()
    assert image(canvas).pixelColor(200, 100).name() == "#808080"


def test_another_image_has_no_marks(compare):
    compare.set_marker(Region(0, 0, 8, 8))
    compare.original.set_overlay(plain(255, 0, 0, 128), "Scores")
    compare.original.set_crosshair((3, 3))
    compare.set_image_size(10, 10)
    assert compare.original.marker is None
    assert compare.original.crosshair is None
    assert not compare.original.overlay_label.isVisible()


def test_a_press_and_a_release_in_one_place_click_a_pixel(compare, qtbot):
    clicks, before, place = [], compare.viewport, QPoint(100, 120)
    compare.clicked.connect(lambda x, y: clicks.append((x, y)))
    for moved in (QPoint(0, 0), QPoint(3, -3)):
        qtbot.mousePress(compare.original, Qt.MouseButton.LeftButton, pos=place)
        move(compare.original, place + moved)
        qtbot.mouseRelease(compare.original, Qt.MouseButton.LeftButton, pos=place + moved)
    assert clicks == [(100, 70), (100, 70)]
    assert compare.viewport == before
    with qtbot.assertNotEmitted(compare.clicked):  # by a drag, beside the image, or by another button
        qtbot.mousePress(compare.original, Qt.MouseButton.LeftButton, pos=place)
        move(compare.original, QPoint(120, 120))
        move(compare.original, place)
        qtbot.mouseRelease(compare.original, Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseClick(compare.original, Qt.MouseButton.LeftButton, pos=QPoint(100, 10))
        qtbot.mouseClick(compare.original, Qt.MouseButton.MiddleButton, pos=place)


def test_the_pixel_under_a_resting_cursor_is_told_again_when_the_image_moves(compare, qtbot):
    move(compare.original, QPoint(100, 120))
    with qtbot.waitSignal(compare.cursorMoved) as moved:
        compare.set_viewport(Viewport(300, 100, 1.0))
    assert moved.args == [200, 70]
