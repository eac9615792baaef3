"""The bands tab: how well each band is reconstructed."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from pcaimage.gui.tabs.bands.figures import COLUMNS, MEASURES, Column, QualityFigures
from pcaimage.gui.tabs.bands.model import QualityModel
from pcaimage.gui.tabs.bands.plot import QualityPlot
from pcaimage.gui.theme import tabular

EMPTY = "The quality of each band appears here when an image of many bands is open."
EXACT = "No error at all: every value of every band is the original's."
_WIDTHS = (150, 92, 92, 84, 76)


class QualityView(QWidget):
    """Shows signal-to-noise ratio, PSNR and errors of every band.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    bandRequested = Signal(int)  # noqa: N815
    """A band, from 0, that the user wants to see alone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: QualityFigures | None = None
        self._updating = False
        self._message = QLabel(EMPTY, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._message.setMargin(16)
        self._readout = QLabel()
        self._readout.setFont(tabular(self._readout.font()))
        self._readout.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._measure = QComboBox()
        self._measure.setAccessibleName("Figure that is plotted")
        for place, column in enumerate(MEASURES):
            self._measure.addItem(column.title)
            self._measure.setItemData(place, column.about, Qt.ItemDataRole.ToolTipRole)
        self._plot, self._table, self._model = QualityPlot(), QTableView(), QualityModel(self)
        self._prepare_table()
        self._arrange()
        self._connect()
        self.setAccessibleName("Bands")
        self.say(EMPTY)

    @property
    def text(self) -> str:
        """The figures shown above the plot, or why there are none."""
        return self._readout.text() if self._pages.currentIndex() == 1 else self._message.text()

    @property
    def plot_widget(self) -> QWidget:
        """The plot alone, for an export."""
        return self._plot.view

    @property
    def table(self) -> QTableView:
        """The table."""
        return self._table

    def set_figures(self, figures: QualityFigures) -> None:
        """Show the quality of another reconstruction.

        Parameters
        ----------
        figures : QualityFigures
            Of each band.
        """
        self._figures, self._updating = figures, False
        self._model.set_figures(figures)
        self._show_plot()
        self._message.setText(EXACT)
        self._pages.setCurrentIndex(0 if figures.quality.exact else 1)
        self._describe(-1)

    def set_updating(self, updating: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show that the figures are of a former setting, and new ones on their way.

        Parameters
        ----------
        updating : bool
            Whether they are.
        """
        if self._figures is not None and updating != self._updating:
            self._updating = updating
            self._message.setText("Comparing the bands…" if updating else EXACT)
            self._describe(-1)

    def say(self, sentence: str) -> None:
        """Show no figures, but why there are none.

        Parameters
        ----------
        sentence : str
            For the user.
        """
        self._figures, self._updating = None, False
        self._model.set_figures(None)
        self._plot.set_figures(None, self._column)
        self._message.setText(sentence)
        self._pages.setCurrentIndex(0)
        self.setAccessibleDescription(sentence)

    def copy(self) -> None:
        """Put the selected rows on the clipboard as text for spreadsheets, or all rows if none is."""
        if self._figures is None:
            return
        rows = sorted({index.row() for index in self._table.selectionModel().selectedIndexes()})
        bands = [self._model.band_at(row) for row in rows or range(self._model.rowCount())]
        QGuiApplication.clipboard().setText(self._figures.text(bands))

    @property
    def _column(self) -> Column:
        return MEASURES[max(self._measure.currentIndex(), 0)]

    def _prepare_table(self) -> None:
        table = self._table
        table.setModel(self._model)
        table.setSortingEnabled(True)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setFont(tabular(table.font()))
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(22)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        for place, width in enumerate(_WIDTHS[: len(COLUMNS)]):
            table.setColumnWidth(place, width)
        table.setAccessibleName("Figures of all bands")
        table.setToolTip("Double-click a row to see that band alone.")
        table.setMinimumWidth(220)

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self._readout, 1)
        top.addWidget(self._measure)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        for place, (pane, stretch) in enumerate(((self._plot, 3), (self._table, 2))):
            splitter.addWidget(pane)
            splitter.setStretchFactor(place, stretch)
            splitter.setCollapsible(place, False)
        splitter.setHandleWidth(8)
        splitter.setSizes([380, 500])
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(splitter, 1)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._message)
        self._pages.addWidget(full)

    def _connect(self) -> None:
        self._measure.currentIndexChanged.connect(lambda _: self._show_plot())
        self._plot.hovered.connect(self._describe)
        self._plot.chosen.connect(self._select)
        self._table.activated.connect(self._request)
        self._table.selectionModel().currentRowChanged.connect(self._follow_row)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self._table)
        copy.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        copy.activated.connect(self.copy)

    def _show_plot(self) -> None:
        self._measure.setToolTip(self._column.about)
        self._plot.set_figures(self._figures, self._column)

    def _select(self, band: int) -> None:
        index = self._model.index(self._model.row_of(band), 0)
        flags = QItemSelectionModel.SelectionFlag
        self._table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self._table.scrollTo(index)

    def _request(self, index: QModelIndex) -> None:
        if index.isValid():
            self.bandRequested.emit(self._model.band_at(index.row()))

    def _follow_row(self, index: QModelIndex) -> None:
        if index.isValid() and self._figures is not None:
            self._plot.mark(self._model.band_at(index.row()))

    def _describe(self, band: int) -> None:
        if self._figures is None:
            return
        summary = self._figures.summary + (" · updating…" if self._updating else "")
        text = summary if band < 0 else self._figures.describe(band)
        self._readout.setText(text)
        self._readout.setToolTip(text if self._readout.sizeHint().width() > self._readout.width() else "")
        self.setAccessibleDescription(EXACT if self._figures.quality.exact else summary)
        self._plot.setAccessibleDescription(text)
