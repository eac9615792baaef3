"""The components as pictures: a click leaves one out or puts it back."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pcaimage.gui.tabs.components.figures import EMPTY, LEFT_OUT, figures, summary
from pcaimage.gui.tabs.components.mean_tile import MeanTile
from pcaimage.gui.tabs.components.model import GalleryModel
from pcaimage.gui.tabs.components.view import GalleryView
from pcaimage.gui.theme import tabular
from pcaimage.insight.components import Shares

_COPIED_SIDE = 256


class ComponentGallery(QWidget):
    """Shows every component as a picture, with its share of the variance.

    It changes nothing by itself: it asks, and shows what the setters answer. It asks for the pictures that
    are seen, too.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    leftOutRequested = Signal(int, bool)  # noqa: N815
    """A component, from 1, and whether it is to be left out."""
    onlyRequested = Signal(int)  # noqa: N815
    """A component, from 1; all others are to be left out."""
    allRequested = Signal()  # noqa: N815
    """None is to be left out."""
    componentsCommitted = Signal(int)  # noqa: N815
    """The component up to which is to be kept."""
    hovered = Signal(int)
    """The component on which mouse or keys rest; 0 when they have left."""
    picturesNeeded = Signal(int, int)  # noqa: N815
    """The first and the last component that are seen now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = GalleryModel(self)
        self.view = GalleryView(self.model)
        self.mean = MeanTile()
        self._text, self._message = QLabel(), QLabel(EMPTY)
        self._all = QToolButton()
        self._pages = QStackedLayout(self)
        self._lay_out()
        self.view.sideChanged.connect(self.mean.set_side)
        self.view.pointed.connect(self._refresh)
        self.view.hovered.connect(self.hovered)
        self.view.toggled.connect(self._toggle)
        self.view.seenChanged.connect(self.picturesNeeded)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self._refresh()

    @property
    def text(self) -> str:
        """The line above the pictures, or what is said in their place."""
        return self._text.text() if self._pages.currentIndex() else self._message.text()

    @property
    def all_button(self) -> QToolButton:
        """What puts all components back."""
        return self._all

    @property
    def seen(self) -> tuple[int, int]:
        """The first and the last component that are seen; the last is smaller where there are none."""
        return self.view.seen

    def set_components(self, count: int, shares: Shares) -> None:
        """Show other components; pictures are asked for and come with :meth:`set_pictures`.

        Parameters
        ----------
        count : int
            How many there are; 0 for none, and :meth:`set_message` says why.
        shares : Shares
            What each explains.
        """
        self.mean.set_picture(None)
        self.model.set_components(count, shares)
        self._refresh()

    def set_pictures(self, first: int, pictures: Sequence[NDArray[np.uint8]]) -> None:
        """Show the pictures of some components.

        Parameters
        ----------
        first : int
            The component that the first is of, from 1; the others follow.
        pictures : sequence of ndarray of uint8, shape (h, w, 1 or 3)
            From :func:`~pcaimage.insight.components.picture_of`.
        """
        for number, pixels in enumerate(pictures, first):
            self.model.add_picture(number, pixels)
        self.view.viewport().update()

    def set_mean(self, picture: NDArray[np.uint8]) -> None:
        """Show what components are added to; it goes when other components come.

        Parameters
        ----------
        picture : ndarray of uint8, shape (h, w, 1 or 3)
            The mean image of a stack.
        """
        self.mean.set_picture(picture)

    def set_k(self, k: int) -> None:
        """Mark how many components are kept.

        Parameters
        ----------
        k : int
            The last one.
        """
        if k != self.model.k:
            self._mark(k, self.model.left_out)

    def set_left_out(self, left_out: Collection[int]) -> None:
        """Mark which components are left out.

        Parameters
        ----------
        left_out : collection of int
            Counted from 1.
        """
        if frozenset(left_out) != self.model.left_out:
            self._mark(self.model.k, left_out)

    def set_message(self, sentence: str) -> None:
        """Say why there are no components; it is seen while there are none.

        Parameters
        ----------
        sentence : str
            Such as that they are being found.
        """
        if sentence != self._message.text():
            self._message.setText(sentence)
            self._refresh()

    def menu_for(self, number: int) -> QMenu:
        """Return what can be done with a component.

        Parameters
        ----------
        number : int
            Which one, from 1.

        Returns
        -------
        QMenu
            It deletes itself when it is closed.
        """
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        out = self.model.state(number) == LEFT_OUT
        menu.addAction("&Put Back" if out else "&Leave Out", lambda: self._toggle(number))
        menu.addAction("Keep &Only This One", lambda: self.onlyRequested.emit(number))
        menu.addAction(f"&Keep up to Here ({number})", lambda: self.componentsCommitted.emit(number))
        menu.addSeparator()
        copying = menu.addAction("&Copy Picture", lambda: self.copy_picture(number))
        copying.setEnabled(number in self.model.pictures)
        return menu

    def copy_picture(self, number: int) -> None:
        """Put a component's picture on the clipboard, large enough to be seen.

        Parameters
        ----------
        number : int
            Which one, from 1; without its picture nothing happens.
        """
        picture = self.model.pictures.get(number)
        if picture is not None:
            times = max(1, _COPIED_SIDE // max(picture.width(), picture.height()))
            QGuiApplication.clipboard().setImage(
                picture.scaled(picture.width() * times, picture.height() * times)
            )

    def _lay_out(self) -> None:
        self._text.setFont(tabular(self._text.font()))
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._all.setText("Put all back")
        self._all.setToolTip("Use the components again that were left out.")
        self._all.clicked.connect(self.allRequested)
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 0)
        row.addWidget(self._text, 1)
        row.addWidget(self._all)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        tiles = QHBoxLayout()
        tiles.setSpacing(0)
        tiles.addWidget(self.mean)
        tiles.addWidget(self.view, 1)
        column.addLayout(tiles, 1)
        self._pages.addWidget(self._message)
        self._pages.addWidget(full)
        self.setAccessibleName("Components")
        self.setFocusProxy(self.view)

    def _toggle(self, number: int) -> None:
        self.leftOutRequested.emit(number, self.model.state(number) != LEFT_OUT)

    def _open_menu(self, position: QPoint) -> None:
        number = self.view.number_at(position)
        if number:
            self.menu_for(number).popup(self.view.viewport().mapToGlobal(position))

    def _mark(self, k: int, left_out: Collection[int]) -> None:
        self.model.set_kept(k, left_out)
        self.view.viewport().update()
        self._refresh()

    def _refresh(self) -> None:
        model, number = self.model, self.view.on
        count = model.rowCount()
        self._pages.setCurrentIndex(1 if count else 0)
        self._all.setEnabled(bool(model.left_out))
        if 1 <= number <= count:
            self._text.setText(figures(number, model.shares, model.state(number)))
        else:
            self._text.setText(summary(count, model.k, model.left_out, len(model.shares)))
        self.setAccessibleDescription(self.text)
