"""The plot of scores on two components: points by label, pictures, and the images that are pointed at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent

from pcaimage.gui.tabs.scatter.axes import ScatterAxes
from pcaimage.gui.tabs.scatter.items import BORDER, AtPoints, Name, Thumbnail, mark, roomy, seen_in
from pcaimage.gui.tabs.scatter.look import Look, look_of
from pcaimage.gui.tabs.scatter.points import ScatterPoints
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.insight.scatter import Scatter

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from pcaimage.gui.colours import Colours

REACH = 12.0
"""How near to a point the mouse must be, in pixels."""
FEW = 150
"""Where no more points are in view, all that have room have their pictures."""
_MOST_NAMES = 40
_SETTLE = 60
_MARGIN = 0.06


class ScatterItems(QObject):
    """Points, pictures, names and marks on one pyqtgraph plot. Images count from 0.

    Parameters
    ----------
    colours : Colours
        The scheme to begin with.
    parent : QObject, optional
        The owner.
    """

    pointed = Signal(int)
    """The image whose point is under the mouse; -1 for none."""
    clicked = Signal(int)
    """An image whose point, or picture, was clicked."""
    picturesNeeded = Signal(list)  # noqa: N815
    """The images whose pictures there is room for."""

    def __init__(self, colours: Colours, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.widget: QWidget = pg.PlotWidget(enableMenu=False)
        self._plot = self.widget.getPlotItem()
        self._pens = Pens(self.widget, lambda: self.set_colours(self._colours))
        self._view = self._plot.getViewBox()
        self._axes = ScatterAxes(self._plot)
        self._scatter: Scatter | None = None
        self._colours = colours
        self._only: int | None = None
        self._frame, self._pressed = 0, QPointF()
        self._everywhere = False
        self._ring, self._hover = (pg.ScatterPlotItem(pxMode=True) for _ in range(2))
        self._at, self._points = AtPoints(), ScatterPoints(self._plot, self)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE)
        self._arrange()

    @property
    def surface(self) -> QWidget:
        """The widget that feels the mouse."""
        return cast("QWidget", self.widget.viewport())  # type: ignore[attr-defined]

    @property
    def shown_points(self) -> int:
        """How many points are drawn; those of a large stack come a piece at a time."""
        return self._points.count

    @property
    def shown_pictures(self) -> list[Thumbnail]:
        """The pictures that stand at points now."""
        return list(self._at.thumbnails)

    def show_scatter(self, scatter: Scatter | None) -> None:
        """Draw other points, all of them in view.

        Parameters
        ----------
        scatter : Scatter or None
            None for none.
        """
        self._scatter, self._only, self._at.thumbnails = scatter, None, ()
        self._points.stand_out(None)
        self._points.show(scatter, self._looks())
        self.show_all()
        self._dress()
        self.point_at(-1)

    def name_axes(self, across: str, up: str) -> None:
        """Say what stands at the axes.

        Parameters
        ----------
        across, up : str
            The components.
        """
        self._axes.name(across, up)

    def show_all(self) -> None:
        """Bring all points into view."""
        if self._scatter is not None:
            left, right, low, high = self._scatter.limits()
            self._view.setRange(xRange=(left, right), yRange=(low, high), padding=_MARGIN)

    def show_frame(self, frame: int) -> None:
        """Mark the image that the views show.

        Parameters
        ----------
        frame : int
            From 0.
        """
        self._frame = frame
        mark(self._ring, self._scatter, frame, self._pens(self._colours.text, width=3), 15)
        self._settle.start()

    def point_at(self, number: int) -> None:
        """Mark the image under the mouse.

        Parameters
        ----------
        number : int
            From 0; -1 for none.
        """
        mark(self._hover, self._scatter, number, self._pens(self._colours.accent, width=2), 13)

    def show_only(self, place: int | None) -> None:
        """Let the points of one label stand out.

        Parameters
        ----------
        place : int or None
            Its place among all labels; None for all.
        """
        self._only = place
        self._points.stand_out(place)
        self._dress()
        self._settle.start()

    def show_pictures(self, *, everywhere: bool) -> None:
        """Choose where pictures are drawn.

        Parameters
        ----------
        everywhere : bool
            Wherever there is room; else only where few points are in view.
        """
        self._everywhere = everywhere
        self._settle.start()

    def set_pictures(self, pictures: Mapping[int, QImage], numbers: list[int]) -> None:
        """Draw pictures at their points.

        Parameters
        ----------
        pictures : mapping of int to QImage
            By image.
        numbers : list of int
            Those that are drawn, of those that are there.
        """
        scatter = self._scatter
        if scatter is None:
            return
        shown = []
        for number in numbers:
            if number in pictures:
                x, y = scatter.points[number].tolist()
                colour = self._look(int(scatter.places[number])).colour
                shown.append(Thumbnail(number, x, y, pictures[number], colour))
        self._at.thumbnails = tuple(shown)
        self._at.update()

    def set_colours(self, colours: Colours) -> None:
        """Use another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        """
        self._colours = colours
        self.widget.setBackground(colours.base)  # type: ignore[attr-defined]
        self._axes.set_colours(colours, self._pens)
        self._points.recolour(self._looks())
        self._dress()
        self.show_frame(self._frame)

    def zoom(self, factor: float) -> None:
        """Show more or less around the middle.

        Parameters
        ----------
        factor : float
            Below 1 for less, and that larger.
        """
        self._view.scaleBy((factor, factor))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the mouse; what is neither a drag nor over a point is pyqtgraph's."""
        kind = event.type()
        if kind == QEvent.Type.Leave:
            self.pointed.emit(-1)
        elif isinstance(event, QMouseEvent):
            if kind == QEvent.Type.MouseMove and not event.buttons():
                self.pointed.emit(self._number_at(event.position()))
            elif kind == QEvent.Type.MouseButtonPress:
                self._pressed = event.position()
            elif kind == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
                moved = event.position() - self._pressed
                number = self._number_at(event.position())
                if moved.manhattanLength() < 4 and number >= 0:
                    self.clicked.emit(number)
        return super().eventFilter(watched, event)

    def _arrange(self) -> None:
        plot = self._plot
        plot.setMenuEnabled(enableMenu=False)
        plot.hideButtons()
        for item, level in ((self._at, 2), (self._hover, 3), (self._ring, 3)):
            item.setZValue(level)
            plot.addItem(item, ignoreBounds=True)
        self._view.disableAutoRange()
        self._view.setDefaultPadding(0)
        self._view.sigRangeChanged.connect(lambda *_: self._settle.start())
        self._settle.timeout.connect(self._find_room)
        self.surface.setMouseTracking(True)
        self.surface.installEventFilter(self)

    def _dress(self) -> None:
        """Name the labels where their points are."""
        scatter, names = self._scatter, []
        if scatter is not None and scatter.labels is not None and len(scatter.groups) <= _MOST_NAMES:
            for place, (label, _) in enumerate(scatter.groups):
                if self._only in {None, place}:
                    x, y = scatter.centres[place].tolist()
                    names.append(Name(x, y, str(label), self._look(place).colour))
        self._at.names, self._at.halo = tuple(names), QColor(self._colours.base)
        self._at.update()

    def _looks(self) -> list[Look]:
        count = 0 if self._scatter is None else len(self._scatter.groups)
        return [self._look(place) for place in range(count)]

    def _look(self, place: int) -> Look:
        labelled = self._scatter is not None and self._scatter.labels is not None
        return look_of(place, self._colours) if labelled else Look(self._colours.accent, "o")

    def _scale(self) -> tuple[float, float]:
        across, up = self._view.viewPixelSize()
        return 1 / max(across, 1e-12), 1 / max(up, 1e-12)

    def _number_at(self, position: QPointF) -> int:
        scatter = self._scatter
        if scatter is None:
            return -1
        scene = self.widget.mapToScene(position.toPoint())  # type: ignore[attr-defined]
        if not self._view.sceneBoundingRect().contains(scene):
            return -1
        place = self._view.mapSceneToView(scene)
        across, up = self._scale()
        half = self._at.side / 2 + BORDER
        for item in reversed(self._at.thumbnails):
            if abs(item.x - place.x()) * across <= half and abs(item.y - place.y()) * up <= half:
                return item.number
        found = scatter.nearest(place.x(), place.y(), (across, up), REACH)
        return -1 if found is None else found

    def _find_room(self) -> None:
        """Find out which images have room for their pictures, and ask for these."""
        scatter = self._scatter
        if scatter is None:
            return
        rect = self._view.viewRect()
        self._at.set_bounds(rect.x(), rect.y(), rect.width(), rect.height())
        chosen = []
        seen = seen_in(scatter, rect, self._only)
        if self._everywhere or len(seen) <= FEW:
            chosen = roomy(scatter, seen, self._scale(), self._at.side, self._frame)
        self.picturesNeeded.emit(chosen)
