"""The page of a stack's images as points: their scores on two components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6 import QtWidgets
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QImage, QKeyEvent, QPainter, QPalette, QPixmap, QResizeEvent

from pcaimage.gui.boxes import hbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.screen.picture import Titled
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.tabs.scatter import figures
from pcaimage.gui.tabs.scatter.plot import ScatterPlot
from pcaimage.gui.tabs.shared.pages import AxesBoxes, MessagePage
from pcaimage.gui.tabs.shared.sample_pictures import SamplePictures
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.components import Shares
from pcaimage.insight.stack import Scatter

MOST_LISTED = 40  # the number of labels that the legend lists
_ALL = "All"
_SIDE = 16
_ZOOM = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Equal: 0.8, Qt.Key.Key_Minus: 1.25}
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
_PREVIEW = 190


class LabelLegend(QtWidgets.QListWidget):
    """The labels of a stack's images, with the look of their points."""

    onlyRequested = Signal(object)  # noqa: N815
    """The place of a label among all whose points are to stand out; None for all."""

    def __init__(self) -> None:
        super().__init__()
        self.setFont(tabular(self.font()))
        self.setFlow(QtWidgets.QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QtWidgets.QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setIconSize(QSize(_SIDE, _SIDE))
        self.setFrameShape(QtWidgets.QListWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Labels")
        self.setAccessibleDescription("The points of the current label stand out.")
        self.setToolTip("What the images show. Choose a label to make its points stand out.")
        self.currentRowChanged.connect(lambda row: self.onlyRequested.emit(row - 1 if row > 0 else None))

    def set_labels(self, labels: tuple[tuple[Any, int], ...], colours: Colours) -> None:
        """List other labels, each with the number of its images; all stand out."""
        self.blockSignals(True)
        self.clear()
        self.addItem(QtWidgets.QListWidgetItem(_ALL))
        for place, (label, count) in enumerate(labels[:MOST_LISTED]):
            item = QtWidgets.QListWidgetItem(
                _icon(figures.point_style(place, colours), self.devicePixelRatio()), str(label)
            )
            item.setToolTip(f"Label {label}: {count:,} images")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Label {label}, {count} images")
            self.addItem(item)
        self.setCurrentRow(0)
        self._fit()
        self.blockSignals(False)

    def _fit(self) -> None:
        widest = max(self.sizeHintForColumn(0), 48) + 4
        self.setGridSize(QSize(widest, max(self.fontMetrics().height(), _SIDE) + 4))
        self.setFixedWidth(2 * widest + self.verticalScrollBar().sizeHint().width() + 4)

    def set_colours(self, colours: Colours) -> None:
        """Use another colour scheme."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Highlight, QColor(colours.accent_soft))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor(colours.text))
        self.setPalette(palette)
        for place in range(self.count() - 1):
            self.item(place + 1).setIcon(_icon(figures.point_style(place, colours), self.devicePixelRatio()))


def _icon(style: figures.PointStyle, ratio: float) -> QIcon:
    pixmap = QPixmap(round(_SIDE * ratio), round(_SIDE * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(QRectF(0, 0, _SIDE, _SIDE).center())
    painter.scale(_SIDE * 0.7, _SIDE * 0.7)
    painter.fillPath(pg.graphicsItems.ScatterPlotItem.Symbols[style.shape], QColor(style.colour))
    painter.end()
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)  # else Qt tints it
    return icon


class ScatterPage(MessagePage):
    """Shows where a stack's images lie on two components, and the image under the mouse.

    Images count from 0 here, and from 1 in what is shown.
    """

    requested = Signal(object)  # a request to show an image in the views
    axesChanged = Signal()  # noqa: N815
    """Other components are chosen; see :attr:`axes`."""
    picturesNeeded = Signal()  # noqa: N815
    """Other images have room for their pictures; see :attr:`wanted`."""
    hovered = Signal()  # another image is to be shown in detail; see :attr:`on`

    def __init__(self) -> None:
        super().__init__()
        self._boxes, self.thumbnails, self.whole = (
            AxesBoxes(),
            QtWidgets.QToolButton(),
            QtWidgets.QToolButton(),
        )
        self.across, self.up = self._boxes.across, self._boxes.up
        self.plot = ScatterPlot(colours_of(self.palette()), self)
        self.plot_widget = self.plot.widget
        """The part that is exported as a picture."""
        self.legend, self.preview = LabelLegend(), SamplePictures()
        self.wanted: tuple[int, ...] = ()
        """Images that have room for their pictures."""
        self.pictures: dict[int, QImage] = {}
        self._scatter: Scatter | None = None
        self._shares = Shares.of([])
        self._frame, self._on = 0, -1
        self._lay_out()
        self._connect()
        self._recolour()

    @property
    def axes(self) -> tuple[int, int]:
        """The components that are chosen, from 1: across and up."""
        return self._boxes.chosen

    @property
    def on(self) -> int:
        """The image that is shown in detail: the one under the mouse, or else the one in the views."""
        return self._on if self._on >= 0 else self._frame

    @property
    def scatter(self) -> Scatter | None:
        """The points that are shown."""
        return self._scatter

    def set_components(self, count: int) -> None:
        """Offer other components, without points yet; for none, :meth:`set_message` says why."""
        self._boxes.set_components(count)
        self.pictures.clear()
        self.wanted, self._scatter = (), None
        self.plot.show_scatter(None)
        self._show_content(on=False)
        self.hovered.emit()

    def set_scatter(self, scatter: Scatter, shares: Shares) -> None:
        """Show other points, and the shares that their components explain."""
        before, self._scatter, self._shares = self._scatter, scatter, shares
        self.plot.show_scatter(scatter)
        self._name_axes()
        self.plot.show_frame(self._frame)
        if before is None or before.labels is not scatter.labels:
            self._list_labels(scatter)
        elif self.legend.currentRow() > 0:
            self.plot.show_only(self.legend.currentRow() - 1)
        self._show_content()
        self.hovered.emit()

    def set_thumbnails(self, pictures: Mapping[int, NDArray[np.uint8]]) -> None:
        """Show pictures of shape (h, w, 1 or 3) at points, by image."""
        for number, pixels in pictures.items():
            self.pictures[number] = to_qimage(pixels)
        self.plot.set_pictures(self.pictures, list(self.wanted))

    def set_image(self, words: str, *pictures: Titled) -> None:
        """Show an image and its reconstruction in detail, with a caption."""
        self._readout.setText(words)
        self.preview.show_pictures(*pictures)
        self.setAccessibleDescription(words)

    def set_frame(self, frame: int) -> None:
        """Mark the image that the views show."""
        if frame != self._frame:
            self._frame = frame
            self.plot.show_frame(frame)
            self.hovered.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to another image, or zoom."""
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._step(_STEPS[key])
        elif key in _ZOOM:
            self.plot.zoom(_ZOOM[key])
        elif key == Qt.Key.Key_Home:
            self.plot.show_all()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the preview to the new size."""
        super().resizeEvent(event)
        self.preview.setFixedWidth(min(max(_PREVIEW, self.height() * 3 // 4), self.width() // 3))

    def _lay_out(self) -> None:
        self.preview.setMinimumHeight(0)
        self.preview.setAccessibleName("Image, original and reconstruction")
        self.preview.setToolTip(
            "The image under the mouse, or else the one in the views, and its reconstruction."
        )
        self.thumbnails.setText("Pictures")
        self.thumbnails.setCheckable(True)
        self.thumbnails.setToolTip("Draw images at their points, wherever there is room.")
        self.whole.setText("Show all")
        self.whole.setToolTip("Bring all points into view (Home).")
        self._readout.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        tools = self._boxes, self.thumbnails, self.whole, (self._readout, 1)
        sides = (self.plot_widget, 1), self.legend, self.preview
        self._add_content(hbox(*tools, margins=(8, 0, 8, 0), spacing=8), (hbox(*sides, spacing=8), 1))
        self.plot_widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot_widget.setToolTip(figures.HELP)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Scores of all images")

    def _connect(self) -> None:
        self._boxes.changed.connect(self.axesChanged)
        self.thumbnails.toggled.connect(lambda on: self.plot.show_pictures(everywhere=on))
        self.whole.clicked.connect(self.plot.show_all)
        self.plot.clicked.connect(lambda number: self.requested.emit(ShowFrame(number)))
        self.plot.pointed.connect(self._point_at)
        self.plot.picturesNeeded.connect(self._show_wanted)
        self.legend.onlyRequested.connect(self.plot.show_only)
        self.preview.moved.connect(lambda dx, dy: self._step(dx + dy))

    def _recolour(self) -> None:
        colours = colours_of(self.palette())
        self.plot.set_colours(colours)
        self.legend.set_colours(colours)

    def _list_labels(self, scatter: Scatter) -> None:
        labels = tuple((label, len(members)) for label, members in scatter.groups if label is not None)
        self.legend.set_labels(labels, colours_of(self.palette()))
        self.legend.setVisible(bool(labels))

    def _name_axes(self) -> None:
        if self._scatter is not None:
            axes = self._scatter.across, self._scatter.up
            self.plot.name_axes(*(f"c{each} · {self._shares.share(each)}" for each in axes))

    def _step(self, by: int) -> None:
        self.requested.emit(ShowFrame(max(self._frame + by, 0)))

    def _point_at(self, number: int) -> None:
        if number != self._on:
            self._on = number
            self.plot.point_at(number)
            self.hovered.emit()

    def _show_wanted(self, numbers: list[int]) -> None:
        self.wanted = tuple(numbers)
        self.set_thumbnails({})
        self.picturesNeeded.emit()
