"""The plot of a pixel's spectrum: original and reconstruction, what is usual, and the difference."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pcaimage.gui.tabs.shared.band_axes import (
    NAMED_FROM,
    colour_axes,
    count_bands,
    padded,
    prepare,
    round_below,
)
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.theme import colours_of
from pcaimage.insight.band_names import BandNames
from pcaimage.insight.pixel_spectrum import PixelSpectrum, UsualSpectrum

_SHARE = 0.28
"""What the difference has of the height, without the axis below it."""
_AXIS, _NAMED_AXIS = 20, 40
_MANY = 400
"""Lines through so many bands are thin: wide ones take Qt longer than the eye should wait."""
_FLAT = 110
"""Below so many pixels of height there is no room for the difference."""


class PixelPlot(QWidget):
    """Shows spectra over wavelength, or over the number of the band.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    hovered = Signal(int)
    """The band under the hand or chosen by keys, from 0; -1 for none."""
    moved = Signal(int, int)
    """How many pixels to the right and down the user wants to go, by Shift and arrows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: BandNames | None = None
        self._band, self._tick = -1, 1.0
        self._view = pg.GraphicsLayoutWidget()
        self._pens = Pens(self._view, self._set_colours)
        self._view.ci.setContentsMargins(0, 0, 0, 0)
        self._view.ci.setSpacing(0)
        self._upper: Any = self._view.addPlot(row=0, col=0)
        self._lower: Any = self._view.addPlot(row=1, col=0)
        self._before, self._after = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True)
        self._mean, self._error = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True)
        self._edges = pg.PlotCurveItem(), pg.PlotCurveItem()
        self._usual = pg.FillBetweenItem(*self._edges)
        self._zero = pg.InfiniteLine(0, angle=0, movable=False)
        self._marks = tuple(pg.InfiniteLine(0, angle=90, movable=False) for _ in range(2))
        self._arrange()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 80)
        self.setAccessibleName("Spectrum of the pixel")
        self._set_colours()

    def sizeHint(self) -> QSize:
        """Ask for most of a tab."""
        return QSize(720, 180)

    @property
    def view(self) -> QWidget:
        """The drawing alone, for an export."""
        return cast("QWidget", self._view)

    @property
    def band(self) -> int:
        """The band that is marked, from 0; -1 for none."""
        return self._band

    def set_spectra(self, names: BandNames, usual: UsualSpectrum, pixel: PixelSpectrum) -> None:
        """Show another pixel.

        Parameters
        ----------
        names : BandNames
            What the bands are called.
        usual : UsualSpectrum
            What lies behind.
        pixel : PixelSpectrum
            The pixel.
        """
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
            self._names = names
            self._lower.getAxis("bottom").setLabel(names.axis_title)
            self._upper.getAxis("bottom").setLabel(names.axis_title)
            for plot in (self._upper, self._lower):
                count_bands(plot, names.count, spectral=names.spectral)
            self._set_pens()
            self.mark(-1)
        self._fit_height()

    def mark(self, band: int) -> None:
        """Mark a band.

        Parameters
        ----------
        band : int
            From 0; -1 for none.
        """
        self._band = band
        for line in self._marks:
            line.setVisible(band >= 0)
            if band >= 0 and self._names is not None:
                line.setValue(float(self._names.places[band]))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell which band is under the hand; nothing is dragged or zoomed here."""
        if watched is not self._view.viewport():
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.MouseMove and self._names is not None:
            scene = self._view.mapToScene(cast("QMouseEvent", event).position().toPoint())
            self._point(self._names.at(float(self._upper.vb.mapSceneToView(scene).x())))
            return True
        if event.type() == QEvent.Type.Leave:
            self._point(-1)
        if event.type() == QEvent.Type.Resize:
            self._fit_height()
        if event.type() == QEvent.Type.MouseButtonPress:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        return event.type() in (
            QEvent.Type.Wheel,
            QEvent.Type.MouseButtonPress,
            QEvent.Type.MouseButtonDblClick,
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from band to band with arrows, and with Shift from pixel to pixel."""
        across = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        down = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        names = self._names
        if names is None or not (across or down):
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.moved.emit(across, down)
        elif across:
            place = int(np.flatnonzero(names.order == self._band)[0]) if self._band >= 0 else -1
            self._point(int(names.order[min(max(place + across, 0), names.count - 1)]))
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._set_colours()
        super().changeEvent(event)

    def _point(self, band: int) -> None:
        if band != self._band:
            self.mark(band)
            self.hovered.emit(band)

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

    def _fit_height(self) -> None:
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

    def _arrange(self) -> None:
        for plot in (self._upper, self._lower):
            prepare(plot, self.font())
        self._lower.setXLink(self._upper)
        self._upper.getAxis("left").setLabel("value")
        self._lower.getAxis("left").setLabel("error")
        for item, z in ((self._usual, -20), (self._mean, -15), (self._before, 0), (self._after, 5)):
            item.setZValue(z)
            self._upper.addItem(item, ignoreBounds=True)
        for item in (self._zero, self._error):
            self._lower.addItem(item, ignoreBounds=True)
        for plot, line in zip((self._upper, self._lower), self._marks, strict=True):
            line.hide()
            plot.addItem(line, ignoreBounds=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._view)
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view.viewport().installEventFilter(self)
        self._view.viewport().setMouseTracking(True)

    def _set_colours(self) -> None:
        colours = colours_of(self.palette())
        self._view.setBackground(colours.base)
        for plot in (self._upper, self._lower):
            colour_axes(plot, colours, self._pens)
        soft = QColor(colours.muted)
        soft.setAlpha(48)
        self._usual.setBrush(pg.mkBrush(soft))
        for edge in self._edges:
            edge.setPen(None)
        self._mean.setPen(self._pens(colours.muted, style=Qt.PenStyle.DotLine))
        self._set_pens()
        self._zero.setPen(self._pens(colours.border))
        for line in self._marks:
            line.setPen(self._pens(colours.muted))

    def _set_pens(self) -> None:
        colours, names = colours_of(self.palette()), self._names
        many = names is not None and names.count > _MANY
        self._before.setPen(self._pens(colours.curve, width=1 if many else 3))
        for curve in (self._after, self._error):
            curve.setPen(self._pens(colours.accent, width=1 if many else 1.5))
