"""ENVI cubes: a text header next to a file of raw values."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.envi_header import MAX_HEADER_BYTES, EnviHeader, format_header, parse_header
from pcaimage.imaging.cubes.raw import RawArray, check_values, load, reading_for
from pcaimage.imaging.disk.atomic import atomic_write, atomic_write_bytes, exists_error
from pcaimage.imaging.image.contents import Contents, Reading
from pcaimage.imaging.image.decoded import Decoded
from pcaimage.mapped import check_unchanged
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from pcaimage.imaging.image.contents import ReadAs
    from pcaimage.imaging.image.limits import Limits
    from pcaimage.imaging.image.stream import ImageStream

HEADER_SUFFIX = ".hdr"
DATA_SUFFIXES = ("", ".img", ".raw", ".dat", ".bsq", ".bil", ".bip", ".bin", ".envi", ".cube")
"""Extensions of the value file that a header may have."""


def find_envi(path: Path) -> tuple[Path, Path] | None:
    """Return the header and the values (possibly missing) of a cube, given either of them."""
    if path.suffix.lower() == HEADER_SUFFIX:
        return path, _values_beside(path)
    if path.suffix.lower() in DATA_SUFFIXES:
        for header in (Path(f"{path}{HEADER_SUFFIX}"), path.with_suffix(HEADER_SUFFIX)):
            if header.is_file():
                return header, path
    return None


def _values_beside(header: Path) -> Path:
    # cube.img.hdr belongs to cube.img, cube.hdr to cube, cube.img, cube.raw ...
    stem = header.with_suffix("")
    places = [stem.with_name(stem.name + suffix) for suffix in DATA_SUFFIXES]
    places += [stem.with_name(stem.name + suffix.upper()) for suffix in DATA_SUFFIXES[1:]]
    return next((place for place in places if place.is_file()), stem.with_name(f"{stem.name}.img"))


def envi_contents(header_path: Path, values: Path) -> Contents:
    """Return the contents of an ENVI cube: bands by default, or a stack of them."""
    header, raw, readings = _open(header_path, values)
    return Contents(
        name=values.name,
        format="ENVI",
        shape=header.shape,
        dtype=header.dtype.name,
        readings=readings,
        bands=header.info,
        file_size=_size(header_path) + _size(values),
        mappable=raw.mappable,
    )


def read_envi(header_path: Path, values: Path, reading: Reading, limits: Limits) -> Decoded:
    """Read an ENVI cube; the values of a large one stay in their file."""
    header, raw, _ = _open(header_path, values)
    with values.open("rb") as file:
        pixels = load(file, values, raw, reading, limits, values.name)
    return Decoded(pixels, bands=header.info.fitted(reading.shape[-1]))


def _open(header_path: Path, values: Path) -> tuple[EnviHeader, RawArray, tuple[Reading, ...]]:
    if _size(header_path) > MAX_HEADER_BYTES:
        raise ImageError(f"{header_path.name} is too large for a header; is it the file of values?")
    header = parse_header(header_path.read_bytes(), header_path.name)
    if not values.is_file():
        raise ImageError(
            f"The values of {header_path.name} are missing: {values.name} (or .raw, .dat, .bsq, .bil, .bip) "
            "must stand beside it."
        )
    raw = RawArray(header.shape, header.dtype, header.offset)
    check_values(raw.dtype, raw.shape, header_path.name)
    kinds: tuple[ReadAs, ...] = ("bands", "stack") if header.bands > 1 else ("image",)
    return header, raw, tuple(reading_for(raw.shape, header.axes, kind) for kind in kinds)


def _size(path: Path) -> int:
    return path.stat().st_size


def envi_values(header: Path) -> Path:
    """Return the path of the values that belong to a written header.

    Parameters
    ----------
    header : Path
        The header, ending in .hdr.

    Returns
    -------
    Path
        The file beside it that ends in .img.
    """
    return header.with_suffix(".img")


def write_envi(
    path: str | os.PathLike[str],
    image: ImageStream,
    progress: Progress = no_progress,
    *,
    overwrite: bool = False,
) -> None:
    """Write an image as an ENVI cube, band after band (BSQ), little-endian.

    The values are written to a file of the same name that ends in .img, before the header. Alpha, colour
    profile and EXIF block are not stored. If writing the header fails, the values remain.
    """
    target = Path(path)
    values = envi_values(target)
    if target.exists() and not overwrite:
        raise exists_error(target.name)
    dtype = image.dtype.newbyteorder("<")
    header = EnviHeader(image.width, image.height, image.channels, dtype, "bsq", 0, image.bands)

    def write(file: BinaryIO) -> None:
        plane = image.height * image.width * dtype.itemsize
        file.truncate(plane * image.channels)
        start = 0
        with closing(image.strips) as strips:
            for rows in strips:
                for band in range(image.channels):
                    file.seek(band * plane + start * image.width * dtype.itemsize)
                    file.write(np.ascontiguousarray(rows[..., band], dtype).data)
                start += len(rows)
                progress(start, image.height)
        if image.source is not None:
            check_unchanged(image.source)

    atomic_write(values, write, overwrite=overwrite)
    atomic_write_bytes(target, format_header(header), overwrite=overwrite)
