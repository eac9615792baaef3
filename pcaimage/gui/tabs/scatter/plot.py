"""The plot of scores on two components: points by label, pictures, names, and the mouse over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6 import QtGui
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.scatter import figures
from pcaimage.gui.tabs.shared.pens import Pens, colour_axes, signed_axes
from pcaimage.gui.theme import tabular
from pcaimage.insight.stack import Scatter

REACH = 12.0  # the largest distance at which the mouse is at a point, in pixels
FEW = 150  # most points in view of which all that have room have their pictures
_MOST_NAMES = 40
_HALO, _MARK = 4.0, 3
_SETTLE = 60
_MARGIN = 0.06
PIECE = 4000  # the number of points that are added at once: more would block the window
_SIZE, _SMALL, _MANY = 7, 5, 3000
_PLAIN, _FAINT = 0.75, 0.1
_LEFT = 56
_NAMED_FROM = 170  # the least height in pixels at which a title fits below the axis


class ScatterPoints(QObject):
    """The points of a plot, one item for each label, or for a piece of it; they are added piece by piece."""

    def __init__(self, plot: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plot = plot
        self._items: list[tuple[int, Any]] = []
        self._waiting: list[tuple[int, int]] = []
        self._scatter: Scatter | None = None
        self._styles: Sequence[figures.PointStyle] = ()
        self._only: int | None = None
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._add_piece)

    def show(self, scatter: Scatter | None, styles: Sequence[figures.PointStyle]) -> None:
        """Draw other points, with a style for each group, a piece at a time; None for no points."""
        for _, item in self._items:
            self._plot.removeItem(item)
        self._items, self._scatter, self._styles = [], scatter, styles
        self._waiting = []
        if scatter is not None:
            for place, (_, members) in enumerate(scatter.groups):
                self._waiting += [(place, start) for start in range(0, len(members), PIECE)]
            self._turn.start()

    def recolour(self, styles: Sequence[figures.PointStyle]) -> None:
        """Draw the same points in other colours, at once."""
        self._styles = styles
        for place, item in self._items:
            item.setBrush(QtGui.QColor(styles[place].colour))

    def stand_out(self, place: int | None) -> None:
        """Make the points of one group stand out; None for all."""
        self._only = place
        for of, item in self._items:
            self._stand(of, item)

    def _add_piece(self) -> None:
        if not self._waiting or self._scatter is None:
            self._turn.stop()
            return
        place, start = self._waiting.pop(0)
        members, style = self._scatter.groups[place][1][start : start + PIECE], self._styles[place]
        item = pg.ScatterPlotItem(
            pos=self._scatter.points[members],
            symbol=style.shape,
            size=_SMALL if len(self._scatter.points) > _MANY else _SIZE,
            brush=QtGui.QColor(style.colour),
            pen=None,
            pxMode=True,
            antialias=True,
        )
        self._stand(place, item)
        self._items.append((place, item))
        self._plot.addItem(item)

    def _stand(self, place: int, item: Any) -> None:
        item.setOpacity(_PLAIN if self._only in {None, place} else _FAINT)
        item.setZValue(1.5 if self._only == place else 1)


class Thumbnail(NamedTuple):
    """A picture at the point of an image, in scores, with a frame of a colour."""

    number: int
    x: float
    y: float
    picture: QtGui.QImage
    colour: str


class LabelName(NamedTuple):
    """A label's name in the middle of its points, in scores, and in their colour."""

    x: float
    y: float
    text: str
    colour: str


