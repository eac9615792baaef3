"""The breakdown of a file's bytes, beside the size of the original."""

from __future__ import annotations

from PySide6 import QtGui
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.panel.bytes_data import EMPTY, WAITING, Account, share_text
from pcaimage.gui.panel.form_rows import heading
from pcaimage.gui.session import resolve
from pcaimage.gui.session.feed import Feed, Want
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.theme import Coloured, colours_of, faint, tabular
from pcaimage.insight.formatting import file_size
from pcaimage.insight.size_breakdown import SizeBreakdown, breakdown_of

_Role = QtGui.QPalette.ColorRole
_LINE, _FAN, _BAR = 5, 9, 18
_HIDDEN = 90  # opacity of the shares beside the one that is pointed at


class BytesBars(QWidget):
    """Draws the file's size on a line as long as the original, and its parts on a bar fanned out below."""

    pointed = Signal(object)  # the index of the share under the mouse, or None

    def __init__(self) -> None:
        super().__init__()
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

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: ARG002
        """Draw line, fan and bar."""
        if not self._account.total:
            return
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if self._top:
            self._draw_line(painter)
        self._draw_bar(painter)
        painter.end()

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
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
        if isinstance(event, QtGui.QHelpEvent) and event.type() == QEvent.Type.ToolTip:
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

    def _draw_line(self, painter: QtGui.QPainter) -> None:
        """Draw the original, the file on it, and how the file is drawn larger below."""
        colours, account, width = colours_of(self.palette()), self._account, float(self.width())
        end = max(account.of_original * width, 1.0)
        painter.setBrush(QtGui.QColor(colours.border))
        painter.drawRect(QRectF(0, 0, account.original_end * width, _LINE))
        painter.setBrush(QtGui.QColor(colours.accent))
        painter.drawRect(QRectF(0, 0, end, _LINE))
        if account.original_end < 1:  # the file is the longer one: mark where the original ends
            painter.setBrush(QtGui.QColor(colours.text))
            painter.drawRect(QRectF(account.original_end * width - 1, 0, 2, _LINE + 3))
        painter.setBrush(faint(colours.accent, 40))
        corners = [(0, _LINE), (end, _LINE), (width, self._top), (0, self._top)]
        painter.drawPolygon(QtGui.QPolygonF([QPointF(x, y) for x, y in corners]))

    def _draw_bar(self, painter: QtGui.QPainter) -> None:
        colours, width = colours_of(self.palette()), float(self.width())
        if not self._account.shares:
            painter.setBrush(QtGui.QColor(colours.bar))
            painter.setOpacity(0.5)
            painter.drawRect(QRectF(0, self._top, width, _BAR))
            return
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing, on=False)
        left = 0.0
        for index, (end, colour) in enumerate(
            zip(self._account.ends, self._account.colours(colours), strict=True)
        ):
            brush = QtGui.QColor(colour)
            if self._lit is not None and self._lit != index:
                brush.setAlpha(_HIDDEN)
            right = end * width
            gap = 1.0 if right - left > 3 and end < 1 else 0.0
            painter.fillRect(QRectF(left, self._top, max(right - left - gap, 0.5), _BAR), brush)
            left = right


_SWATCH = 10


class BytesView(Coloured):
    """Shows the purposes of the file's bytes; one setter updates everything."""

    def __init__(self) -> None:
        super().__init__()
        self._account = Account.of(None, None, None)
        self.bars = BytesBars()
        self._caption, self._waiting = QLabel(wordWrap=True), QLabel(WAITING, wordWrap=True)
        self._rows: list[ShareRow] = []
        self._lines = vbox(spacing=0)
        parts = self._caption, self.bars, self._waiting, self._lines
        vbox(heading("Where the bytes go"), *parts, of=self, spacing=8)
        self._waiting.setForegroundRole(_Role.PlaceholderText)
        self._caption.setFont(tabular(self._caption.font()))
        self.bars.pointed.connect(self._light_row)
        self.setAccessibleName("Where the bytes go")
        self.set_parts(None, None, None)

    @property
    def account(self) -> Account:
        """The account that is shown."""
        return self._account

    @property
    def text(self) -> str:
        """The line above the bars."""
        return self._caption.text()

    @property
    def rows(self) -> list[ShareRow]:
        """The rows that are seen."""
        return [row for row in self._rows if not row.isHidden()]

    def set_parts(
        self,
        parts: SizeBreakdown | None,
        original_size: int | None,
        estimated_total: int | None,
        compared: str = "the original",
    ) -> None:
        """Show another file, as :meth:`.Account.of` prepares it; without parts and an estimate, none."""
        account = Account.of(parts, original_size, estimated_total, compared)
        known = (parts, account.total, account.original)
        if known == (self._account.parts, self._account.total, self._account.original) and self.text:
            return
        self._account = account
        self._caption.setText(account.caption)
        quiet = account.caption in ("", EMPTY)
        self._caption.setForegroundRole(_Role.PlaceholderText if quiet else _Role.WindowText)
        self._waiting.setVisible(bool(account.total) and not account.shares)
        self.bars.setVisible(bool(account.total))
        self.bars.set_account(account)
        self._recolour()
        self.setAccessibleDescription(account.description)

    def _recolour(self) -> None:
        account = self._account
        colours = account.colours(colours_of(self.palette()))
        while len(self._rows) < len(account.shares):
            row = ShareRow(len(self._rows))
            row.pointed.connect(self.bars.light)
            self._rows.append(row)
            self._lines.addWidget(row)
        for index, row in enumerate(self._rows):
            row.set_lit(False)
            row.setVisible(index < len(account.shares))
            if index < len(account.shares):
                share = account.shares[index]
                part = share_text(share.n_bytes, account.total)
                row.show_share(
                    colours[index], share.name, file_size(share.n_bytes), part, account.tell(index)
                )

    def _light_row(self, index: int | None) -> None:
        for row in self._rows:
            row.set_lit(row.index == index)


