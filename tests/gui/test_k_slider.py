from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionSlider

from pcaimage.gui.session.requests import Keep, Move
from tests.gui.mouse import move

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


def turn_wheel(widget):
    at = QPointF(widget.rect().center())
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    keys = Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(at, widget.mapToGlobal(at), QPoint(), QPoint(0, 120), none, keys, phase, False)
    QApplication.sendEvent(widget, event)


def test_the_wheel_in_passing_changes_nothing(panel, asked):
    panel.keep.step.setFocus()
    for widget in (panel.keep.slider, panel.keep.k, panel.compress.method, panel.compress.block):
        turn_wheel(widget)
    assert asked == []


def test_the_wheel_on_the_focused_control_changes_it(panel, asked):
    panel.keep.slider.setFocus()
    turn_wheel(panel.keep.slider)
    panel.keep.k.setFocus()
    turn_wheel(panel.keep.k)
    panel.compress.method.setFocus()
    turn_wheel(panel.compress.method)
    assert asked == [
        Keep(25, final=False),
        Keep(25),
        Move(1),
    ]


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
    for turn in (40, 40, 40, 0, -40, -80):
        turned = QWheelEvent(
            QPointF(5, 5),
            slider.mapToGlobal(QPointF(5, 5)),
            QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(slider, turned)
    assert [keep.k for keep in asked if keep.final] == [25, 23]


def test_the_slider_says_its_k_rather_than_its_place(panel):
    assert panel.keep.slider.accessibleDescription() == "24 of 192 components"


def test_the_scale_follows_the_variances(panel, photograph):
    slider = panel.keep.slider
    before = slider.value()
    steep = 1e5 / np.arange(1, 193) ** 3.0
    panel.set_view(replace(photograph, variances=steep))
    assert slider.value() != before
    panel.set_view(replace(photograph, variances=steep, method="photo"))
    assert slider.value() == round(100_000 * 23 / 191)
