"""The preferences, recent files and window layout, stored in Qt's settings."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Generic, TypeVar, get_args

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow, QSplitter

from pcaimage.gui.screen.profile import SYSTEM
from pcaimage.gui.session.choice import METHODS, Choice
from pcaimage.gui.session.opening import Way
from pcaimage.gui.slow_disks import PATIENCE, answer_within
from pcaimage.gui.theme import Scheme
from pcaimage.imaging import ReadAs
from pcaimage.imaging.image.limits import Limits
from pcaimage.insight.formatting import Units
from pcaimage.language import LANGUAGES
from pcaimage.typed import as_type

MOST_RECENT = 10

FEWEST_PIXELS, MOST_PIXELS = 1_000_000, 100_000_000_000
FEWEST_BYTES, MOST_BYTES = 100_000_000, 1_000_000_000_000  # the range of the limits on the largest image


@dataclass(frozen=True)
class PreferenceValues:
    """The values of all preferences; the defaults are those of a first start."""

    scheme: Scheme = "system"
    units: Units = Units.DECIMAL  # the units of file sizes
    choice: Choice = field(default_factory=Choice)  # the fit that new images begin with
    limits: Limits = field(default_factory=Limits)  # the largest image that is opened
    several: Way | None = None  # the reading of several images that are opened at once; None to ask
    screen: str = SYSTEM
    """The profile of the screen: :data:`~pcaimage.gui.screen.profile.SYSTEM`, ``SRGB``, or a file's path."""
    language: str = ""  # one of :data:`~pcaimage.language.LANGUAGES`; empty for that of the system


V = TypeVar("V")


class _OneOf(Generic[V]):
    """A preference that is one of some values, each stored as its text."""

    def __init__(self, key: str, default: V, values: Collection[V]) -> None:
        self._key, self._default, self._values = key, default, {str(value): value for value in values}

    def __get__(self, owner: Preferences, _: object) -> V:
        return self._values.get(str(owner._settings.value(self._key, "")), self._default)  # noqa: SLF001

    def __set__(self, owner: Preferences, value: V) -> None:
        owner._settings.setValue(self._key, "" if value is None else str(value))  # noqa: SLF001


class Preferences:
    """A typed interface to Qt's settings; missing and invalid values are replaced by defaults."""

    scheme = _OneOf[Scheme]("window/scheme", "system", get_args(Scheme))  # the colour scheme that was chosen
    units = _OneOf("window/units", Units.DECIMAL, tuple(Units))  # the units of file sizes
    language = _OneOf("window/language", "", ("", *LANGUAGES))  # empty for that of the system
    planes = _OneOf[ReadAs | None]("kept/open/planes", None, get_args(ReadAs))
    """The reading of planes that may be bands or images which was chosen last; None for the likely one."""
    several = _OneOf[Way | None]("kept/open/several", None, get_args(Way))
    """The reading of several images that are opened at once; None to ask each time."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def limits(self) -> Limits:
        """The largest image that is opened; by default from the environment."""
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
    def values(self) -> PreferenceValues:
        """The values of all preferences."""
        return PreferenceValues(**{each.name: getattr(self, each.name) for each in fields(PreferenceValues)})

    @values.setter
    def values(self, values: PreferenceValues) -> None:
        for each in fields(values):
            setattr(self, each.name, getattr(values, each.name))

    @property
    def screen(self) -> str:
        """The profile of the screen; by default that of the system."""
        return self.kept("screen/profile", SYSTEM) or SYSTEM

    @screen.setter
    def screen(self, screen: str) -> None:
        self.keep("screen/profile", screen)

    @property
    def folder(self) -> str:
        """The folder that was used last; the home folder at first."""
        found = str(self._settings.value("files/folder", ""))
        is_there = bool(found) and answer_within(PATIENCE, Path(found).is_dir, otherwise=False)
        return found if is_there else str(Path.home())

    @folder.setter
    def folder(self, folder: str) -> None:
        self._settings.setValue("files/folder", folder)

    @property
    def choice(self) -> Choice:
        """The method, block size, standardisation, whitening, effort and tune used last."""
        with suppress(ValueError):
            choice: Choice = as_type(Choice, json.loads(str(self._settings.value("compress/choice", ""))))
            if choice.method in METHODS and choice.method != "stack":
                return choice
        return Choice()

    @choice.setter
    def choice(self, choice: Choice) -> None:
        self._settings.setValue("compress/choice", json.dumps(asdict(choice.usual)))

    @property
    def recent(self) -> list[str]:
        """The paths of the recent files, the newest first; some may be gone."""
        found = self._settings.value("files/recent", [])
        paths = found if isinstance(found, list) else [found]
        return [path for path in paths if isinstance(path, str) and path][:MOST_RECENT]

    def remember(self, path: str, *, without: Collection[str] = ()) -> None:
        """Put a path at the front of the recent files, and drop those that it is kept `without`."""
        others = [other for other in self.recent if other != path and other not in without]
        self._settings.setValue("files/recent", [path, *others][:MOST_RECENT])

    def model_path(self, basis: str) -> Path | None:
        """Return where the model with some id was used last; None if it was not, or is gone."""
        found = str(self._settings.value(f"models/{basis}", ""))
        is_there = bool(found) and answer_within(PATIENCE, Path(found).is_file, otherwise=False)
        return Path(found) if is_there else None

    def remember_model(self, basis: str, path: Path) -> None:
        """Remember the path of a model."""
        self._settings.setValue(f"models/{basis}", str(path.absolute()))

    def forget_recent(self) -> None:
        """Forget the recent files and the paths of models."""
        self._settings.remove("files/recent")
        self._settings.remove("models")

    def kept(self, name: str, default: str, among: Collection[str] = ()) -> str:
        """Return a value stored by a part of the window, or a default if it is not `among` the valid ones."""
        found = str(self._settings.value(f"kept/{name}", default))
        return found if not among or found in among else default

    def keep(self, name: str, value: str) -> None:
        """Store a value for a part of the window."""
        self._settings.setValue(f"kept/{name}", value)

    def _number(self, name: str, least: int, most: int) -> int | None:
        found = str(self._settings.value(name, ""))
        # Python refuses to convert thousands of digits.
        known = found.isascii() and found.isdigit() and len(found) <= len(str(most))
        return int(found) if known and least <= int(found) <= most else None

    def _set_unless(self, name: str, value: int, usual: int) -> None:
        """Store a number unless it is the default, so that the environment still applies."""
        if value == usual:
            self._settings.remove(name)
        else:
            self._settings.setValue(name, str(value))

    def save_window(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> None:
        """Store the geometry and the splitters of a window."""
        self._settings.setValue("window/geometry", window.saveGeometry())
        for name, splitter in splitters.items():
            self._settings.setValue(f"window/{name}", splitter.saveState())

    def restore_window(self, window: QMainWindow, splitters: dict[str, QSplitter]) -> bool:
        """Restore the geometry and the splitters of a window; False if no geometry was stored."""
        geometry = self._settings.value("window/geometry")
        for name, splitter in splitters.items():
            state = self._settings.value(f"window/{name}")
            if isinstance(state, QByteArray):
                splitter.restoreState(state)
        return isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)
