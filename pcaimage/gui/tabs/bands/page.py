"""The bands tab: how well each band is reconstructed, as a plot and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QHeaderView, QTableView

from pcaimage.gui.colours import Colours
from pcaimage.gui.session.requests import ShowBand
from pcaimage.gui.tabs.bands.figures import COLUMNS, EMPTY, MEASURES, BandFigures, Measure
from pcaimage.gui.tabs.shared.pages import ComparisonPage, content_of, panes
from pcaimage.gui.tabs.shared.sorted_table import SortedTableModel, TableColumn, prepare_table
from pcaimage.gui.tabs.shared.static_plot import NAMED_FROM, BandPlot, padded

_DOTTED = 64  # most bands that have a dot each


class BandQualityPlot(BandPlot):
    """Shows one figure of every band as a line."""

    chosen = Signal(int)  # a band that was clicked, or chosen with Return

    def __init__(self) -> None:
        super().__init__(hint=QSize(460, 160), least=QSize(200, 60))
        plot = self._plots[0]
        self._curve = pg.PlotCurveItem(antialias=True, connect="finite")
        self._dots = pg.ScatterPlotItem(size=6)
        for item in (*self._marks, self._curve, self._dots):
            plot.addItem(item, ignoreBounds=True)
        self.setAccessibleName("Quality of each band")
        self._recolour()

    def set_figures(self, figures: BandFigures, measure: Measure) -> None:
        """Show one of the figures of each band."""
        plot, names = self._plots[0], figures.names
        places, values = names.places[names.order], figures.values(measure.key)[names.order]
        known = np.isfinite(values)
        values = np.where(known, values, np.nan)
        self._curve.setData(places, values)
        few = len(figures) <= _DOTTED
        self._dots.setData(places[known] if few else [], values[known] if few else [])
        low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 1.0)
        low = min(low, 0.0) if measure.key in ("rms", "largest") else low
        plot.setYRange(*padded(low, high), padding=0.0)
        plot.setXRange(float(places[0]), float(places[-1]), padding=0.02)
        plot.getAxis("left").setLabel(measure.axis)
        self._set_names(names)
        self._fit()
        self.mark(self.band if self.band < len(figures) else -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the marked band with Return."""
        if self.band >= 0 and Qt.Key(event.key()) in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.band)
        else:
            super().keyPressEvent(event)

    def _press(self, x: float) -> None:
        self._hover(x)
        super()._press(x)
        if self.band >= 0:
            self.chosen.emit(self.band)

    def _fit(self) -> None:
        self._plots[0].getAxis("bottom").showLabel(self._view.height() >= NAMED_FROM)

    def _paint(self, colours: Colours) -> None:
        super()._paint(colours)
        self._curve.setPen(self._pens(colours.accent, width=2))
        self._dots.setBrush(pg.mkBrush(colours.accent))
        self._dots.setPen(pg.mkPen(None))


EXACT = "No error at all: every value of every band is the original's."


class BandModel(SortedTableModel):
    """The figures of all bands as a sorted table."""

    words = frozenset({"band"})

    def __init__(self) -> None:
        super().__init__()
        self._figures: BandFigures | None = None

    @property
    def columns(self) -> Sequence[TableColumn]:
        """The columns shown."""
        return COLUMNS

    def set_figures(self, figures: BandFigures | None) -> None:
        """Show other figures; where they are of as many bands, the selection stays."""
        now = self._figures
        same = figures is not None and now is not None and len(figures) == len(now)
        with self._replacing(same_items=same):
            self._figures = figures

    def _keys(self, key: str) -> NDArray[Any]:
        return np.zeros(0) if self._figures is None else self._figures.values(key)

    def _text(self, key: str, item: int) -> str:
        return "" if self._figures is None else self._figures.cell(key, item)


class BandsPage(ComparisonPage[BandFigures]):
    """Shows signal-to-noise ratio, PSNR and errors of every band."""

    EXACT = EXACT
    FINDING = "Comparing the bands…"
    requested = Signal(object)  # a request: to see one band alone

    def __init__(self) -> None:
        super().__init__()
        self._measure = QComboBox()
        self._measure.setAccessibleName("Figure that is plotted")
        for place, measure in enumerate(MEASURES):
            self._measure.addItem(measure.title)
            self._measure.setItemData(place, measure.about, Qt.ItemDataRole.ToolTipRole)
        self._plot, self.table, self._model = BandQualityPlot(), QTableView(), BandModel()
        self._model.setParent(self)
        self._prepare_table()
        sides = panes((self._plot, 3), (self.table, 2), sizes=[380, 500])
        self._fill(content_of((self._readout, self._measure), sides, spacing=8), EMPTY)
        self._connect()
        self.plot_widget = self._plot.plot_widget
        self.setAccessibleName("Bands")

    def copy(self) -> None:
        """Put the selected rows, or all if none is selected, on the clipboard as text for spreadsheets."""
        if self._figures is None:
            return
        rows = sorted({index.row() for index in self.table.selectionModel().selectedIndexes()})
        bands = [self._model.item_at(row) for row in rows or range(self._model.rowCount())]
        QGuiApplication.clipboard().setText(self._figures.text(bands))

    def _show(self, figures: BandFigures) -> None:
        self._model.set_figures(figures)
        self._show_plot()

    def _clear(self) -> None:
        self._model.set_figures(None)

    def _prepare_table(self) -> None:
        table = self.table
        table.setModel(self._model)
        table.setSortingEnabled(True)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        prepare_table(table)
        table.verticalHeader().setDefaultSectionSize(22)
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.setAccessibleName("Figures of all bands")
        table.setToolTip("Double-click a row to see that band alone.")

    def _connect(self) -> None:
        self._measure.currentIndexChanged.connect(lambda _: self._show_plot())
        self._plot.hovered.connect(self._describe_band)
        self._plot.chosen.connect(self._select)
        self.table.activated.connect(self._request)
        self.table.selectionModel().currentRowChanged.connect(self._follow_row)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.table)
        copy.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        copy.activated.connect(self.copy)

    def _show_plot(self) -> None:
        measure = MEASURES[max(self._measure.currentIndex(), 0)]
        self._measure.setToolTip(measure.about)
        if self._figures is not None:
            self._plot.set_figures(self._figures, measure)

    def _select(self, band: int) -> None:
        index = self._model.index(self._model.row_of(band), 0)
        flags = QItemSelectionModel.SelectionFlag
        self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index)

    def _request(self, index: QModelIndex) -> None:
        if index.isValid():
            self.requested.emit(ShowBand(self._model.item_at(index.row())))

    def _follow_row(self, index: QModelIndex) -> None:
        if index.isValid() and self._figures is not None:
            self._plot.mark(self._model.item_at(index.row()))

    def _describe_band(self, band: int) -> None:
        if self._figures is not None:
            self._describe("" if band < 0 else self._figures.describe(band))

    def _describe(self, words: str) -> None:
        super()._describe(words)
        self._plot.setAccessibleDescription(self._readout.text())
