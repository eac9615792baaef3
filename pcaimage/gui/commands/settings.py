"""What menus and keys do to the settings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.presets import PRESETS
from pcaimage.gui.session.requests import Keep, LeaveOut, UsePreset

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QAbstractSpinBox

    from pcaimage.gui.window import MainWindow


class SettingCommands(QObject):
    """Connects the actions that change how an image is compressed.

    Parameters
    ----------
    window : MainWindow
        The window.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        session, keep = window.session, window.panel.keep
        slots: dict[str, Callable[[], object]] = {
            "undo": session.undo,
            "redo": session.redo,
            "fewer": partial(self.step_components, -1),
            "more": partial(self.step_components, 1),
            "fewer-10": partial(self.step_components, -10),
            "more-10": partial(self.step_components, 10),
            "copy-command": self.copy_command,
            "put-back": lambda: session.request(LeaveOut(frozenset())),
            "target-variance": partial(self._type_into, keep.variance),
            "target-psnr": partial(self._type_into, keep.psnr),
            "target-ssim": partial(self._type_into, keep.ssim),
            "target-size": partial(self._type_into, keep.size_field),
        }
        for name in PRESETS:
            slots[f"preset-{name}"] = partial(session.request, UsePreset(name))
        window.connect_actions(slots)

    def step_components(self, by: int) -> None:
        """Keep a few components more or fewer.

        Parameters
        ----------
        by : int
            How many more.
        """
        self._session.request(Keep(self._session.state.setting.k + by))

    def copy_command(self) -> None:
        """Copy the command line that does what saving does."""
        command = command_for(self._session.state)
        if command is not None:
            QGuiApplication.clipboard().setText(command)
            self._window.messages.show_message("info", f"On the clipboard: {command}")

    def _type_into(self, field: QAbstractSpinBox) -> None:
        self._window.actions_by_name["show-panel"].setChecked(True)
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.selectAll()
