"""The plot of a figure over the bands."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pcaimage.gui.tabs.bands.figures import MEASURES, Column, QualityFigures
from pcaimage.gui.tabs.shared.band_axes import NAMED_FROM, colour_axes, count_bands, padded, prepare
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.theme import colours_of

_DOTTED = 64
"""So few bands have a dot each."""


class QualityPlot(QWidget):
    """Shows one figure of every band as a line.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    hovered = Signal(int)
    """The band under the hand or chosen by keys, from 0; -1 for none."""
    chosen = Signal(int)
    """A band that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: QualityFigures | None = None
        self._measure: Column = MEASURES[0]
        self._band = -1
        self._widget = pg.PlotWidget(enableMenu=False)
        self._plot: Any = self._widget.getPlotItem()
        self._pens = Pens(self._widget, self._set_colours)
        self._curve, self._dots = (
            pg.PlotCurveItem(antialias=True, connect="finite"),
            pg.ScatterPlotItem(size=6),
        )
        self._mark = pg.InfiniteLine(0, angle=90, movable=False)
        prepare(self._plot, self.font())
        self._mark.hide()
        for item in (self._mark, self._curve, self._dots):
            self._plot.addItem(item, ignoreBounds=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._widget)
        self._widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._widget.viewport().installEventFilter(self)
        self._widget.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(200, 60)
        self.setAccessibleName("Quality of each band")
        self._set_colours()

    def sizeHint(self) -> QSize:
        """Ask for half of a tab."""
        return QSize(460, 160)

    @property
    def view(self) -> QWidget:
        """The drawing alone, for an export."""
        return cast("QWidget", self._widget)

    @property
    def band(self) -> int:
        """The band that is marked, from 0; -1 for none."""
        return self._band

    def set_figures(self, figures: QualityFigures | None, measure: Column) -> None:
        """Show other figures.

        Parameters
        ----------
        figures : QualityFigures or None
            None for none.
        measure : Column
            Which of them, of :data:`MEASURES`.
        """
        self._figures, self._measure = figures, measure
        if figures is None:
            return
        names = figures.names
        places, values = names.places[names.order], figures.values(measure.key)[names.order]
        known = np.isfinite(values)
        values = np.where(known, values, np.nan)
        self._curve.setData(places, values)
        few = len(figures) <= _DOTTED
        self._dots.setData(places[known] if few else [], values[known] if few else [])
        low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 1.0)
        low = min(low, 0.0) if measure.key in ("rms", "largest") else low
        self._plot.setYRange(*padded(low, high), padding=0.0)
        self._plot.setXRange(float(places[0]), float(places[-1]), padding=0.02)
        self._plot.getAxis("left").setLabel(measure.axis)
        self._plot.getAxis("bottom").setLabel(names.axis_title)
        count_bands(self._plot, names.count, spectral=names.spectral)
        self._fit_height()
        self.mark(self._band if self._band < len(figures) else -1)

    def mark(self, band: int) -> None:
        """Mark a band.

        Parameters
        ----------
        band : int
            From 0; -1 for none.
        """
        self._band = band
        self._mark.setVisible(band >= 0)
        if band >= 0 and self._figures is not None:
            self._mark.setValue(float(self._figures.names.places[band]))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell which band is under the hand, and which is clicked; nothing is dragged or zoomed."""
        if watched is not self._widget.viewport():
            return super().eventFilter(watched, event)
        kind = event.type()
        if kind in (QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress) and self._figures is not None:
            scene = self._widget.mapToScene(cast("QMouseEvent", event).position().toPoint())
            self._point(self._figures.names.at(float(self._plot.vb.mapSceneToView(scene).x())))
            if kind == QEvent.Type.MouseButtonPress:
                self.setFocus(Qt.FocusReason.MouseFocusReason)
                self.chosen.emit(self._band)
            return True
        if kind == QEvent.Type.Leave:
            self._point(-1)
        if kind == QEvent.Type.Resize:
            self._fit_height()
        return kind in (QEvent.Type.Wheel, QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from band to band with arrows; Return chooses."""
        figures, key = self._figures, Qt.Key(event.key())
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(key, 0)
        if figures is not None and step:
            order = figures.names.order
            place = int(np.flatnonzero(order == self._band)[0]) if self._band >= 0 else -1
            self._point(int(order[min(max(place + step, 0), len(order) - 1)]))
        elif figures is not None and self._band >= 0 and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self._band)
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

    def _fit_height(self) -> None:
        self._plot.getAxis("bottom").showLabel(self._widget.height() >= NAMED_FROM)

    def _set_colours(self) -> None:
        colours = colours_of(self.palette())
        self._widget.setBackground(colours.base)
        colour_axes(self._plot, colours, self._pens)
        self._curve.setPen(self._pens(colours.accent, width=2))
        self._dots.setBrush(pg.mkBrush(colours.accent))
        self._dots.setPen(pg.mkPen(None))
        self._mark.setPen(self._pens(colours.muted))
