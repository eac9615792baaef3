"""The strip: small pictures of all photographs that are open, in one row beneath the one that is compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from pcaimage.batching.tasks import Result, State
from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.clipboard import local_files
from pcaimage.gui.colours import Colours
from pcaimage.gui.photographs.miniatures import Miniatures
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.photographs.words import Tally, photograph_words, roll_words, tip_words
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.formatting import change_words
from pcaimage.language import tr

Index = QtCore.QModelIndex | QtCore.QPersistentModelIndex


class PhotographModel(QtCore.QAbstractListModel):
    """A row for each photograph; pictures are the view's."""

    relisted = Signal()  # other photographs are listed

    def __init__(self, parent: QtCore.QObject | None = None) -> None:
        super().__init__(parent)
        self.roll = Roll()
        self._results: Mapping[str, Result] = {}

    def show_roll(self, roll: Roll) -> None:
        """List other photographs, or the same with other settings."""
        before, self.roll = self.roll, roll
        if [each.path for each in before.photographs] != [each.path for each in roll.photographs]:
            self.beginResetModel()
            self.endResetModel()
            self.relisted.emit()
        elif len(roll):
            self.dataChanged.emit(self.index(0), self.index(len(roll) - 1))

    def show_results(self, results: Mapping[str, Result]) -> None:
        """Show what became of photographs, by their paths."""
        self._results = results
        if len(self.roll):
            self.dataChanged.emit(self.index(0), self.index(len(self.roll) - 1))

    def result(self, row: int) -> Result | None:
        """Return what became of a photograph; None if nothing has."""
        return self._results.get(self.roll.photographs[row].path)

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of photographs; they have no children."""
        return 0 if parent is not None and parent.isValid() else len(self.roll)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a photograph, its tip, or what a screen reader says; None for other roles."""
        row = index.row()
        if not 0 <= row < len(self.roll):
            return None
        photograph = self.roll.photographs[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return photograph.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(tip_words(photograph, self.result(row)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr(photograph_words(photograph, row, len(self.roll), self.result(row)))
        return None


PICTURE = QtCore.QSize(120, 80)  # room for a picture, in device-independent pixels
_PADDING, _GAP, _ROUND = 6, 3, 4
_BADGE = 16
_SEEN = 20  # milliseconds of rest after which the pictures of what is seen are asked for
_CHOOSING = 180  # milliseconds after a key until the photograph is opened: those passed on the way are not


class PhotographDelegate(QtWidgets.QStyledItemDelegate):
    """Paints a photograph: picture, name, a mark if it has its own settings, and what became of it."""

    def __init__(self, miniatures: Miniatures, model: PhotographModel, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self._miniatures, self._model = miniatures, model

    def sizeHint(self, option: QtWidgets.QStyleOptionViewItem, index: Index) -> QtCore.QSize:  # noqa: ARG002 - Qt's signature
        """Return the size of a photograph, the same for all."""
        line = option.fontMetrics.height()
        return PICTURE + QtCore.QSize(2 * _PADDING, 2 * _PADDING + _GAP + line)

    def paint(self, painter: QtGui.QPainter, option: QtWidgets.QStyleOptionViewItem, index: Index) -> None:
        """Paint a photograph."""
        row, rect = index.row(), QtCore.QRect(option.rect)
        photograph, result = self._model.roll.photographs[row], self._model.result(row)
        colours, state = colours_of(option.palette), option.state
        painter.save()
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        _paint_ground(painter, QtCore.QRectF(rect).adjusted(1.5, 1.5, -1.5, -1.5), state, colours)
        room = QtCore.QRect(rect.topLeft() + QtCore.QPoint(_PADDING, _PADDING), PICTURE)
        self._paint_picture(painter, room, photograph, colours)
        if photograph.own is not None:
            _paint_mark(painter, room, colours)
        if result is not None:
            _paint_result(painter, room, result, colours)
        line = QtCore.QRect(room.left(), room.bottom() + 1 + _GAP, room.width(), option.fontMetrics.height())
        name = option.fontMetrics.elidedText(photograph.name, Qt.TextElideMode.ElideMiddle, line.width())
        painter.setPen(QtGui.QColor(colours.text))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine), name)
        painter.restore()

    def _paint_picture(
        self, painter: QtGui.QPainter, room: QtCore.QRect, photograph: Photograph, colours: Colours
    ) -> None:
        picture = self._miniatures.picture(photograph.path)
        if picture is None or picture.isNull():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QtGui.QColor(colours.canvas))
            painter.drawRoundedRect(room, _ROUND, _ROUND)
            if picture is not None:
                painter.setPen(QtGui.QColor(colours.canvas_text))
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter, "No preview")
            return
        size = QtCore.QSize(picture.width(), picture.height())
        ratio = painter.device().devicePixelRatio()
        shown = size.scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
        if size.width() <= room.width() * ratio and size.height() <= room.height() * ratio:
            shown = shown.boundedTo((size / ratio).expandedTo(QtCore.QSize(1, 1)))
        place = QtCore.QRect(QtCore.QPoint(), shown)
        place.moveCenter(room.center())
        painter.drawPixmap(place, picture)


