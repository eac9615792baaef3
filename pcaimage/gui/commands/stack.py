"""The commands on the images of a stack: go from one to the next, play them, open one alone."""

from __future__ import annotations

from functools import partial

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.files import FileCommands
from pcaimage.gui.compare.player import Player
from pcaimage.gui.icons import load_icon
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.theme import colours_of


class StackCommands(Commands):
    """Steps through the images of a stack, plays those of an animation, and opens one of them alone."""

    def __init__(self, context: CommandContext, files: FileCommands) -> None:
        super().__init__(context)
        self._play = context.actions["play"]
        self.player = Player(context.session, self)
        self._play.toggled.connect(self.player.set_playing)
        self.player.playingChanged.connect(self._show_playing)
        self.slots = {
            "previous-image": partial(self._step, -1),
            "next-image": partial(self._step, 1),
            "image-alone": files.open_alone,
        }

    def _step(self, by: int) -> None:
        self._session.request(ShowFrame(self._session.state.frame + by))

    def _show_playing(self, playing: bool) -> None:  # noqa: FBT001 - a slot
        self._play.setChecked(playing)
        name = "pause" if playing else "play"
        self._play.setProperty("iconName", name)
        self._play.setIcon(load_icon(name, colours_of(self._window.palette())))
