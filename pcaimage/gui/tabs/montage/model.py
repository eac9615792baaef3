"""The images of a stack as a list, in any order: pictures, number, label and error of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage

from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.tabs.montage.figures import caption, error_words, spoken

ORIGINAL = Qt.ItemDataRole.UserRole + 1
RECONSTRUCTION = Qt.ItemDataRole.UserRole + 2
ERROR = Qt.ItemDataRole.UserRole + 3
PRESENT = Qt.ItemDataRole.UserRole + 4

MOST_KEPT = 4096
"""Of so many images pictures are kept at least."""

Index = QModelIndex | QPersistentModelIndex


class MontageModel(QAbstractListModel):
    """One row for each image. Images count from 0.

    Pictures, errors and marks change often and never the layout, so that nobody is told of them; who shows
    them repaints.

    Parameters
    ----------
    parent : QObject, optional
        The owner.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.order: NDArray[np.intp] = np.zeros(0, np.intp)
        """The images in the order of the rows."""
        self.labels: NDArray[Any] | None = None
        """What they show."""
        self.paired = True
        """Whether there are originals."""
        self.peak = 255.0
        """The largest value that a pixel can have."""
        self.errors: NDArray[np.float32] | None = None
        """How wrong each is, in levels."""
        self.as_psnr = False
        """Whether errors are told as peak signal-to-noise ratios."""
        self.present = 0
        """The image that the views show."""
        self.originals: dict[int, QImage] = {}
        self.reconstructions: dict[int, QImage] = {}

    def set_stack(self, count: int, labels: NDArray[Any] | None, *, peak: float, paired: bool) -> None:
        """List the images of another stack; their pictures are yet to come.

        Parameters
        ----------
        count : int
            How many there are.
        labels : ndarray, shape (count,), or None
            What they show.
        peak : float
            The largest value that a pixel can have.
        paired : bool
            Whether there are originals.
        """
        self.beginResetModel()
        self.order, self.labels, self.peak, self.paired = np.arange(count), labels, peak, paired
        self.errors = None
        self.originals.clear()
        self.reconstructions.clear()
        self.endResetModel()

    def add(self, pictures: dict[int, NDArray[np.uint8]], *, original: bool) -> None:
        """Show pictures of images.

        Parameters
        ----------
        pictures : dict
            By image: ndarrays of uint8 of shape (h, w, 1 or 3).
        original : bool
            Whether they are of the originals.
        """
        kept = self.originals if original else self.reconstructions
        if len(kept) > 2 * MOST_KEPT:
            for number in list(kept)[:MOST_KEPT]:
                del kept[number]
        for number, pixels in pictures.items():
            kept.pop(number, None)  # the newest stand last
            kept[number] = to_qimage(pixels)

    def number(self, row: int) -> int:
        """Return the image in a row.

        Parameters
        ----------
        row : int
            From 0.

        Returns
        -------
        int
            From 0.
        """
        return int(self.order[row])

    def row(self, number: int) -> int:
        """Return the row of an image.

        Parameters
        ----------
        number : int
            From 0.

        Returns
        -------
        int
            From 0; -1 where there is no such image.
        """
        found = np.flatnonzero(self.order == number)
        return int(found[0]) if found.size else -1

    def rowCount(self, parent: Index | None = None) -> int:
        """Return how many images there are.

        Parameters
        ----------
        parent : QModelIndex, optional
            Invalid; images have nothing beneath them.

        Returns
        -------
        int
            The number of rows.
        """
        return 0 if parent is not None and parent.isValid() else len(self.order)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what is to be shown of an image.

        Parameters
        ----------
        index : QModelIndex
            Its row.
        role : int, optional
            What of it.

        Returns
        -------
        object
            None for what there is not.
        """
        if not 0 <= index.row() < len(self.order):
            return None
        number = self.number(index.row())
        ways: dict[int, Callable[[], Any]] = {
            Qt.ItemDataRole.DisplayRole: lambda: caption(number, self.labels),
            Qt.ItemDataRole.AccessibleTextRole: lambda: spoken(number, self.labels, self._error(number)),
            ORIGINAL: lambda: self.originals.get(number),
            RECONSTRUCTION: lambda: self.reconstructions.get(number),
            ERROR: lambda: self._error(number),
            PRESENT: lambda: number == self.present,
        }
        return ways[role]() if role in ways else None

    def _error(self, number: int) -> str:
        if self.errors is None:
            return ""
        return error_words(float(self.errors[number]), self.peak, as_psnr=self.as_psnr)
