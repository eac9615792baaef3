"""The message bar: notes, warnings and errors as a sentence over the pictures instead of a dialog."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6 import QtGui
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.boxes import hbox
from pcaimage.gui.icons import load_icon
from pcaimage.gui.theme import colours_of

Kind = Literal["info", "warning", "error"]
_SPOKEN = {"info": "Note", "warning": "Warning", "error": "Failure"}
_EDGE = 4
_ROUND = 6.0
_MARGIN = 16
_LIFT = 88  # pixels between messages and the lower edge, where pictures have their buttons and legends
_PLACING = {QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide}
_WIDEST = 720
_SPARE = 4  # pixels that a label needs beyond the width of its text
NOTE_MILLISECONDS = 8000
"""Milliseconds for which a note stays; warnings and errors stay until they are closed."""


class MessageBar(QWidget):
    """A message with a button to close it, and an optional action."""

    changed = Signal()  # a message appeared, or the user closed it
    dismissed = Signal(str)  # the text of a message that the user closed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind: Kind = "info"
        self._acts: tuple[Callable[[], object] | None, ...] = (None, None)
        """What the two buttons do."""
        self._label = QLabel(wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setTextFormat(Qt.TextFormat.PlainText)  # a file name may look like markup
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action, self.other = QPushButton(), QPushButton()
        self.action.clicked.connect(lambda: self._run(0))
        self.other.clicked.connect(lambda: self._run(1))
        self._close = QToolButton(autoRaise=True)
        self._close.setIcon(load_icon("close"))
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.setToolTip("Close this message (Esc)")
        self._close.setAccessibleName("Close the message")
        self._close.clicked.connect(self.dismiss)
        parts = (self._label, 1), self.action, self.other, self._close
        self._row = hbox(*parts, of=self, margins=(_EDGE + 12, 6, 8, 6), spacing=12)
        # Notes need no attention: they close themselves.
        self._fading = QTimer(self, singleShot=True, interval=NOTE_MILLISECONDS)
        self._fading.timeout.connect(self._fade)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown; empty if the bar is hidden."""
        return "" if self.isHidden() else self._label.text()

    def show_message(
        self,
        kind: Kind,
        text: str,
        action: str = "",
        act: Callable[[], object] | None = None,
        *,
        other: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Show a plain-text message instead of the last.

        The button `action`, if any, calls `act`; `other` is the text of a second one, and what it calls.
        """
        label, otherwise = other or ("", None)
        self.kind, self._acts = kind, (act, otherwise)
        self._label.setText(text)
        for button, words in ((self.action, action), (self.other, label)):
            button.setText(words)
            button.setVisible(bool(words))
        self.setAccessibleName(f"{_SPOKEN[kind]}: {text}")
        self.show()
        self.update()
        if kind == "info":
            self._fading.start()
        else:
            self._fading.stop()
        QtGui.QAccessible.updateAccessibility(QtGui.QAccessibleEvent(self, QtGui.QAccessible.Event.Alert))
        self.changed.emit()

    def sizeHint(self) -> QSize:
        """Return the size of the message in one line."""
        row = self._row
        margins, hint = row.contentsMargins(), row.sizeHint()
        parts = [each for each in (self.action, self.other, self._close) if not each.isHidden()]
        width = margins.left() + margins.right() + len(parts) * row.spacing()
        width += self._label.fontMetrics().size(0, self._label.text()).width() + _SPARE
        return QSize(width + sum(each.sizeHint().width() for each in parts), hint.height())

    def clear(self) -> None:
        """Hide the bar because its message no longer holds."""
        self.hide()

    def dismiss(self) -> None:
        """Hide the bar, as its close button or Escape does."""
        if not self.isHidden():
            self.hide()
            self.dismissed.emit(self._label.text())
            self.changed.emit()

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Close on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the background, with an edge in the colour of the severity."""
        surface, edge = self._shades()
        outline = QtGui.QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        painter.fillPath(outline, QtGui.QColor(surface))
        painter.setClipPath(outline)
        painter.fillRect(QRect(0, 0, _EDGE, self.height()), QtGui.QColor(edge))
        painter.setClipping(False)
        painter.strokePath(outline, QtGui.QPen(QtGui.QColor(edge), 1))
        painter.end()

    def _fade(self) -> None:
        """Close a note, unless the user is at it."""
        if self.underMouse() or self.isAncestorOf(self.window().focusWidget()):
            self._fading.start()
        else:
            self.dismiss()

    def _run(self, which: int) -> None:
        act = self._acts[which]
        if act is not None:
            act()

    def _shades(self) -> tuple[str, str]:
        colours = colours_of(self.palette())
        return {
            "info": (colours.accent_soft, colours.accent),
            "warning": (colours.warning_soft, colours.warning),
            "error": (colours.error_soft, colours.error),
        }[self.kind]


class MessageLayer(QWidget):
    """Shows a widget, and messages as overlays on the lower edge of a part of it."""

    def __init__(self, content: QWidget, messages: MessageBar, part: QWidget) -> None:
        super().__init__()
        self._content, self._messages, self._part = content, messages, part
        content.setParent(self)
        messages.setParent(self)
        messages.changed.connect(self._place)
        part.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size of the content."""
        return self._content.minimumSizeHint()

    def sizeHint(self) -> QSize:
        """Return the content's size."""
        return self._content.sizeHint()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Fill the layer with its content."""
        super().resizeEvent(event)
        self._content.setGeometry(self.rect())
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the part over which messages lie."""
        if event.type() in _PLACING:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        """Put the message into the middle of the part's lower edge, as wide as its text needs."""
        bar, part = self._messages, self._part
        if bar.isHidden():
            return
        room = self.rect()
        if part.isVisible():
            room = QRect(part.mapTo(self, QPoint()), part.size())
        width = min(bar.sizeHint().width(), _WIDEST, room.width() - 2 * _MARGIN)
        height = min(max(bar.heightForWidth(width), bar.sizeHint().height()), room.height() - _LIFT)
        bar.setGeometry(
            room.left() + (room.width() - width) // 2, room.bottom() + 1 - _LIFT - height, width, height
        )
        bar.raise_()
