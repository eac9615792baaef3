from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionSlider

from pcaimage.gui.panel.k_slider import KScale, signal_to_error
from pcaimage.gui.session.requests import Keep, Move
from tests.gui.mouse import move, turn

LEFT = Qt.MouseButton.LeftButton


def answer(panel, view):
    """Answer requests for k as a session does."""
    panel.requested.connect(lambda keep: panel.set_view(replace(view, k=keep.k)))


def handle(panel):
    slider, option = panel.keep.slider, QStyleOptionSlider()
    slider.initStyleOption(option)
    control, part = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(control, option, part, slider).center()


def test_sliding_requests_on_the_way_and_commits_at_the_end(panel, photograph, asked, qtbot):
    answer(panel, photograph)
    slider = panel.keep.slider
    start = handle(panel)
    qtbot.mousePress(slider, LEFT, pos=start)
    for dx in range(4, 60, 4):
        move(slider, start + QPoint(dx, 0))
    assert not any(keep.final for keep in asked)
    values = [keep.k for keep in asked]
    assert values == sorted(values)
    qtbot.mouseRelease(slider, LEFT, pos=start + QPoint(60, 0))
    assert asked[-2:] == [Keep(asked[-1].k, final=False), Keep(asked[-1].k)]
    assert panel.keep.k.text() == str(asked[-1].k)
    assert not slider.isSliderDown()
    assert [keep.final for keep in asked].count(True) == 1


def test_the_wheel_in_passing_changes_nothing_and_on_the_focused_control_it(panel, asked):
    panel.keep.step.setFocus()
    for widget in (panel.keep.slider, panel.keep.k, panel.compress.method, panel.compress.block):
        turn(widget, 120)
    assert asked == []
    for widget in (panel.keep.slider, panel.keep.k, panel.compress.method):
        widget.setFocus()
        turn(widget, 120)
    assert asked == [Keep(25, final=False), Keep(25), Move(1)]


def test_a_drag_with_shift_goes_by_single_components(panel, photograph, asked, qtbot):
    answer(panel, photograph)
    slider, shift = panel.keep.slider, Qt.KeyboardModifier.ShiftModifier
    start = handle(panel)
    qtbot.mousePress(slider, LEFT, shift, start)
    assert asked == []
    for pixels in (3, 6, 12, 18, 12):
        at = QPointF(start + QPoint(pixels, 0))
        move = QMouseEvent(QEvent.Type.MouseMove, at, slider.mapToGlobal(at), LEFT, LEFT, shift)
        QApplication.sendEvent(slider, move)
    qtbot.mouseRelease(slider, LEFT, shift, start + QPoint(12, 0))
    assert [keep.k for keep in asked] == [25, 26, 27, 26, 26]
    assert asked[-1].final


def test_a_touchpad_takes_many_small_turns_to_a_component(panel, asked):
    slider = panel.keep.slider
    slider.setFocus()
    for angle in (40, 40, 40, 0, -40, -80):
        turn(slider, angle)
    assert [keep.k for keep in asked if keep.final] == [25, 23]


KINDS = {
    "even": KScale.even,
    "logarithmic": KScale.logarithmic,
    "variances": lambda most: KScale.of_variances(1e4 / np.arange(1, most + 1) ** 2.0),
    "constant": lambda most: KScale.of_variances(np.zeros(most)),
}


@pytest.mark.parametrize("kind", KINDS)
@given(most=st.integers(1, 3000), data=st.data())
@pytest.mark.slow
def test_every_k_has_a_place_of_its_own(kind, most, data):
    scale = KINDS[kind](most)
    k = data.draw(st.integers(1, most))
    assert scale.k_max == most
    assert 0 <= scale.place_of(k) <= 1
    assert scale.k_at(scale.place_of(k)) == k


@pytest.mark.parametrize("kind", KINDS)
@given(one=st.floats(0, 1), two=st.floats(0, 1), most=st.integers(1, 3000))
@pytest.mark.slow
def test_further_right_is_never_a_smaller_k(kind, one, two, most):
    scale = KINDS[kind](most)
    low, high = sorted((one, two))
    assert 1 <= scale.k_at(low) <= scale.k_at(high) <= most
    assert (scale.k_at(0.0), scale.k_at(1.0)) == (1, most)


def test_equal_ways_change_the_quality_about_equally_where_it_matters():
    variances = 1e4 / np.arange(1, 193) ** 2.2
    decibels = signal_to_error(variances)
    assert np.all(np.diff(decibels) >= 0)
    assert signal_to_error(np.array([100.0, 1.0, 10.0, 0.1]))[-1] == pytest.approx(50)
    places = np.linspace(0.1, 0.7, 13)
    gains, worse = (
        np.diff(decibels[[scale.k_at(x) - 1 for x in places]])
        for scale in (KScale.of_variances(variances), KScale.logarithmic(192))
    )
    assert gains.max() < 3 * gains.min()
    assert gains.std() < worse.std()
