"""What the points of each label look like; choosing one lets its points stand out."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.scatter.look import MOST_LISTED, Look, look_of
from pcaimage.gui.theme import tabular

_SIDE = 16
ALL = "All"


class Legend(QListWidget):
    """Lists the labels of a stack's images.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    onlyRequested = Signal(object)  # noqa: N815
    """The place of a label among all whose points are to stand out; None for all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: tuple[tuple[Any, int], ...] = ()
        self._columns = 2
        self.setFont(tabular(self.font()))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setIconSize(QSize(_SIDE, _SIDE))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Labels")
        self.setAccessibleDescription("The points of the current label stand out.")
        self.setToolTip("What images show. Choose a label to let its points stand out.")
        self.currentRowChanged.connect(lambda row: self.onlyRequested.emit(row - 1 if row > 0 else None))

    def set_labels(self, labels: tuple[tuple[Any, int], ...], colours: Colours) -> None:
        """List other labels; all stand out.

        Parameters
        ----------
        labels : tuple of (object, int)
            Each with the number of its images.
        colours : Colours
            The scheme.
        """
        self._labels = labels
        self.blockSignals(True)
        self.clear()
        self.addItem(QListWidgetItem(ALL))
        for place, (label, count) in enumerate(labels[:MOST_LISTED]):
            item = QListWidgetItem(_icon(look_of(place, colours), self.devicePixelRatio()), str(label))
            item.setToolTip(f"Label {label}: {count:,} images")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Label {label}, {count} images")
            self.addItem(item)
        self.setCurrentRow(0)
        self._fit()
        self.blockSignals(False)

    def set_columns(self, columns: int) -> None:
        """List labels in more columns, or fewer.

        Parameters
        ----------
        columns : int
            How many.
        """
        if columns != self._columns:
            self._columns = columns
            self._fit()

    def _fit(self) -> None:
        widest = max(self.sizeHintForColumn(0), 48) + 4
        self.setGridSize(QSize(widest, max(self.fontMetrics().height(), _SIDE) + 4))
        self.setFixedWidth(self._columns * widest + self.verticalScrollBar().sizeHint().width() + 4)

    def set_colours(self, colours: Colours) -> None:
        """Use another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        """
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Highlight, QColor(colours.accent_soft))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor(colours.text))
        self.setPalette(palette)
        for place in range(self.count() - 1):
            self.item(place + 1).setIcon(_icon(look_of(place, colours), self.devicePixelRatio()))


def _icon(look: Look, ratio: float) -> QIcon:
    pixmap = QPixmap(round(_SIDE * ratio), round(_SIDE * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(QRectF(0, 0, _SIDE, _SIDE).center())
    painter.scale(_SIDE * 0.7, _SIDE * 0.7)
    painter.fillPath(pg.graphicsItems.ScatterPlotItem.Symbols[look.shape], QColor(look.colour))
    painter.end()
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)  # else Qt tints it
    return icon
