"""Exports a plot as PNG or SVG for documents, on white whatever the window's colour scheme.

Qt's SVGs have the coordinates of the plot, under a transform that may stretch them a thousandfold; they ask
for strokes that are not stretched with them, which many programs do not support; and they do not clip. So
that every program shows the plot alike, coordinates are transformed to pixels here, and shapes that cross the
plot's frame are clipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QEvent, QIODevice, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator, QSvgRenderer
from PySide6.QtWidgets import QGraphicsItem, QGraphicsView, QWidget

from pcaimage.errors import ImageError
from pcaimage.gui.colours import LIGHT
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.theme import qt_palette
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.progress import Progress, no_progress

Rectangle = tuple[float, float, float, float]  # left, top, right and bottom, in pixels of the picture
Matrix = tuple[float, float, float, float, float, float]
"""An affine map as in SVG: x' = a x + c y + e, y' = b x + d y + f."""

_OWN_PALETTE = Qt.WidgetAttribute.WA_SetPalette
SUFFIXES = (".png", ".svg")
SCALE = 2  # pixels of a PNG to a pixel of the screen
LEAST = QSize(720, 360)  # least size of a picture: in the window, plots are too flat for a page
_NAMESPACE = "http://www.w3.org/2000/svg"
_EFFECT = "vector-effect"
_NUMBERS = re.compile(r"(-?[0-9.]+(?:e[-+]?[0-9]+)?)[ ,]+(-?[0-9.]+(?:e[-+]?[0-9]+)?)", re.IGNORECASE)
_FRAME = "frame"
_ROOM = 2.0  # pixels that lines may reach out of the frame: their own width


def export_plot(widget: QWidget, path: Path) -> None:
    """Write a plot at once, as :func:`plot_writer` does in two steps."""
    plot_writer(widget, path)(no_progress)


def plot_writer(widget: QWidget, path: Path) -> Callable[[Progress], Path]:
    """Draw a plot now, and return a function that encodes and writes it on any thread.

    The widget is a page with a ``plot_widget``, or the plot itself; the file, ``.png`` or ``.svg``, is
    replaced if it exists. ImageError is raised for another extension, and by the returned function if the
    file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ImageError(f"{path.name} cannot be saved: plots are saved as .png or .svg.")
    plot: QWidget = getattr(widget, "plot_widget", widget)
    with _on_paper(widget, plot):
        drawn = _drawn_image(plot) if suffix == ".png" else _drawn_svg(plot, path.stem)

    def write(progress: Progress) -> Path:
        progress(0, 1)
        data = drawn if isinstance(drawn, bytes) else _png(drawn)
        atomic_write_bytes(path, data, overwrite=True)
        return path

    return write


def export_film(widget: QWidget, path: Path, frames: Iterable[float]) -> None:
    """Write an animated SVG of a plot; the iterator lets it show a frame, and returns its milliseconds.

    The frames stand above each other in the file, and each is seen in its time; without motion, the longest.
    """
    with _on_paper(widget, widget):
        drawn = [(time, ET.fromstring(_drawn_svg(widget, path.stem))) for time in frames]  # noqa: S314 - made here
    (_, root), total, begun = drawn[0], sum(time for time, _ in drawn), 0.0
    last = max(time for time, _ in drawn)
    pictures = list[ET.Element]()
    for time, svg in drawn:
        picture = ET.Element(_tag("g"), display="inline" if time == last else "none")
        picture.extend(svg.findall(_tag("g")))
        begin, end = begun / total, (begun + time) / total
        shown = {"keyTimes": f"0;{begin:.5f};{end:.5f}", "values": "none;inline;none"}
        fixed = {"attributeName": "display", "calcMode": "discrete", "repeatCount": "indefinite"}
        ET.SubElement(picture, _tag("animate"), {**fixed, **shown, "dur": f"{total:.0f}ms"})
        pictures.append(picture)
        begun += time
    for group in root.findall(_tag("g")):
        root.remove(group)
    root.extend(pictures)
    atomic_write_bytes(path, ET.tostring(root, "utf-8", xml_declaration=True), overwrite=True)


@contextmanager
def _on_paper(widget: QWidget, plot: QWidget) -> Iterator[None]:
    """Give a plot the light scheme and enough room, unseen: nothing is painted meanwhile."""
    palette, own = widget.palette(), widget.testAttribute(_OWN_PALETTE)
    size = plot.size()
    widget.setUpdatesEnabled(False)
    try:
        widget.setPalette(qt_palette(LIGHT))
        _hold_pens(plot, 1.0)
        plot.resize(size.expandedTo(LEAST))
        _settle(plot)
        yield
    finally:
        plot.resize(size)
        _settle(plot)
        widget.setPalette(palette)
        _hold_pens(plot, None)
        widget.setAttribute(_OWN_PALETTE, own)
        widget.setUpdatesEnabled(True)


def _hold_pens(plot: QWidget, scale: float | None) -> None:
    for pens in plot.findChildren(Pens):
        pens.hold(scale)


def _settle(plot: QWidget) -> None:
    """Lay a plot out for its size now, not when control returns to the event loop."""
    for receiver in (plot, plot.scene() if isinstance(plot, QGraphicsView) else None):
        if receiver is not None:
            QCoreApplication.sendPostedEvents(receiver)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def _drawn_image(plot: QWidget) -> QImage:
    image = QImage(plot.size() * SCALE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.base))
    if isinstance(plot, QGraphicsView):
        # Through SVG, as cosmetic pens have a fixed width in pixels at any scale.
        painter = QPainter(image)
        QSvgRenderer(_drawn_svg(plot, "", "mask")).render(painter)
    else:
        image.setDevicePixelRatio(SCALE)
        painter = QPainter(image)
        plot.render(painter, QPoint())
    painter.end()
    return image


