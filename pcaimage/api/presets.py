"""Presets: named settings of a compression, which the window and the command line share, and their files."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pcaimage.codec import Basis, Effort, Settings, Tune
from pcaimage.errors import PcaImageError, SettingsError
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.machine.folders import settings_folder
from pcaimage.sampling import SAMPLINGS, Lapped, Sampling, sampling_named
from pcaimage.typed import as_type

KIND, VERSION = "pcaimage preset", 1
"""Identification in a preset's JSON; the version increases when older programs would misread it."""

MOST_LETTERS = 60  # largest length of a name

_AMOUNTS = ("k", "variance", "psnr", "ssim", "size", "bits", "lossless")
_LARGEST = 1e15
_COLOURS = 3  # number of channels per pixel that `bits` covers; more channels get proportionally more


@dataclass(frozen=True)
class Preset:
    """Named settings of a compression; SettingsError if they contradict each other, or the name is invalid.

    Fields are those of :class:`~pcaimage.codec.Settings` unless they say otherwise; of the amounts to keep
    (k, variance, psnr, ssim, size, lossless, bits) at most one is given.
    """

    name: str  # case is ignored
    method: str | None = None  # by default what suits an image
    block: int | None = None
    basis: str = "auto"
    standardize: bool = False
    mnf: bool = False
    max_error: float | None = None
    k: int | None = None
    variance: float | None = None
    psnr: float | None = None
    ssim: float | None = None
    size: int | None = None
    bits: float | None = None  # the largest size in bits per pixel of one to three channels
    step: float | None = None  # on a scale of 255; without k for photos alone, others get the amount
    lossless: bool = False
    tune: str = "auto"
    effort: str | None = None  # by default the program's

    def __post_init__(self) -> None:
        check_name(self.name)
        if self.method is not None and self.method not in SAMPLINGS:
            raise SettingsError(f"The method is one of {', '.join(SAMPLINGS)}; {self.method!r} is none.")
        if self.block is not None and self.method != "blocks":
            raise SettingsError("Only the method blocks has a block size.")
        given = [name for name in _AMOUNTS if getattr(self, name)]
        if len(given) > 1:
            raise SettingsError(f"A preset keeps one of {' and '.join(given)}, not both.")
        if self.bits is not None and not 0 < self.bits < math.inf:
            raise SettingsError(f"bits must be positive; {self.bits:g} is not.")
        # Its own checks raise an error with a sentence.
        others = ("basis", "tune", "standardize", "mnf", "max_error")
        values = {name: getattr(self, name) for name in (*_AMOUNTS, *others) if name != "bits"}
        if self.effort is not None:
            values["effort"] = self.effort
        Settings(self.sampling, **values)
        if self.step is not None:
            Settings(step=self.step)

    @property
    def sampling(self) -> Sampling | None:
        """The kind of samples; None if it depends on the image."""
        return None if self.method is None else sampling_named(self.method, self.block)

    def completed(self, settings: Settings) -> Settings:
        """Return settings with the preset's method and its options, unless they name a method."""
        if settings.sampling is not None:
            return settings
        effort = settings.effort
        return replace(
            settings,
            sampling=self.sampling,
            basis=settings.basis if settings.basis != Basis.AUTO else Basis(self.basis),
            tune=settings.tune if settings.tune != Tune.AUTO else Tune(self.tune),
            effort=Effort(self.effort or effort) if effort == Effort.STANDARD else effort,
            standardize=settings.standardize or self.standardize,
            mnf=settings.mnf or self.mnf,
        )

    def applied(
        self, settings: Settings, shape: Sequence[int], dtype: np.dtype[Any], peak: float = 255
    ) -> Settings:
        """Return settings with the preset's amount, unless they specify an amount themselves.

        The shape is that of the pixels, (H, W, C) or (N, H, W, C); the peak is what errors are relative to,
        unless the settings have a white.
        """
        named = (settings.k, settings.variance, settings.psnr, settings.ssim, settings.size, settings.step)
        if settings.lossless or settings.max_error is not None or any(each is not None for each in named):
            return settings
        photo = isinstance(settings.sampling_for(tuple(shape), dtype.name), Lapped)
        white = peak if settings.white is None or dtype != np.uint16 else settings.white
        step = None if self.step is None else self.step * white / 255
        if photo and step is not None and self.k is None:
            return replace(settings, step=step)
        amounts = {name: getattr(self, name) for name in (*_AMOUNTS, "max_error") if name != "bits"}
        if self.bits is not None:
            amounts["size"] = bytes_of(self.bits, shape)
        return replace(settings, **amounts, step=step if self.k is not None else None)

    def to_json(self) -> str:
        """Return the preset as JSON."""
        usual = Preset(self.name)
        values = {key: value for key, value in asdict(self).items() if value != getattr(usual, key)}
        return json.dumps({KIND: VERSION, "name": self.name, **values}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, source: str) -> Preset:
        """Return the preset in a JSON text, which messages call `source`.

        SettingsError if it is not a preset, or one of a newer version.
        """
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SettingsError(f"{source} is not a preset of pcaimage.") from error
        if not isinstance(found, dict) or KIND not in found:
            raise SettingsError(f"{source} is not a preset of pcaimage.")
        if found.pop(KIND) != VERSION:
            raise SettingsError(f"{source} is a preset of another version of pcaimage.")
        try:
            preset: Preset = as_type(cls, found, {int: _sensible, float: _sensible})
        except SettingsError as error:
            raise SettingsError(f"{source}: {error}") from error
        except ValueError as error:
            raise SettingsError(f"{source} is no preset: {error}.") from error
        return preset


def _sensible(number: float) -> float:
    # Neither NaN nor what overflows in arithmetic.
    if not abs(number) < _LARGEST:
        raise ValueError("is too large")
    return number


def check_name(name: str) -> None:
    """Raise SettingsError with a sentence if a name is invalid for a preset."""
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise SettingsError("The name of a preset is a word or a few, without line breaks.")
    if len(name) > MOST_LETTERS:
        raise SettingsError(f"The name of a preset has at most {MOST_LETTERS} letters.")
    if name.lower().endswith(".json"):
        raise SettingsError("The name of a preset does not end in .json, for it would be taken for a file.")


def bytes_of(bits: float, shape: Sequence[int]) -> int:
    """Return the size in bytes of an image at a number of bits per pixel of one to three channels."""
    return max(1, int(math.prod(shape[:-1]) * bits * max(1.0, shape[-1] / _COLOURS) / 8))


BUILT_IN = (
    Preset("small", step=72.0, bits=0.35),
    Preset("balanced", step=25.5, psnr=36.0),
    Preset("like the original", step=9.0, psnr=42.0),
    Preset("lossless", lossless=True),
)
"""The presets of every installation: those with buttons of their own in the window, and lossless."""


SUFFIX, _FOLDER = ".json", "presets"
_MOST_BYTES = 100_000
_LETTERS = 40  # number of letters of a preset's name used in its file name, which may have at most 255 bytes


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


def _found() -> dict[Path, Preset]:
    """Return this user's presets by their files."""
    found: dict[Path, Preset] = {}
    try:
        paths = sorted((settings_folder() / _FOLDER).glob(f"*{SUFFIX}"))
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
        folder = settings_folder() / _FOLDER
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"Presets cannot be saved: {error.strerror or error}.") from error
    stem = "preset " + re.sub(r"[^\w -]", "_", name)[:_LETTERS].strip()
    number, path = 1, folder / f"{stem}{SUFFIX}"
    while path.exists():
        number += 1
        path = folder / f"{stem} {number}{SUFFIX}"
    return path
