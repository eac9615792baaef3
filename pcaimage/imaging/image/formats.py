"""The formats that images are written in, and their capabilities."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pcaimage.choices import WRITABLE, listed
from pcaimage.errors import ImageError, SettingsError
from pcaimage.machine.folders import tables

if TYPE_CHECKING:
    from pcaimage.imaging.image.image import ImageStream

Q = TypeVar("Q", int, float)


@dataclass(frozen=True)
class Format:
    """The capabilities of a format."""

    name: str  # Pillow's, unless it is another way to write a format's files
    suffixes: tuple[str, ...]  # of files' names, the usual one first
    alpha: bool = True
    deep: bool = False  # whether it stores 16 bits
    bands: bool = False  # whether it stores other numbers of channels than one and three
    profile: bool = True
    exif: bool = True
    grey: bool = True  # if not, grey is written as RGB
    quality: int | None = None  # by default; None for lossless
    max_quality: int = 0  # 0 if there is none
    fineness: int = 1  # of qualities: the number of them from one whole one to the next
    max_side: int = 2**31 - 1  # in pixels
    of: str = ""  # the name of the format whose files it writes in another way
    title: str = ""  # that people use, such as ``"JPEG 2000"``; by default the name

    @property
    def kind(self) -> str:
        """Pillow's name of the files."""
        return self.of or self.name

    @property
    def lossless(self) -> bool:
        """Whether it keeps every pixel, but for colours that are fully transparent."""
        return not self.max_quality and self.name not in ("PNG-256", "GIF")

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name)


JXL_MODULE = "pillow_jxl"  # the module of pillow-jxl-plugin, by which Pillow reads and writes JPEG XL

_READ = tables("files.json")
FORMATS, VARIANTS, ARRAY_FORMATS = (
    tuple[Format, ...](Format(**each | {"suffixes": tuple(each["suffixes"])}) for each in _READ[kind])
    for kind in ("formats", "variants", "arrays")
)
"""Formats of pictures; other ways to write their files: without loss, with colours of full resolution, or few
of them; and formats of numbers rather than pictures."""
SEVERAL = ("ENVI", "OME-Zarr")  # formats of several files each

GIF = Format("GIF", (".gif",), profile=False, exif=False, max_side=65_535)
"""Written for animations only: a still image would lose most of its colours."""

SUFFIXES = frozenset(each for known in FORMATS for each in known.suffixes) | {*_READ["more endings"]}
"""Extensions of the files in a folder that count as images."""

RAWS = (".arw", ".cr2", ".dng", ".nef", ".nrw", ".pef", ".raf", ".srw")
"""Extensions of camera raws whose picture is read; in a folder they often stand beside it."""

SIGNED = ("TIFF", "ENVI", "NPY", "NPZ", "OME-Zarr")  # formats that store signed and real numbers
STACKS = ("TIFF", "NPY", "NPZ", "OME-Zarr")  # formats that store several images
ANIMATIONS = ("GIF", "WEBP", "WEBP-LOSSLESS", "PNG")  # several images with their durations
MAX_TIFF_SAMPLES = 65_535  # largest number of bands in a TIFF, which stores it in 16 bits
OPTIONAL = {"AVIF": "avif", "JPEG 2000": "jpg_2000", "WebP": "webp"}
"""Formats that a build of Pillow may lack, and Pillow's feature names for them."""


def title_of(name: str) -> str:
    """Return the name that people use of a format that Pillow or the program names so."""
    return next((each.title for each in (*FORMATS, *VARIANTS) if each.name == name), name)


def format_named(name: str) -> Format:
    """Return the format of a name or extension, such as ``"PNG"``, ``"jpeg"``, ``".jpg"`` or ``"tif"``."""
    wanted = name.strip().lower().removeprefix(".")
    for known in (*FORMATS, *ARRAY_FORMATS, GIF, *VARIANTS):
        if wanted == known.name.lower() or f".{wanted}" in known.suffixes:
            return known
    what = (
        f"{name!r} is not a format that images can be saved in" if name else "The file's name has no ending"
    )
    raise ImageError(f"{what}; use {listed(WRITABLE)}, for animations also .gif.")


