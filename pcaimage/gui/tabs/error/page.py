"""The error tab: where the reconstruction is wrong, how often by how much, and where most."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from pcaimage.codec import Region
from pcaimage.gui.session.requests import ShowPlace, ShowRegion
from pcaimage.gui.tabs.error.feed import ErrorFeed
from pcaimage.gui.tabs.error.figures import EMPTY, ErrorFigures, Histogram
from pcaimage.gui.tabs.error.map import HeatMap, HeatScale
from pcaimage.gui.tabs.error.plot import ErrorPlot
from pcaimage.gui.tabs.error.worst import WorstList
from pcaimage.gui.tabs.shared.pages import ComparisonPage, content_of, panes
from pcaimage.gui.tabs.shared.tab import Tab, TabContext

EXACT = "No error at all: every pixel is the original's."


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

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._scale.update()
            self._map.update()
        super().changeEvent(event)

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
        side = QVBoxLayout()
        side.setSpacing(4)
        side.addWidget(self._scale, 1)
        side.addWidget(self._pixels)
        side.addWidget(self._blocks)
        heat = QWidget()
        row = QHBoxLayout(heat)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._map, 1)
        row.addLayout(side)
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


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = ErrorPage()
    page.requested.connect(context.request)
    return Tab(page, (ErrorFeed(context.session, page, page),))
