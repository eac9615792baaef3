"""The commands about the program itself: colour scheme, preferences, help and full screen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from pcaimage.gui.about import show_about
from pcaimage.gui.commands.help import show_keyboard_help
from pcaimage.gui.preferences_dialog import edit_preferences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtGui import QAction

    from pcaimage.gui.preferences import Preferences, Wishes
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.theme import Scheme, Theme


class ProgramCommands(QObject):
    """Changes how the program looks and behaves; `show_again` shows the present state in other units."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        preferences: Preferences,
        theme: Theme,
        actions: Mapping[str, QAction],
        show_again: Callable[[], None],
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._preferences = window, session, preferences
        self._theme, self._actions, self._show_again = theme, actions, show_again
        self.slots: dict[str, Callable[[], object]] = {
            "quit": window.close,
            "preferences": self.edit_preferences,
            "keyboard-help": partial(show_keyboard_help, window),
            "about": partial(show_about, window),
            "theme-system": partial(self.set_scheme, "system"),
            "theme-light": partial(self.set_scheme, "light"),
            "theme-dark": partial(self.set_scheme, "dark"),
        }
        """The actions that it carries out, by name."""
        actions["full-screen"].toggled.connect(self.set_full_screen)
        actions[f"theme-{theme.scheme}"].setChecked(True)

    def set_scheme(self, scheme: Scheme) -> None:
        """Use a colour scheme from now on."""
        self._theme.set_scheme(scheme)
        self._preferences.scheme = scheme

    def edit_preferences(self) -> None:
        """Show the preferences; changes there hold at once."""
        edit_preferences(self._window, self._preferences, self._theme, self._follow_wishes)

    def set_full_screen(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        """Fill the screen with the window, or not."""
        state = self._window.windowState()
        full = Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | full if on else state & ~full)

    def _follow_wishes(self, wishes: Wishes) -> None:
        self._actions[f"theme-{wishes.scheme}"].setChecked(True)
        self._session.prefer(wishes.choice)
        self._session.limits = wishes.limits
        self._show_again()