def format_of_path(path: str | os.PathLike[str]) -> Format:
    """Return the format of a file name's extension; ImageError if images are not written in it."""
    return format_named(Path(path).suffix)


def envi_values(header: Path) -> Path:
    """Return the path of the values that belong to a header that is written."""
    return header.with_suffix(".img")


def files_of(written: Path) -> list[Path]:
    """Return the files of an image that was written."""
    if written.is_dir():
        return [each for each in written.rglob("*") if each.is_file()]
    return [written, *([envi_values(written)] if written.suffix.lower() == ".hdr" else [])]


def _that_can(**wanted: bool) -> str:
    names = [f.name for f in FORMATS if all(getattr(f, key) == value for key, value in wanted.items())]
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def obstacle(  # noqa: PLR0911 - one for each obstacle
    target: Format, shape: Sequence[int], dtype: np.dtype[Any], *, alpha: bool, timed: bool = False
) -> str | None:
    """Return a sentence that tells why a format cannot store an image without loss; None if it can.

    After a semicolon it names formats that can. The shape of a stack is (N, H, W, C); one that is `timed` is
    an animation.
    """
    kind, name, channels = dtype, target.name, shape[-1]
    height, width = shape[-3:-1]
    if timed and name not in (*STACKS, *ANIMATIONS):
        return f"{name} cannot hold an animation of {shape[0]:,} frames; save it as GIF, WEBP or PNG."
    if len(shape) == 4 and name not in STACKS and not timed:
        return f"{name} cannot hold a stack of {shape[0]} images; save it as TIFF."
    if name == "GIF" and not timed:
        return "GIF is written only for animations; save the image as PNG."
    if channels not in (1, 3) and not target.bands:
        return f"{name} cannot hold {channels} bands; save the image as TIFF."
    if name == "TIFF" and channels + alpha > MAX_TIFF_SAMPLES:
        return f"TIFF cannot hold {channels} bands; save the image as ENVI or NPY."
    if kind.kind != "u" and name not in SIGNED:
        return f"{name} cannot hold values of type {kind}; save the image as TIFF."
    if kind.itemsize > 1 and not target.deep:
        return f"{name} cannot hold 16 bits a channel; save the image as {_that_can(deep=True)}."
    if alpha and not target.alpha:
        return f"{name} cannot hold transparency; save the image as {_that_can(alpha=True)}."
    if max(width, height) > target.max_side:
        return (
            f"{name} cannot hold {width:,} x {height:,} pixels, "
            f"at most {target.max_side:,} a side; save the image as PNG or TIFF."
        )
    return None


def check_fits(image: ImageStream, target: Format) -> None:
    """Refuse an image that a format cannot store without loss, naming formats that can."""
    alpha, timed = image.alpha is not None, image.timing is not None
    if reason := obstacle(target, image.shape, image.dtype, alpha=alpha, timed=timed):
        raise ImageError(reason)


def resolve_quality(target: Format, quality: Q | None) -> Q | int | None:
    """Return the quality to encode with, by default the format's own; None for lossless."""
    if quality is None or not target.max_quality:
        return target.quality if target.max_quality else None
    if not 1 <= quality <= target.max_quality:
        raise SettingsError(f"The quality of {target.name} must be 1 to {target.max_quality}, not {quality}.")
    if quality * target.fineness % 1:
        raise SettingsError(
            f"Qualities of {target.name} are {1 / target.fineness:g} apart; {quality} lies between two."
        )
    return quality


def supported_formats() -> dict[str, str]:
    """Return the library version behind each optional format; empty where Pillow was built without it."""
    from PIL import features  # noqa: PLC0415 - the formats' names are asked for more often

    return {
        name: (features.version(feature) or "built in") if features.check(feature) else ""
        for name, feature in OPTIONAL.items()
    }
