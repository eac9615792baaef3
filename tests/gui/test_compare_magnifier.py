import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from pcaimage.codec import Region
from pcaimage.gui.compare.viewport import Viewport
from pcaimage.gui.screen.picture import Picture
from tests.gui.mouse import move, turn

WIDTH, HEIGHT = 400, 200


def picture(value, region=Region(0, 0, WIDTH, HEIGHT), reduced=1):  # noqa: B008
    """Columns count up from a value, so that the pixel under the cursor is known by its level."""
    columns = (np.arange(region.left, region.right, reduced) + value) % 256
    rows = (region.bottom - region.top) // reduced
    array = np.repeat(np.tile(columns.astype(np.uint8), (rows, 1))[..., None], 3, axis=2)
    return Picture(np.ascontiguousarray(array), region.edges)


@pytest.fixture
def compare(compare_view):
    view = compare_view
    view.original.set_picture(picture(0))
    view.reconstruction.set_picture(picture(1))
    view.original.set_caption(["Original"])
    view.reconstruction.set_caption(["k = 24"])
    return view


@pytest.fixture
def loupe(compare):
    return compare.magnifier.loupe


def test_it_shows_the_pixel_under_the_cursor_in_both_pictures_with_their_values(compare, loupe):
    move(compare.original, QPoint(100, 100))
    assert not loupe.isVisible()
    compare.set_magnifier(True)
    assert loupe.isVisible()
    assert loupe.pixel == (100, 50)
    assert [pane.name for pane in loupe.panes] == ["Original", "k = 24"]
    assert [pane.values for pane in loupe.panes] == ["100 100 100", "101 101 101"]
    image = loupe.grab().toImage()
    assert image.pixelColor(8 + 80 - 2, 8 + 80 - 2).red() == pytest.approx(100, abs=1)
    assert image.pixelColor(8 + 160 + 8 + 80 - 2, 8 + 80 - 2).red() == pytest.approx(101, abs=1)
    move(compare.reconstruction, QPoint(30, 120))
    assert loupe.pixel == (30, 70)
    move(compare.reconstruction, QPoint(30, 10))
    assert not loupe.isVisible()


def test_pixels_that_the_reduced_pictures_lack_are_asked_for_once(compare, loupe, qtbot):
    compare.original.set_picture(picture(0, reduced=4))
    compare.reconstruction.set_picture(picture(1, reduced=4))
    asked = []
    compare.magnifier.needed.connect(asked.append)
    compare.set_magnifier(True)
    move(compare.original, QPoint(200, 150))
    qtbot.waitUntil(lambda: bool(asked))
    assert loupe.panes[0].values == ""
    region = asked[0]
    assert region == Region(200 - 75, 100 - 75, 200 + 76, 100 + 76)
    compare.magnifier.set_magnified(picture(0, region), picture(1, region))
    assert [pane.values for pane in loupe.panes] == ["200 200 200", "201 201 201"]
    move(compare.original, QPoint(220, 160))
    qtbot.wait(10)
    assert len(asked) == 1
    assert loupe.panes[0].values == "220 220 220"
    move(compare.original, QPoint(390, 160))
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert asked[1].right == WIDTH


def test_another_reconstruction_is_asked_for_and_the_old_one_seen_meanwhile(compare, loupe, qtbot):
    compare.original.set_picture(picture(0, reduced=4))
    compare.reconstruction.set_picture(picture(1, reduced=4))
    compare.set_magnifier(True)
    with qtbot.waitSignal(compare.magnifier.needed) as asked:
        move(compare.original, QPoint(200, 150))
    compare.magnifier.set_magnified(picture(0, asked.args[0]), picture(1, asked.args[0]))
    with qtbot.waitSignal(compare.magnifier.needed) as again:
        compare.reconstruction.set_picture(picture(9, reduced=4))
    assert loupe.panes[1].values == "201 201 201"
    compare.magnifier.set_magnified(picture(0, again.args[0]), picture(9, again.args[0]))
    assert loupe.panes[1].values == "209 209 209"


def test_shift_and_wheel_and_plus_and_minus_magnify_while_it_is_on(compare, qtbot):
    magnifier, scale = compare.magnifier, compare.viewport.scale
    compare.set_magnifier(True)
    assert magnifier.factor == 8
    turn(compare.original, 120, keys=Qt.KeyboardModifier.ShiftModifier)
    assert magnifier.factor == 16
    turn(compare.original, QPoint(-120, 0), keys=Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(compare.original, Qt.Key.Key_Minus)
    assert magnifier.factor == 4
    for _ in range(9):
        qtbot.keyClick(compare.reconstruction, Qt.Key.Key_Plus)
    assert magnifier.factor == 32
    for _ in range(9):
        qtbot.keyClick(compare.reconstruction, Qt.Key.Key_Minus)
    assert magnifier.factor == 2
    assert compare.viewport.scale == scale
    compare.set_magnifier(False)
    qtbot.keyClick(compare.original, Qt.Key.Key_Plus)
    assert compare.viewport.scale > scale


@pytest.mark.parametrize("at", [(0, 50), (399, 249), (399, 50), (0, 249), (200, 150)])
@pytest.mark.sweep(3)
def test_it_never_leaves_the_view(compare, loupe, at):
    compare.set_magnifier(True)
    for canvas in (compare.original, compare.reconstruction):
        move(canvas, QPoint(*at))
        assert compare.rect().contains(loupe.geometry())
    compare.resize(compare.minimumSizeHint())
    compare.fit()
    move(compare.original, QPoint(80, 60))
    assert loupe.isVisible()
    assert loupe.width() <= compare.width()


def test_without_a_mouse_it_shows_the_middle_and_without_an_original_the_reconstruction(
    compare, loupe, qtbot
):
    compare.set_viewport(Viewport(100, 60, 4.0))
    compare.set_magnifier(True)
    assert loupe.pixel == (100, 60)
    qtbot.keyClick(compare.original, Qt.Key.Key_Right)
    assert loupe.pixel == (116, 60)
    compare.set_original_available(False)
    compare.set_viewport(Viewport(200, 100, 1.0))
    move(compare.reconstruction, QPoint(400, 150))
    assert [pane.name for pane in loupe.panes] == ["k = 24"]


def test_one_pixel_fills_nothing_but_the_middle(compare, loupe):
    compare.set_image_size(1, 1)
    compare.fit()
    for canvas in (compare.original, compare.reconstruction):
        canvas.set_picture(picture(7, Region(0, 0, 1, 1)))
    compare.set_magnifier(True)
    move(compare.original, QPoint(200, 150))
    assert loupe.pixel == (0, 0)
    assert loupe.panes[0].values == "7 7 7"
    assert loupe.grab().toImage().pixelColor(40, 40) != loupe.grab().toImage().pixelColor(87, 87)
