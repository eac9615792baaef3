"""Shows pictures in the colours of the screen that the window is on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from pcaimage.errors import ImageError
from pcaimage.gui.messages import MessageBar
from pcaimage.gui.screen.profile import SRGB, SYSTEM, find_profile
from pcaimage.gui.screen.system_profile import ScreenPlace, system_profile
from pcaimage.gui.slow_disks import PATIENCE, answer_within

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
