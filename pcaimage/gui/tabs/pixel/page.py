"""The pixel tab: the spectrum of the pixel under the cursor, before and after."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel

from pcaimage.codec import Region
from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.gestures import ARROWS
from pcaimage.gui.session.choice import FROM_FILE, NoData
from pcaimage.gui.tabs.shared.pages import PinnablePage, content_of, legend_of
from pcaimage.gui.tabs.shared.static_plot import NAMED_FROM, BandPlot, padded
from pcaimage.gui.theme import colours_of, faint
from pcaimage.insight.bands import BandNames, PixelSpectrum, UsualSpectrum

_SHARE = 0.28
"""The difference's share of the height, without the axis below it."""
_AXIS, _NAMED_AXIS = 20, 40
_MANY = 400
"""Number of bands from which lines are thin, as Qt draws wide ones too slowly."""
_FLAT = 110
"""Height in pixels below which there is no room for the difference."""


@dataclass(frozen=True, eq=False)
class PixelFigures:
    """The spectrum of a pixel, and the usual spectrum of the image."""

    names: BandNames
    usual: UsualSpectrum
    pixel: PixelSpectrum
    without: NoData = FROM_FILE
    """The value of pixels that `usual` leaves out."""


class PixelPlot(BandPlot):
    """Shows spectra over wavelength, or over the number of the band."""

    moved = Signal(int, int)
    """The number of pixels to the right and down to go to, by Shift and arrows."""

    def __init__(self) -> None:
        view = pg.GraphicsLayoutWidget()
        view.ci.setContentsMargins(0, 0, 0, 0)
        view.ci.setSpacing(0)
        plots = view.addPlot(row=0, col=0), view.addPlot(row=1, col=0)
        super().__init__(view, *plots, hint=QSize(720, 180), least=QSize(240, 80))
        self._upper, self._lower = plots
        self._tick = 1.0
        self._before, self._after = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True)
        self._mean, self._error = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True)
        self._edges = pg.PlotCurveItem(), pg.PlotCurveItem()
        self._usual = pg.FillBetweenItem(*self._edges)
        self._zero = pg.InfiniteLine(0, angle=0, movable=False)
        self._lower.setXLink(self._upper)
        self._upper.getAxis("left").setLabel("value")
        self._lower.getAxis("left").setLabel("error")
        for item, z in ((self._usual, -20), (self._mean, -15), (self._before, 0), (self._after, 5)):
            item.setZValue(z)
            self._upper.addItem(item, ignoreBounds=True)
        for item in (self._zero, self._error):
            self._lower.addItem(item, ignoreBounds=True)
        for plot, line in zip(self._plots, self._marks, strict=True):
            plot.addItem(line, ignoreBounds=True)
        self.setAccessibleName("Spectrum of the pixel")
        self._recolour()

    def set_figures(self, figures: PixelFigures) -> None:
        """Show another pixel."""
        names, usual, pixel = figures.names, figures.usual, figures.pixel
        order, places = names.order, names.places[names.order]
        low, high = usual.mean - usual.deviation, usual.mean + usual.deviation
        for edge, values in zip(self._edges, (low, high), strict=True):
            edge.setData(places, values[order])
        self._mean.setData(places, usual.mean[order])
        extent = [float(low.min()), float(high.max())]
        for curve, one in ((self._before, pixel.original), (self._after, pixel.reconstruction)):
            curve.setVisible(one is not None)
            if one is not None:
                curve.setData(places, one[order])
                extent += [float(one.min()), float(one.max())]
        self._upper.setYRange(*padded(min(extent), max(extent)), padding=0.0)
        self._upper.setXRange(float(places[0]), float(places[-1]), padding=0.01)
        self._show_error(names, pixel)
        if names is not self._names:
            self._set_names(names)
            self._set_pens()
            self.mark(-1)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from pixel to pixel with Shift and arrows."""
        across, down = ARROWS.get(Qt.Key(event.key()), (0, 0))
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if shift and (across or down) and self._names is not None:
            self.moved.emit(across, down)
        else:
            super().keyPressEvent(event)

    def _show_error(self, names: BandNames, pixel: PixelSpectrum) -> None:
        error = pixel.difference
        self._error.setVisible(error is not None)
        if error is None:
            self._lower.setYRange(-1, 1, padding=0.0)
            return
        self._error.setData(names.places[names.order], error[names.order])
        reach = max(float(np.abs(error).max()), 1e-9) * 1.15
        self._lower.setYRange(-reach, reach, padding=0.0)
        self._tick = round_below(reach)

    def _fit(self) -> None:
        height = self._view.height()
        shown, named = height >= _FLAT and self._error.isVisible(), height >= NAMED_FROM
        ticks = (-self._tick, 0, self._tick) if named else (-self._tick, self._tick)
        self._lower.getAxis("left").setTicks([[(tick, f"{tick:g}".replace("-", "−")) for tick in ticks]])
        self._lower.setVisible(shown)
        axis_height = _NAMED_AXIS if named else _AXIS
        self._lower.setMaximumHeight(_SHARE * height + axis_height if shown else 0)
        for plot, last in ((self._upper, not shown), (self._lower, shown)):
            axis = plot.getAxis("bottom")
            axis.setStyle(showValues=last)
            axis.setHeight(None if last else 4)
            axis.showLabel(last and named)

    def _paint(self, colours: Colours) -> None:
        super()._paint(colours)
        self._usual.setBrush(pg.mkBrush(faint(colours.muted, 48)))
        for edge in self._edges:
            edge.setPen(None)
        self._mean.setPen(self._pens(colours.muted, style=Qt.PenStyle.DotLine))
        self._zero.setPen(self._pens(colours.border))
        self._set_pens()

    def _set_pens(self) -> None:
        colours = colours_of(self.palette())
        many = self._names is not None and self._names.count > _MANY
        self._before.setPen(self._pens(colours.curve, width=1 if many else 3))
        for curve in (self._after, self._error):
            curve.setPen(self._pens(colours.accent, width=1 if many else 1.5))


def round_below(value: float) -> float:
    """Return the largest number up to a positive one that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(factor for factor in (1, 2, 5) if factor * power <= value * (1 + 1e-9)) * power


