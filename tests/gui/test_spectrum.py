from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import DARK
from pcaimage.gui.session.requests import Keep
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.gui.tabs.spectrum.page import SpectrumPage
from pcaimage.gui.theme import qt_palette
from tests.gui.mouse import move

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

LEFT = Qt.MouseButton.LeftButton
VARIANCES = 1000.0 * 0.9 ** np.arange(100)


class Hand:
    """What the plot asked for, answered as a session would."""

    def __init__(self, plot: SpectrumPage) -> None:
        self._plot = plot
        self.requested: list[int] = []
        self.committed: list[int] = []
        plot.requested.connect(self._answer)

    def _answer(self, request: Keep) -> None:
        (self.committed if request.final else self.requested).append(request.k)
        self._plot.set_k(request.k)


@pytest.fixture
def plot(qtbot: QtBot) -> SpectrumPage:
    plot = SpectrumPage()
    qtbot.addWidget(plot)
    plot.resize(900, 260)
    plot.show()
    plot.set_spectrum(VARIANCES, 100)
    plot.set_k(24)
    plot.grab()
    return plot


@pytest.fixture
def hand(plot: SpectrumPage) -> Hand:
    return Hand(plot)


def test_dragging_the_line_requests_as_it_moves_and_commits_the_last_component(
    plot: SpectrumPage, hand: Hand, qtbot: QtBot
) -> None:
    qtbot.mousePress(plot.surface, LEFT, pos=plot.position_of(24))
    for k in (30, 31, 32):
        move(plot.surface, plot.position_of(k))
    assert hand.requested == [30, 31, 32]
    assert hand.committed == []
    qtbot.mouseRelease(plot.surface, LEFT, pos=plot.position_of(40))
    assert hand.requested[-1] == 40
    assert hand.committed == [40]


def test_dragging_past_the_end_reaches_the_last_component(
    plot: SpectrumPage, hand: Hand, qtbot: QtBot
) -> None:
    qtbot.mousePress(plot.surface, LEFT, pos=plot.position_of(50))
    move(plot.surface, plot.position_of(100) + QPoint(500, 0))
    qtbot.mouseRelease(plot.surface, LEFT, pos=plot.position_of(100) + QPoint(500, 0))
    assert hand.committed == [100]
    qtbot.mouseClick(plot.surface, LEFT, pos=QPoint(0, 100))
    assert hand.committed == [100, 1]


@pytest.mark.parametrize("k", [1, 2, 57, 99, 100])
def test_a_click_moves_the_line_to_the_component_under_it(
    plot: SpectrumPage, hand: Hand, qtbot: QtBot, k: int
) -> None:
    qtbot.mouseClick(plot.surface, LEFT, pos=plot.position_of(k))
    assert hand.committed == [k]


def test_a_click_on_the_line_changes_nothing(plot: SpectrumPage, hand: Hand, qtbot: QtBot) -> None:
    qtbot.mouseClick(plot.surface, LEFT, pos=plot.position_of(24))
    qtbot.mouseClick(plot.surface, Qt.MouseButton.RightButton, pos=plot.position_of(60))
    qtbot.mouseDClick(plot.surface, LEFT, pos=plot.position_of(24))
    assert hand.requested == hand.committed == []


@pytest.mark.parametrize(
    ("key", "k"),
    [
        (Qt.Key.Key_Left, 23),
        (Qt.Key.Key_Right, 25),
        (Qt.Key.Key_PageUp, 34),
        (Qt.Key.Key_PageDown, 14),
        (Qt.Key.Key_Home, 1),
        (Qt.Key.Key_End, 100),
    ],
)
def test_keys_move_the_line_and_commit_when_they_are_let_go(
    plot: SpectrumPage, hand: Hand, qtbot: QtBot, key: Qt.Key, k: int
) -> None:
    qtbot.keyPress(plot, key)
    assert (hand.requested, hand.committed) == ([k], [])
    qtbot.keyRelease(plot, key)
    assert hand.committed == [k]


def test_a_held_key_goes_on_and_stops_at_the_end(plot: SpectrumPage, hand: Hand, qtbot: QtBot) -> None:
    plot.set_k(98)
    for _ in range(5):
        qtbot.keyPress(plot, Qt.Key.Key_Right)
    qtbot.keyRelease(plot, Qt.Key.Key_Right)
    assert (hand.requested, hand.committed) == ([99, 100], [100])


def test_what_keys_asked_for_is_committed_when_the_focus_goes(
    plot: SpectrumPage, hand: Hand, qtbot: QtBot
) -> None:
    other = QWidget(plot)
    plot.activateWindow()
    plot.setFocus()
    qtbot.keyPress(plot, Qt.Key.Key_Right)
    other.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    other.show()
    other.setFocus()
    assert hand.committed == [25]


