"""The bars of the account of a file's bytes: the original as a line, and the file drawn large beneath it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pcaimage.gui.panel.bytes_data import Account
from pcaimage.gui.theme import colours_of

_LINE, _FAN, _BAR = 5, 9, 18
_HIDDEN = 90
"""Opacity of the shares beside the one that is pointed at."""


class BytesBars(QWidget):
    """Draws the file's size on a line as long as the original, and its parts on a bar fanned out below."""

    pointed = Signal(object)
    """The index of the share under the mouse, or None."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._account = Account.of(None, None, None)
        self._lit: int | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_account(self, account: Account) -> None:
        """Draw another file."""
        self._account, self._lit = account, None
        self.updateGeometry()
        self.update()

    @property
    def lit(self) -> int | None:
        """The index of the share that stands out, if one does."""
        return self._lit

    def light(self, index: int | None) -> None:
        """Highlight one share by its index, or none."""
        if index != self._lit:
            self._lit = index
            self.update()

    def sizeHint(self) -> QSize:
        """Return room for the bar, and for the line above it if there is an original."""
        return QSize(120, _BAR + self._top)

    def minimumSizeHint(self) -> QSize:
        """Return the same: the bar can be narrow, but not low."""
        return self.sizeHint()

    def share_at(self, position: QPointF) -> tuple[int | None, float]:
        """Return the index of the share at a position, and the position on a bar of length 1.

        The index is None if there is no share.
        """
        place = position.x() / max(self.width(), 1)
        return (self._account.share_at(place) if position.y() >= self._top else None), place

    def centre_of(self, index: int) -> QPointF:
        """Return the middle of a share on the bar."""
        ends = [0.0, *self._account.ends]
        return QPointF((ends[index] + ends[index + 1]) / 2 * self.width(), self._top + _BAR / 2)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw line, fan and bar."""
        if not self._account.total:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if self._top:
            self._draw_line(painter)
        self._draw_bar(painter)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up the share under the mouse."""
        index, _ = self.share_at(event.position())
        self.light(index)
        self.pointed.emit(index)

    def leaveEvent(self, event: QEvent) -> None:
        """Show all shares alike."""
        self.light(None)
        self.pointed.emit(None)
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        """Show a tooltip for the share under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def tip_at(self, position: QPointF) -> str:
        """Return the tooltip at a position: of the share there, or of the whole file."""
        index, place = self.share_at(position)
        return self._account.caption if index is None else self._account.tell(index, place)

    @property
    def _top(self) -> int:
        return _LINE + _FAN if self._account.original else 0

    def _draw_line(self, painter: QPainter) -> None:
        """Draw the original, the file on it, and how the file is drawn larger below."""
        colours, account, width = colours_of(self.palette()), self._account, float(self.width())
        end = max(account.of_original * width, 1.0)
        painter.setBrush(QColor(colours.border))
        painter.drawRect(QRectF(0, 0, account.original_end * width, _LINE))
        painter.setBrush(QColor(colours.accent))
        painter.drawRect(QRectF(0, 0, end, _LINE))
        if account.original_end < 1:  # the file is the longer one: mark where the original ends
            painter.setBrush(QColor(colours.text))
            painter.drawRect(QRectF(account.original_end * width - 1, 0, 2, _LINE + 3))
        fan = QColor(colours.accent)
        fan.setAlpha(40)
        painter.setBrush(fan)
        corners = [(0, _LINE), (end, _LINE), (width, self._top), (0, self._top)]
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))

    def _draw_bar(self, painter: QPainter) -> None:
        colours, width = colours_of(self.palette()), float(self.width())
        if not self._account.shares:
            painter.setBrush(QColor(colours.bar))
            painter.setOpacity(0.5)
            painter.drawRect(QRectF(0, self._top, width, _BAR))
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        left = 0.0
        for index, (end, colour) in enumerate(
            zip(self._account.ends, self._account.colours(colours), strict=True)
        ):
            brush = QColor(colour)
            if self._lit is not None and self._lit != index:
                brush.setAlpha(_HIDDEN)
            right = end * width
            gap = 1.0 if right - left > 3 and end < 1 else 0.0
            painter.fillRect(QRectF(left, self._top, max(right - left - gap, 0.5), _BAR), brush)
            left = right