EMPTY = "The spectrum of the pixel under the cursor appears here: move over the pictures."


class PixelPage(PinnablePage[PixelFigures]):
    """Shows the spectrum of the pixel under the cursor, or of the pinned one."""

    def __init__(self) -> None:
        super().__init__("pixel", "Stay on this pixel when the cursor moves away (P); a click pins it, too.")
        self._figures: PixelFigures | None = None
        self._legend = QLabel()
        self._legend.setToolTip("The grey area is the mean spectrum of the image ± one standard deviation.")
        self._plot = PixelPlot()
        self._fill(content_of((self._readout, self._legend, self._pin), self._plot, spacing=16), EMPTY)
        self._plot.hovered.connect(lambda _: self._describe())
        self._plot.moved.connect(self._go)
        self.plot_widget = self._plot.plot_widget
        self.setAccessibleName("Pixel")

    @property
    def pixel(self) -> PixelSpectrum | None:
        """The spectrum that is shown."""
        return None if self._figures is None else self._figures.pixel

    def set_figures(self, figures: PixelFigures) -> None:
        """Show another pixel."""
        self._figures, pixel = figures, figures.pixel
        self._plot.set_figures(figures)
        self._plot.setAccessibleDescription(pixel.table(figures.names))
        self._show_content()
        self._recolour()
        self._describe()
        self._set_region(Region(pixel.x, pixel.y, pixel.x + 1, pixel.y + 1))

    def _clear(self) -> None:
        self._figures = None

    def _go(self, across: int, down: int) -> None:
        if self.pixel is not None:
            self.pin_at(self.pixel.x + across, self.pixel.y + down)

    def _describe(self) -> None:
        if self._figures is None:
            return
        pixel, names, band = self._figures.pixel, self._figures.names, self._plot.band
        text = pixel.summary(names)
        if band >= 0:
            text = f"({pixel.x}, {pixel.y}) · {pixel.describe(band, names)}"
        self._readout.show_line(text)
        self.setAccessibleDescription(text)

    def _recolour(self) -> None:
        colours, pixel = colours_of(self.palette()), self.pixel
        if pixel is None:
            return
        parts = []
        if pixel.original is not None:
            parts.append((colours.curve, "original"))
        if pixel.reconstruction is not None:
            parts.append((colours.accent, "reconstruction"))
        parts.append((colours.muted, "mean ± σ"))
        self._legend.setText(legend_of(parts))
        self._legend.setAccessibleName(", ".join(text for _, text in parts))