class ShareRow(QWidget):
    """One part of the file: colour, name, size and share."""

    pointed = Signal(object)  # its index while the mouse is over it, then None

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index
        self._colour = QtGui.QColor()
        self._name, self._size, self._part = QLabel(), QLabel(), QLabel()
        for label, width in (
            (self._size, 0),
            (self._part, self.fontMetrics().horizontalAdvance("< 0.1\u00a0%")),
        ):
            label.setFont(tabular(label.font()))
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            label.setMinimumWidth(width)
        parts = (self._name, 1), self._size, self._part
        hbox(*parts, of=self, margins=(_SWATCH + 8, 1, 0, 1), spacing=8)

    @property
    def text(self) -> str:
        """The text of the row."""
        return " ".join(label.text() for label in (self._name, self._size, self._part))

    @property
    def lit(self) -> bool:
        """Whether it stands out."""
        return self._name.font().bold()

    def show_share(self, colour: str, name: str, size: str, part: str, about: str) -> None:
        """Show another part; `size` and `part` are its bytes and their share as text."""
        self._colour = QtGui.QColor(colour)
        self.update()
        self._name.setText(name)
        self._size.setText(size)
        self._part.setText(part)
        self.setToolTip(about)
        self.setAccessibleName(self.text)

    def set_lit(self, lit: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Make it stand out, or not."""
        font = self._name.font()
        if font.bold() != lit:
            font.setBold(lit)
            self._name.setFont(font)

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: ARG002
        """Paint a little square of its colour."""
        painter = QtGui.QPainter(self)
        painter.fillRect(0, (self.height() - _SWATCH) // 2, _SWATCH, _SWATCH, self._colour)
        painter.end()

    def enterEvent(self, event: QtGui.QEnterEvent) -> None:
        """Light up its share on the bar."""
        self.pointed.emit(self.index)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Show all shares alike."""
        self.pointed.emit(None)
        super().leaveEvent(event)


class BytesFeed(Feed[BytesView, tuple[object, SizeBreakdown]]):
    """Finds where the bytes of the present setting's file go; until then the estimated size is shown.

    A result carries its key, for it is shown only while it is of the present setting.
    """

    kind = "bytes"

    def __init__(self, session: Session, page: BytesView) -> None:
        super().__init__(session, page)
        self._found: tuple[object, SizeBreakdown] | None = None
        self._size: int | None = None

    def _show_state(self, state: SessionState) -> None:
        want, found = self._want(state), self._found
        parts = found[1] if found is not None and want is not None and found[0] == want.key else None
        document = state.document
        original = None if document is None else document.file_size
        share = document is not None and document.images_in_file > 1
        compared = f"a {document.image_word}'s" if document is not None and share else "the original"
        size = resolve.figures(state).size
        if size is None and state.fitted and state.moving:
            size = self._size  # until there is an estimate: else the panel's height would change all the time
        self._size = size
        self._page.set_parts(parts, original, size, compared)

    def _want(self, state: SessionState) -> Want[tuple[object, SizeBreakdown]] | None:
        document, measured = state.document, state.current(state.measured)
        if document is None or state.fit is None:
            return None
        if document.compressed is not None:
            file, k = document.compressed.compressed, state.setting.k
            key = document, k
            return Want(key, lambda _: (key, breakdown_of(file.trimmed(k))))
        if measured is None:
            return None
        return Want(measured, lambda _: (measured, breakdown_of(measured.compressed)))

    def _show(self, result: tuple[object, SizeBreakdown]) -> None:
        self._found = result
        self._show_state(self.session.state)

    def _clear(self) -> None:
        self._found = None
        self._show_state(self.session.state)

    def _say(self, sentence: str) -> None:  # noqa: ARG002 - the size alone is shown, as before
        self._clear()
