"""The commands that change how the image is compressed, and those about the user's own presets."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from pcaimage.api import Preset, save_preset, saved_presets
from pcaimage.errors import PcaImageError
from pcaimage.gui import dialogs
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.own_presets import preset_from
from pcaimage.gui.session.requests import LeaveOut, Move, UseOwnPreset, UsePreset
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


class OwnPresetCommands(Commands):
    """Saves the goal and the settings as a preset, and lists the user's presets at the end of a menu."""

    def __init__(self, context: CommandContext, menu: QMenu) -> None:
        super().__init__(context)
        self._listed = list[QAction]()
        self.slots = {"save-preset": self.save, "manage-presets": self.manage}
        menu.aboutToShow.connect(partial(self.list_in, menu))

    def list_in(self, menu: QMenu) -> None:
        """List the presets of the user at the end of a menu."""
        for action in self._listed:
            menu.removeAction(action)
            action.deleteLater()
        presets = saved_presets()
        self._listed = [menu.addSection("Your presets")] if presets else []
        possible = self._session.state.ready and self._session.state.has_original
        for preset in presets:
            action = QAction(preset.name.replace("&", "&&"), menu, enabled=possible)
            action.triggered.connect(partial(self._use, preset))
            menu.addAction(action)
            self._listed.append(action)

    def save(self) -> None:
        """Ask for a name, and save the goal and the settings under it."""
        name = dialogs.ask_name(self._window, "Save as preset", "Name of the preset:", "")
        if name is None:
            return
        try:
            preset = preset_from(self._session.state, name)
            if self._may_replace(preset):
                save_preset(preset)
                text = f"Saved the preset {preset.name}. On the command line: --preset {_quoted(preset.name)}"
                self._messages.show_message("info", text)
        except PcaImageError as error:
            self._messages.show_message("error", str(error))

    def manage(self) -> None:
        """Show the dialog of presets."""
        from pcaimage.gui.presets_dialog import PresetsDialog  # noqa: PLC0415 - made when it is shown

        dialogs.open_once(PresetsDialog(self._preferences, self._window))

    def _may_replace(self, preset: Preset) -> bool:
        if preset.name.casefold() not in {each.name.casefold() for each in saved_presets()}:
            return True
        text = f"There is a preset “{preset.name}” already. Replace it?"
        return dialogs.ask_sure(self._window, "Replace preset", text, "Replace")

    def _use(self, preset: Preset) -> None:
        self._session.request(UseOwnPreset(preset))


def _quoted(name: str) -> str:
    return name if name.isalnum() else f'"{name}"'
