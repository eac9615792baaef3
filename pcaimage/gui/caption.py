"""The translucent strip of text over an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from pcaimage.gui.theme import colours_of, tabular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFont, QPaintEvent

_PADDING = 8
_MOST_LINES = 3


class CaptionStrip(QWidget):
    """Up to three lines of text; the first stands out. The mouse goes through it to the image.

    Parameters
    ----------
    parent : QWidget
        The canvas that it lies upon.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines: tuple[str, ...] = ()
        self._busy = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(tabular(self.font()))
        self.hide()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines shown, without the hint."""
        return self._lines

    @property
    def busy(self) -> str:
        """The hint that something is being computed, or an empty string."""
        return self._busy

    def set_lines(self, lines: Sequence[str]) -> None:
        """Show other lines.

        Parameters
        ----------
        lines : sequence of str
            At most three are shown; none hides the strip.
        """
        self._lines = tuple(lines)[:_MOST_LINES]
        self._refresh()

    def set_busy(self, hint: str) -> None:
        """Show that something is being computed.

        Parameters
        ----------
        hint : str
            Such as ``"encoding 40 %"``; an empty string when all is done.
        """
        self._busy = hint
        self._refresh()

    def sizeHint(self) -> QSize:
        """Return the size of the text with its margins.

        Returns
        -------
        QSize
            No wider than the parent.
        """
        rows = self._rows()
        # Advances are rounded down; a pixel too few would cut the last word.
        width = max((QFontMetrics(font).horizontalAdvance(text) + 2 for text, font, _ in rows), default=0)
        height = sum(QFontMetrics(font).height() for _, font, _ in rows)
        parent = self.parentWidget()
        limit = max(0, parent.width() - 2 * _PADDING) if parent is not None else width
        return QSize(min(width + 2 * _PADDING, limit), height + _PADDING)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the strip and its lines, shortened where the view is too narrow."""
        colours = colours_of(self.palette())
        ground = QColor(colours.strip)
        ground.setAlpha(colours.strip_alpha)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        top = _PADDING // 2
        for text, font, colour in self._rows():
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, self.width() - 2 * _PADDING)
            painter.drawText(_PADDING, top + metrics.ascent(), shown)
            top += metrics.height()
        painter.end()

    def _rows(self) -> list[tuple[str, QFont, str]]:
        colours = colours_of(self.palette())
        strong = tabular(self.font())
        strong.setBold(True)
        rows = [
            (line, self.font() if i else strong, colours.strip_text) for i, line in enumerate(self._lines)
        ]
        if self._busy:
            rows.append((f"{self._busy} …", self.font(), colours.accent))
        return rows

    def _refresh(self) -> None:
        self.setVisible(bool(self._lines or self._busy))
        self.adjustSize()
        self.update()