def _drawn_svg(plot: QWidget, title: str, clip: str = "clip-path") -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)  # a pixel of CSS
    generator.setSize(plot.size())
    generator.setViewBox(plot.rect())
    generator.setTitle(title)
    generator.setDescription("")
    painter = QPainter(generator)
    if isinstance(plot, QGraphicsView):
        _draw(plot, painter)
    else:
        plot.render(painter, QPoint())
    painter.end()
    return flattened(bytes(buffer.data().data()), _frame(plot), clip)


def _draw(plot: QGraphicsView, painter: QPainter) -> None:
    # pyqtgraph draws symbols from a cache of pixels unless it is told that this is for a file.
    options = {"antialias": True, "background": None, "painter": painter, "resolutionScale": 1.0}
    items = [item for item in plot.scene().items() if hasattr(item, "setExportMode")]
    cached = [item.cacheMode() for item in items]
    for item in items:
        item.setExportMode(True, options)
        item.setCacheMode(QGraphicsItem.CacheMode.NoCache)
    try:
        plot.render(painter, QRectF(plot.rect()), plot.viewport().rect())
    finally:
        for item, mode in zip(items, cached, strict=True):
            item.setExportMode(False)
            item.setCacheMode(mode)


def _frame(plot: QWidget) -> Rectangle | None:
    """Return the rectangle inside a plot's axes, if it has any."""
    if not isinstance(plot, QGraphicsView) or not hasattr(plot, "getPlotItem"):
        return None
    box = plot.getPlotItem().vb
    inside = plot.mapFromScene(box.sceneBoundingRect()).boundingRect()
    return inside.left(), inside.top(), inside.right() + 1, inside.bottom() + 1


def _png(image: QImage) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(data.data())


def flattened(svg: bytes, frame: Rectangle | None = None, clip: str = "clip-path") -> bytes:
    """Return a drawing by ``QSvgGenerator`` without empty groups, and with lines that need no transforms.

    Shapes that cross the frame, the rectangle inside the axes, are clipped by ``"clip-path"``, or else by
    ``"mask"``, which is all that Qt's own renderer supports.
    """
    ET.register_namespace("", _NAMESPACE)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ET.fromstring(svg)  # noqa: S314 - it was made here
    for parent in root.iter(_tag("g")):
        for group in list(parent):
            if group.tag == _tag("g") and not len(group):
                parent.remove(group)
    for group in root.iter(_tag("g")):
        _flatten(group, frame, clip)
    if frame is not None:
        _define(root, frame, "mask" if clip == "mask" else "clipPath")
    data: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return data


def _flatten(group: ET.Element, frame: Rectangle | None, clip: str) -> None:
    """Apply a group's transform to its shapes, if they ask for strokes that are not transformed."""
    shapes = list(group)
    if not shapes or any(_EFFECT not in shape.attrib for shape in shapes):
        return
    matrix = _matrix(group.get("transform", ""))
    group.attrib.pop("transform", None)
    for shape in shapes:
        del shape.attrib[_EFFECT]
        points = _move(shape, matrix)
        if frame is not None and points and _crosses(points, frame):
            shape.set(clip, f"url(#{_FRAME})")


def _move(shape: ET.Element, matrix: Matrix) -> list[tuple[float, float]]:
    """Transform a shape's points, and return them."""
    points: list[tuple[float, float]] = []

    def moved(x: str, y: str) -> str:
        a, b, c, d, e, f = matrix
        point = a * float(x) + c * float(y) + e, b * float(x) + d * float(y) + f
        points.append(point)
        return f"{_number(point[0])},{_number(point[1])}"

    if shape.tag == _tag("rect"):
        left, top, width, height = (float(shape.attrib.pop(name)) for name in ("x", "y", "width", "height"))
        corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        shape.tag = _tag("polygon")
        shape.set("points", " ".join(moved(str(x), str(y)) for x, y in corners))
        return points
    name = "d" if shape.tag == _tag("path") else "points"
    shape.set(name, _NUMBERS.sub(lambda found: moved(*found.groups()), shape.get(name, "")))
    return points


def _crosses(points: list[tuple[float, float]], frame: Rectangle) -> bool:
    """Return whether a shape is both inside and outside the frame."""
    left, top, right, bottom = frame
    xs, ys = [x for x, _ in points], [y for _, y in points]
    inside = min(xs) < right and max(xs) > left and min(ys) < bottom and max(ys) > top
    beyond = max(left - min(xs), max(xs) - right, top - min(ys), max(ys) - bottom) > _ROOM
    return inside and beyond


def _define(root: ET.Element, frame: Rectangle, kind: str) -> None:
    left, top, right, bottom = frame
    definitions = root.find(_tag("defs"))
    if definitions is None:
        definitions = ET.SubElement(root, _tag("defs"))
    clip = ET.SubElement(definitions, _tag(kind), id=_FRAME)
    sides = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    ET.SubElement(clip, _tag("rect"), {name: _number(value) for name, value in sides.items()}, fill="white")


def _matrix(text: str) -> Matrix:
    found = re.fullmatch(r"matrix\(([^)]*)\)", text.strip())
    if found is None:
        return 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
    a, b, c, d, e, f = (float(number) for number in found[1].split(","))
    return a, b, c, d, e, f


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _tag(name: str) -> str:
    return f"{{{_NAMESPACE}}}{name}"