class PhotographList(QtWidgets.QListView):
    """Lists photographs in a row, opens the one that is chosen, and takes others that are dropped."""

    opened = Signal(int)  # the row of the photograph to open
    menuRequested = Signal(QtCore.QPoint)  # noqa: N815
    """A place on the screen, for a menu about the selection."""
    removeRequested = Signal()  # noqa: N815
    """The selected photographs are to be removed."""
    filesDropped = Signal(list)  # noqa: N815
    """The paths of the files."""

    def __init__(self, model: PhotographModel) -> None:
        super().__init__()
        self._photographs = model
        self.miniatures = Miniatures(self)
        self._seen = QtCore.QTimer(self, singleShot=True, interval=_SEEN)
        self._seen.timeout.connect(self._ask_for_seen)
        self._choosing = QtCore.QTimer(self, singleShot=True, interval=_CHOOSING)
        self._choosing.timeout.connect(self._choose)
        self.setModel(model)
        self.setItemDelegate(PhotographDelegate(self.miniatures, model, self))
        self.setFont(tabular(self.font()))
        self.setAccessibleName("Photographs")
        self.setFlow(QtWidgets.QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setUniformItemSizes(True)
        self.setFrameShape(QtWidgets.QListView.Shape.NoFrame)
        self.setSelectionMode(QtWidgets.QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QtWidgets.QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.miniatures.found.connect(self._show_found)
        model.relisted.connect(self._seen.start)
        self._fit()

    @property
    def rows(self) -> list[int]:
        """The rows of the selected photographs, from left to right."""
        return sorted(index.row() for index in self.selectedIndexes())

    def show_current(self, row: int) -> None:
        """Show which photograph is open; nothing is emitted."""
        self._choosing.stop()
        index = self._photographs.index(row)
        if self.currentIndex() == index and self.rows == [row]:
            return
        self.selectionModel().setCurrentIndex(index, QtCore.QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._choosing.stop()
        self.scrollTo(index)

    def step(self, by: int) -> None:
        """Open the photograph so many rows on."""
        row = min(max(self.currentIndex().row() + by, 0), self._photographs.rowCount() - 1)
        if row >= 0 and row != self.currentIndex().row():
            self.show_current(row)
            self.opened.emit(row)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Open the photograph that was chosen, after a moment."""
        super().currentChanged(current, previous)
        self._choosing.start()

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:
        """Open the photograph that was clicked, at once."""
        super().mouseReleaseEvent(event)
        if self._choosing.isActive():
            self._choosing.stop()
            self._choose()

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Go a page to the left or right, open or remove; the other keys are those of every list."""
        key = event.key()
        page = max(1, self.viewport().width() // max(1, self.gridSize().width()) - 1)
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._go(page if key == Qt.Key.Key_PageDown else -page, event.modifiers())
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.ignore()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choosing.stop()
            self._choose(anyway=True)
        elif key == Qt.Key.Key_Delete:
            self.removeRequested.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QtGui.QContextMenuEvent) -> None:
        """Ask for a menu about the selection."""
        place = event.globalPos()
        if event.reason() == event.Reason.Keyboard:
            place = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).center())
        if self.rows:
            self.menuRequested.emit(place)

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        """Scroll sideways with a wheel that turns up and down, too."""
        delta = event.angleDelta()
        if delta.x() == 0 and delta.y():
            bar = self.horizontalScrollBar()
            pixels = event.pixelDelta().y() or delta.y() * self.gridSize().width() // 120
            bar.setValue(bar.value() - pixels)
            event.accept()
        else:
            super().wheelEvent(event)

    def dragMoveEvent(self, event: QtGui.QDragMoveEvent) -> None:
        """Accept files."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    dragEnterEvent = dragMoveEvent  # noqa: N815 - both are Qt's

    def dropEvent(self, event: QtGui.QDropEvent) -> None:
        """Emit the dropped files."""
        event.acceptProposedAction()
        self.filesDropped.emit(local_files(event.mimeData()))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Ask for the pictures of what is seen now."""
        super().scrollContentsBy(dx, dy)
        if not self._seen.isActive():  # a scroll without a rest shows pictures, too
            self._seen.start()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Ask for the pictures of what is seen now."""
        super().resizeEvent(event)
        self._seen.start()

    def showEvent(self, event: QtGui.QShowEvent) -> None:
        """Ask for the pictures of what is seen now."""
        super().showEvent(event)
        self._seen.start()

    def changeEvent(self, event: QtCore.QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QtCore.QEvent.Type.FontChange:
            self._fit()

    def sizeHint(self) -> QtCore.QSize:
        """Return room for one row."""
        return QtCore.QSize(4 * self.gridSize().width(), self.minimumHeight())

    def seen(self) -> range:
        """Return the rows that are seen."""
        width, count = max(1, self.gridSize().width()), self._photographs.rowCount()
        left = self.horizontalScrollBar().value()
        return range(min(left // width, count), min(-(-(left + self.viewport().width()) // width), count))

    def _fit(self) -> None:
        size = PICTURE + QtCore.QSize(2 * _PADDING, 2 * _PADDING + _GAP + self.fontMetrics().height())
        self.setGridSize(size)
        self.setFixedHeight(size.height() + self.horizontalScrollBar().sizeHint().height())

    def _go(self, by: int, keys: Qt.KeyboardModifier) -> None:
        row = min(max(self.currentIndex().row() + by, 0), self._photographs.rowCount() - 1)
        extend = QtCore.QItemSelectionModel.SelectionFlag.Select
        only = QtCore.QItemSelectionModel.SelectionFlag.ClearAndSelect
        flag = extend if keys & Qt.KeyboardModifier.ShiftModifier else only
        self.selectionModel().setCurrentIndex(self._photographs.index(row), flag)

    def _choose(self, *, anyway: bool = False) -> None:
        row = self.currentIndex().row()
        if row >= 0 and (anyway or self.rows == [row]):
            self.opened.emit(row)

    def _ask_for_seen(self) -> None:
        """Ask for the pictures that are seen, then for those of the next and the previous page."""
        if not self.isVisible():
            return
        seen = self.seen()
        ahead = range(seen.stop, min(seen.stop + len(seen), self._photographs.rowCount()))
        behind = range(max(0, seen.start - len(seen)), seen.start)
        photographs = self._photographs.roll.photographs
        paths = [photographs[row].path for row in (*seen, *ahead, *reversed(behind))]
        self.miniatures.want(paths, PICTURE * self.devicePixelRatioF())

    def _show_found(self, path: str) -> None:
        row = self._photographs.roll.rows.get(path)
        if row is not None:
            self.update(self._photographs.index(row))


def _paint_ground(
    painter: QtGui.QPainter, place: QtCore.QRectF, state: QtWidgets.QStyle.StateFlag, colours: Colours
) -> None:
    selected = bool(state & QtWidgets.QStyle.StateFlag.State_Selected)
    focused = bool(state & QtWidgets.QStyle.StateFlag.State_HasFocus)
    if selected or state & QtWidgets.QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QtGui.QColor(colours.accent_soft))
        painter.drawRoundedRect(place, _ROUND, _ROUND)
    if selected or focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QtGui.QPen(QtGui.QColor(colours.accent), 2.0 if focused else 1.0))
        painter.drawRoundedRect(place, _ROUND, _ROUND)


def _paint_mark(painter: QtGui.QPainter, room: QtCore.QRect, colours: Colours) -> None:
    """Paint a slider's knob in the upper left corner: settings of its own."""
    place = QtCore.QRectF(room.left() + 3, room.top() + 3, _BADGE, _BADGE)
    painter.setPen(QtGui.QPen(QtGui.QColor(colours.base), 1.5))
    painter.setBrush(QtGui.QColor(colours.accent))
    painter.drawEllipse(place)
    painter.setPen(QtGui.QPen(QtGui.QColor(colours.accent_text), 1.5))
    for line, knob in ((0.36, 0.62), (0.64, 0.38)):
        y = place.top() + line * _BADGE
        painter.drawLine(
            QtCore.QPoint(round(place.left() + 4), round(y)),
            QtCore.QPoint(round(place.right() - 4), round(y)),
        )
        painter.setBrush(QtGui.QColor(colours.accent_text))
        painter.drawEllipse(QtCore.QRectF(place.left() + knob * _BADGE - 1.5, y - 1.5, 3, 3))


def _paint_result(painter: QtGui.QPainter, room: QtCore.QRect, result: Result, colours: Colours) -> None:
    """Paint what became of a photograph over the lower edge of its picture."""
    failed = result.state is State.FAILED
    text = "Failed" if failed else change_words(result.source_bytes, result.target_bytes)
    width = painter.fontMetrics().horizontalAdvance(text) + 10
    place = QtCore.QRect(0, 0, width, painter.fontMetrics().height() + 2)
    place.moveBottomRight(room.bottomRight() - QtCore.QPoint(3, 3))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QtGui.QColor(colours.error_soft if failed else colours.strip))
    painter.drawRoundedRect(place, _ROUND, _ROUND)
    painter.setPen(QtGui.QColor(colours.error if failed else colours.strip_text))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


