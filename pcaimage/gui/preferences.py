"""What is remembered from one start to the next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from PySide6.QtCore import QByteArray, QSettings

from pcaimage.gui.choice import Choice
from pcaimage.gui.panel_view import METHODS
from pcaimage.gui.theme import Scheme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow, QSplitter

MOST_RECENT = 10


class Preferences:
    """A typed front of Qt's settings; what is missing or makes no sense has a default.

    Parameters
    ----------
    settings : QSettings
        Where things are kept.
    """

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def scheme(self) -> Scheme:
        """The colour scheme that was chosen."""
        found = self._settings.value("window/scheme", "system")
        return cast("Scheme", found) if found in get_args(Scheme) else "system"

    @scheme.setter
    def scheme(self, scheme: Scheme) -> None:
        self._settings.setValue("window/scheme", scheme)

    @property
    def folder(self) -> str:
        """The folder that was used last; the home folder at first."""
        found = Path(str(self._settings.value("files/folder", "")))
        return str(found if found.is_dir() and found != Path() else Path.home())

    @folder.setter
    def folder(self, folder: str) -> None:
        self._settings.setValue("files/folder", folder)

    @property
    def choice(self) -> Choice:
        """Method, block size and standardisation that were used last."""
        method = str(self._settings.value("compress/method", Choice.method))
        try:
            choice = Choice(
                method if method in METHODS and method != "stack" else Choice.method,
                int(str(self._settings.value("compress/block", 8))),
                str(self._settings.value("compress/standardize", "false")) == "true",
            )
            choice.sampling()
        except ValueError:
            return Choice()
        return choice

    @choice.setter
    def choice(self, choice: Choice) -> None:
        self._settings.setValue("compress/method", choice.method)
        self._settings.setValue("compress/block", choice.block)
        self._settings.setValue("compress/standardize", "true" if choice.standardize else "false")

    @property
    def recent(self) -> list[str]:
        """Paths that were opened, the newest first; those that are gone are left out."""
        found = self._settings.value("files/recent", [])
        paths = [found] if isinstance(found, str) else list(cast("list[str]", found or []))
        return [path for path in paths if Path(path).exists()]

    def remember(self, path: str) -> None:
        """Put a path in front of the recent ones.

        Parameters
        ----------
        path : str
            What was opened or saved.
        """
        others = [other for other in self.recent if other != path]
        self._settings.setValue("files/recent", [path, *others][:MOST_RECENT])

    def forget_recent(self) -> None:
        """Forget which files were opened."""
        self._settings.remove("files/recent")

    def save_window(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> None:
        """Remember where a window is and how it is divided.

        Parameters
        ----------
        window : QMainWindow
            The window.
        splitters : dict of str to QSplitter
            Its divisions, by name.
        """
        self._settings.setValue("window/geometry", window.saveGeometry())
        for name, splitter in splitters.items():
            self._settings.setValue(f"window/{name}", splitter.saveState())

    def restore_window(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> bool:
        """Put a window where it was.

        Parameters
        ----------
        window : QMainWindow
            The window.
        splitters : dict of str to QSplitter
            Its divisions, by name.

        Returns
        -------
        bool
            False if it is the first time.
        """
        geometry = self._settings.value("window/geometry")
        for name, splitter in splitters.items():
            state = self._settings.value(f"window/{name}")
            if isinstance(state, QByteArray):
                splitter.restoreState(state)
        return isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)
