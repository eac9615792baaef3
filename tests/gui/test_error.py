"""The error tab: its figures, its places to click, and when it is supplied."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from pcaimage.codec import Region
from pcaimage.gui.session.requests import Keep, ShowFrame
from pcaimage.gui.session.resolve import figures
from pcaimage.gui.tabs.error import NO_ORIGINAL, ErrorFeed
from pcaimage.gui.tabs.error.figures import EMPTY, ErrorFigures, Histogram
from pcaimage.gui.tabs.error.page import EXACT, ErrorPage, ErrorPlot, WorstList
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


@pytest.fixture
def view(on_screen):
    return on_screen(ErrorPage(), 900, 190)


@pytest.fixture
def regions(view):
    """The regions that the tab asks to show."""
    asked = []
    view.requested.connect(lambda request: asked.append(request.region))
    return asked


def test_the_line_of_figures_tells_how_wrong_the_image_is(view, regions, qtbot):
    view.set_figures(wrong_at())
    assert view.text == EXACT
    view.set_figures(wrong_at((3, 5, 41)))
    assert view.text.startswith("RMS 0.7 levels · 95\u00a0% within ±0 · largest 41 · ")
    assert view.text.endswith("dB")
    assert "RMS 0.7 levels" in view.accessibleDescription()
    view.say(EMPTY)  # it was closed
    view.set_updating(True)
    qtbot.keyClick(find(view, WorstList), Qt.Key.Key_Down)
    assert view.text == EMPTY
    assert regions == []


def test_walking_through_the_list_asks_for_block_after_block_and_a_click_once(view, regions, qtbot):
    view.set_figures(wrong_at((3, 5, 41), (62, 47, 60), (20, 20, 5)))
    table = find(view, WorstList)
    assert regions == []
    for _ in range(4):
        qtbot.keyClick(table, Qt.Key.Key_Down)
    assert regions == [Region(56, 40, 64, 48), Region(0, 0, 8, 8), Region(16, 16, 24, 24)]
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert regions[3:] == [Region(16, 16, 24, 24)]
    qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(table.model().index(1, 1)).center())
    assert regions[4:] == [Region(0, 0, 8, 8)]


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
    plot = find(view, ErrorPlot)
    rare = plot.heights[-1] / plot.heights.max()
    find(view, QCheckBox, "Log counts").click()
    assert plot.heights.sum() == pytest.approx(100)
    assert rare > 0.05 > plot.heights[-1] / plot.heights.max()


def test_errors_of_real_numbers_have_bars_and_figures_of_their_size():
    rng = np.random.default_rng(2)
    original = rng.normal(0, 1, (40, 48, 5)).astype(np.float32)
    errors = ErrorMap.of(original, (original + rng.normal(0, 0.02, original.shape)).astype(np.float32))
    found = ErrorFigures.of(errors, 8)
    assert found.summary.startswith("RMS 0.02 · 95\u00a0% within ±0.039 · largest 0.0")
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
def test_the_errors_are_those_of_the_exact_reconstruction_until_those_of_another_k_are_there(
    session, feed, view, until
):
    feed.set_active(True)
    session.open_image(Image(noisy(45, 61, 3)))
    until(lambda: view.text.startswith("RMS"))
    settled, image, before = session.state.settled, session.state.document.image, view.text
    assert f"largest {np.abs(settled.pixels.astype(int) - image.pixels).max()} " in before
    session.request(Keep(2))
    assert view.text == f"{before} · updating…"
    until(lambda: view.text.startswith("RMS") and "updating" not in view.text)
    assert view.text != before


@pytest.mark.slow
def test_the_decibels_are_those_of_the_caption(session, feed, view, until):
    feed.set_active(True)
    session.open_image(Image(noisy(20, 30, 5).astype(np.uint16) * 8))  # far below the largest of 16 bits
    until(lambda: view.text.startswith("RMS") and session.state.exact is not None)
    psnr = figures(session.state).psnr
    assert psnr is not None
    assert view.text.endswith(f" · {psnr:.2f}\u00a0dB")


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
