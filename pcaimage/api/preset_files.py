"""Files of presets: those of this user, found by name, and others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pcaimage.api.presets import BUILT_IN, Preset
from pcaimage.errors import PcaImageError, SettingsError
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.machine.folders import settings_folder

if TYPE_CHECKING:
    import os

SUFFIX = ".json"
_MOST_BYTES = 100_000
_LETTERS = 40
"""Number of letters of a preset's name used in its file name, which may have at most 255 bytes."""


def saved_presets() -> list[Preset]:
    """Return this user's presets by name, skipping files that are not presets."""
    return sorted(_found().values(), key=lambda preset: preset.name.casefold())


def known_presets() -> list[Preset]:
    """Return this user's presets, and those of every installation."""
    return [*saved_presets(), *BUILT_IN]


def preset_called(name: str) -> Preset:
    """Return this user's preset of a name, or a built-in one; SettingsError, which lists all, if none."""
    presets = known_presets()
    for preset in presets:
        if preset.name.casefold() == name.strip().casefold():
            return preset
    names = ", ".join(preset.name for preset in presets)
    raise SettingsError(f"There is no preset {name!r}; there are {names}, and files that end in {SUFFIX}.")


def read_preset(path: str | os.PathLike[str]) -> Preset:
    """Return the preset in a file; SettingsError if it cannot be read, or is not a preset."""
    source = Path(path)
    try:
        with source.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not allowed"
        raise SettingsError(f"The preset {source.name} cannot be read: {reason}.") from error
    try:
        text = data.decode("utf-8-sig") if len(data) <= _MOST_BYTES else ""
    except UnicodeDecodeError as error:
        raise SettingsError(f"{source.name} is not a preset of pcaimage.") from error
    return Preset.from_json(text, source.name)


def preset_of(wanted: str) -> Preset:
    """Return the preset that a user requests: by the path of a file that ends in ``.json``, or by name."""
    return read_preset(wanted) if wanted.lower().endswith(SUFFIX) else preset_called(wanted)


def write_preset(path: str | os.PathLike[str], preset: Preset) -> None:
    """Write a preset into a file, replacing one that exists; ImageError if it cannot be written."""
    atomic_write_bytes(path, preset.to_json().encode(), overwrite=True)


def save_preset(preset: Preset) -> None:
    """Store a preset for this user, replacing one of the same name.

    SettingsError if a built-in preset has the name, ImageError if it cannot be written.
    """
    if preset.name.casefold() in {each.name.casefold() for each in BUILT_IN}:
        raise SettingsError(f"{preset.name} is the name of a built-in preset; choose another.")
    found = {each.name.casefold(): path for path, each in _found().items()}
    write_preset(found.get(preset.name.casefold()) or _new_path(preset.name), preset)


def delete_preset(name: str) -> None:
    """Delete this user's presets of a name; SettingsError if that is not permitted."""
    for path, preset in _found().items():
        if preset.name.casefold() == name.casefold():
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise SettingsError(f"The preset {name} cannot be deleted: {error.strerror}.") from error


def _folder() -> Path:
    return settings_folder() / "presets"


def _found() -> dict[Path, Preset]:
    """Return this user's presets by their files."""
    found: dict[Path, Preset] = {}
    try:
        paths = sorted(_folder().glob(f"*{SUFFIX}"))
    except OSError:
        return found
    for path in paths:
        try:
            found[path] = read_preset(path)
        except PcaImageError:
            continue  # not a preset of this version
    return found


def _new_path(name: str) -> Path:
    """Return the path of a file that does not exist yet, in a folder that does."""
    try:
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"Presets cannot be saved: {error.strerror or error}.") from error
    stem = "preset " + re.sub(r"[^\w -]", "_", name)[:_LETTERS].strip()
    number, path = 1, folder / f"{stem}{SUFFIX}"
    while path.exists():
        number += 1
        path = folder / f"{stem} {number}{SUFFIX}"
    return path
