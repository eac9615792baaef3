import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pcaimage.codec import Region
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.compare.viewport import Size

IMAGE = Size(400, 200)


@pytest.fixture
def compare(qtbot):
    view = CompareView()
    qtbot.addWidget(view)
    view.viewportRequested.connect(view.set_viewport)
    view.resize(802, 300)
    view.show()
    view.set_image_size(int(IMAGE.width), int(IMAGE.height))
    view.fit()
    qtbot.wait(1)
    return view


def test_an_image_fitted_before_the_window_opened_fits_the_window(qtbot):
    view = CompareView()
    qtbot.addWidget(view)
    view.viewportRequested.connect(view.set_viewport)
    view.set_image_size(400, 200)
    view.fit()
    view.resize(1202, 400)
    view.show()
    assert view.viewport.scale == pytest.approx(1.5)


def test_moving_one_view_moves_the_other(compare, qtbot):
    assert compare.original.width() == compare.reconstruction.width()
    qtbot.keyClick(compare.original, Qt.Key.Key_Plus)
    assert compare.reconstruction.viewport == compare.original.viewport
    assert compare.viewport.scale == pytest.approx(1.25)


def test_both_views_ask_for_pictures_together(compare, qtbot):
    asked = []
    compare.pictureNeeded.connect(lambda region, scale: asked.append((region, scale)))
    compare.zoom_to(2.0)
    qtbot.waitUntil(lambda: bool(asked))
    qtbot.wait(10)
    assert asked == [(Region(100, 25, 300, 175), 2.0)]
    compare.request_picture()
    qtbot.waitUntil(lambda: len(asked) == 2)


def test_without_the_original_the_reconstruction_has_all_the_room(compare):
    compare.set_original_available(False)
    QTest.qWait(1)
    assert compare.reconstruction.width() == compare.width()
    assert compare.viewport.scale == pytest.approx(1.5)
    assert compare.wanted()[0] == Region(0, 0, 400, 200)


def test_a_view_without_an_image_asks_for_nothing(compare, qtbot):
    compare.set_image_size(0, 0)
    with qtbot.assertNotEmitted(compare.viewportRequested), qtbot.assertNotEmitted(compare.pictureNeeded):
        compare.fit()
        compare.zoom_by(2)
        compare.request_picture()
        qtbot.wait(10)
