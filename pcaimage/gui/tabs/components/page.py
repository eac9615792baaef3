"""The page of components as pictures and, of bands, as loadings: a click shows one, its box leaves it out."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from pcaimage.gui.boxes import hbox
from pcaimage.gui.session.requests import ExportScores, Keep, KeepOnly, LeaveOut, Toggle
from pcaimage.gui.tabs.components.figures import LEFT_OUT, figures
from pcaimage.gui.tabs.components.tiles import ComponentGrid, ComponentTileModel, MeanTile
from pcaimage.gui.tabs.shared.pages import MessagePage, panes
from pcaimage.insight.bands import BandNames
from pcaimage.insight.components import Shares
from pcaimage.insight.formatting import kept_words

if TYPE_CHECKING:
    from pcaimage.gui.tabs.components.loadings import LoadingPlot

_COPIED_SIDE = 256


class ComponentsPage(MessagePage):
    """Shows every component as a picture, with its share of the variance. Components count from 1."""

    requested = Signal(object)  # a request to keep components or to leave some out
    hovered = Signal(int)
    """The component to show in the picture: under mouse or keyboard, or else the chosen one; 0 for none."""
    picturesNeeded = Signal()  # noqa: N815
    """Other components are visible; see :attr:`seen`."""

    def __init__(self) -> None:
        super().__init__()
        self.model = ComponentTileModel(self)
        self.view = ComponentGrid(self.model)
        self.mean = MeanTile()
        self.all_button = QToolButton()
        self.scored = False
        """Whether each pixel has a score, which can be exported."""
        self._lay_out()
        self.view.sideChanged.connect(self.mean.set_side)
        self.view.pointed.connect(self._refresh)
        self.view.hovered.connect(lambda number: self.hovered.emit(number or self.model.chosen))
        self.view.chosen.connect(self.choose)
        self.view.toggled.connect(self._toggle)
        self.view.seenChanged.connect(self.picturesNeeded)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self._refresh()

    @cached_property
    def loadings(self) -> LoadingPlot:
        """The loadings beside the pictures, made when there are some: most images have none."""
        from pcaimage.gui.tabs.components.loadings import LoadingPlot  # noqa: PLC0415 - plots load slowly

        plot = LoadingPlot()
        self._sides.addWidget(plot)
        self._sides.setSizes([700, 420])
        return plot

    @property
    def plot_widget(self) -> QWidget | None:
        """The part that is exported as a picture, if there is one."""
        seen = "loadings" in self.__dict__ and self.loadings.isVisible()
        return self.loadings.plot_widget if seen else None

    @property
    def seen(self) -> tuple[int, int]:
        """The first and the last component that are seen; the last is smaller where there are none."""
        first, last = self.view.seen
        return first + 1, last + 1

    def set_components(self, count: int, shares: Shares) -> None:
        """Show other components, without pictures yet; for none, :meth:`set_message` says why."""
        self.mean.set_picture(None)
        self.model.set_components(count, shares)
        self._refresh()

    def choose(self, number: int) -> None:
        """Show a component in the picture, until it is chosen once more."""
        self.model.chosen = 0 if number == self.model.chosen else number
        self.hovered.emit(self.model.chosen)
        self.view.viewport().update()

    def show_loading(self, number: int, values: NDArray[np.float32], names: BandNames) -> None:
        """Show the loadings of a component, of shape (C,); where there are none, there is no plot."""
        if values.size:
            title = f"component {number} · {self.model.shares.share(number)}"
            self.loadings.show_loading(title, values, names)
        if "loadings" in self.__dict__:
            self.loadings.setVisible(bool(values.size))

    def hideEvent(self, event: QHideEvent) -> None:
        """Show no component in the picture any more."""
        super().hideEvent(event)
        self.hovered.emit(0)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the chosen component again."""
        super().showEvent(event)
        self.hovered.emit(self.model.chosen)

    def set_picture(self, number: int, picture: NDArray[np.uint8]) -> None:
        """Show the picture of a component, of shape (h, w, 1 or 3)."""
        self.model.add_picture(number, picture)
        self.view.viewport().update()

    def set_k(self, k: int) -> None:
        """Mark how many components are kept."""
        if k != self.model.k:
            self._mark(k, self.model.left_out)

    def set_left_out(self, left_out: Collection[int]) -> None:
        """Mark which components are left out."""
        if frozenset(left_out) != self.model.left_out:
            self._mark(self.model.k, left_out)

    def set_message(self, sentence: str) -> None:
        """Show the reason why there are no components; visible only while there are none."""
        if sentence != self._message.text():
            super().set_message(sentence)
            self._refresh()

    def menu_for(self, number: int) -> QMenu:
        """Return the context menu of a component; it deletes itself when it is closed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        out = self.model.state(number) == LEFT_OUT
        menu.addAction("&Show in the Picture", lambda: self.choose(number))
        menu.addAction("&Put Back" if out else "&Leave Out", lambda: self._toggle(number))
        menu.addAction("Keep &Only This One", lambda: self.requested.emit(KeepOnly(number)))
        menu.addAction(f"&Keep up to Here ({number})", lambda: self.requested.emit(Keep(number)))
        menu.addSeparator()
        scores = menu.addAction("&Export Scores…", lambda: self.requested.emit(ExportScores(number)))
        scores.setVisible(self.scored)
        copying = menu.addAction("&Copy Picture", lambda: self.copy_picture(number))
        copying.setEnabled(number in self.model.pictures)
        return menu

    def copy_picture(self, number: int) -> None:
        """Put the picture of a component on the clipboard, enlarged; without a picture nothing happens."""
        picture = self.model.pictures.get(number)
        if picture is not None:
            times = max(1, _COPIED_SIDE // max(picture.width(), picture.height()))
            QGuiApplication.clipboard().setImage(
                picture.scaled(picture.width() * times, picture.height() * times)
            )

    def _lay_out(self) -> None:
        self.all_button.setText("Put all back")
        self.all_button.setToolTip("Put the components that were left out back into the picture.")
        self.all_button.clicked.connect(lambda: self.requested.emit(LeaveOut(frozenset())))
        row = hbox((self._readout, 1), self.all_button, margins=(8, 0, 8, 0))
        gallery = QWidget()
        hbox(self.mean, (self.view, 1), of=gallery, spacing=0)
        self._sides = panes((gallery, 2), sizes=[700])
        self._add_content(row, (self._sides, 1))
        self.setAccessibleName("Components")
        self.setFocusProxy(self.view)

    def _toggle(self, number: int) -> None:
        self.requested.emit(Toggle(number, self.model.state(number) != LEFT_OUT))

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
        self._show_content(on=count > 0)
        self.all_button.setEnabled(bool(model.left_out))
        if 1 <= number <= count:
            self._readout.setText(figures(number, model.shares, model.state(number)))
        else:
            self._readout.setText(kept_words(count, model.k, model.left_out, len(model.shares)))
        self.setAccessibleDescription(self.text)