def test_other_keys_are_left_to_the_window(plot: SpectrumPage, hand: Hand, qtbot: QtBot) -> None:
    qtbot.keyClick(plot, Qt.Key.Key_F)
    assert hand.requested == []


def test_only_as_many_components_as_there_are_can_be_asked_for(
    plot: SpectrumPage, hand: Hand, qtbot: QtBot
) -> None:
    plot.set_spectrum(VARIANCES, 10)
    assert plot.text.startswith("component 10 ")
    qtbot.mouseClick(plot.surface, LEFT, pos=plot.position_of(70))
    assert hand.committed == []
    qtbot.keyClick(plot, Qt.Key.Key_End)
    assert hand.committed == []


def test_hovering_tells_the_figures_and_leaving_those_of_k(plot: SpectrumPage) -> None:
    move(plot.surface, plot.position_of(2))
    assert plot.text == "component 2 · λ = 900 · 9.00\u00a0% · cumulative 19.00\u00a0%"
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication

    QApplication.sendEvent(plot.surface, QEvent(QEvent.Type.Leave))
    assert plot.text.startswith("component 24 ")
    assert "24 of 100 components are kept" in plot.accessibleDescription()


def test_showing_another_k_emits_nothing(plot: SpectrumPage, hand: Hand) -> None:
    for k in (1, 50, 100, 1000):
        plot.set_k(k)
    plot.set_spectrum(VARIANCES / 2, 100)
    assert hand.requested == hand.committed == []


def test_without_a_spectrum_the_plot_says_so_and_does_nothing(qtbot: QtBot) -> None:
    plot = SpectrumPage()
    qtbot.addWidget(plot)
    hand = Hand(plot)
    plot.show()
    assert "appears here" in plot.accessibleDescription()
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    move(plot.surface, QPoint(20, 20))
    qtbot.mouseClick(plot.surface, LEFT, pos=QPoint(20, 20))
    assert hand.requested == []


@pytest.mark.parametrize(
    "variances",
    [[5.0, 1.0, 0.0, 0.0], [0.0, 0.0], [3.0], [1e9, 1e-12], [2.0, -1e-17], [np.nan, 0.0], [1e-300, 0.0]],
)
def test_zeros_and_extremes_can_be_drawn(plot: SpectrumPage, variances: list[float]) -> None:
    plot.set_spectrum(variances, len(variances))
    plot.set_k(1)
    assert not plot.grab().isNull()
    assert plot.text.startswith("component 1 ")


def test_thousands_of_components_follow_the_hand(plot: SpectrumPage) -> None:
    plot.set_spectrum(1e4 / np.arange(1, 12289) ** 2, 12288)
    start = time.thread_time()
    for k in range(100, 120):
        plot.set_k(k)
        plot.grab()
    assert (time.thread_time() - start) / 20 < 0.033


def test_of_thousands_of_components_the_first_are_far_apart(
    plot: SpectrumPage, hand: Hand, qtbot: QtBot
) -> None:
    plot.set_spectrum(1e4 / np.arange(1, 12289) ** 2, 12288)
    assert plot.position_of(10).x() - plot.position_of(1).x() > 100
    qtbot.mouseClick(plot.surface, LEFT, pos=plot.position_of(12))
    assert hand.committed == [12]


def test_the_plot_follows_the_colour_scheme(plot: SpectrumPage) -> None:
    plot.setPalette(qt_palette(DARK))
    assert plot.grab().toImage().pixelColor(plot.width() - 10, plot.height() - 5).name() == DARK.base


@pytest.mark.parametrize("n", [3, 192, 511, 512, 12288])
def test_components_and_places_are_inverse(n: int) -> None:
    data = SpectrumData.of(np.ones(n), n)
    for k in (1, 2, n // 2, n):
        assert data.component_at(float(data.place(k))) == max(1, k)
    assert data.component_at(-1e9) == 1
    assert data.component_at(1e9) == n


def test_the_share_is_never_rounded_up_to_all() -> None:
    data = SpectrumData.of([99_999.0, 1.0], 2)
    assert "99.99" in data.describe(1)
    assert "100.00" in data.describe(2)
    assert "< 0.01" in data.describe(2)


def test_of_no_variance_everything_is_kept() -> None:
    data = SpectrumData.of([0.0, 0.0], 2)
    assert data.cumulative.tolist() == [100.0, 100.0]
    assert "λ = 0" in data.describe(1)
    assert "1.00\u00a0×\u00a010⁷" in SpectrumData.of([1e7], 1).describe(1)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (-2.2, 3.4, ["0.01", "0.1", "1", "10", "100", "1000"]),
        (2.1, 4.9, ["1000", "10⁴"]),
        (-9, 9, ["10⁻⁸", "10⁻⁴", "1", "10⁴", "10⁸"]),
    ],
)
def test_decades_are_labelled_where_there_is_room(low: float, high: float, labels: list[str]) -> None:
    assert [text for _, text in decades(low, high)] == labels
