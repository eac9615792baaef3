"""Folders of images, read as a stack or as the bands of one image."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.image.bands import BY_BAND, BandInfo
from pcaimage.imaging.image.contents import Contents, Reading
from pcaimage.imaging.image.formats import SUFFIXES
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.limits import Limits
from pcaimage.imaging.image.source import natural_key
from pcaimage.imaging.reading.read_file import probe, read_file

_BAND: Final = re.compile(r"(?:^|[^a-z])(?:b|band|ch|channel)[ _-]?\d{1,3}[a-z]?$")
_WAVELENGTH: Final = re.compile(r"(\d{2,5}(?:\.\d+)?) ?nm(?![a-z])")


def images_in(folder: Path) -> list[Path]:
    """List the images in a folder in natural order, without hidden files; ImageError if there are none."""
    try:
        files = [
            entry
            for entry in folder.iterdir()
            if entry.suffix.lower() in SUFFIXES and not entry.name.startswith(".") and entry.is_file()
        ]
    except OSError as error:
        raise ImageError(f"The folder {folder.name or folder} may not be read.") from error
    if not files:
        raise ImageError(f"The folder {folder.name or folder} has no images in it.")
    return sorted(files, key=lambda file: natural_key(file.name))


def folder_contents(folder: Path) -> Contents:
    """Return the contents of a folder, from its first image and the names of all.

    It is a stack; grey images may also be bands, which is the default if their names say so (``B04``,
    ``band_3``, ``655nm``). Other grey images are ambiguous.
    """
    files = images_in(folder)
    first = probe(files[0])
    shape = (len(files), first.height, first.width, first.channels)
    readings: tuple[Reading, ...] = (Reading("stack", "NYXC", shape),)
    grey = (first.channels, first.has_alpha, first.frames) == (1, False, 1) and len(files) > 1
    stems = [file.stem.lower() for file in files]
    named = grey and any(all(map(pattern.search, stems)) for pattern in (_BAND, _WAVELENGTH))
    if grey:
        bands = Reading("bands", "CYX", (first.height, first.width, len(files)))
        readings = (bands, *readings) if named else (*readings, bands)
    return Contents(
        name=folder.name,
        format="FOLDER",
        shape=shape,
        dtype=first.dtype,
        readings=readings,
        ambiguous=grey and not named,
        has_alpha=first.has_alpha,
        bands=_info_from_names(files) if named else BandInfo(),
    )


def read_bands(files: Sequence[Path], limits: Limits, name: str) -> Image:
    """Read grey images of equal size, in the order given, as the bands of one image.

    Names and wavelengths are those stored in the files or else those in the files' names; profile, nodata
    value and georeferencing are the first file's. ImageError names a file that cannot be read, is not grey,
    or differs from the first; ImageTooLargeError is raised before memory is allocated.
    """
    first = probe(files[0])
    limits.check(first.width, first.height, first.bytes_per_pixel * len(files), name=name)
    start = _band(files[0], limits)
    pixels = np.empty((*start.pixels.shape[:2], len(files)), start.pixels.dtype)
    found: list[BandInfo] = []
    for index, file in enumerate(files):
        band = start if index == 0 else _band(file, limits)
        if band.pixels.shape != start.pixels.shape or band.pixels.dtype != start.pixels.dtype:
            raise ImageError(
                f"All bands must be alike, but {file.name} is {band.width} x {band.height} pixels of "
                f"{band.pixels.dtype}, and {files[0].name} is {start.width} x {start.height} of "
                f"{start.pixels.dtype}."
            )
        pixels[..., index] = band.pixels[..., 0]
        found.append(band.bands)
    info = replace(
        _prefer_stored(_info_from_names(files), found),
        nodata=start.bands.nodata,
        tags=start.bands.tags,
        fields=start.bands.fields,
    )
    start = replace(start, exif=None, xmp=None, iptc=None)
    return replace(start, pixels=pixels, name=name, format="FOLDER", file_size=None, bands=info)


def _prefer_stored(info: BandInfo, found: Sequence[BandInfo]) -> BandInfo:
    """Prefer the files' own band metadata where every file has them, else keep those from their names."""
    lists: dict[str, tuple[Any, ...]] = {
        name: tuple(item for each in found for item in getattr(each, name)) for name in BY_BAND
    }
    stored: dict[str, Any] = {name: items for name, items in lists.items() if len(items) == len(found)}
    units, value_units = {each.unit for each in found}, {each.value_unit for each in found}
    if len(units) > 1:
        stored.pop("wavelengths", None)
    unit = units.pop() if "wavelengths" in stored else info.unit
    return replace(info, unit=unit, value_unit=value_units.pop() if len(value_units) == 1 else "", **stored)


def _band(file: Path, limits: Limits) -> Image:
    image = read_file(file, limits)
    if image.is_stack or image.channels != 1 or image.alpha is not None:
        raise ImageError(f"{file.name} is not a band: a band is one grey image without transparency.")
    return image


def _info_from_names(files: Sequence[Path]) -> BandInfo:
    """Return the metadata in the files' names; a prefix that all share is not part of a band's name."""
    stems = [file.stem for file in files]
    alike = [len(set(letters)) == 1 for letters in zip(*stems, strict=False)]
    shared = [*alike, False].index(False) if len(stems) > 1 else 0
    while shared and any(stem[shared - 1].isalnum() for stem in stems):
        shared -= 1
    found = [_WAVELENGTH.search(stem.lower()) for stem in stems]
    waves = tuple(float(match[1]) for match in found if match)
    waves = waves if len(waves) == len(stems) else ()
    names = tuple(stem[shared:] or stem for stem in stems)
    return BandInfo(names=names, wavelengths=waves, unit="nm" if waves else "")
