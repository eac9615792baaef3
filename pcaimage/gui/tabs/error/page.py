"""The error tab: how often the reconstruction is wrong by how much, and where most."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6 import QtWidgets
from PySide6.QtCore import QModelIndex, QSize, Signal

from pcaimage.codec import Region
from pcaimage.gui.colours import Colours
from pcaimage.gui.session.requests import ShowRegion
from pcaimage.gui.tabs.error.figures import EMPTY, ErrorFigures, Histogram, worst_row
from pcaimage.gui.tabs.shared.pages import ComparisonPage, content_of, panes
from pcaimage.gui.tabs.shared.sorted_table import RIGHT, prepare_table
from pcaimage.gui.tabs.shared.static_plot import AXIS_WIDTH, StaticPlot
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.theme import faint
from pcaimage.insight.error_map import WorstBlock

EXACT = "No error at all: every pixel is the original's."


_COLUMNS = {
    "#": "1 is the block with the largest error.",
    "Block at": "The pixel in its upper left corner.",
    "RMS": "Root mean square of its errors, in levels of pixel values.",
    "Largest": "The largest error of any value in the block, in levels.",
    "dB": "Peak signal-to-noise ratio within the block.",
}
_LEAST_COUNT = 0.5  # the lower end of the logarithmic axis of counts


class WorstList(QtWidgets.QTableWidget):
    """Lists the worst blocks, and asks for the one to be shown that is clicked or selected by keys."""

    regionRequested = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` of a block."""

    def __init__(self) -> None:
        super().__init__(0, len(_COLUMNS))
        self._blocks: tuple[WorstBlock, ...] = ()
        for column, (title, about) in enumerate(_COLUMNS.items()):
            item = QtWidgets.QTableWidgetItem(title)
            item.setToolTip(about)
            item.setTextAlignment(RIGHT)
            self.setHorizontalHeaderItem(column, item)
        prepare_table(self)
        self.setSelectionMode(QtWidgets.QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QtWidgets.QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QtWidgets.QHeaderView.ResizeMode.Stretch)
        header.setFixedHeight(self.fontMetrics().height() + 8)
        self.setMinimumSize(280, 60)
        self.setAccessibleName("Worst blocks")
        self.setAccessibleDescription(
            "The blocks with the largest errors; each step shows one in the pictures."
        )
        self.setToolTip("The blocks with the largest errors; click one to see it in the pictures.")
        self.selectionModel().currentRowChanged.connect(self._request)
        self.activated.connect(self._request)

    def sizeHint(self) -> QSize:
        """Ask for a third of a tab."""
        return QSize(310, 140)

    def set_blocks(self, blocks: tuple[WorstBlock, ...], peak: float) -> None:
        """List other blocks, the worst first; none is selected then. PSNR refers to a peak."""
        self._blocks = ()
        self.setRowCount(0)
        self.setRowCount(len(blocks))
        for row, block in enumerate(blocks):
            for column, text in enumerate(worst_row(block, peak)):
                item = QtWidgets.QTableWidgetItem(text)
                item.setTextAlignment(RIGHT)
                self.setItem(row, column, item)
        self._blocks = blocks
        self.scrollToTop()

    def _request(self, index: QModelIndex) -> None:
        if index.isValid() and self._blocks:
            block = self._blocks[index.row()]
            self.regionRequested.emit(Region(block.left, block.top, block.right, block.bottom))


