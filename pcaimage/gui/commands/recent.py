"""The menu of files that were opened or saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu

from pcaimage.gui.commands.build import fill_submenu
from pcaimage.gui.preferences import Preferences


class RecentMenu:
    """Keeps a submenu in step with what is remembered."""

    def __init__(self, menu: QMenu, preferences: Preferences, open_path: Callable[[str], None]) -> None:
        self._menu, self._preferences, self._open = menu, preferences, open_path
        # Files come and go while the program runs; those that are gone are not offered.
        menu.aboutToShow.connect(self.refresh)
        self.refresh()

    def remember(self, path: str) -> None:
        """Put a path in front of the others."""
        self._preferences.remember(path)
        self.refresh()

    def forget(self) -> None:
        """Forget all paths."""
        self._preferences.forget_recent()
        self.refresh()

    def refresh(self) -> None:
        """Offer what is there."""
        entries: list[tuple[str, Callable[[], None]]] = [
            (path, partial(self._open, path)) for path in self._preferences.recent
        ]
        if entries:
            entries.append(("Clear", self.forget))
        fill_submenu(self._menu, entries)
