"""The commands on the images of a stack: go from one to the next, play them, open one alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from pcaimage.gui.commands.files import FileCommands
from pcaimage.gui.compare.player import Player
from pcaimage.gui.icons import load_icon
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.session.session import Session
from pcaimage.gui.theme import colours_of


class StackCommands(QObject):
    """Steps through the images of a stack, plays those of an animation, and opens one of them alone."""

    def __init__(
        self, window: QWidget, session: Session, files: FileCommands, actions: Mapping[str, QAction]
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._play = window, session, actions["play"]
        self.player = Player(session, self)
        self._play.toggled.connect(self.player.set_playing)
        self.player.playingChanged.connect(self._show_playing)
        self.slots: dict[str, Callable[[], object]] = {
            "previous-image": partial(self._step, -1),
            "next-image": partial(self._step, 1),
            "image-alone": files.open_alone,
        }
        """The slots of actions, by the name of the action."""

    def _step(self, by: int) -> None:
        self._session.request(ShowFrame(self._session.state.frame + by))

    def _show_playing(self, playing: bool) -> None:  # noqa: FBT001 - a slot
        self._play.setChecked(playing)
        name = "pause" if playing else "play"
        self._play.setProperty("iconName", name)
        self._play.setIcon(load_icon(name, colours_of(self._window.palette())))