class PointDecorations(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph is untyped
    """Pictures and names of a fixed size on the screen at points of a plot."""

    def __init__(self) -> None:
        super().__init__()
        self._bounds = QRectF()
        self.side = 32.0
        """The width and height of pictures, without their frame."""
        self.thumbnails: tuple[Thumbnail, ...] = ()
        self.names: tuple[LabelName, ...] = ()
        self.halo = QtGui.QColor("#ffffff")
        """The colour around names, so that they can be read over points."""
        self.current, self.mark = -1, QtGui.QColor("#000000")
        """The image that the views show, and the colour around its picture."""
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption, enabled=False)

    def set_bounds(self, rect: QRectF) -> None:
        """Set the part of the plot that is seen, in scores."""
        self.prepareGeometryChange()
        self._bounds = QRectF(rect)

    def boundingRect(self) -> QRectF:
        """Return the part of the plot that may be drawn upon."""
        return self._bounds

    def dataBounds(self, *_: object, **__: object) -> None:
        """Return nothing, as these decorations do not affect the plot's range."""

    def paint(
        self, painter: QtGui.QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the pictures, or the names where there are no pictures."""
        to_device = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        seen = to_device.mapRect(self._bounds)
        for item in self.thumbnails:
            self._draw_picture(painter, self._centre(item, to_device, seen), item)
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        if not self.thumbnails:  # whose frames tell labels apart, too
            self._draw_names(painter, to_device)
        painter.restore()

    def number_at(self, place: QPointF, to_device: QtGui.QTransform) -> int | None:
        """Return the image whose picture is drawn at a place of the device; None if there is none."""
        half, seen = self.side / 2 + figures.BORDER, to_device.mapRect(self._bounds)
        for item in reversed(self.thumbnails):
            off = self._centre(item, to_device, seen) - place
            if max(abs(off.x()), abs(off.y())) <= half:
                return item.number
        return None

    def _centre(self, item: Thumbnail, to_device: QtGui.QTransform, seen: QRectF) -> QPointF:
        """Return where a picture is drawn: at its point, or as near as it is seen as a whole."""
        at, half = to_device.map(QPointF(item.x, item.y)), self.side / 2 + self._border(item)
        if not seen.contains(at):
            return at
        x = max(min(at.x(), seen.right() - half), seen.left() + half)
        return QPointF(x, max(min(at.y(), seen.bottom() - half), seen.top() + half))

    def _border(self, item: Thumbnail) -> int:
        return figures.BORDER + _MARK if item.number == self.current else figures.BORDER

    def _draw_picture(self, painter: QtGui.QPainter, centre: QPointF, item: Thumbnail) -> None:
        picture, side = item.picture, self.side
        scale = side / max(picture.width(), picture.height())
        width, height = round(picture.width() * scale), round(picture.height() * scale)
        target = QRectF(round(centre.x() - width / 2), round(centre.y() - height / 2), width, height)
        around = self._border(item)
        painter.fillRect(target.adjusted(-around, -around, around, around), self.mark)
        painter.fillRect(
            target.adjusted(-figures.BORDER, -figures.BORDER, figures.BORDER, figures.BORDER),
            QtGui.QColor(item.colour),
        )
        painter.setRenderHint(QtGui.QPainter.RenderHint.SmoothPixmapTransform, scale < 1)
        painter.drawImage(target, picture)

    def _draw_names(self, painter: QtGui.QPainter, to_device: QtGui.QTransform) -> None:
        font = QtGui.QFont(painter.font())
        font.setBold(True)
        font.setPixelSize(18)
        measure = QtGui.QFontMetricsF(font)
        rooms = [measure.tightBoundingRect(name.text) for name in self.names]
        centres = [to_device.map(QPointF(name.x, name.y)) for name in self.names]
        halo = QtGui.QPen(QtGui.QColor(self.halo), _HALO)
        halo.setCapStyle(Qt.PenCapStyle.RoundCap)
        halo.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        for name, room, centre in zip(self.names, rooms, centres, strict=True):
            path = QtGui.QPainterPath()
            path.addText(centre - room.center(), font, name.text)
            painter.strokePath(path, halo)
            painter.fillPath(path, QtGui.QColor(name.colour))


class ScatterPlot(QObject):
    """Points, pictures, names and marks on one pyqtgraph plot. Images count from 0."""

    pointed = Signal(int)  # the image whose point is under the mouse; -1 for none
    clicked = Signal(int)  # an image whose point, or picture, was clicked
    picturesNeeded = Signal(list)  # noqa: N815
    """The images whose pictures there is room for."""

    def __init__(self, colours: Colours, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.widget: Any = pg.PlotWidget(enableMenu=False, axisItems=signed_axes())
        self._plot = self.widget.getPlotItem()
        self._pens = Pens(self.widget, lambda: self.set_colours(self._colours))
        self._view = self._plot.getViewBox()
        self._scatter: Scatter | None = None
        self._colours = colours
        self._only: int | None = None
        self._frame, self._pressed = 0, QPointF()
        self._everywhere = False
        self._ring, self._hover = (pg.ScatterPlotItem(pxMode=True) for _ in range(2))
        self._decorations, self._points = PointDecorations(), ScatterPoints(self._plot, self)
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE)
        self._arrange()

    @property
    def surface(self) -> QWidget:
        """The widget that receives the mouse's events."""
        surface: QWidget = self.widget.viewport()
        return surface

    @property
    def shown_pictures(self) -> list[Thumbnail]:
        """The pictures that are drawn at points now."""
        return list(self._decorations.thumbnails)

    def show_scatter(self, scatter: Scatter | None) -> None:
        """Draw other points, all of them in view; None for none."""
        self._scatter, self._only, self._decorations.thumbnails = scatter, None, ()
        self._points.stand_out(None)
        self._points.show(scatter, self._styles())
        self.show_all()
        self._name_labels()
        self.point_at(-1)

    def name_axes(self, across: str, up: str) -> None:
        """Set the titles of the axes."""
        self._plot.setLabel("left", up)
        self._plot.setLabel("bottom", across)
        self._fit_names()

    def show_all(self) -> None:
        """Bring all points into view."""
        if self._scatter is not None:
            left, right, low, high = self._scatter.limits()
            self._view.setRange(xRange=(left, right), yRange=(low, high), padding=_MARGIN)

    def show_frame(self, frame: int) -> None:
        """Mark the image that the views show."""
        self._frame = frame
        self._mark(self._ring, frame, self._pens(self._colours.text, width=3), 15)
        self._decorations.current, self._decorations.mark = frame, QtGui.QColor(self._colours.text)
        self._show_ring()
        self._settle.start()

    def point_at(self, number: int) -> None:
        """Mark the image under the mouse; -1 for none."""
        self._mark(self._hover, number, self._pens(self._colours.accent, width=2), 13)

    def show_only(self, place: int | None) -> None:
        """Make the points of one label stand out, by its place among all; None for all."""
        self._only = place
        self._points.stand_out(place)
        self._name_labels()
        self._settle.start()

    def show_pictures(self, *, everywhere: bool) -> None:
        """Draw pictures wherever there is room, or only where few points are in view."""
        self._everywhere = everywhere
        self._settle.start()

    def set_pictures(self, pictures: Mapping[int, QtGui.QImage], numbers: list[int]) -> None:
        """Draw those of the numbered images that have a picture."""
        scatter = self._scatter
        if scatter is None:
            return
        shown = []
        for number in numbers:
            if number in pictures:
                x, y = scatter.points[number].tolist()
                colour = self._style(int(scatter.places[number])).colour
                shown.append(Thumbnail(number, x, y, pictures[number], colour))
        self._decorations.thumbnails = tuple(shown)
        self._decorations.update()
        self._show_ring()

    def set_colours(self, colours: Colours) -> None:
        """Use another colour scheme."""
        self._colours = colours
        self.widget.setBackground(colours.base)
        colour_axes(self._plot, ("bottom", "left"), colours, self._pens)
        self._points.recolour(self._styles())
        self._name_labels()
        self.show_frame(self._frame)

    def zoom(self, factor: float) -> None:
        """Zoom about the middle; a factor below 1 zooms in."""
        self._view.scaleBy((factor, factor))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the mouse to points, and see clicks; pyqtgraph zooms and pans."""
        kind = event.type()
        if kind == QEvent.Type.Leave:
            self.pointed.emit(-1)
        elif isinstance(event, QtGui.QMouseEvent):
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

    def _fit_names(self) -> None:
        """Show the title of the lower axis where there is room."""
        self._plot.getAxis("bottom").showLabel(self._plot.size().height() >= _NAMED_FROM)

    def _arrange(self) -> None:
        plot = self._plot
        plot.getAxis("left").setWidth(_LEFT)
        for name in ("bottom", "left"):
            axis = plot.getAxis(name)
            axis.setStyle(tickFont=tabular(plot.scene().font()), autoExpandTextSpace=False)
            axis.enableAutoSIPrefix(False)
        self._view.sigResized.connect(self._fit_names)
        plot.setMenuEnabled(enableMenu=False)
        plot.hideButtons()
        for item, level in ((self._decorations, 2), (self._hover, 3), (self._ring, 3)):
            item.setZValue(level)
            plot.addItem(item, ignoreBounds=True)
        self._view.disableAutoRange()
        self._view.setDefaultPadding(0)
        for changed in (self._view.sigRangeChanged, self._view.sigResized):
            changed.connect(lambda *_: self._settle.start())
        self._settle.timeout.connect(self._find_room)
        self.surface.setMouseTracking(True)
        self.surface.installEventFilter(self)

    def _mark(self, item: Any, number: int, pen: QtGui.QPen, size: int) -> None:
        """Draw a ring around the point of an image; an image that does not exist has none."""
        if self._scatter is None or not 0 <= number < len(self._scatter.points):
            item.clear()
            return
        x, y = self._scatter.points[number].tolist()
        item.setData(x=[x], y=[y], symbol="o", size=size, brush=None, pen=pen)

    def _show_ring(self) -> None:
        """Mark the point by a ring where there is no picture, which has a frame instead."""
        self._ring.setVisible(all(item.number != self._frame for item in self._decorations.thumbnails))

    def _name_labels(self) -> None:
        """Draw the names of labels where their points are."""
        scatter, names = self._scatter, []
        if scatter is not None and scatter.labels is not None and len(scatter.groups) <= _MOST_NAMES:
            for place, (label, _) in enumerate(scatter.groups):
                if self._only in {None, place}:
                    x, y = scatter.centres[place].tolist()
                    names.append(LabelName(x, y, str(label), self._style(place).colour))
        self._decorations.names, self._decorations.halo = tuple(names), QtGui.QColor(self._colours.base)
        self._decorations.update()

    def _styles(self) -> list[figures.PointStyle]:
        count = 0 if self._scatter is None else len(self._scatter.groups)
        return [self._style(place) for place in range(count)]

    def _style(self, place: int) -> figures.PointStyle:
        labelled = self._scatter is not None and self._scatter.labels is not None
        return (
            figures.point_style(place, self._colours)
            if labelled
            else figures.PointStyle(self._colours.accent, "o")
        )

    def _scale(self) -> tuple[float, float]:
        across, up = self._view.viewPixelSize()
        return 1 / max(across, 1e-12), 1 / max(up, 1e-12)

    def _number_at(self, position: QPointF) -> int:
        scatter = self._scatter
        if scatter is None:
            return -1
        scene = self.widget.mapToScene(position.toPoint())
        if not self._view.sceneBoundingRect().contains(scene):
            return -1
        place = self._view.mapSceneToView(scene)
        picture = self._decorations.number_at(scene, self._decorations.sceneTransform())
        if picture is not None:
            return picture
        found = scatter.nearest(place.x(), place.y(), self._scale(), REACH)
        return -1 if found is None else found

    def _find_room(self) -> None:
        """Find which images have room for their pictures, and ask for these."""
        scatter = self._scatter
        if scatter is None:
            return
        rect = self._view.viewRect()
        self._decorations.set_bounds(rect)
        chosen = []
        seen = figures.seen_in(scatter, (rect.left(), rect.right()), (rect.top(), rect.bottom()), self._only)
        if self._everywhere or len(seen) <= FEW:
            chosen = figures.with_pictures(scatter, seen, self._scale(), self._decorations.side, self._frame)
        self.picturesNeeded.emit(chosen)
