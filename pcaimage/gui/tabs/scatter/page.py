"""A stack's images as points: their scores on two components."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QStackedLayout,
    QWidget,
)

from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.tabs.block.pictures import BlockPictures, Titled
from pcaimage.gui.tabs.scatter.controls import ScatterControls
from pcaimage.gui.tabs.scatter.figures import EMPTY, HELP, axis_words, short_axis_words
from pcaimage.gui.tabs.scatter.legend import Legend
from pcaimage.gui.tabs.scatter.plot import ScatterItems
from pcaimage.gui.theme import colours_of
from pcaimage.insight.components import Shares
from pcaimage.insight.scatter import Scatter

_MOST = (1 << 24) - 1  # as Qt has it
_ZOOM = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Equal: 0.8, Qt.Key.Key_Minus: 1.25}
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
_PREVIEW, _LOW = 190, 280
_WIDE = 840
"""From so many pixels on, the controls stand beside the plot, and leave it the whole height."""


class ScatterView(QWidget):
    """Shows where a stack's images lie on two components, and the image under the mouse.

    It changes nothing of the session by itself: it asks, and shows what the setters answer. Images count
    from 0 here, and from 1 in what is shown.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    frameRequested = Signal(int)  # noqa: N815
    """An image, from 0, that the user wants to see."""
    axesRequested = Signal()  # noqa: N815
    """Other components are wanted; :attr:`axes` tells which."""
    picturesNeeded = Signal()  # noqa: N815
    """Other images have room for their pictures; :attr:`wanted` tells which."""
    hovered = Signal()
    """The mouse is at another image, or at none; :attr:`on` tells which."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools = tools = ScatterControls()
        self.across, self.up = tools.across, tools.up
        self.thumbnails, self.whole = tools.thumbnails, tools.whole
        self.items = ScatterItems(colours_of(self.palette()), self)
        self.plot_widget = self.items.widget
        """What is exported as a picture."""
        self.legend, self.preview = Legend(), BlockPictures()
        self.wanted: tuple[int, ...] = ()
        """Images that have room for their pictures."""
        self._pictures: dict[int, QImage] = {}
        self._scatter: Scatter | None = None
        self._shares = Shares.of([])
        self._frame, self._on, self._count = 0, -1, 0
        self._message = QLabel(EMPTY)
        self._pages = QStackedLayout(self)
        self._beside: bool | None = None
        self._lay_out()
        self._connect()
        self._recolour()

    @property
    def axes(self) -> tuple[int, int]:
        """The components that are chosen, from 1: across and up."""
        return self.across.value(), self.up.value()

    @property
    def on(self) -> int:
        """The image that is told of, from 0: that under the mouse, or else the one that the views show."""
        return self._on if self._on >= 0 else self._frame

    @property
    def text(self) -> str:
        """The line above the plot, or what is said in its place."""
        return self._tools.text if self._pages.currentIndex() else self._message.text()

    @property
    def scatter(self) -> Scatter | None:
        """The points that are shown."""
        return self._scatter

    @property
    def pictures(self) -> Mapping[int, QImage]:
        """The pictures that are there, by image."""
        return self._pictures

    def set_components(self, count: int) -> None:
        """Offer other components; points are yet to come.

        Parameters
        ----------
        count : int
            How many there are; 0 for none, and :meth:`set_message` says why.
        """
        self._count = count
        for box, usual in ((self.across, 1), (self.up, 2)):
            with QSignalBlocker(box):
                box.setRange(1, max(count, 1))
                box.setValue(min(usual, max(count, 1)))
        self._pictures.clear()
        self.wanted = ()
        self.set_scatter(None, None)

    def set_scatter(self, scatter: Scatter | None, shares: Shares | None) -> None:
        """Show other points.

        Parameters
        ----------
        scatter : Scatter or None
            None for none.
        shares : Shares or None
            What the components explain.
        """
        before, self._scatter = self._scatter, scatter
        if scatter is None or shares is None:
            self.items.show_scatter(None)
        else:
            self._shares = shares
            self.items.show_scatter(scatter)
            self._name_axes()
            self.items.show_frame(self._frame)
            if before is None or before.labels is not scatter.labels:
                self._list_labels(scatter)
            elif self.legend.currentRow() > 0:
                self.items.show_only(self.legend.currentRow() - 1)
        self._pages.setCurrentIndex(1 if self._count and scatter is not None else 0)
        self.hovered.emit()

    def set_thumbnails(self, pictures: Mapping[int, NDArray[np.uint8]]) -> None:
        """Show pictures at points.

        Parameters
        ----------
        pictures : mapping
            By image: ndarrays of uint8 of shape (h, w, 1 or 3).
        """
        for number, pixels in pictures.items():
            self._pictures[number] = to_qimage(pixels)
        self.items.set_pictures(self._pictures, list(self.wanted))

    def set_image(self, words: str, *pictures: Titled) -> None:
        """Show the image that is told of.

        Parameters
        ----------
        words : str
            What is said of it.
        *pictures : Titled
            Itself and its reconstruction.
        """
        self._tools.set_text(words)
        self.preview.show_pictures(*pictures)
        self.setAccessibleDescription(words)

    def set_frame(self, frame: int) -> None:
        """Mark the image that the views show.

        Parameters
        ----------
        frame : int
            From 0.
        """
        if frame != self._frame:
            self._frame = frame
            self.items.show_frame(frame)
            self.hovered.emit()

    def set_message(self, sentence: str) -> None:
        """Say why there are no points; it is seen while there are none.

        Parameters
        ----------
        sentence : str
            Such as that components are being found.
        """
        self._message.setText(sentence)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to another image, or zoom."""
        key = Qt.Key(event.key())
        if key in _STEPS:
            self.frameRequested.emit(max(self._frame + _STEPS[key], 0))
        elif key in _ZOOM:
            self.items.zoom(_ZOOM[key])
        elif key == Qt.Key.Key_Home:
            self.items.show_all()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the image and the names of the axes what room there is."""
        super().resizeEvent(event)
        self._place(beside=self.width() >= _WIDE and self.height() < _LOW)
        self._name_axes()

    def _lay_out(self) -> None:
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setContentsMargins(16, 8, 16, 8)
        self.preview.setMinimumHeight(0)
        self.preview.setAccessibleName("Image, original and reconstruction")
        self.preview.setToolTip("The image at the mouse, or else that of the views, and its reconstruction.")
        side = QHBoxLayout()
        side.setContentsMargins(8, 0, 8, 0)
        side.setSpacing(8)
        side.addWidget(self.legend)
        side.addWidget(self.preview, 1)
        full = QWidget()
        self._grid = QGridLayout(full)
        self._grid.setContentsMargins(0, 4, 0, 4)
        self._grid.setSpacing(4)
        self._grid.addLayout(side, 1, 1)
        self._grid.setRowStretch(1, 1)
        self._grid.setColumnStretch(0, 1)
        self._place(beside=False)
        self._pages.addWidget(self._message)
        self._pages.addWidget(full)
        self.plot_widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot_widget.setToolTip(HELP)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Scores of all images")

    def _place(self, *, beside: bool) -> None:
        """Put the controls beside the plot or above it, and give the image what room there is."""
        wide = min(max(_PREVIEW, self.height() * 3 // 4), self.width() // 3)
        self.preview.setMinimumWidth(wide if not beside else 0)
        self.preview.setMaximumWidth(wide if not beside else _MOST)
        self.legend.set_columns(3 if beside else 2)
        if beside == self._beside:
            return
        self._beside = beside
        self._tools.set_stacked(stacked=beside)
        self._grid.addWidget(self._tools, 0, 1 if beside else 0, 1, 1 if beside else 2)
        self._grid.addWidget(self.plot_widget, 0 if beside else 1, 0, 2 if beside else 1, 1)

    def _connect(self) -> None:
        for box in (self.across, self.up):
            box.valueChanged.connect(lambda _: self.axesRequested.emit())
        self.thumbnails.toggled.connect(lambda on: self.items.show_pictures(everywhere=on))
        self.whole.clicked.connect(self.items.show_all)
        self.items.clicked.connect(self.frameRequested)
        self.items.pointed.connect(self._point_at)
        self.items.picturesNeeded.connect(self._want)
        self.legend.onlyRequested.connect(self.items.show_only)
        self.preview.moved.connect(lambda dx, dy: self.frameRequested.emit(max(self._frame + dx + dy, 0)))

    def _recolour(self) -> None:
        colours = colours_of(self.palette())
        self.items.set_colours(colours)
        self.legend.set_colours(colours)
        self._tools.set_colours(colours)

    def _list_labels(self, scatter: Scatter) -> None:
        labels = tuple((label, len(members)) for label, members in scatter.groups if label is not None)
        self.legend.set_labels(labels, colours_of(self.palette()))
        self.legend.setVisible(bool(labels))

    def _name_axes(self) -> None:
        if self._scatter is not None:
            words = short_axis_words if self.height() < _LOW else axis_words
            axes = self._scatter.across, self._scatter.up
            self.items.name_axes(*(words(number, self._shares.share(number)) for number in axes))

    def _point_at(self, number: int) -> None:
        if number != self._on:
            self._on = number
            self.items.point_at(number)
            self.hovered.emit()

    def _want(self, numbers: list[int]) -> None:
        self.wanted = tuple(numbers)
        self.set_thumbnails({})
        self.picturesNeeded.emit()
