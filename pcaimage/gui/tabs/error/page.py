"""The error tab: where the reconstruction is wrong, how often by how much, and where most."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from pcaimage.codec import Region
from pcaimage.gui.tabs.error.bars import Bars
from pcaimage.gui.tabs.error.figures import ErrorFigures
from pcaimage.gui.tabs.error.list import WorstList
from pcaimage.gui.tabs.error.map import HeatMap, HeatScale
from pcaimage.gui.tabs.error.plot import ErrorPlot
from pcaimage.gui.theme import tabular

EMPTY = "The errors appear here when an image is open."
EXACT = "No error at all: every pixel is the original's."


class ErrorView(QWidget):
    """Shows the errors of a reconstruction, and lets places be chosen to look at.

    It changes nothing by itself: it asks for places and blocks to be shown.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    placeRequested = Signal(int, int)  # noqa: N815
    """A pixel of the image that is to be shown."""
    regionRequested = Signal(object)  # noqa: N815
    """A block that is to be shown, as :class:`~pcaimage.codec.Region`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: ErrorFigures | None = None
        self._updating = False
        self._by_block = False
        self._message = QLabel(EMPTY, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._readout = QLabel()
        self._readout.setFont(tabular(self._readout.font()))
        self._readout.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._map, self._scale = HeatMap(), HeatScale()
        self._plot, self._list = ErrorPlot(), WorstList()
        self._pixels = _button(QRadioButton("Pixels"), "Show the error of every pixel.")
        self._blocks = _button(QRadioButton("Blocks"), "Show the error of every block: its root mean square.")
        self._log = _button(
            QCheckBox("Log counts"), "Count values on a logarithmic axis, on which rare errors are seen."
        )
        self._arrange()
        self._connect()
        self.setAccessibleName("Errors")
        self.say(EMPTY)

    @property
    def text(self) -> str:
        """The figures shown above the map, or why there are none."""
        full = self._pages.currentIndex() == 1
        return self._readout.text() if full else self._message.text()

    @property
    def plot_widget(self) -> QWidget:
        """The histogram alone, for an export."""
        return self._plot.plot_widget

    def set_figures(self, figures: ErrorFigures) -> None:
        """Show the errors of another reconstruction.

        Parameters
        ----------
        figures : ErrorFigures
            The errors.
        """
        self._figures, self._updating = figures, False
        self._list.set_blocks(figures.worst, figures.peak)
        self._plot.set_bars(Bars.of(figures.counts), figures.counts.rms)
        self._plot.setAccessibleDescription(figures.details)
        self._readout.setToolTip(figures.details)
        self._map.set_mark(None)
        self._blocks.setText(f"{figures.block} × {figures.block}")
        self._blocks.setAccessibleName(f"Blocks of {figures.block} × {figures.block} pixels")
        self._show_heat()
        self._message.setText(EXACT)
        self._pages.setCurrentIndex(0 if figures.exact else 1)
        self._describe("")

    def set_updating(self, updating: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show that the errors are of a former setting, and new ones on their way.

        Parameters
        ----------
        updating : bool
            Whether they are.
        """
        if self._figures is None or updating == self._updating:
            return
        self._updating = updating
        self._map.set_dimmed(updating)
        self._message.setText("Finding the errors…" if updating else EXACT)
        self._describe("")

    def say(self, sentence: str) -> None:
        """Show no errors, but why there are none.

        Parameters
        ----------
        sentence : str
            For the user.
        """
        self._figures, self._updating = None, False
        self._map.set_heat(None, 1, 1)
        self._map.set_mark(None)
        self._list.set_blocks((), 255)
        self._message.setText(sentence)
        self._pages.setCurrentIndex(0)
        self.setAccessibleDescription(sentence)

    def _arrange(self) -> None:
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
        splitter = QSplitter(Qt.Orientation.Horizontal)
        for place, (pane, stretch) in enumerate(((heat, 5), (self._plot, 4), (self._list, 3))):
            splitter.addWidget(pane)
            splitter.setStretchFactor(place, stretch)
            splitter.setCollapsible(place, False)
        splitter.setHandleWidth(8)
        splitter.setSizes([320, 270, 310])
        top = QHBoxLayout()
        top.addWidget(self._readout, 1)
        top.addWidget(self._log)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(splitter, 1)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._message)
        self._pages.addWidget(full)
        self._message.setMargin(16)

    def _connect(self) -> None:
        self._which = QButtonGroup(self)
        self._which.addButton(self._pixels)
        self._which.addButton(self._blocks)
        self._pixels.setChecked(True)
        self._log.setChecked(True)
        self._blocks.toggled.connect(self._choose)
        self._log.toggled.connect(self._plot.set_logarithmic)
        self._map.placeRequested.connect(self.placeRequested)
        self._map.placeHovered.connect(self._hover)
        self._plot.described.connect(self._describe)
        self._list.regionRequested.connect(self._request)

    def _choose(self, by_block: bool) -> None:  # noqa: FBT001 - from a Qt signal
        self._by_block = by_block
        self._show_heat()

    def _show_heat(self) -> None:
        if self._figures is not None:
            heat = self._figures.blocks if self._by_block else self._figures.pixels
            self._map.set_heat(heat, self._figures.width, self._figures.height)
            self._map.set_dimmed(self._updating)
            self._scale.set_full_scale(heat.full_scale)

    def _request(self, region: Region) -> None:
        self._map.set_mark((region.left, region.top, region.right, region.bottom))
        self.regionRequested.emit(region)

    def _hover(self, x: int, y: int) -> None:
        if self._figures is not None:
            self._describe("" if x < 0 else self._figures.describe(x, y, by_block=self._by_block))

    def _describe(self, words: str) -> None:
        if self._figures is None:
            return
        summary = self._figures.summary + (" · updating…" if self._updating else "")
        self._readout.setText(words or summary)
        self.setAccessibleDescription(EXACT if self._figures.exact else summary)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._scale.update()
            self._map.update()
        super().changeEvent(event)


def _button(button: QAbstractButton, meaning: str) -> QAbstractButton:
    button.setToolTip(meaning)
    button.setAccessibleName(button.text())
    return button