_WIDTH = 156


class PhotographStrip(QWidget):
    """The list of photographs, and beside it how many there are, and buttons for all of them."""

    def __init__(self, model: PhotographModel) -> None:
        super().__init__()
        self._model = model
        self.list = PhotographList(model)
        self.count, self.detail = QLabel(), QLabel()
        self.send, self.queue = QPushButton("Send…"), QPushButton("Show Progress")
        self.progress = QProgressBar()
        self._lay_out()
        model.relisted.connect(self._describe)
        model.dataChanged.connect(self._describe)
        self.show_tally(None)
        self.hide()

    def show_tally(self, tally: Tally | None) -> None:
        """Show how far the queue is; None if there is none."""
        running = tally is not None and not tally.ended
        self.progress.setVisible(running)
        self.queue.setVisible(running)
        self.send.setVisible(not running)
        if tally is not None and running:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(1000 * tally.share))
            self.detail.setText(f"{tally.done:,} of {tally.count:,} done")
        else:
            self._describe()

    def _describe(self) -> None:
        count, detail = roll_words(self._model.roll)
        self.count.setText(count)
        if self.progress.isHidden():
            self.detail.setText(detail)

    def _lay_out(self) -> None:
        self.send.setToolTip("Make files of all photographs that are small enough to be sent.")
        self.queue.setToolTip("Show what becomes of each photograph.")
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        self.progress.setAccessibleName("Progress of all photographs")
        self.detail.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for label in (self.count, self.detail):
            label.setFont(tabular(label.font()))
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        side = QWidget()
        side.setFixedWidth(_WIDTH)
        shown = self.count, self.detail, FREE, self.progress, self.queue, self.send
        vbox(*shown, of=side, margins=(8, 4, 8, 6), spacing=4)
        hbox((self.list, 1), side, of=self, spacing=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
