"""The pixel tab: spectra of a pixel and of regions, before and after, beside the scores of all pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QKeySequence, QPen, QShowEvent
from PySide6.QtWidgets import QGraphicsItem, QLabel, QToolButton, QWidget

from pcaimage.codec import Region
from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.gestures import ARROWS
from pcaimage.gui.panel.form_rows import ChoiceBox
from pcaimage.gui.session.choice import FROM_FILE, NoData
from pcaimage.gui.tabs.pixel.scatter import Marked, ScatterPlot
from pcaimage.gui.tabs.shared.pages import AxesBoxes, PinnablePage, content_of, legend_of, panes
from pcaimage.gui.tabs.shared.static_plot import NAMED_FROM, BandPlot, padded
from pcaimage.gui.tabs.shared.ticks import round_ticks
from pcaimage.gui.theme import colours_of, faint
from pcaimage.insight.bands import BandNames, PixelSpectrum, UsualSpectrum
from pcaimage.insight.classes import Agreement, Classification
from pcaimage.insight.components import Overlay
from pcaimage.insight.regions import Mask, PixelScatter, RegionSpectra, inside, marks
from pcaimage.language import tr

_SHARE = 0.28  # the difference's share of the height, without the axis below it
_AXIS, _NAMED_AXIS = 20, 40
_MANY = 400  # number of bands from which lines are thin, as Qt draws wide ones too slowly
_FILLED = 0.75  # the least share of an axis that values take
_BY_REGIONS = -1
_CLASSES = (
    ("No classes", 0),
    *((f"{count} classes by k-means", count) for count in (3, 4, 5, 6, 8, 10)),
    ("Spectral angle to regions", _BY_REGIONS),
)
"""Classes of pixels with their number, or what stands for regions."""
_CLASSES_TIP = (
    "Classify pixels of the original and of the reconstruction alike: to the nearest of the centres of the "
    "original, or to the region whose mean spectrum is most similar. Pixels that change are opaque."
)
_FLAT = 110  # height in pixels below which there is no room for the difference


@dataclass(frozen=True, eq=False)
class PixelFigures:
    """The spectrum of a pixel, and the usual spectrum of the image."""

    names: BandNames
    usual: UsualSpectrum
    pixel: PixelSpectrum
    without: NoData = FROM_FILE  # the value of pixels that `usual` leaves out


class PixelPlot(BandPlot):
    """Shows spectra over wavelength, or over the number of the band."""

    moved = Signal(int, int)  # the number of pixels to the right and down to go to, by Shift and arrows

    def __init__(self) -> None:
        view = pg.GraphicsLayoutWidget()
        view.ci.setContentsMargins(0, 0, 0, 0)
        view.ci.setSpacing(0)
        plots = view.addPlot(row=0, col=0), view.addPlot(row=1, col=0)
        super().__init__(view, *plots, hint=QSize(720, 180), least=QSize(240, 80))
        self._upper, self._lower = plots
        self._tick, self._known = 1.0, False
        self._before, self._after = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True)
        self._mean, self._error = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True)
        self._edges = pg.PlotCurveItem(), pg.PlotCurveItem()
        self._usual = pg.FillBetweenItem(*self._edges)
        self._regions: list[RegionCurves] = []
        self._extent: list[float] = []
        self._zero = pg.InfiniteLine(0, angle=0, movable=False)
        self._lower.setXLink(self._upper)
        self._upper.getAxis("left").setLabel(tr("value"))
        self._lower.getAxis("left").setLabel(tr("error"))
        for item, z in ((self._usual, -20), (self._mean, -15), (self._before, 0), (self._after, 5)):
            item.setZValue(z)
            self._upper.addItem(item, ignoreBounds=True)
        for item in (self._zero, self._error):
            self._lower.addItem(item, ignoreBounds=True)
        for item in (self._usual, self._mean, self._before, self._after, self._error):
            # They stay while a lasso moves other curves.
            item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
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
        self._extent = extent
        self._upper.setXRange(float(places[0]), float(places[-1]), padding=0.01)
        self._show_error(names, pixel)
        if names is not self._names:
            self._set_names(names)
            self._set_pens()
            self.mark(-1)
        self._fit()
        self._fit_values()

    def set_regions(self, regions: Sequence[tuple[str, RegionSpectra]]) -> None:
        """Show the spectra of other regions, each with its colour, over the bands of the pixel."""
        names = self._names
        while len(self._regions) < len(regions):
            self._regions.append(RegionCurves(self._upper, self._lower))
        for place, curves in enumerate(self._regions):
            if place < len(regions) and names is not None:
                colour, spectra = regions[place]
                curves.show(names, spectra, faint(colour, 50), self._pens(colour, width=2))
            else:
                curves.hide()
        self._fit_values()

    def _fit_values(self) -> None:
        shown = [curves.extent for curves in self._regions if curves.extent is not None]
        ends = self._extent + [end for extent in shown for end in extent]
        if not ends:
            return
        # A lasso moves them all the time: the axis follows only when it has to.
        (low, high), (bottom, top) = padded(min(ends), max(ends)), self._upper.vb.viewRange()[1]
        if min(ends) < bottom or max(ends) > top or high - low < _FILLED * (top - bottom):
            self._upper.setYRange(low, high, padding=0.0)

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
        self._known = error is not None
        self._error.setVisible(self._known)
        if error is None:
            self._lower.setYRange(-1, 1, padding=0.0)
            return
        self._error.setData(names.places[names.order], error[names.order])
        reach = max(float(np.abs(error).max()), 1e-9) * 1.15
        self._lower.setYRange(-reach, reach, padding=0.0)
        self._tick = round_ticks(0, reach, 3)[-1][0]

    def _fit(self) -> None:
        height = self._view.height()
        shown, named = height >= _FLAT and self._known, height >= NAMED_FROM
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


class RegionCurves:
    """The curves of a region: its mean spectrum, the deviation about it, and what the mean is off by."""

    def __init__(self, upper: Any, lower: Any) -> None:
        self.extent: tuple[float, float] | None = None
        """The lowest and the highest value that is shown; None while nothing is."""
        self._mean, self._error = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True)
        self._edges = pg.PlotCurveItem(pen=None), pg.PlotCurveItem(pen=None)
        self._around = pg.FillBetweenItem(*self._edges)
        for plot, item, z in ((upper, self._around, -10), (upper, self._mean, 3), (lower, self._error, 3)):
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)

    def show(self, names: BandNames, spectra: RegionSpectra, around: QColor, pen: QPen) -> None:
        """Show the spectra of a region, filled and drawn like this."""
        order, places = names.order, names.places[names.order]
        low, high = spectra.mean - spectra.deviation, spectra.mean + spectra.deviation
        self.extent = float(low.min()), float(high.max())
        for edge, values in zip(self._edges, (low, high), strict=True):
            edge.setData(places, values[order])
        self._mean.setData(places, spectra.mean[order], pen=pen)
        self._around.setBrush(pg.mkBrush(around))
        for item in (self._mean, self._around):
            item.show()
        self._error.setVisible(spectra.after is not None)
        if spectra.after is not None:
            self._error.setData(places, (spectra.after - spectra.mean)[order], pen=pen)

    def hide(self) -> None:
        """Show no region."""
        self.extent = None
        for item in (self._mean, self._around, self._error):
            item.hide()


EMPTY = "The spectrum of the pixel under the cursor appears here: move over the pictures."


class PixelPage(PinnablePage[PixelFigures]):
    """Shows the spectrum of the pixel under the cursor, or of the pinned one, and those of regions.

    Regions are drawn among the scores or in the image; one that is not kept gives way to the next.
    """

    overlayReady = Signal(object, str)  # noqa: N815
    """An :class:`~pcaimage.insight.components.Overlay` of the regions, and its caption; or None."""
    regionsChanged = Signal()  # noqa: N815
    """There are other regions; see :attr:`masks` and :attr:`kept`."""
    classesChanged = Signal()  # noqa: N815
    """Other classes are wanted; see :attr:`classification`."""

    def __init__(self) -> None:
        super().__init__("pixel", "Stay on this pixel when the cursor moves away (P); a click pins it, too.")
        self.kept: tuple[Mask, ...] = ()
        """The regions that were kept."""
        self.generation = 0
        """How often regions have changed."""
        self._present: Mask | None = None
        self._shape = 0, 0
        self.spectra: tuple[RegionSpectra | None, ...] = ()
        """The spectra of regions that are known; None where nothing was measured."""
        self.classification: Classification | None = None
        """How pixels are classified; None if they are not."""
        self._agreement: Agreement | None = None
        self.classes = ChoiceBox("Classes", _CLASSES_TIP, _CLASSES)
        self.scatter, self.axes = ScatterPlot(), AxesBoxes()
        self._pane = QWidget()
        vbox(hbox(self.axes, FREE), (self.scatter, 1), of=self._pane, spacing=4)
        self._keep = _button("Keep Spectrum", "K", "Keep it, of the region or the pixel, beside others (K).")
        self._forget = _button("Clear", "Del", "Remove all regions (Del).")
        self._figures: PixelFigures | None = None
        self._legend = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignRight)
        self._legend.setToolTip("The grey area is the mean spectrum of the image ± one standard deviation.")
        self._plot = PixelPlot()
        line = self._readout, self.classes, self._pin, self._keep, self._forget
        drawn = QWidget()
        vbox(self._legend, (self._plot, 1), of=drawn, spacing=4)
        sides = panes((self._pane, 2), (drawn, 3), sizes=[360, 620])
        self._fill(content_of(line, sides, spacing=8), EMPTY)
        self._keep.clicked.connect(self.keep)
        self._forget.clicked.connect(self.clear_regions)
        self.classes.currentIndexChanged.connect(self._classify)
        self.scatter.lassoed.connect(self._lasso)
        self._scatter: PixelScatter | None = None
        self._plot.hovered.connect(lambda _: self._describe())
        self._plot.moved.connect(self._go)
        self.plot_widget = self._plot.plot_widget
        self.setAccessibleName("Pixel")

    @property
    def pixel(self) -> PixelSpectrum | None:
        """The spectrum that is shown."""
        return None if self._figures is None else self._figures.pixel

    @property
    def masks(self) -> tuple[Mask, ...]:
        """All regions, the one that is being drawn last."""
        return self.kept if self._present is None else (*self.kept, self._present)

    @property
    def marked(self) -> tuple[Marked, ...]:
        """All regions with their colours."""
        return tuple(Marked(mask, colour) for mask, colour in zip(self.masks, cycle(self._palette)))

    @property
    def _palette(self) -> tuple[str, ...]:
        """The colours of regions and classes, of which the first differ from those of pixel and plants."""
        labels = colours_of(self.palette()).labels
        return labels[3:] + labels[:3]

    def set_image(self, shape: tuple[int, int]) -> None:
        """Begin anew with an image of so many rows and columns."""
        self._shape = shape
        self.clear_regions()

    def set_scatter(self, scatter: PixelScatter | None, titles: tuple[str, str] = ("", "")) -> None:
        """Show the scores of all pixels with the titles of their axes; None where pixels have none."""
        self._scatter = scatter
        self._pane.setVisible(scatter is not None)
        self.scatter.show_scatter(scatter, titles)
        self._mark()

    def outline(self, corners: Sequence[tuple[float, float]]) -> None:
        """Choose the pixels inside a polygon of the image, given by columns and rows."""
        self._choose(inside(corners, *self._shape), lasso=False)

    def keep(self) -> None:
        """Keep the region that was drawn last, or else the pixel that is shown."""
        if self._present is None and self.pixel is not None:
            self._present = np.zeros(self._shape, bool)
            self._present[self.pixel.y, self.pixel.x] = True
        self.kept, self._present = self.masks, None
        self._mark()

    def clear_regions(self) -> None:
        """Remove all regions."""
        self.kept, self._present = (), None
        self._mark()

    def set_agreement(self, agreement: Agreement | None) -> None:
        """Show the classes of pixels before and after in the pictures; None for none."""
        self._agreement = agreement
        self._lay_over()
        self._describe()

    def set_spectra(self, spectra: tuple[RegionSpectra | None, ...]) -> None:
        """Show the spectra of regions, of which the last may still be of an earlier shape."""
        self.spectra = spectra
        pairs = zip(self.marked, spectra, strict=False)
        self._plot.set_regions([(mark.colour, found) for mark, found in pairs if found is not None])
        self._recolour()
        self._describe()

    def hideEvent(self, event: QHideEvent) -> None:
        """Mark no regions in the pictures any more."""
        super().hideEvent(event)
        self.overlayReady.emit(None, "")

    def showEvent(self, event: QShowEvent) -> None:
        """Mark the regions in the pictures again."""
        super().showEvent(event)
        self._mark()

    def _lasso(self, corners: Any) -> None:
        if self._scatter is not None:
            self._choose(self._scatter.lassoed(corners), lasso=True)

    def _choose(self, mask: Mask, *, lasso: bool) -> None:
        self._present = mask if mask.any() else None
        self._mark(lasso=lasso)

    def _mark(self, *, lasso: bool = False) -> None:
        """Show the regions among the scores and in the pictures, and ask for their spectra."""
        marked = self.marked
        self._forget.setEnabled(bool(marked))
        self.scatter.show_marked(marked, lasso=lasso)
        self._lay_over()
        self.generation += 1
        self.regionsChanged.emit()
        if self.classes.currentData() == _BY_REGIONS:
            self._classify()

    def _classify(self) -> None:
        """Ask for the classes that are chosen; those of regions need two."""
        count = self.classes.currentData()
        regions = self.masks if count == _BY_REGIONS else ()
        wanted = bool(count) if count != _BY_REGIONS else len(regions) > 1
        self.classification = Classification(count, regions) if wanted else None
        self.classesChanged.emit()

    def _lay_over(self) -> None:
        """Lay the classes over the pictures, or else the regions."""
        overlay, text, marked = None, "", self.marked
        extent = 0, 0, self._shape[1], self._shape[0]
        if self._agreement is not None:
            text = self._agreement.summary
            of_regions = self.classes.currentData() == _BY_REGIONS
            before, after = self._agreement.pictures(self._palette if of_regions else self._palette[::-1])
            overlay = Overlay(after, extent, 0.0, text, before)
        elif marked:
            count = int(marked[-1].mask.sum())
            text = f"{count:,} pixel{'s' * (count != 1)} in the region"
            picture = marks([mark.mask for mark in marked], [mark.rgb for mark in marked])
            overlay = Overlay(picture, extent, 0.0, text)
        if self.isVisible():
            self.overlayReady.emit(overlay, text)

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
        regions = [found for found in self.spectra if found is not None]
        text = regions[-1].summary if regions else pixel.summary(names)
        text = text if self._agreement is None else self._agreement.summary
        if band >= 0:
            text = f"({pixel.x}, {pixel.y}) · {pixel.describe(band, names)}"
        self._readout.setText(text)
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
        # Another legend lays out the page anew: the figures of a region that is being drawn stand beside it.
        for place, (mark, found) in enumerate(zip(self.marked, self.spectra, strict=False)):
            name = "region" if found is None or place == len(self.kept) else f"{found.pixels:,} px"
            parts += [(mark.colour, name)] if found is not None else []
        parts.append((colours.muted, "mean ± σ"))
        self._legend.setText(legend_of(parts))
        self._legend.setAccessibleName(", ".join(text for _, text in parts))


def _button(text: str, key: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setShortcut(QKeySequence(key))
    button.setAccessibleName(f"{text} regions" if key == "Del" else f"{text} the region or the pixel")
    return button
