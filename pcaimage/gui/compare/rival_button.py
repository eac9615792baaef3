"""The button over the pictures that compares the reconstruction with another format of the same size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from pcaimage.gui.compare.picker import fill_options
from pcaimage.gui.compare.strips import MARGIN
from pcaimage.gui.theme import colours_of

if TYPE_CHECKING:
    from pcaimage.gui.compare.options import ViewOption

_OFF, _ON = "Compare the reconstruction with", "Show the original and the reconstruction again, without"


class RivalButton(QToolButton):
    """Compares with a rival, and with none again; its arrow opens a menu of all rivals.

    It keeps itself in the lower right corner of its parent.
    """

    requested = Signal(object)
    """A :class:`~pcaimage.gui.session.state.Rival`, or None to end the comparison."""

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
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
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
        self._paint()
        self.refresh()

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

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange:
            self._paint()

    def _paint(self) -> None:
        """Show in the accent's colour that a rival is shown."""
        palette = QPalette()
        if self.isChecked():
            palette.setColor(QPalette.ColorRole.Button, QColor(colours_of(palette).accent_soft))
        self.setPalette(palette)

    def _fill(self) -> None:
        fill_options(self.menu(), self._options, self._current, self.requested.emit)
