"""The page of a stack's images before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.panel.form_rows import ChoiceBox
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.tabs.montage.figures import orders, summary
from pcaimage.gui.tabs.montage.tiles import MontageGrid, MontageModel
from pcaimage.gui.tabs.shared.pages import MessagePage
from pcaimage.insight.stack import Order

_UNIT_TIP = "The root mean square of an image's errors, in levels of pixel values, or its PSNR in decibels."


class MontagePage(MessagePage):
    """Shows every image of a stack before and after, in a chosen order.

    Images count from 0 here, and from 1 in what is shown.
    """

    requested = Signal(object)
    """A request to show an image in the views."""
    orderChanged = Signal()  # noqa: N815
    """Another order is chosen; see :attr:`by`."""
    picturesNeeded = Signal()  # noqa: N815
    """Other images are visible; see :attr:`seen`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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

    @property
    def order(self) -> NDArray[np.intp]:
        """The images in the order in which they are shown."""
        return self.model.order

    @property
    def seen(self) -> tuple[int, int]:
        """The first and the last row that are seen; the last is smaller where there are none."""
        return self.view.seen

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
        full = QWidget()
        vbox(row, (self.view, 1), of=full, margins=(0, 4, 0, 0), spacing=4)
        self._pages.addWidget(full)
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
