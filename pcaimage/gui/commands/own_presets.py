"""The commands that change how the image is compressed, and the user's own presets, with their dialog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6 import QtWidgets
from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from pcaimage.api import Preset, delete_preset, read_preset, save_preset, saved_presets, write_preset
from pcaimage.errors import PcaImageError
from pcaimage.gui import dialogs
from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.own_presets import preset_from
from pcaimage.gui.session.requests import LeaveOut, Move, UseOwnPreset, UsePreset
from pcaimage.gui.session.targets import PRESETS
from pcaimage.language import Own


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
            action = QAction(Own(preset.name.replace("&", "&&")), menu, enabled=possible)
            action.triggered.connect(partial(self._session.request, UseOwnPreset(preset)))
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
                quoted = preset.name if preset.name.isalnum() else f'"{preset.name}"'
                text = f"Saved the preset {preset.name}. On the command line: --preset {quoted}"
                self._messages.show_message("info", text)
        except PcaImageError as error:
            self._messages.show_message("error", str(error))

    def manage(self) -> None:
        """Show the dialog of presets."""
        dialogs.open_once(PresetsDialog(self._preferences, self._window))

    def _may_replace(self, preset: Preset) -> bool:
        if preset.name.casefold() not in {each.name.casefold() for each in saved_presets()}:
            return True
        text = f"There is a preset “{preset.name}” already. Replace it?"
        return dialogs.ask_sure(self._window, "Replace preset", text, "Replace")


_SIZE = 460, 340
_EMPTY = "There are no presets of your own yet; Save as Preset… in the Presets menu makes one."
_ABOUT = "The command line takes them by name: pcaimage encode IN OUT.pcai --preset NAME"
_NAMES = 3  # imported presets that a note names


class PresetsDialog(QtWidgets.QDialog):
    """Lists the user's own presets; a double click or F2 renames one."""

    def __init__(self, preferences: Preferences, parent: QtWidgets.QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._presets: list[Preset] = []
        self.setWindowTitle("Presets")
        self.list = QtWidgets.QListWidget()
        self.list.setAccessibleName("Your presets")
        keys = (
            QtWidgets.QAbstractItemView.EditTrigger.EditKeyPressed
            | QtWidgets.QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.list.setEditTriggers(keys)
        self.note = QtWidgets.QLabel(wordWrap=True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)  # a name may look like markup
        acts: dict[str, Callable[[], object]] = {
            "&Rename": self.rename,
            "&Delete": self.delete,
            "&Export…": self.export,
            "&Import…": self.import_files,
        }
        self.buttons = {text: QtWidgets.QPushButton(text) for text in acts}
        for text, act in acts.items():
            self.buttons[text].setAutoDefault(False)
            self.buttons[text].clicked.connect(lambda _=False, act=act: act())
        row = hbox((self.list, 1), vbox(*self.buttons.values(), FREE))
        close = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        vbox((row, 1), self.note, close, of=self, margins=16, spacing=12)
        self.list.itemChanged.connect(self._renamed)
        self.list.currentRowChanged.connect(lambda _: self._enable())
        self.refresh()
        dialogs.fit_to_screen(self, QSize(*_SIZE))

    @property
    def chosen(self) -> Preset | None:
        """The preset whose row is current."""
        row = self.list.currentRow()
        return self._presets[row] if 0 <= row < len(self._presets) else None

    def refresh(self, name: str = "") -> None:
        """List the presets again; the one of a name becomes current."""
        self._presets = saved_presets()
        with QSignalBlocker(self.list):
            self.list.clear()
            for preset in self._presets:
                item = QtWidgets.QListWidgetItem(Own(preset.name))
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                self.list.addItem(item)
        names = [preset.name for preset in self._presets]
        self.list.setCurrentRow(names.index(name) if name in names else 0)
        self.note.setText(_ABOUT if names else _EMPTY)
        self._enable()

    def rename(self) -> None:
        """Edit the name of the current preset in its row."""
        item = self.list.currentItem()
        if item is not None:
            self.list.editItem(item)

    def delete(self) -> None:
        """Forget the current preset, after a question."""
        preset = self.chosen
        if preset is None:
            return
        if dialogs.ask_sure(self, "Delete preset", f"Delete the preset “{preset.name}”?", "Delete"):
            self._try(lambda: delete_preset(preset.name))

    def export(self) -> None:
        """Write the current preset into a file for others."""
        preset, folder = self.chosen, self._preferences.folder
        if preset is None:
            return
        path = dialogs.ask_write(self, folder, "Export preset", preset.name, {"Preset": ".json"})
        if path is not None and self._try(lambda: write_preset(path, preset), preset.name):
            self._preferences.folder = str(path.parent)
            self.note.setText(f"Exported {path.name}.")

    def import_files(self) -> None:
        """Import presets from files; one of the same name is replaced only after a question."""
        taken: list[str] = []
        for path in dialogs.ask_presets(self, self._preferences.folder):
            self._preferences.folder = str(Path(path).parent)
            try:
                preset = read_preset(path)
                if self._may_replace(preset):
                    save_preset(preset)
                    taken.append(preset.name)
            except PcaImageError as error:
                self.refresh()
                self.note.setText(str(error))
                return
        if taken:
            self.refresh(taken[-1])
            more = f" and {len(taken) - _NAMES} more" if len(taken) > _NAMES else ""
            self.note.setText(f"Imported {', '.join(taken[:_NAMES])}{more}.")

    def _may_replace(self, preset: Preset) -> bool:
        if preset.name.casefold() not in {each.name.casefold() for each in self._presets}:
            return True
        text = f"There is a preset “{preset.name}” already. Replace it?"
        return dialogs.ask_sure(self, "Replace preset", text, "Replace")

    def _renamed(self, item: QtWidgets.QListWidgetItem) -> None:
        preset, name = self._presets[self.list.row(item)], item.text().strip()
        others = {each.name.casefold() for each in self._presets if each is not preset}
        if name == preset.name:
            return
        if name.casefold() in others:
            self.refresh(preset.name)
            self.note.setText(f"There is a preset “{name}” already.")
            return

        def rename() -> None:
            save_preset(replace(preset, name=name))
            if name.casefold() != preset.name.casefold():  # else it took the other's place
                delete_preset(preset.name)

        self._try(rename, name)

    def _try(self, act: Callable[[], None], name: str = "") -> bool:
        """Act, list the presets again, and say what went wrong, if anything did."""
        try:
            act()
        except PcaImageError as error:
            self.refresh(name)
            self.note.setText(str(error))
            return False
        self.refresh(name)
        return True

    def _enable(self) -> None:
        for text, button in self.buttons.items():
            button.setEnabled(text == "&Import…" or self.chosen is not None)