class ErrorPlot(StaticPlot):
    """Shows the histogram of errors: the number of values that are off by each difference."""

    described = Signal(str)  # a sentence about the bar under the pointer; empty for none

    def __init__(self) -> None:
        super().__init__(hint=QSize(320, 140), least=QSize(160, 60))
        plot = self._plots[0]
        self._histogram: Histogram | None = None
        self._rms = 0.0
        self._logarithmic = True
        self._curve = pg.PlotCurveItem([0, 1], [0], stepMode="center")
        self._usual = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._zero = pg.InfiniteLine(0, angle=90, movable=False)
        plot.getAxis("left").setLabel("values")
        plot.getAxis("left").setWidth(AXIS_WIDTH)
        plot.getAxis("bottom").setLabel("error, levels")
        for item, z in ((self._usual, -20), (self._curve, -10), (self._zero, -5)):
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)
        self.setAccessibleName("Histogram of errors")
        self.setToolTip(
            "How many values differ from the original's by how much; "
            "the tinted band is ± the root mean square."
        )
        self._recolour()

    def set_histogram(self, histogram: Histogram, rms: float) -> None:
        """Show another histogram, with the root mean square of its errors in levels."""
        self._histogram, self._rms = histogram, rms
        self._draw()

    def set_logarithmic(self, logarithmic: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Count on a logarithmic axis, on which rare errors are seen, or not."""
        self._logarithmic = logarithmic
        self._draw()

    @property
    def heights(self) -> NDArray[np.float64]:
        """The heights of the bars: decimal logarithms of their counts, or per cent of all values."""
        if self._histogram is None:
            return np.zeros(0)
        counts = self._histogram.counts.astype(np.float64)
        if self._logarithmic:
            return np.log10(np.maximum(counts, _LEAST_COUNT))
        shares: NDArray[np.float64] = counts * (100 / max(float(counts.sum()), 1.0))
        return shares

    def _hover(self, x: float | None) -> None:
        self.described.emit("" if x is None or self._histogram is None else self._histogram.describe(x))

    def _draw(self) -> None:
        if self._histogram is None:
            return
        plot, edges, heights = self._plots[0], self._histogram.edges, self.heights
        floor = float(np.log10(_LEAST_COUNT)) if self._logarithmic else 0.0
        top = float(heights.max(initial=floor + 1e-3))
        self._curve.setFillLevel(floor)
        self._curve.setData(edges, heights)
        self._usual.setRegion((-self._rms, self._rms))
        plot.setXRange(float(edges[0]), float(edges[-1]), padding=0.01)
        plot.setYRange(floor, top + 0.05 * (top - floor), padding=0.0)
        plot.getAxis("left").setTicks([decades(floor, top, 5)] if self._logarithmic else None)
        plot.getAxis("left").setLabel("values" if self._logarithmic else "% of values")

    def _paint(self, colours: Colours) -> None:
        self._curve.setBrush(pg.mkBrush(colours.accent))
        self._curve.setPen(None)
        self._usual.setBrush(pg.mkBrush(faint(colours.accent, 38)))
        self._zero.setPen(self._pens(colours.muted))


class ErrorPage(ComparisonPage[ErrorFigures]):
    """Shows the errors of a reconstruction, and asks for blocks to be shown in the pictures."""

    EXACT = EXACT
    FINDING = "Finding the errors…"
    requested = Signal(object)  # a request: to show a block of the image

    def __init__(self) -> None:
        super().__init__()
        self._plot, self._list = ErrorPlot(), WorstList()
        self._log = QtWidgets.QCheckBox("Log counts")
        self._log.setAccessibleName("Log counts")
        self._log.setToolTip("Count values on a logarithmic axis, on which rare errors can be seen.")
        sides = panes((self._plot, 4), (self._list, 3), sizes=[480, 310])
        self._fill(content_of((self._readout, self._log), sides), EMPTY)
        self._connect()
        self.plot_widget = self._plot.plot_widget
        self.setAccessibleName("Errors")

    def _show(self, figures: ErrorFigures) -> None:
        self._list.set_blocks(figures.worst, figures.peak)
        self._plot.set_histogram(Histogram.of(figures.counts), figures.counts.rms)
        self._plot.setAccessibleDescription(figures.summary)

    def _clear(self) -> None:
        self._list.set_blocks((), 255)

    def _connect(self) -> None:
        self._log.setChecked(True)
        self._log.toggled.connect(self._plot.set_logarithmic)
        self._plot.described.connect(self._describe)
        self._list.regionRequested.connect(lambda region: self.requested.emit(ShowRegion(region)))
