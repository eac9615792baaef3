"""The commands about the program itself: colour scheme, preferences, help and full screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.help import show_keyboard_help
from pcaimage.gui.commands.screen_profile import ScreenProfile
from pcaimage.gui.preferences import PreferenceValues
from pcaimage.gui.theme import Scheme, Theme


class ProgramCommands(Commands):
    """Changes the look of the program, and shows its dialogs; `show_again` refreshes the window."""

    def __init__(
        self,
        context: CommandContext,
        theme: Theme,
        screen: ScreenProfile,
        show_again: Callable[[], None],
    ) -> None:
        super().__init__(context)
        self._theme, self._screen, self._show_again = theme, screen, show_again
        window, actions = context.window, context.actions
        self.slots = {
            "quit": window.close,
            "preferences": self.edit_preferences,
            "keyboard-help": partial(show_keyboard_help, window),
            "about": self.show_about,
            "theme-system": partial(self.set_scheme, "system"),
            "theme-light": partial(self.set_scheme, "light"),
            "theme-dark": partial(self.set_scheme, "dark"),
        }
        actions["full-screen"].toggled.connect(self.set_full_screen)
        actions[f"theme-{theme.scheme}"].setChecked(True)

    def set_scheme(self, scheme: Scheme) -> None:
        """Use a colour scheme from now on."""
        self._theme.set_scheme(scheme)
        self._preferences.scheme = scheme

    def show_about(self) -> None:
        """Show the program's version, and those of its libraries."""
        from pcaimage.gui.about import show_about  # noqa: PLC0415 - as below

        show_about(self._window)

    def edit_preferences(self) -> None:
        """Show the preferences, whose changes apply at once."""
        from pcaimage.gui.preferences_dialog import edit_preferences  # noqa: PLC0415 - made when it is shown

        edit_preferences(self._window, self._preferences, self._theme, self._apply_values)

    def set_full_screen(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        """Switch full screen on or off."""
        state = self._window.windowState()
        full = Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | full if on else state & ~full)

    def _apply_values(self, values: PreferenceValues) -> None:
        self._actions[f"theme-{values.scheme}"].setChecked(True)
        self._session.prefer(values.choice)
        self._session.limits = values.limits
        self._screen.choose(values.screen)
        self._show_again()
