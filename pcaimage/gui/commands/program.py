"""The commands about the program itself: colours of window and screen, preferences, help, full screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from pcaimage.errors import ImageError
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.dialogs import open_once
from pcaimage.gui.messages import MessageBar
from pcaimage.gui.preferences import PreferenceValues
from pcaimage.gui.screen.profile import SRGB, SYSTEM, ScreenPlace, find_profile, system_profile
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.slow_disks import PATIENCE, answer_within
from pcaimage.gui.theme import Scheme, Theme

_SILENT: tuple[bytes | None, str] = (None, "The file of the screen profile cannot be reached.")


def _tried(find: Callable[[], bytes | None]) -> tuple[bytes | None, str]:
    try:
        return find(), ""
    except ImageError as error:
        return None, str(error)


class ScreenProfile(QObject):
    """Finds the profile of the window's screen, and tells `use` when it is another; None stands for sRGB.

    The setting is that of the preferences. Messages say when a file that was chosen cannot be used.
    """

    def __init__(
        self,
        window: QWidget,
        setting: str,
        messages: MessageBar,
        use: Callable[[bytes | None], object],
        ask_system: Callable[[ScreenPlace], bytes | None] = system_profile,
    ) -> None:
        super().__init__(window)
        self._window, self._setting, self._messages = window, setting, messages
        self._use, self._ask_system = use, ask_system

    def follow(self) -> None:
        """Look the profile up, and again whenever the shown window is moved to another screen."""
        self._window.windowHandle().screenChanged.connect(lambda _: self._look_up())
        self._look_up()

    def choose(self, setting: str) -> None:
        """Use another profile from now on."""
        if setting != self._setting:
            self._setting = setting
            self._look_up()

    def _look_up(self) -> None:
        ask = partial(find_profile, self._setting, partial(self._ask_system, self._place()))
        if self._setting in (SYSTEM, SRGB):
            found = ask()
        else:
            # The file may be on a disk that does not answer.
            found, complaint = answer_within(PATIENCE, partial(_tried, ask), otherwise=_SILENT)
            if complaint:
                self._messages.show_message("warning", f"{complaint} Colours are shown as sRGB.")
        self._use(found)

    def _place(self) -> ScreenPlace:
        screen = self._window.screen()
        centre, window = screen.geometry().center(), int(self._window.winId())
        return ScreenPlace(QGuiApplication.platformName(), screen.name(), centre.x(), centre.y(), window)


class ProgramCommands(Commands):
    """Changes the look of the program, and shows its dialogs; `show` shows a state, perhaps in new units."""

    def __init__(
        self,
        context: CommandContext,
        theme: Theme,
        screen: ScreenProfile,
        show: Callable[[SessionState], None],
    ) -> None:
        super().__init__(context)
        self._theme, self._screen, self._show = theme, screen, show
        window, actions = context.window, context.actions
        self.slots = {
            "quit": window.close,
            "preferences": self.edit_preferences,
            "keyboard-help": self.show_keys,
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

    def show_keys(self) -> None:
        """Show the list of all keys."""
        from pcaimage.gui.commands.help import show_keyboard_help  # noqa: PLC0415 - as below

        show_keyboard_help(self._window)

    def show_about(self) -> None:
        """Show the program's version, and those of its libraries."""
        from pcaimage.gui.commands.help import AboutDialog  # noqa: PLC0415 - as below

        open_once(AboutDialog(self._window))

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
        self._show(self._session.state)
