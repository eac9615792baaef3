"""The error tab: where the reconstruction is wrong, how often by how much, and where most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
    QHeaderView,
    QRadioButton,
    QStyle,
    QTableView,
    QWidget,
)

from pcaimage.codec import Region
from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.session.requests import ShowPlace, ShowRegion
from pcaimage.gui.tabs.error.figures import EMPTY, ErrorFigures, Histogram, worst_row
from pcaimage.gui.tabs.error.plot import ErrorPlot, HeatMap, HeatScale
from pcaimage.gui.tabs.shared.pages import ComparisonPage, content_of, panes
from pcaimage.gui.tabs.shared.sorted_table import SortedTableModel, TableColumn, prepare_table
from pcaimage.insight.error_map import WorstBlock

EXACT = "No error at all: every pixel is the original's."


class WorstColumn(NamedTuple):
    """A figure of a block."""

    key: str
    title: str
    about: str


_COLUMNS = (
    WorstColumn("rank", "#", "1 is the block with the largest error."),
    WorstColumn("place", "Block at", "The pixel in its upper left corner."),
    WorstColumn("rms", "RMS", "Root mean square of its errors, in levels of pixel values."),
    WorstColumn("largest", "Largest", "The largest error of any value in the block, in levels."),
    WorstColumn("psnr", "dB", "Peak signal-to-noise ratio within the block."),
)
_AIR = 10
"""Pixels between columns, besides those of the style."""
_WALK = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)


class WorstModel(SortedTableModel):
    """The worst blocks as a table, the worst first."""

    space = ""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: tuple[WorstBlock, ...] = ()
        self._texts: tuple[dict[str, str], ...] = ()

    @property
    def columns(self) -> Sequence[TableColumn]:
        """The columns shown."""
        return _COLUMNS

    def set_blocks(self, blocks: tuple[WorstBlock, ...], peak: float) -> None:
        """List other blocks, the worst first; PSNR refers to a peak."""
        with self._replacing(same_items=False):
            self.blocks = blocks
            keys = [column.key for column in _COLUMNS]
            self._texts = tuple(dict(zip(keys, worst_row(block, peak), strict=True)) for block in blocks)

    def texts(self, column: int) -> list[str]:
        """Return the texts of a column's cells."""
        return [texts[_COLUMNS[column].key] for texts in self._texts]

    def _keys(self, _key: str) -> NDArray[Any]:
        return np.arange(len(self.blocks))

    def _text(self, key: str, item: int) -> str:
        return self._texts[item][key]


