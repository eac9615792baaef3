"""The legend of a difference: a colour scale of errors, and the choice of its full scale."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QWidget

from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.options import ViewOption
from pcaimage.gui.compare.picker import fill_options
from pcaimage.gui.compare.strips import MARGIN, clear_of, paint_strip
from pcaimage.gui.menu_button import MenuButton
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.error_map import HEAT

_SCALES = (4, 8, 16, 32, 64, 128)  # full scales offered, in levels of 8 bits
_DEEP = 257  # levels of 16 bits to one of 8
_TITLE = "error, RMS over channels"
_PADDING = 8
_BAR = 10
_LEAST_WIDTH = 232


class HeatLegend(QWidget):
    """A colour bar labelled with errors, and a button that chooses the full scale.

    It keeps itself in the lower left corner of its parent, the canvas.
    """

    scaleRequested = Signal(object)  # noqa: N815
    """The full scale wanted, in levels of the pixels' values, or None for an automatic one."""

    def __init__(self, parent: ImageCanvas) -> None:
        super().__init__(parent)
        self._full_scale = 0.0
        self._automatic = True
        self._deep = False
        self._hidden = False
        self._neighbour: QWidget | None = None
        self._bar = QImage(np.ascontiguousarray(HEAT).data, 256, 1, 768, QImage.Format.Format_RGB888).copy()
        self.menu = QMenu(self)
        """The menu of full scales; it is filled when it opens."""
        self.menu.aboutToShow.connect(self.fill)
        self.button = _ScaleButton(self, self.menu)
        self.setFont(tabular(self.font()))
        self.setCursor(Qt.CursorShape.ArrowCursor)
        parent.resized.connect(self.refresh)
        self.hide()

    @property
    def full_scale(self) -> float | None:
        """The error that is shown brightest, in levels; None while it is not known."""
        return self._full_scale or None

    @property
    def texts(self) -> tuple[str, str, str]:
        """The figures under the bar: at its left end, in the middle, at its right end."""
        return "0", level_text(self._full_scale / 2), f"{level_text(self._full_scale)} levels"

    def set_full_scale(self, value: float, *, automatic: bool, deep: bool = False) -> None:
        """Show another scale; nothing is emitted.

        The value is the error that is shown brightest, in levels; 0 while it is not known, which hides the
        legend. Where pixels are `deep`, of 16 bits, larger scales are offered.
        """
        self._full_scale, self._automatic, self._deep = value, automatic, deep
        shown = "Auto" if automatic else level_text(value)
        self.button.set_words(shown)
        self.button.setAccessibleName(f"Full scale of the errors: {shown}")
        self.setAccessibleName(f"Colours from 0 to {level_text(value)} levels: {_TITLE}")
        self.refresh()

    def set_suspended(self, suspended: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Hide while something other than a difference is shown."""
        self._hidden = suspended
        self.refresh()

    def set_neighbour(self, neighbour: QWidget) -> None:
        """Stay clear of a widget in the other corner."""
        self._neighbour = neighbour

    def refresh(self) -> None:
        """Update size and position after the scale or the canvas changed."""
        self.setVisible(self._full_scale > 0 and not self._hidden)
        parent = self.parentWidget()
        if parent is None:
            return
        size = self.sizeHint()
        self.resize(min(size.width(), max(0, parent.width() - 2 * MARGIN)), size.height())
        corner = QPoint(MARGIN, parent.height() - self.height() - MARGIN)
        self.move(clear_of(self._neighbour, self, corner))
        button = self.button.sizeHint()
        self.button.setGeometry(self.width() - button.width() - 4, 4, button.width(), button.height())
        self.update()

    def fill(self) -> None:
        """Fill the menu with the scales that the pixels' values allow."""
        scales = [scale * (_DEEP if self._deep else 1) for scale in _SCALES]
        levels = (ViewOption(scale, f"{scale:,} levels".replace(",", "\u202f")) for scale in scales)
        current = None if self._automatic else self._full_scale
        fill_options(self.menu, (ViewOption(None, "Auto"), *levels), current, self.scaleRequested.emit)

    def sizeHint(self) -> QSize:
        """Return the size of title, bar and figures."""
        metrics, button = self.fontMetrics(), self.button.sizeHint()
        width = metrics.horizontalAdvance(_TITLE) + button.width() + 3 * _PADDING
        return QSize(max(width, _LEAST_WIDTH), button.height() + _BAR + metrics.height() + 16)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the bar and its figures."""
        painter = QPainter(self)
        paint_strip(painter, self)
        metrics, top = self.fontMetrics(), self.button.height() + 6
        room = self.button.x() - 2 * _PADDING
        title = metrics.elidedText(_TITLE, Qt.TextElideMode.ElideRight, room)
        painter.drawText(_PADDING, 4 + (self.button.height() + metrics.ascent()) // 2 - 1, title)
        bar = QRect(_PADDING, top, self.width() - 2 * _PADDING, _BAR)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(bar, self._bar)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QColor(colours_of(self.palette()).border))
        painter.drawRect(bar.adjusted(0, 0, -1, -1))
        painter.setPen(QColor(colours_of(self.palette()).strip_text))
        below = QRect(bar.bottomLeft() + QPoint(0, 3), QSize(bar.width(), metrics.height()))
        places = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for text, place in zip(self.texts, places, strict=True):
            painter.drawText(below, place, text)
        painter.end()


class _ScaleButton(MenuButton):
    def __init__(self, parent: QWidget, menu: QMenu) -> None:
        super().__init__(menu, parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoRaise(True)
        self.set_words("Auto")
        self.setToolTip(
            "The error that is shown at full brightness: the smaller it is, the more the errors are "
            "amplified."
        )


def level_text(levels: float) -> str:
    """Return levels as text: with one decimal below 10, unless they are whole, and two digits below 1."""
    if 0 < levels < 0.95:
        return f"{levels:.2g}"
    whole = levels >= 9.95 or levels == round(levels)
    return f"{levels:,.{0 if whole else 1}f}".replace(",", "\u202f")
