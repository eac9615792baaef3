"""k is chosen alike on the spectrum, on the curve of size and quality, and on the slider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QStyle, QWidget

from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.gui.panel.k_slider import KScale, KSlider
from pcaimage.gui.tabs.curve.page import CurvePage
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.gui.tabs.spectrum.page import SpectrumPage
from pcaimage.insight.curve import Curve
from tests.gui.mouse import move

LEFT = Qt.MouseButton.LeftButton
MOST, PRESENT = 100, 24
CURVE = Curve(
    OperatingPoints.of_components(MOST),
    np.geomspace(1000, 1e6, MOST),
    np.linspace(22, 52, MOST),
    np.linspace(50, 100, MOST),
)


@dataclass
class Chooser:
    """A widget on which one of 100 k is chosen, its requests, and answers such as a session gives."""

    widget: KSlider | SpectrumPage | CurvePage
    surface: QWidget
    set_k: Callable[[int], None]
    position_of: Callable[[int], QPoint]
    empty: Callable[[], None]
    requested: list[int] = field(default_factory=list)
    committed: list[int] = field(default_factory=list)

    def __post_init__(self):
        self.set_k(PRESENT)
        self.widget.requested.connect(self._answer)

    def _answer(self, request):
        (self.committed if request.final else self.requested).append(request.k)
        self.set_k(request.k)


def slider():
    slider, scale = KSlider(), KScale.even(MOST)

    def position_of(k):
        handle = slider.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, slider)
        x = QStyle.sliderPositionFromValue(0, slider.maximum(), slider.value_of(k), slider.width() - handle)
        return QPoint(x + handle // 2, slider.height() // 2)

    return Chooser(
        slider, slider, lambda k: slider.set_k(k, MOST, scale), position_of, lambda: slider.set_k(0, 0)
    )


def spectrum():
    page = SpectrumPage()
    page.set_spectrum(SpectrumData.of(1000.0 * 0.9 ** np.arange(MOST), MOST))
    return Chooser(
        page, page.surface, page.set_k, page.position_of, partial(page.set_spectrum, SpectrumData.of([], 0))
    )


def curve():
    page = CurvePage()
    page.set_curve(CURVE)
    return Chooser(page, page.surface, page.set_k, page.position_of, partial(page.set_curve, None))


@pytest.fixture(params=[slider, spectrum, curve], ids=lambda make: make.__name__)
def chooser(qtbot, request):
    chooser = request.param()
    qtbot.addWidget(chooser.widget)
    chooser.widget.resize(900, 260)
    chooser.widget.show()
    chooser.widget.grab()
    return chooser


@pytest.mark.sweep(2)
def test_dragging_requests_as_it_moves_and_commits_the_last_k(chooser, qtbot):
    qtbot.mousePress(chooser.surface, LEFT, pos=chooser.position_of(PRESENT))
    for k in (30, 31, 32):
        move(chooser.surface, chooser.position_of(k))
    assert chooser.requested == [30, 31, 32]
    assert chooser.committed == []
    qtbot.mouseRelease(chooser.surface, LEFT, pos=chooser.position_of(40))
    assert chooser.requested[-1] == 40
    assert chooser.committed == [40]


@pytest.mark.parametrize("k", [1, 2, 57, 60, 99, 100])
@pytest.mark.sweep(10)
def test_a_click_chooses_the_k_under_it(chooser, qtbot, k):
    qtbot.mouseClick(chooser.surface, LEFT, pos=chooser.position_of(k))
    assert chooser.requested == chooser.committed == [k]
    qtbot.mouseClick(chooser.surface, LEFT, pos=chooser.surface.rect().bottomRight())
    qtbot.mouseClick(chooser.surface, LEFT, pos=QPoint(0, 1))
    assert chooser.committed[-1] == 1
    assert MOST in chooser.committed


@pytest.mark.parametrize(
    ("key", "k"),
    [
        (Qt.Key.Key_Left, 23),
        (Qt.Key.Key_Right, 25),
        (Qt.Key.Key_Down, 23),
        (Qt.Key.Key_Up, 25),
        (Qt.Key.Key_PageUp, 34),
        (Qt.Key.Key_PageDown, 14),
        (Qt.Key.Key_Home, 1),
        (Qt.Key.Key_End, 100),
    ],
)
@pytest.mark.sweep(12)
def test_keys_move_k_and_commit_it_when_they_are_released(chooser, qtbot, key, k):
    qtbot.keyPress(chooser.widget, key)
    assert (chooser.requested, chooser.committed) == ([k], [])
    qtbot.keyRelease(chooser.widget, key)
    assert (chooser.requested, chooser.committed) == ([k], [k])


@pytest.mark.sweep(2)
def test_a_held_key_goes_on_and_stops_at_the_end(chooser, qtbot):
    chooser.set_k(98)
    for _ in range(5):
        qtbot.keyPress(chooser.widget, Qt.Key.Key_Right)
    qtbot.keyRelease(chooser.widget, Qt.Key.Key_Right)
    assert (chooser.requested, chooser.committed) == ([99, 100], [100])


@pytest.mark.sweep(2)
def test_the_k_of_a_held_key_is_committed_when_the_focus_goes(chooser, qtbot):
    other = QWidget(chooser.widget)
    chooser.widget.activateWindow()
    chooser.widget.setFocus()
    qtbot.keyPress(chooser.widget, Qt.Key.Key_Right)
    other.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    other.show()
    other.setFocus()
    assert chooser.committed == [25]


@pytest.mark.sweep(2)
def test_other_keys_are_left_to_the_window_and_where_there_is_nothing_to_choose_all(chooser, qtbot):
    for key in (Qt.Key.Key_F, Qt.Key.Key_A):
        qtbot.keyClick(chooser.widget, key)
    chooser.empty()
    qtbot.keyClick(chooser.widget, Qt.Key.Key_Right)
    move(chooser.surface, QPoint(20, 20))
    qtbot.mouseClick(chooser.surface, LEFT, pos=QPoint(20, 20))
    assert chooser.requested == chooser.committed == []


@pytest.mark.sweep(2)
@pytest.mark.parametrize("chooser", [spectrum, curve], ids=["spectrum", "curve"], indirect=True)
def test_another_image_ends_a_drag(chooser, qtbot):
    qtbot.mousePress(chooser.surface, LEFT, pos=chooser.position_of(50))
    chooser.empty()
    qtbot.mouseRelease(chooser.surface, LEFT)
    assert (chooser.requested, chooser.committed) == ([50], [])