class WorstList(QTableView):
    """Lists the worst blocks, and asks for the one to be shown that is clicked or selected by keys."""

    regionRequested = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` of a block."""

    def __init__(self) -> None:
        super().__init__()
        self._model = WorstModel()
        self._model.setParent(self)
        self.setModel(self._model)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(24)
        header.setFixedHeight(self.fontMetrics().height() + 8)
        self.setMinimumSize(280, 60)
        self.setAccessibleName("Worst blocks")
        self.setAccessibleDescription(
            "The blocks with the largest errors; each step shows one in the pictures."
        )
        self.setToolTip("The blocks with the largest errors; click one to see it in the pictures.")
        self.clicked.connect(self._request)

    def sizeHint(self) -> QSize:
        """Ask for a third of a tab."""
        return QSize(310, 140)

    @property
    def current(self) -> WorstBlock | None:
        """The block that is selected."""
        rows = self.selectionModel().selectedRows()
        return self._model.blocks[rows[0].row()] if rows else None

    def set_blocks(self, blocks: tuple[WorstBlock, ...], peak: float) -> None:
        """List other blocks, the worst first; none is selected then."""
        self._model.set_blocks(blocks, peak)
        self._fit_columns()
        self.scrollToTop()

    def _fit_columns(self) -> None:
        """Make columns as wide as their texts; Qt would ask for each cell several times."""
        style, header = self.style(), self.horizontalHeader()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, self) + 1
        titles, figures = header.fontMetrics(), self.fontMetrics()
        for place, column in enumerate(_COLUMNS):
            texts = map(figures.horizontalAdvance, self._model.texts(place))
            widths = (titles.horizontalAdvance(column.title), *texts)
            header.resizeSection(place, max(widths) + 2 * margin + _AIR)

    def changeEvent(self, event: QEvent) -> None:
        """Fit the columns to another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the list, or show the selected block again with Enter or Space."""
        key = Qt.Key(event.key())
        if self.current is None and key in _WALK and self._model.blocks:
            self.selectRow(0)
            self._request()
            return
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        moved = key in _WALK and self.currentIndex().row() != before
        if moved or key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._request()

    def _request(self, _index: object = None) -> None:
        block = self.current
        if block is not None:
            self.regionRequested.emit(Region(block.left, block.top, block.right, block.bottom))


class ErrorPage(ComparisonPage[ErrorFigures]):
    """Shows the errors of a reconstruction, and asks for places and blocks to be shown in the pictures."""

    EXACT = EXACT
    FINDING = "Finding the errors…"
    requested = Signal(object)
    """A request: to show a pixel or a block of the image."""

    def __init__(self) -> None:
        super().__init__()
        self._map, self._scale = HeatMap(), HeatScale()
        self._plot, self._list = ErrorPlot(), WorstList()
        self._pixels = _button(QRadioButton("Pixels"), "Show the error of every pixel.")
        self._blocks = _button(QRadioButton("Blocks"), "Show the error of every block: its root mean square.")
        self._log = _button(
            QCheckBox("Log counts"), "Count values on a logarithmic axis, on which rare errors can be seen."
        )
        sides = panes((self._heat(), 5), (self._plot, 4), (self._list, 3), sizes=[320, 270, 310])
        self._fill(content_of((self._readout, self._log), sides), EMPTY)
        self._connect()
        self.plot_widget = self._plot.plot_widget
        self.setAccessibleName("Errors")

    def set_updating(self, updating: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Mark the errors as those of an earlier setting, or not."""
        super().set_updating(updating)
        if self._figures is not None:
            self._map.set_dimmed(updating)

    def _show(self, figures: ErrorFigures) -> None:
        self._list.set_blocks(figures.worst, figures.peak)
        self._plot.set_histogram(Histogram.of(figures.counts), figures.counts.rms)
        self._plot.setAccessibleDescription(figures.details)
        self._readout.setToolTip(figures.details)
        self._map.set_mark(None)
        self._blocks.setText(f"{figures.block} × {figures.block}")
        self._blocks.setAccessibleName(f"Blocks of {figures.block} × {figures.block} pixels")
        self._show_heat()

    def _clear(self) -> None:
        self._map.set_heat(None, 1, 1)
        self._map.set_mark(None)
        self._list.set_blocks((), 255)

    def _heat(self) -> QWidget:
        side = vbox((self._scale, 1), self._pixels, self._blocks, spacing=4)
        heat = QWidget()
        hbox((self._map, 1), side, of=heat, spacing=8)
        return heat

    def _connect(self) -> None:
        which = QButtonGroup(self)
        which.addButton(self._pixels)
        which.addButton(self._blocks)
        self._pixels.setChecked(True)
        self._log.setChecked(True)
        self._blocks.toggled.connect(lambda _: self._show_heat())
        self._log.toggled.connect(self._plot.set_logarithmic)
        self._map.placeRequested.connect(lambda x, y: self.requested.emit(ShowPlace(x, y)))
        self._map.placeHovered.connect(self._hover)
        self._plot.described.connect(self._describe)
        self._list.regionRequested.connect(self._request)

    def _show_heat(self) -> None:
        if self._figures is not None:
            heat = self._figures.blocks if self._blocks.isChecked() else self._figures.pixels
            self._map.set_heat(heat, self._figures.width, self._figures.height)
            self._map.set_dimmed(self._updating)
            self._scale.set_full_scale(heat.full_scale)

    def _request(self, region: Region) -> None:
        self._map.set_mark((region.left, region.top, region.right, region.bottom))
        self.requested.emit(ShowRegion(region))

    def _hover(self, x: int, y: int) -> None:
        if self._figures is not None:
            by_block = self._blocks.isChecked()
            self._describe("" if x < 0 else self._figures.describe(x, y, by_block=by_block))


def _button(button: QAbstractButton, meaning: str) -> QAbstractButton:
    button.setToolTip(meaning)
    button.setAccessibleName(button.text())
    return button
