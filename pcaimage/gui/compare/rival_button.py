"""The button over the pictures that compares the reconstruction with another format of the same size."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QStyle, QStyleOptionToolButton, QToolButton, QWidget

from pcaimage.gui.compare.options import ViewOption
from pcaimage.gui.compare.picker import fill_options
from pcaimage.gui.compare.strips import MARGIN
from pcaimage.gui.theme import colours_of

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
