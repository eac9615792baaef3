"""The commands of menus and keys that change how the image is compressed."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QGuiApplication

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.requests import LeaveOut, Move, UsePreset
from pcaimage.gui.session.targets import PRESETS


class SettingCommands(Commands):
    """Changes k, applies presets, undoes and redoes."""

    def __init__(self, context: CommandContext) -> None:
        super().__init__(context)
        session = context.session
        self.slots = {
            "undo": session.undo,
            "redo": session.redo,
            "fewer": partial(session.request, Move(-1)),
            "more": partial(session.request, Move(1)),
            "fewer-10": partial(session.request, Move(-10)),
            "more-10": partial(session.request, Move(10)),
            "copy-command": self.copy_command,
            "put-back": partial(session.request, LeaveOut(frozenset())),
        }
        for name in PRESETS:
            self.slots[f"preset-{name}"] = partial(session.request, UsePreset(name))

    def copy_command(self) -> None:
        """Copy the command line that makes the same file."""
        command = command_for(self._session.state)
        if command is not None:
            QGuiApplication.clipboard().setText(command)
            self._messages.show_message("info", f"On the clipboard: {command}")
