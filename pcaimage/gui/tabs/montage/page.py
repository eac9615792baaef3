"""The page of a stack's images before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QImage, QKeyEvent, QPainter, QPalette

from pcaimage.gui.boxes import hbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.panel.form_rows import ChoiceBox
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.tabs.montage.figures import caption, orders, spoken, summary
from pcaimage.gui.tabs.shared import tiles
from pcaimage.gui.tabs.shared.pages import MessagePage
from pcaimage.insight.formatting import error_words
from pcaimage.insight.stack import Order

MOST_KEPT = 4096  # the least number of images whose pictures are kept
_ROWS = 2.6  # pictures are as large as possible with this many rows visible


class MontageModel(tiles.TileModel):
    """One row for each image. Images count from 0."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.order: NDArray[np.intp] = np.zeros(0, np.intp)
        """The images in the order of the rows."""
        self.labels: NDArray[Any] | None = None
        self.paired = True
        """Whether there are originals."""
        self.peak = 255.0
        """The largest value that a pixel can have."""
        self.errors: NDArray[np.float32] | None = None
        """The root mean square error of each image, in levels."""
        self.as_psnr = False
        self.current = 0
        """The image that the views show."""
        self.originals: dict[int, QImage] = {}
        self.reconstructions: dict[int, QImage] = {}

    @property
    def count(self) -> int:
        """The number of images."""
        return len(self.order)

    def set_stack(self, count: int, labels: NDArray[Any] | None, *, peak: float, paired: bool) -> None:
        """List the images of another stack; their errors and pictures are yet to come."""
        self.beginResetModel()
        self.order, self.labels, self.peak, self.paired = np.arange(count), labels, peak, paired
        self.errors = None
        self.originals.clear()
        self.reconstructions.clear()
        self.endResetModel()

    def add(self, pictures: Mapping[int, NDArray[np.uint8]], *, original: bool) -> None:
        """Show pictures of shape (h, w, 1 or 3) of images; the oldest go when there are very many."""
        kept = self.originals if original else self.reconstructions
        if len(kept) > 2 * MOST_KEPT:
            for number in list(kept)[:MOST_KEPT]:
                del kept[number]
        for number, pixels in pictures.items():
            kept.pop(number, None)  # the newest stand last
            kept[number] = to_qimage(pixels)

    def number(self, row: int) -> int:
        """Return the image in a row."""
        return int(self.order[row])

    def row(self, number: int) -> int:
        """Return the row of an image; -1 where there is no such image."""
        found = np.flatnonzero(self.order == number)
        return int(found[0]) if found.size else -1

    def values(self, row: int) -> Mapping[int, Callable[[], Any]]:
        """Return functions that compute what is shown of an image, by role."""
        number = self.number(row)
        return {
            Qt.ItemDataRole.DisplayRole: lambda: caption(number, self.labels),
            Qt.ItemDataRole.AccessibleTextRole: lambda: spoken(number, self.labels, self.error(number)),
        }

    def error(self, number: int) -> str:
        """Return the error of an image in words."""
        if self.errors is None:
            return ""
        return error_words(float(self.errors[number]), self.peak, as_psnr=self.as_psnr)


class MontageDelegate(tiles.TileDelegate):
    """Paints an image before and after, its number, label and error."""

    sides = (112, 84, 56)
    widest = "10,000 · label 10"

    def __init__(self, model: MontageModel) -> None:
        super().__init__()
        self._model = model

    @property
    def pictures(self) -> int:
        """Two, or one where there are no originals."""
        return 2 if self._model.paired else 1

    def is_current(self, index: tiles.Index) -> bool:
        """Return whether an image is the one that the views show."""
        return self._model.number(index.row()) == self._model.current

    def paint_pictures(self, painter: QPainter, rect: QRect, index: tiles.Index, colours: Colours) -> None:
        """Paint the original and the reconstruction."""
        left, top = rect.left() + (rect.width() - self.width) / 2, rect.top() + tiles.PADDING
        model, number = self._model, self._model.number(index.row())
        for place, known in enumerate((model.originals, model.reconstructions)[-self.pictures :]):
            frame = QRectF(left + place * (self.side + tiles.BETWEEN), top, self.side, self.side)
            tiles.paint_picture(painter, frame, known.get(number), colours)

    def lines(
        self,
        index: tiles.Index,
        font: QFont,  # noqa: ARG002 - one font
        colours: Colours,
    ) -> tuple[tiles.TextLine, tiles.TextLine]:
        """Return the image's number and label, and its error."""
        error = self._model.error(self._model.number(index.row()))
        return tiles.TextLine(index.data(), colours.text), tiles.TextLine(error, colours.muted)


