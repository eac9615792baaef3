"""The preferences, recent files and window layout, which outlive the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from PySide6.QtCore import QByteArray, QSettings

from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.panel_view import METHODS
from pcaimage.gui.theme import Scheme
from pcaimage.imaging import ReadAs
from pcaimage.imaging.limits import Limits
from pcaimage.insight.formatting import Units

if TYPE_CHECKING:
    from collections.abc import Collection

    from PySide6.QtWidgets import QMainWindow, QSplitter

MOST_RECENT = 10

FEWEST_PIXELS, MOST_PIXELS = 1_000_000, 100_000_000_000
FEWEST_BYTES, MOST_BYTES = 100_000_000, 1_000_000_000_000
"""Limits between which the largest image may be set."""


@dataclass(frozen=True)
class Wishes:
    """The preferences that the user can choose; the defaults are those of a first start."""

    scheme: Scheme = "system"
    units: Units = Units.DECIMAL
    """The units of file sizes."""
    choice: Choice = field(default_factory=Choice)
    """How images are fitted at first."""
    limits: Limits = field(default_factory=Limits)
    """The largest image that is opened."""
    planes: ReadAs | None = None
    """What the planes of files are that do not say it; None to be asked."""


class Preferences:
    """A typed front of Qt's settings; what is missing or makes no sense has a default."""

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
    def units(self) -> Units:
        """The units of file sizes."""
        found = str(self._settings.value("window/units", Units.DECIMAL))
        return Units(found) if found in set(Units) else Units.DECIMAL

    @units.setter
    def units(self, units: Units) -> None:
        self._settings.setValue("window/units", str(units))

    @property
    def limits(self) -> Limits:
        """The largest image that is opened; what the environment says until something is chosen."""
        usual = Limits.default()
        pixels = self._number("files/most-pixels", FEWEST_PIXELS, MOST_PIXELS)
        n_bytes = self._number("files/most-bytes", FEWEST_BYTES, MOST_BYTES)
        return Limits(pixels or usual.max_pixels, n_bytes or usual.max_bytes)

    @limits.setter
    def limits(self, limits: Limits) -> None:
        usual = Limits.default()
        self._set_unless("files/most-pixels", limits.max_pixels, usual.max_pixels)
        self._set_unless("files/most-bytes", limits.max_bytes, usual.max_bytes)

    @property
    def wishes(self) -> Wishes:
        """All that is chosen for good."""
        return Wishes(self.scheme, self.units, self.choice, self.limits, self.planes)

    @wishes.setter
    def wishes(self, wishes: Wishes) -> None:
        self.scheme, self.units = wishes.scheme, wishes.units
        self.choice, self.limits, self.planes = wishes.choice, wishes.limits, wishes.planes

    @property
    def planes(self) -> ReadAs | None:
        """The reading of files that do not say what their planes are; None to ask each time."""
        return cast("ReadAs | None", self.kept("open/planes", "", get_args(ReadAs)) or None)

    @planes.setter
    def planes(self, planes: ReadAs | None) -> None:
        self.keep("open/planes", planes or "")

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
        """Method, block size, standardisation and whitening that were used last."""
        method = str(self._settings.value("compress/method", Choice.method))
        try:
            choice = Choice(
                method if method in METHODS and method != "stack" else Choice.method,
                int(str(self._settings.value("compress/block", 8))),
                str(self._settings.value("compress/standardize", "false")) == "true",
            )
            if str(self._settings.value("compress/mnf", "false")) == "true":
                choice = choice.changed(mnf=True)
            choice.sampling()
        except ValueError:
            return Choice()
        return choice

    @choice.setter
    def choice(self, choice: Choice) -> None:
        self._settings.setValue("compress/method", choice.method)
        self._settings.setValue("compress/block", choice.block)
        self._settings.setValue("compress/standardize", "true" if choice.standardize else "false")
        self._settings.setValue("compress/mnf", "true" if choice.mnf else "false")

    @property
    def recent(self) -> list[str]:
        """Paths that were opened, the newest first; those that are gone are left out."""
        found = self._settings.value("files/recent", [])
        paths = [found] if isinstance(found, str) else list(cast("list[str]", found or []))
        return [path for path in paths if Path(path).exists()]

    def remember(self, path: str) -> None:
        """Put a path in front of the recent ones."""
        others = [other for other in self.recent if other != path]
        self._settings.setValue("files/recent", [path, *others][:MOST_RECENT])

    def model_path(self, basis: str) -> Path | None:
        """Return where the model with some id was last.

        Returns
        -------
        Path or None
            None if it was never used, or is there no more.
        """
        found = str(self._settings.value(f"models/{basis}", ""))
        return Path(found) if found and Path(found).is_file() else None

    def remember_model(self, basis: str, path: Path) -> None:
        """Remember where a model is."""
        self._settings.setValue(f"models/{basis}", str(path.absolute()))

    def forget_recent(self) -> None:
        """Forget which files were opened, and which models were used."""
        self._settings.remove("files/recent")
        self._settings.remove("models")

    def kept(self, name: str, default: str, among: Collection[str] = ()) -> str:
        """Return something that a part of the window asked to keep."""
        found = str(self._settings.value(f"kept/{name}", default))
        return found if not among or found in among else default

    def keep(self, name: str, value: str) -> None:
        """Keep something for a part of the window."""
        self._settings.setValue(f"kept/{name}", value)

    def forget_kept(self) -> None:
        """Forget what parts of the window asked to keep, and where the window was."""
        self._settings.remove("kept")
        self._settings.remove("window/geometry")
        for name in self._settings.allKeys():
            if isinstance(self._settings.value(name), QByteArray):
                self._settings.remove(name)

    def _number(self, name: str, least: int, most: int) -> int | None:
        found = str(self._settings.value(name, ""))
        known = found.isascii() and found.isdigit() and least <= int(found) <= most
        return int(found) if known else None

    def _set_unless(self, name: str, value: int, usual: int) -> None:
        """Keep a number only where it is not the usual one, so that the environment still counts."""
        if value == usual:
            self._settings.remove(name)
        else:
            self._settings.setValue(name, str(value))

    def save_window(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> None:
        """Remember where a window is and how it is divided."""
        self._settings.setValue("window/geometry", window.saveGeometry())
        for name, splitter in splitters.items():
            self._settings.setValue(f"window/{name}", splitter.saveState())

    def restore_window(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> bool:
        """Put a window where it was."""
        geometry = self._settings.value("window/geometry")
        for name, splitter in splitters.items():
            state = self._settings.value(f"window/{name}")
            if isinstance(state, QByteArray):
                splitter.restoreState(state)
        return isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)
