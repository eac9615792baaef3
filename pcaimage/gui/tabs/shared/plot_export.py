"""A plot as a picture for documents: PNG or SVG, on white whatever the window's scheme is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QCoreApplication,
    QEvent,
    QIODevice,
    QPoint,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator, QSvgRenderer
from PySide6.QtWidgets import QGraphicsView, QWidget

from pcaimage.errors import ImageError
from pcaimage.gui.colours import LIGHT
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.tabs.shared.plot_svg import flattened
from pcaimage.gui.theme import qt_palette
from pcaimage.imaging import atomic_write
from pcaimage.progress import Progress, no_progress

_OWN_PALETTE = Qt.WidgetAttribute.WA_SetPalette
SUFFIXES = (".png", ".svg")
SCALE = 2
"""Pixels of a PNG to a pixel of the screen."""
LEAST = QSize(720, 360)
"""No picture is smaller: below the window's pictures plots are too flat for a page."""


def export_plot(widget: QWidget, path: Path) -> None:
    """Write a plot as a picture.

    Parameters
    ----------
    widget : QWidget
        A tab with a ``plot_widget``, or the plot itself.
    path : Path
        Where, ending in ``.png`` or ``.svg``; what is there is replaced.

    Raises
    ------
    ImageError
        If the ending is another, or the file cannot be written.
    """
    plot_writer(widget, path)(no_progress)


def plot_writer(widget: QWidget, path: Path) -> Callable[[Progress], Path]:
    """Draw a plot now, and return what writes it: encoding and a slow disk need not keep the window waiting.

    Parameters
    ----------
    widget : QWidget
        A tab with a ``plot_widget``, or the plot itself.
    path : Path
        Where, ending in ``.png`` or ``.svg``; what is there is replaced.

    Returns
    -------
    callable
        ``write(progress)``, for any thread; it returns the path, and raises ImageError if the file cannot be
        written.

    Raises
    ------
    ImageError
        If the ending is another.
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

        def put(file: BinaryIO) -> None:
            file.write(data)

        atomic_write(path, put, overwrite=True)
        return path

    return write


@contextmanager
def _on_paper(widget: QWidget, plot: QWidget) -> Iterator[None]:
    """Give a plot the light scheme, and room; nothing of it is seen, for nothing is painted meanwhile."""
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
    """Have a plot laid out for its size now, and not when the event loop gets to it."""
    for receiver in (plot, plot.scene() if isinstance(plot, QGraphicsView) else None):
        if receiver is not None:
            QCoreApplication.sendPostedEvents(receiver)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def _drawn_image(plot: QWidget) -> QImage:
    image = QImage(plot.size() * SCALE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.base))
    if isinstance(plot, QGraphicsView):
        # By way of SVG: the plot's own pens are as many pixels wide whatever the scale.
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
    for item in items:
        item.setExportMode(True, options)
    try:
        plot.render(painter, QRectF(plot.rect()), plot.viewport().rect())
    finally:
        for item in items:
            item.setExportMode(False)


def _frame(plot: QWidget) -> tuple[float, float, float, float] | None:
    """Return the inside of a plot, where it has one."""
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
