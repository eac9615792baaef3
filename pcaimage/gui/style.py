"""The style of controls: flat, with round corners, in the colours of the scheme; Fusion does all else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDialogButtonBox,
    QProxyStyle,
    QPushButton,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionHeader,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionTab,
    QWidget,
)

from pcaimage.gui.colours import Colours, colours_for

_Primitive, _Control, _Complex = QStyle.PrimitiveElement, QStyle.ControlElement, QStyle.ComplexControl
_State, _Sub, _Feature = QStyle.StateFlag, QStyle.SubControl, QStyleOptionButton.ButtonFeature
_Step = QAbstractSpinBox.StepEnabledFlag

RADIUS = 5.0  # pixels of the corners of buttons and fields
_SMALL = 3.0  # of boxes and bars
_GROOVE = 4.0  # pixels across a slider's groove
_HANDLE = 7.5  # radius of its handle
_UNDERLINE = 2.0  # below the tab that is seen


class Flat(QProxyStyle):
    """Fusion's measures and behaviour with another look of what people press, type into and choose from."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self._primitives = {
            _Primitive.PE_PanelButtonCommand: _push_button,
            _Primitive.PE_PanelButtonTool: _tool_button,
            _Primitive.PE_IndicatorCheckBox: _check_box,
            _Primitive.PE_IndicatorRadioButton: _radio_button,
            _Primitive.PE_FrameLineEdit: _field,
            _Primitive.PE_FrameFocusRect: _focus,
            _Primitive.PE_FrameTabBarBase: _tab_base,
            _Primitive.PE_IndicatorArrowDown: _arrow_down,
        }
        self._controls = {
            _Control.CE_TabBarTabShape: _tab,
            _Control.CE_ProgressBarGroove: _progress_groove,
            _Control.CE_HeaderSection: _header,
        }
        self._complexes = {
            _Complex.CC_Slider: self._slider,
            _Complex.CC_ComboBox: self._combo_box,
            _Complex.CC_SpinBox: self._spin_box,
            _Complex.CC_ScrollBar: self._scroll_bar,
        }

    def polish(self, target: Any) -> Any:
        """Take the pictures off the buttons of dialogs: desktops give them to some, and not to others."""
        if isinstance(target, QPushButton) and isinstance(target.parentWidget(), QDialogButtonBox):
            target.setIcon(QIcon())
        return super().polish(target)

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw a part of a control."""
        draw = self._primitives.get(element)
        if draw is None:
            super().drawPrimitive(element, option, painter, widget)
            return
        with _smooth(painter):
            draw(option, painter)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw a control, or its label."""
        if element == _Control.CE_PushButtonLabel:
            _colour_label(option)
        elif element == _Control.CE_TabBarTabLabel and not option.state & _State.State_Selected:
            _mute(option)
        elif element == _Control.CE_ProgressBarContents:
            bar = cast("QStyleOptionProgressBar", option)
            if bar.minimum < bar.maximum:
                with _smooth(painter):
                    _progress(bar, painter)
                return
        draw = self._controls.get(element)
        if draw is None:
            super().drawControl(element, option, painter, widget)
            return
        with _smooth(painter):
            draw(option, painter)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw a control of several parts."""
        draw = self._complexes.get(control)
        if draw is None or not draw(option, painter, widget):
            super().drawComplexControl(control, option, painter, widget)

    def _part(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None,
    ) -> QRectF:
        return QRectF(self.subControlRect(control, option, part, widget))  # type: ignore[arg-type]  # it may be None

    def _slider(self, option: QStyleOptionComplex, painter: QPainter, widget: QWidget | None) -> bool:
        slider = cast("QStyleOptionSlider", option)
        if slider.orientation != Qt.Orientation.Horizontal or slider.subControls & _Sub.SC_SliderTickmarks:
            return False
        colours = _colours(slider)
        groove = self._part(_Complex.CC_Slider, slider, _Sub.SC_SliderGroove, widget)
        handle = self._part(_Complex.CC_Slider, slider, _Sub.SC_SliderHandle, widget)
        middle = handle.center()
        groove = QRectF(groove.left(), middle.y() - _GROOVE / 2, groove.width(), _GROOVE)
        enabled = bool(slider.state & _State.State_Enabled)
        with _smooth(painter):
            fill_rounded(painter, groove, colours.bar if enabled else colours.border, _GROOVE / 2)
            if enabled:
                done = QRectF(groove)
                if slider.upsideDown:
                    done.setLeft(middle.x())
                else:
                    done.setRight(middle.x())
                fill_rounded(painter, done, colours.accent, _GROOVE / 2)
            pressed = slider.activeSubControls & _Sub.SC_SliderHandle and slider.state & _State.State_Sunken
            edge = colours.accent if slider.state & _State.State_MouseOver or pressed else colours.edge
            painter.setPen(QPen(QColor(edge if enabled else colours.border), 1.0))
            painter.setBrush(QColor(colours.accent_soft if pressed else colours.button))
            painter.drawEllipse(middle, _HANDLE, _HANDLE)
            if slider.state & _State.State_HasFocus:
                _ring(painter, QRectF(slider.rect).adjusted(1, 1, -1, -1), colours)
        return True

    def _combo_box(self, option: QStyleOptionComplex, painter: QPainter, widget: QWidget | None) -> bool:
        box = cast("QStyleOptionComboBox", option)
        if box.editable or not box.frame:
            return False
        colours = _colours(box)
        arrow = self._part(_Complex.CC_ComboBox, box, _Sub.SC_ComboBoxArrow, widget)
        with _smooth(painter):
            _panel(painter, QRectF(box.rect), box, colours, colours.edge)
            _chevron(painter, arrow.center(), _text(box, QPalette.ColorRole.ButtonText), down=True)
        return True

    def _spin_box(self, option: QStyleOptionComplex, painter: QPainter, widget: QWidget | None) -> bool:
        box = cast("QStyleOptionSpinBox", option)
        if not box.frame:
            return False
        with _smooth(painter):
            _field(box, painter)
            for part, can, down in (
                (_Sub.SC_SpinBoxUp, box.stepEnabled & _Step.StepUpEnabled, False),
                (_Sub.SC_SpinBoxDown, box.stepEnabled & _Step.StepDownEnabled, True),
            ):
                if not box.subControls & part:
                    continue
                area = self._part(_Complex.CC_SpinBox, box, part, widget)
                colour = _text(box, QPalette.ColorRole.Text)
                if not can:
                    colour.setAlphaF(0.35)
                elif box.activeSubControls & part and box.state & (
                    _State.State_Sunken | _State.State_MouseOver
                ):
                    colour = QColor(_colours(box).accent)
                _chevron(painter, area.center(), colour, down=down)
        return True

    def _scroll_bar(self, option: QStyleOptionComplex, painter: QPainter, widget: QWidget | None) -> bool:
        bar = cast("QStyleOptionSlider", option)
        colours = _colours(bar)
        handle = self._part(_Complex.CC_ScrollBar, bar, _Sub.SC_ScrollBarSlider, widget)
        painter.fillRect(bar.rect, QColor(colours.window))
        if bar.minimum >= bar.maximum:
            return True
        across = Qt.Orientation.Horizontal == bar.orientation
        gap = (handle.height() if across else handle.width()) * 0.25
        handle.adjust(*((1, gap, -1, -gap) if across else (gap, 1, -gap, -1)))
        with _smooth(painter):
            held = bar.activeSubControls & _Sub.SC_ScrollBarSlider
            radius = min(handle.width(), handle.height()) / 2
            fill_rounded(painter, handle, colours.edge if held else colours.bar, radius)
        return True


def fill_rounded(painter: QPainter, area: QRectF, colour: str | QColor, radius: float) -> None:
    """Fill a rectangle with round corners."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(area, radius, radius)


