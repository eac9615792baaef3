"""The buttons that choose what views show: in a caption, over the pictures for a rival; and their menus."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QSpinBox, QStyle, QStyleOptionToolButton, QToolButton, QWidget

from pcaimage.gui.boxes import hbox
from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.options import ViewOption, flat
from pcaimage.gui.compare.strips import MARGIN
from pcaimage.gui.menu_button import MenuButton
from pcaimage.gui.session.state import Rival
from pcaimage.gui.theme import colours_of, tabular

_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down)


class ViewPicker(QWidget):
    """A small button with a menu of options, and a field for k while the view shows another k.

    It sits in the caption of its parent, the canvas of the view that it names.
    """

    requested = Signal(object)  # the value of the option that the user chose; for another k, a :class:`Rival`

    def __init__(self, name: str, parent: ImageCanvas) -> None:
        super().__init__(parent)
        self._name = name
        self._caption = parent.caption
        self._options: tuple[ViewOption, ...] = ()
        self._current: object = None
        self.menu = QMenu(self)
        """It is filled when it opens."""
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self._fill)
        self.button: QToolButton = _MenuButton(self.menu)
        self.field = QSpinBox(minimum=1, prefix="k ")
        self.field.setKeyboardTracking(False)
        self.field.setFont(tabular(self.field.font()))
        self.field.setAccessibleName(f"Components in the {name}")
        self.field.setToolTip("How many components this picture keeps.")
        self.field.valueChanged.connect(lambda k: self.requested.emit(Rival("k", k=k)))
        self.field.hide()
        hbox(self.field, self.button, of=self, spacing=4)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()

    def set_choices(self, options: Iterable[ViewOption], current: object) -> None:
        """Offer other things to show, of which one has the current value; nothing is emitted."""
        self._options = tuple(options)
        self._current = current
        chosen = next((each for each in flat(self._options) if each.value == current), None)
        shown = chosen.text if chosen is not None else "something else"
        self.button.setAccessibleName(f"The {self._name} shows: {shown}")
        self.button.setEnabled(bool(self._options))
        self._caption.set_companion(self)

    def set_components(self, k: int | None, most: int = 1) -> None:
        """Show k in the field, at most `most`, or hide the field; nothing is emitted."""
        before = self.field.isHidden(), self.field.sizeHint()
        if k is not None:
            with QSignalBlocker(self.field):
                self.field.setMaximum(most)
                self.field.setValue(k)
        if self.field.isHidden() != (k is None):
            self.field.setVisible(k is not None)
        if before != (self.field.isHidden(), self.field.sizeHint()):
            self._caption.refresh()

    def _fill(self) -> None:
        fill_options(self.menu, self._options, self._current, self.requested.emit)


def fill_options(
    menu: QMenu, options: Iterable[ViewOption], current: object, choose: Callable[[object], object]
) -> None:
    """Fill a menu with options of which one is checked, and call `choose` with the value of another."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for each in (*menu.findChildren(QMenu), *menu.findChildren(QActionGroup)):
        each.deleteLater()
    _add(menu, options, current, choose, QActionGroup(menu))


def _add(
    menu: QMenu,
    options: Iterable[ViewOption],
    current: object,
    choose: Callable[[object], object],
    group: QActionGroup,
) -> None:
    for option in options:
        text = option.text.replace("&", "&&")
        if option.options:
            below = menu.addMenu(text)
            below.setToolTipsVisible(True)
            below.setEnabled(option.enabled)
            below.menuAction().setToolTip(option.tip)
            _add(below, option.options, current, choose, group)
            continue
        action = QAction(text, menu, checkable=True, checked=option.value == current, enabled=option.enabled)
        action.setToolTip(option.tip)
        action.triggered.connect(lambda _=False, value=option.value: choose(value))
        menu.addAction(group.addAction(action))


