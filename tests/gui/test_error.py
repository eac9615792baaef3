"""The error tab: its figures, its places to click, and when it is supplied."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox, QRadioButton

from pcaimage.codec import Region
from pcaimage.gui.session.requests import Keep, ShowFrame, ShowPlace, ShowRegion
from pcaimage.gui.session.resolve import figures
from pcaimage.gui.tabs.error.feed import NO_ORIGINAL, ErrorFeed
from pcaimage.gui.tabs.error.figures import EMPTY, MOST_PIXELS, ErrorFigures, Histogram
from pcaimage.gui.tabs.error.page import EXACT, ErrorPage, WorstList
from pcaimage.gui.tabs.error.plot import ErrorPlot, HeatMap
from pcaimage.imaging import Image
from pcaimage.insight.differences import ErrorCounts
from pcaimage.insight.error_map import ErrorMap
from tests.gui.finding import find

LEFT = Qt.MouseButton.LeftButton


def wrong_at(*places, shape=(48, 64)):
    """Figures of an image of one colour that is wrong by some levels at some (x, y)."""
    original = np.full((*shape, 3), 100, np.uint8)
    changed = original.copy()
    for x, y, by in places:
        changed[y, x] += np.uint8(by)
    return ErrorFigures.of(ErrorMap.of(original, changed), 8)


class Requests:
    """Records the places and regions that the tab asks to show."""

    def __init__(self, view):
        self.places = []
        self.regions = []
        view.requested.connect(self._note)

    def _note(self, request):
        if isinstance(request, ShowPlace):
            self.places.append((request.x, request.y))
        elif isinstance(request, ShowRegion):
            self.regions.append(request.region)


@pytest.fixture
def view(on_screen):
    return on_screen(ErrorPage(), 900, 190)


@pytest.fixture
def requests(view):
    return Requests(view)


def test_the_line_of_figures_tells_how_wrong_the_image_is(view):
    view.set_figures(wrong_at((3, 5, 41)))
    assert view.text.startswith("RMS 0.7 levels · 95\u00a0% within ±0 · largest 41 · ")
    assert view.text.endswith("dB")
    assert "RMS 0.7 levels" in view.accessibleDescription()


def test_an_image_without_errors_is_told_in_a_sentence(view):
    view.set_figures(wrong_at())
    assert view.text == EXACT
    view.set_figures(wrong_at((0, 0, 1)))
    assert view.text != EXACT


@pytest.mark.sweep(3)
@pytest.mark.parametrize("place", [(0, 0), (63, 47), (30, 20)])
def test_clicking_the_map_asks_for_the_pixel_there(view, requests, qtbot, place):
    view.set_figures(wrong_at((3, 5, 41)))
    target = find(view, HeatMap).target
    position = QPoint(
        int(target.left() + (place[0] + 0.5) * target.width() / 64),
        int(target.top() + (place[1] + 0.5) * target.height() / 48),
    )
    qtbot.mouseClick(find(view, HeatMap), LEFT, pos=position)
    assert requests.places == [place]


def test_beside_the_image_there_is_nothing_to_click(view, requests, qtbot):
    view.set_figures(wrong_at((3, 5, 41)))
    qtbot.mouseClick(find(view, HeatMap), LEFT, pos=QPoint(1, 1))
    assert requests.places == []


def test_keys_move_a_cross_over_the_map(view, requests, qtbot):
    view.set_figures(wrong_at((3, 5, 41)))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Return):
        qtbot.keyClick(find(view, HeatMap), key)
    assert requests.places == [(36, 22)]


@pytest.mark.slow
def test_hovering_tells_the_error_of_the_pixel_or_of_its_block(view, qtbot):
    view.set_figures(wrong_at((3, 5, 41)))
    summary = view.text
    find(view, HeatMap).placeHovered.emit(3, 5)
    assert view.text == "(3, 5) · error 41.0 levels"
    qtbot.mouseClick(find(view, QRadioButton, "Blocks of 8 × 8 pixels"), LEFT)
    find(view, HeatMap).placeHovered.emit(6, 7)
    assert view.text == "(6, 7) · error of the block 5.1 levels"
    find(view, HeatMap).placeHovered.emit(-1, -1)
    assert view.text == summary


def test_walking_through_the_list_asks_for_block_after_block(view, requests, qtbot):
    view.set_figures(wrong_at((3, 5, 41), (62, 47, 60), (20, 20, 5)))
    assert requests.regions == []
    for _ in range(4):
        qtbot.keyClick(find(view, WorstList), Qt.Key.Key_Down)
    assert requests.regions == [Region(56, 40, 64, 48), Region(0, 0, 8, 8), Region(16, 16, 24, 24)]
    qtbot.keyClick(find(view, WorstList), Qt.Key.Key_Return)
    assert requests.regions[-1] == Region(16, 16, 24, 24)
    assert len(requests.regions) == 4


def test_clicking_a_line_asks_for_its_block_once(view, requests, qtbot):
    view.set_figures(wrong_at((3, 5, 41), (62, 47, 60)))
    table = find(view, WorstList)
    place = table.visualRect(table.model().index(1, 1)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    assert requests.regions == [Region(0, 0, 8, 8)]


def test_nothing_is_shown_of_what_was_closed(view, requests, qtbot):
    view.set_figures(wrong_at((3, 5, 41)))
    view.say(EMPTY)
    view.set_updating(True)
    qtbot.keyClick(find(view, WorstList), Qt.Key.Key_Down)
    qtbot.keyClick(find(view, HeatMap), Qt.Key.Key_Return)
    assert view.text == EMPTY
    assert (requests.regions, requests.places) == ([], [])


def test_large_images_are_kept_no_larger_than_a_tab_needs():
    figures = wrong_at((1999, 5, 41), shape=(900, 2000))
    assert max(figures.pixels.values.shape) <= MOST_PIXELS
    assert figures.pixels.at(1999, 5) > figures.pixels.at(0, 0) == 0
    small = ErrorFigures.of(ErrorMap.of(*(np.zeros((4, 4000, 1), np.uint8),) * 2), 4)
    assert max(small.blocks.values.shape) <= MOST_PIXELS


def bars_of(values, most):
    original = np.full(len(values), 30_000, np.uint16)
    changed = (original.astype(int) + values).astype(np.uint16)
    return Histogram.of(ErrorCounts.of(original, changed), most)


@pytest.mark.parametrize("largest", [0, 1, 7, 50, 51, 99, 100, 101, 29_000])
@pytest.mark.parametrize("most", [11, 201])
def test_bars_are_centred_at_zero_and_hold_every_value(largest, most):
    bars = bars_of([largest, -1, 0, 0], most)
    assert bars.counts.size <= most
    assert bars.counts.size % 2 == 1
    assert bars.counts.sum() == 4
    assert bars.edges[0] == -bars.edges[-1]
    assert bars.edges[-1] >= largest
    widths = np.diff(bars.edges)
    assert (widths == widths[0]).all()


def test_a_bar_tells_its_errors_and_how_many_there_are():
    bars = bars_of([-3, -3, 0, 2], 201)
    assert bars.describe(-3.2) == "error −3: 2 values, 50.00\u00a0%"
    assert bars.describe(0) == "error 0: 1 values, 25.00\u00a0%"
    assert bars.describe(99) == ""
    assert bars_of([900, *[1] * 1234], 11).describe(0).startswith("error −82 to +82: 1\u202f234 values")


def test_rare_errors_are_seen_on_the_logarithmic_axis(view):
    view.set_figures(wrong_at((3, 5, 41)))
    rare = find(view, ErrorPlot).heights[-1] / find(view, ErrorPlot).heights.max()
    find(view, QCheckBox, "Log counts").click()
    assert find(view, ErrorPlot).heights.sum() == pytest.approx(100)
    assert rare > 0.05 > find(view, ErrorPlot).heights[-1] / find(view, ErrorPlot).heights.max()


def test_errors_of_real_numbers_have_bars_figures_and_a_scale_of_their_size():
    rng = np.random.default_rng(2)
    original = rng.normal(0, 1, (40, 48, 5)).astype(np.float32)
    errors = ErrorMap.of(original, (original + rng.normal(0, 0.02, original.shape)).astype(np.float32))
    found = ErrorFigures.of(errors, 8)
    assert found.summary.startswith("RMS 0.02 · 95\u00a0% within ±0.039 · largest 0.0")
    assert found.pixels.full_scale < 0.1
    assert found.pixels.colours.max() > 200
    bars = Histogram.of(found.counts)
    assert int(bars.counts.sum()) == original.size
    assert bars.edges[0] == pytest.approx(-bars.edges[-1])
    assert 0.05 < bars.edges[-1] < 0.2
    assert bars.describe(0.0).startswith("error −0.000")


# What is supplied, and when


@pytest.fixture
def feed(session, view):
    return ErrorFeed(session, view)


def noisy(*shape):
    return np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)


@pytest.mark.slow
def test_the_errors_are_those_of_the_exact_reconstruction(session, feed, view, until):
    feed.set_active(True)
    session.open_image(Image(noisy(45, 61, 3)))
    until(lambda: view.text.startswith("RMS"))
    settled, image = session.state.settled, session.state.document.image
    worst = np.abs(settled.pixels.astype(int) - image.pixels).max()
    assert f"largest {worst} " in view.text


@pytest.mark.slow
def test_the_decibels_are_those_of_the_caption(session, feed, view, until):
    feed.set_active(True)
    session.open_image(Image(noisy(20, 30, 5).astype(np.uint16) * 8))  # far below the largest of 16 bits
    until(lambda: view.text.startswith("RMS") and session.state.exact is not None)
    psnr = figures(session.state).psnr
    assert psnr is not None
    assert view.text.endswith(f" · {psnr:.2f}\u00a0dB")


@pytest.mark.slow
def test_former_errors_stay_until_those_of_another_k_are_there(session, feed, view, until):
    feed.set_active(True)
    session.open_image(Image(noisy(45, 61, 3)))
    until(lambda: view.text.startswith("RMS"))
    before = view.text
    session.request(Keep(2))
    assert view.text == f"{before} · updating…"
    until(lambda: view.text.startswith("RMS") and "updating" not in view.text)
    assert view.text != before


def test_without_the_original_errors_are_not_known(session, feed, view, compressed, until):
    feed.set_active(True)
    session.open_paths([str(compressed)])
    until(lambda: view.text == NO_ORIGINAL)
    session.close()
    assert view.text == EMPTY


def test_of_a_stack_the_errors_are_those_of_the_image_shown(session, feed, view, until):
    frames = noisy(4, 20, 30, 1)
    frames[2] = 7
    feed.set_active(True)
    session.open_image(Image(frames))
    until(lambda: session.state.settled is not None)
    session.request(Keep(1))
    until(lambda: view.text.startswith("image 1 of 4: RMS") and "updating" not in view.text)
    session.request(ShowFrame(2))
    until(lambda: view.text.startswith("image 3 of 4: RMS") and "updating" not in view.text)