def outline_rounded(painter: QPainter, area: QRectF, pen: QPen, radius: float) -> None:
    """Draw a line around a rectangle with round corners."""
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(area, radius, radius)


@contextmanager
def _smooth(painter: QPainter) -> Iterator[None]:
    """Draw with smooth edges, and leave the painter as it was."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        yield
    finally:
        painter.restore()


def _colours(option: QStyleOption) -> Colours:
    return colours_for(option.palette.color(QPalette.ColorRole.Window).name())


def _text(option: QStyleOption, role: QPalette.ColorRole) -> QColor:
    group = QPalette.ColorGroup
    return option.palette.color(group.Active if option.state & _State.State_Enabled else group.Disabled, role)


def _panel(
    painter: QPainter, area: QRectF, option: QStyleOption, colours: Colours, edge: str, face: str = ""
) -> None:
    """Draw the face of a button: its state is seen by the face, its focus by a ring."""
    state = option.state
    enabled = bool(state & _State.State_Enabled)
    fill = QColor(face or colours.button)
    if not enabled:
        fill = QColor(colours.window)
    elif state & (_State.State_Sunken | _State.State_On) and not face:
        fill = QColor(colours.accent_soft)
    elif state & _State.State_MouseOver:
        fill = fill.lighter(112) if colours.dark else fill.darker(104)
    painter.setPen(QPen(QColor(edge if enabled else colours.border), 1.0))
    painter.setBrush(fill)
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    if state & _State.State_HasFocus and state & _State.State_KeyboardFocusChange:
        _ring(painter, area.adjusted(1, 1, -1, -1), colours)


def _ring(painter: QPainter, area: QRectF, colours: Colours) -> None:
    outline_rounded(painter, area, QPen(QColor(colours.accent), 2.0), RADIUS)


def _chevron(painter: QPainter, at: QPointF, colour: QColor, *, down: bool) -> None:
    rise = 1.75 if down else -1.75
    path = QPainterPath(QPointF(at.x() - 3.5, at.y() - rise))
    path.lineTo(at.x(), at.y() + rise)
    path.lineTo(at.x() + 3.5, at.y() - rise)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPath(path)


def _arrow_down(option: QStyleOption, painter: QPainter) -> None:
    """Draw the arrow of a button with a menu as that of a combo box."""
    _chevron(painter, QRectF(option.rect).center(), _text(option, QPalette.ColorRole.ButtonText), down=True)


def _has(option: QStyleOption, feature: QStyleOptionButton.ButtonFeature) -> bool:
    # Fusion draws an editable combo box as a button, too, with the option of a frame.
    return isinstance(option, QStyleOptionButton) and bool(option.features & feature)


def _push_button(option: QStyleOption, painter: QPainter) -> None:
    if _has(option, _Feature.Flat):
        _tool_button(option, painter)
        return
    colours = _colours(option)
    default = _has(option, _Feature.DefaultButton) and bool(option.state & _State.State_Enabled)
    edge = colours.accent if default or option.state & _State.State_On else colours.edge
    _panel(painter, QRectF(option.rect), option, colours, edge, colours.accent if default else "")


def _colour_label(option: QStyleOption) -> None:
    """Let the text of the default button stand out from the accent colour."""
    if _has(option, _Feature.DefaultButton) and option.state & _State.State_Enabled:
        palette = QPalette(option.palette)
        palette.setColor(QPalette.ColorRole.ButtonText, QColor(_colours(option).accent_text))
        option.palette = palette


def _tool_button(option: QStyleOption, painter: QPainter) -> None:
    colours, state = _colours(option), option.state
    if state & (_State.State_Sunken | _State.State_On):
        fill = QColor(colours.accent_soft)
    elif state & _State.State_MouseOver and state & _State.State_Enabled:
        fill = QColor(colours.text)
        fill.setAlpha(22)
    else:
        return
    fill_rounded(painter, QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), fill, RADIUS)


def _mark(option: QStyleOption, colours: Colours) -> tuple[QColor, QColor, QColor]:
    """Return outline, face and mark of a box or a radio button."""
    state = option.state
    if not state & _State.State_Enabled:
        return QColor(colours.border), QColor(colours.window), QColor(colours.muted)
    if state & (_State.State_On | _State.State_NoChange):
        return QColor(colours.accent), QColor(colours.accent), QColor(colours.accent_text)
    edge = colours.accent if state & _State.State_MouseOver else colours.edge
    return QColor(edge), QColor(colours.base), QColor(colours.text)


def _check_box(option: QStyleOption, painter: QPainter) -> None:
    outline, face, mark = _mark(option, _colours(option))
    area = QRectF(option.rect)
    side = min(area.width(), area.height()) - 1
    box = QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side)
    painter.setPen(QPen(outline, 1.0))
    painter.setBrush(face)
    painter.drawRoundedRect(box, _SMALL, _SMALL)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(mark, 1.75, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    x, y = box.left(), box.top()
    if option.state & _State.State_On:
        path = QPainterPath(QPointF(x + 0.24 * side, y + 0.52 * side))
        path.lineTo(x + 0.43 * side, y + 0.72 * side)
        path.lineTo(x + 0.77 * side, y + 0.30 * side)
        painter.drawPath(path)
    elif option.state & _State.State_NoChange:
        painter.drawLine(QPointF(x + 0.27 * side, y + side / 2), QPointF(x + 0.73 * side, y + side / 2))


def _radio_button(option: QStyleOption, painter: QPainter) -> None:
    outline, face, mark = _mark(option, _colours(option))
    area = QRectF(option.rect)
    radius = (min(area.width(), area.height()) - 1) / 2
    painter.setPen(QPen(outline, 1.0))
    painter.setBrush(face)
    painter.drawEllipse(area.center(), radius, radius)
    if option.state & _State.State_On:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mark)
        painter.drawEllipse(area.center(), 0.42 * radius, 0.42 * radius)


def _field(option: QStyleOption, painter: QPainter) -> None:
    colours = _colours(option)
    enabled = bool(option.state & _State.State_Enabled)
    focused = bool(option.state & _State.State_HasFocus)
    area = QRectF(option.rect)
    edge = colours.accent if focused else colours.edge if enabled else colours.border
    painter.setPen(QPen(QColor(edge), 2.0 if focused else 1.0))
    painter.setBrush(QColor(colours.base if enabled else colours.window))
    inset = 1.0 if focused else 0.5
    painter.drawRoundedRect(area.adjusted(inset, inset, -inset, -inset), RADIUS, RADIUS)


def _focus(option: QStyleOption, painter: QPainter) -> None:
    area, pen = (
        QRectF(option.rect).adjusted(0.75, 0.75, -0.75, -0.75),
        QPen(QColor(_colours(option).accent), 1.5),
    )
    outline_rounded(painter, area, pen, _SMALL)


def _tab_base(option: QStyleOption, painter: QPainter) -> None:
    line = QRectF(option.rect.left(), option.rect.bottom(), option.rect.width(), 1)
    painter.fillRect(line, QColor(_colours(option).border))


def _tab(option: QStyleOption, painter: QPainter) -> None:
    tab, colours = cast("QStyleOptionTab", option), _colours(option)
    area = QRectF(tab.rect)
    if tab.state & _State.State_Selected:
        line = QRectF(area.left() + 6, area.bottom() - _UNDERLINE, area.width() - 12, _UNDERLINE)
        painter.fillRect(line, QColor(colours.accent))
    elif tab.state & _State.State_MouseOver and tab.state & _State.State_Enabled:
        fill = QColor(colours.text)
        fill.setAlpha(16)
        fill_rounded(painter, area.adjusted(3, 3, -3, -4), fill, RADIUS)


def _mute(option: QStyleOption) -> None:
    """Show the names of tabs that are not seen in the colour of secondary text."""
    palette, muted = QPalette(option.palette), QColor(_colours(option).muted)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        palette.setColor(group, QPalette.ColorRole.WindowText, muted)
    option.palette = palette


def _progress_groove(option: QStyleOption, painter: QPainter) -> None:
    fill_rounded(painter, _bar(option), _colours(option).border, _SMALL)


def _progress(option: QStyleOptionProgressBar, painter: QPainter) -> None:
    done = _bar(option)
    share = (option.progress - option.minimum) / (option.maximum - option.minimum)
    done.setWidth(done.width() * min(max(share, 0.0), 1.0))
    fill_rounded(painter, done, _colours(option).accent, _SMALL)


def _bar(option: QStyleOption) -> QRectF:
    area = QRectF(option.rect)
    thick = min(area.height(), 2 * _SMALL)
    return QRectF(area.left(), area.center().y() - thick / 2, area.width(), thick)


def _header(option: QStyleOption, painter: QPainter) -> None:
    header, colours = cast("QStyleOptionHeader", option), _colours(option)
    area = QRectF(header.rect)
    painter.fillRect(area, QColor(colours.button))
    across = header.orientation == Qt.Orientation.Horizontal
    line = (
        QRectF(area.left(), area.bottom() - 1, area.width(), 1)
        if across
        else QRectF(area.right() - 1, area.top(), 1, area.height())
    )
    painter.fillRect(line, QColor(colours.border))