class MontageGrid(tiles.TileGrid):
    """The grid of images, in which a click or a key chooses one."""

    chosen = Signal(int)  # an image, from 0, that was clicked or walked to

    def __init__(self, model: MontageModel) -> None:
        super().__init__(model, MontageDelegate(model))
        self._images = model
        self.setAccessibleName("Images of the stack")
        self.setAccessibleDescription("Originals and reconstructions; Space shows one in the pictures.")
        self.setToolTip(
            "The original on the left, its reconstruction on the right. "
            "Click an image to see it in the pictures."
        )
        self.clicked.connect(lambda index: self.chosen.emit(model.number(index.row())))

    def fits(self, size: QSize) -> bool:
        """Return whether enough rows are seen."""
        return _ROWS * size.height() <= self.contentsRect().height()

    def show_number(self, number: int) -> None:
        """Scroll to an image, counted from 0."""
        row = self._images.row(number)
        if row >= 0:
            self.setCurrentIndex(self._images.index(row))
            self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk among the images; each that is walked to is chosen."""
        before = self.currentIndex().row()
        if event.key() not in tiles.ACTIVATION_KEYS:
            super().keyPressEvent(event)
        row = self.currentIndex().row()
        if row >= 0 and (row != before or event.key() in tiles.ACTIVATION_KEYS):
            self.chosen.emit(self._images.number(row))


_UNIT_TIP = "The root mean square of an image's errors, in levels of pixel values, or its PSNR in decibels."


class MontagePage(MessagePage):
    """Shows every image of a stack before and after, in a chosen order.

    Images count from 0 here, and from 1 in what is shown.
    """

    requested = Signal(object)  # a request to show an image in the views
    orderChanged = Signal()  # noqa: N815
    """Another order is chosen; see :attr:`by`."""
    picturesNeeded = Signal()  # noqa: N815
    """Other images are visible; see :attr:`.TileGrid.seen`."""

    def __init__(self) -> None:
        super().__init__()
        self.model = MontageModel(self)
        self.view = MontageGrid(self.model)
        self.order_box = ChoiceBox("Order of the images", "The order in which the images are shown.")
        self.unit_box = ChoiceBox("Measure of the errors", _UNIT_TIP, (("Error", False), ("PSNR", True)))
        self._exact = False
        self._lay_out()
        self._offer_orders()
        self.view.chosen.connect(lambda number: self.requested.emit(ShowFrame(number)))
        self.view.seenChanged.connect(self.picturesNeeded)
        self.order_box.currentIndexChanged.connect(self._reorder)
        self.unit_box.currentIndexChanged.connect(self._tell_errors)

    @property
    def by(self) -> Order:
        """The order that is chosen."""
        by: Order = self.order_box.currentData()
        return by

    def set_stack(self, count: int, labels: NDArray[Any] | None, *, peak: float, paired: bool) -> None:
        """Show another stack, without errors and pictures yet; for none, :meth:`set_message` says why.

        `peak` is the largest value that a pixel can have; `paired` says whether there are originals.
        """
        self.model.set_stack(count, labels, peak=peak, paired=paired)
        self._exact = False
        self._offer_orders()
        self._show_content(on=count > 0)
        self._tell_errors()

    def set_errors(
        self, errors: NDArray[np.float32] | None, order: NDArray[np.intp] | None, *, exact: bool
    ) -> None:
        """Show root mean square errors in levels, and a new order; None leaves the images where they are."""
        self.model.errors, self._exact = errors, exact
        if order is not None and not np.array_equal(order, self.model.order):
            self.model.order = order
            self.picturesNeeded.emit()
        self._tell_errors()

    def set_pictures(self, pictures: dict[int, NDArray[np.uint8]], *, original: bool) -> None:
        """Show pictures of some images, of shape (h, w, 1 or 3)."""
        self.model.add(pictures, original=original)
        self.view.viewport().update()

    def set_frame(self, frame: int) -> None:
        """Mark the image that the views show."""
        if frame != self.model.current:
            self.model.current = frame
            self.view.viewport().update()
            if not self.view.hasFocus() and not self.view.underMouse():
                self.view.show_number(frame)

    def _lay_out(self) -> None:
        self._readout.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        row = hbox(self.order_box, self.unit_box, (self._readout, 1), margins=(8, 0, 8, 0), spacing=8)
        self._add_content(row, (self.view, 1))
        self.setAccessibleName("Montage")

    def _offer_orders(self) -> None:
        now, offered = self.by, orders(errors=self.model.paired, labels=self.model.labels is not None)
        self.order_box.offer((name, by) for by, name in offered)
        self.order_box.choose(now)
        self.unit_box.setVisible(self.model.paired)

    def _reorder(self) -> None:
        self.orderChanged.emit()
        self.view.scrollToTop()

    def _tell_errors(self) -> None:
        model = self.model
        model.as_psnr = bool(self.unit_box.currentData())
        self._readout.setText(summary(model.errors, model.peak, exact=self._exact, as_psnr=model.as_psnr))
        self.setAccessibleDescription(self.text)
        self.view.viewport().update()
