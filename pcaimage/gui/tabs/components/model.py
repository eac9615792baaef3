"""The components as a list: number, share, state and picture of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage

from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.tabs.components.figures import spoken, state_of
from pcaimage.insight.components import Shares

PICTURE = Qt.ItemDataRole.UserRole + 1
SHARE = Qt.ItemDataRole.UserRole + 2
STATE = Qt.ItemDataRole.UserRole + 3
LAST_KEPT = Qt.ItemDataRole.UserRole + 4

_NO_SHARES = Shares(np.zeros(0), np.zeros(0))


class GalleryModel(QAbstractListModel):
    """One row for each component, in their order.

    Pictures and marks change often and never the layout, so that nobody is told of them; who shows them
    repaints.

    Parameters
    ----------
    parent : QObject, optional
        The owner.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self._k = 0
        self._left_out: frozenset[int] = frozenset()
        self._pictures: dict[int, QImage] = {}
        self.shares = _NO_SHARES
        """What each component explains."""

    @property
    def k(self) -> int:
        """How many components are kept."""
        return self._k

    @property
    def left_out(self) -> frozenset[int]:
        """Those that are left out by hand."""
        return self._left_out

    @property
    def pictures(self) -> Mapping[int, QImage]:
        """The pictures that are there, by component."""
        return self._pictures

    def set_components(self, count: int, shares: Shares) -> None:
        """List other components; their pictures are yet to come.

        Parameters
        ----------
        count : int
            How many there are.
        shares : Shares
            What each explains; of as many at least.
        """
        self.beginResetModel()
        self._count, self.shares = count, shares
        self._pictures.clear()
        self.endResetModel()

    def set_kept(self, k: int, left_out: Collection[int]) -> None:
        """Mark which components are kept.

        Parameters
        ----------
        k : int
            How many.
        left_out : collection of int
            Those that are left out by hand.
        """
        self._k, self._left_out = k, frozenset(left_out)

    def add_picture(self, number: int, pixels: NDArray[np.uint8]) -> None:
        """Show a component's picture.

        Parameters
        ----------
        number : int
            Which one, from 1.
        pixels : ndarray of uint8, shape (h, w, 1 or 3)
            The picture.
        """
        self._pictures[number] = to_qimage(pixels)

    def state(self, number: int) -> str:
        """Return what is done with a component.

        Parameters
        ----------
        number : int
            Which one, from 1.

        Returns
        -------
        str
            As of :func:`.gallery_data.state_of`.
        """
        return state_of(number, self._k, self._left_out)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """Return how many components there are.

        Parameters
        ----------
        parent : QModelIndex, optional
            Invalid; components have nothing beneath them.

        Returns
        -------
        int
            The number of rows.
        """
        return 0 if parent is not None and parent.isValid() else self._count

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return what is to be shown of a component.

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
        number = index.row() + 1
        if not 1 <= number <= self._count:
            return None
        ways: dict[int, Callable[[], Any]] = {
            Qt.ItemDataRole.DisplayRole: lambda: str(number),
            Qt.ItemDataRole.AccessibleTextRole: lambda: spoken(number, self.shares, self.state(number)),
            PICTURE: lambda: self._pictures.get(number),
            SHARE: lambda: self.shares.share(number),
            STATE: lambda: self.state(number),
            LAST_KEPT: lambda: number == self._k,
        }
        return ways[role]() if role in ways else None