class _MenuButton(MenuButton):
    """An arrow that opens a menu; Tab focuses it, but a click leaves the focus where it is."""

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoRaise(True)
        self.setText("▾")
        self.setToolTip("Choose what this view shows.")
        self.setFixedSize(24, 22)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu with the keys that open any other."""
        if Qt.Key(event.key()) in _OPENING:
            self.showMenu()
        else:
            super().keyPressEvent(event)


_PADDING, _AIR, _ARROW = 10, 10, 22
"""Pixels beside the text, above and below it together, and across the arrow."""
_RADIUS = 5.0
_OFF, _ON = "Compare the reconstruction with", "Show the original and the reconstruction again, without"


class RivalButton(QToolButton):
    """Compares with a rival, and with none again; its arrow opens a menu of all rivals.

    It keeps itself in the lower right corner of its parent.
    """

    requested = Signal(object)  # a :class:`~pcaimage.gui.session.state.Rival`, or None to end the comparison

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._options: tuple[ViewOption, ...] = ()
        self._current: object = None
        self._usual: ViewOption | None = None
        self._shortcut = ""
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        self.setCheckable(True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.clicked.connect(self.toggle_rival)
        self.hide()

    def set_shortcut(self, keys: str) -> None:
        """Name the key in the tool tip that does the same."""
        self._shortcut = f" ({keys})" if keys else ""

    def set_choices(self, options: tuple[ViewOption, ...], current: object, usual: ViewOption | None) -> None:
        """Offer rivals, of which one may be shown, and one is shown by a click; nothing is emitted."""
        self._options, self._current, self._usual = options, current, usual
        on = current is not None
        self.setChecked(on)
        self.setVisible(usual is not None)
        if usual is not None:
            self.setText(f"{'Comparing' if on else 'Compare'} with {usual.name}")
            self.setAccessibleName(self.text())
            tip = f"{_ON if on else _OFF} {usual.name}{self._shortcut}."
            self.setToolTip(tip if on or not usual.tip else f"{tip} {usual.tip}")
        self.refresh()
        self.update()

    def toggle_rival(self) -> None:
        """Ask for the usual rival, or for none if one is shown."""
        on = self._current is not None
        self.setChecked(on)  # the session's answer checks it, not the click
        if on:
            self.requested.emit(None)
        elif self._usual is not None:
            self.requested.emit(self._usual.value)

    def refresh(self) -> None:
        """Update size and position after the text or the parent changed."""
        parent = self.parentWidget()
        if parent is None:
            return
        hint = self.sizeHint()
        width = min(hint.width(), max(0, parent.width() - 2 * MARGIN))
        self.resize(QSize(width, hint.height()))
        self.move(parent.width() - width - MARGIN, parent.height() - self.height() - MARGIN)
        self.raise_()

    def sizeHint(self) -> QSize:
        """Return room for the text and the arrow."""
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self.text()) + 2 * _PADDING + _ARROW
        return QSize(width, metrics.height() + _AIR)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint a button that stands out from any picture; in the accent's colour while a rival is shown."""
        colours, area = colours_of(self.palette()), QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        face = QColor(colours.accent_soft if self.isChecked() else colours.strip)
        if option.state & QStyle.StateFlag.State_MouseOver:
            face = face.lighter(120) if colours.dark else face.darker(105)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = colours.accent if self.isChecked() or self.hasFocus() else colours.edge
        painter.setPen(QPen(QColor(edge), 2.0 if self.hasFocus() else 1.0))
        painter.setBrush(face)
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)
        split = self.width() - _ARROW
        painter.setPen(QColor(colours.border))
        painter.drawLine(split, 5, split, self.height() - 6)
        painter.setPen(QColor(colours.strip_text))
        words = QRect(_PADDING, 0, split - 2 * _PADDING + 2, self.height())
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        painter.drawText(QRect(split, 0, _ARROW, self.height()), Qt.AlignmentFlag.AlignCenter, "▾")
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the menu where the arrow is painted."""
        if event.button() == Qt.MouseButton.LeftButton and event.position().x() >= self.width() - _ARROW:
            self.showMenu()
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu with the key that opens any other."""
        if event.key() == Qt.Key.Key_Down:
            self.showMenu()
        else:
            super().keyPressEvent(event)

    def _fill(self) -> None:
        fill_options(self.menu(), self._options, self._current, self.requested.emit)
