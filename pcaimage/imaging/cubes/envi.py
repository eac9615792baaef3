"""ENVI cubes: a text header next to a file of raw values.

The `spectral` package is not used: a header is a few lines of text, while the package brings its own
arrays, display and warnings, and trusts a header before it looks at the file.

References
----------
ENVI Header Files, NV5 Geospatial Software documentation.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.raw import RawArray
from pcaimage.imaging.cubes.variables import Variables, only
from pcaimage.imaging.disk.atomic import atomic_write, atomic_write_bytes, exists_error
from pcaimage.imaging.georeference.geo import with_fields
from pcaimage.imaging.image.bands import BandInfo, unit_of
from pcaimage.imaging.image.formats import envi_values
from pcaimage.imaging.image.image import ImageStream
from pcaimage.machine.folders import tables
from pcaimage.machine.mapped import check_unchanged
from pcaimage.progress import Progress, no_progress

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


@contextmanager
def open_envi(header_path: Path, values: Path) -> Iterator[Variables]:
    """Open a cube, of bands by default, or a stack of them; its values are read within the context."""
    if header_path.stat().st_size > MAX_HEADER_BYTES:
        raise ImageError(f"{header_path.name} is too large for a header; is it the file of values?")
    header = parse_header(header_path.read_bytes(), header_path.name)
    if not values.is_file():
        raise ImageError(
            f"The values of {header_path.name} are missing: {values.name} (or .raw, .dat, .bsq, .bil, .bip) "
            "must stand beside it."
        )
    raw = RawArray(header.shape, header.dtype, header.offset)
    with values.open("rb") as file:
        yield Variables("ENVI", (only(raw, header.axes, file, values, values.name, header.info),))


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


_TABLES: Final = tables("files.json")["envi"]
MAX_HEADER_BYTES: Final = 1 << 22
MAX_SIDE: Final = 1 << 31

_TYPES: Final[dict[int, str]] = {int(code): kind for code, kind in _TABLES["types"].items()}
_CODES: Final = {"uint8": 1, "int16": 2, "float32": 4, "uint16": 12}
_AXES: Final = {"bsq": "CYX", "bil": "YCX", "bip": "YXC"}
_UNIT_NAMES: Final = {"nm": "Nanometers", "µm": "Micrometers"}
_READ: Final = frozenset(_TABLES["fields"])
"""Fields that are not kept verbatim: they describe the file, or are represented otherwise."""

_CONTROLS: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that a line-based header cannot contain; surrogates cannot be encoded."""


@dataclass(frozen=True)
class EnviHeader:
    """The fields of an ENVI header; `offset` counts bytes, and `dtype` has the values' byte order."""

    samples: int
    lines: int
    bands: int
    dtype: np.dtype[Any]
    interleave: str = "bsq"
    offset: int = 0
    info: BandInfo = field(default_factory=BandInfo)

    @property
    def axes(self) -> str:
        """A letter for each axis of the stored array, in order."""
        return _AXES[self.interleave]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the stored array."""
        sides = {"Y": self.lines, "X": self.samples, "C": self.bands}
        return tuple(sides[axis] for axis in self.axes)


def parse_header(data: bytes, name: str) -> EnviHeader:
    """Parse an ENVI header; ImageError if it is none, or a field is missing or invalid.

    Lists by band that have the wrong length, or contain anything but numbers where numbers are due, are
    ignored.
    """
    text = data.decode("utf-8", "replace").lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.lstrip().startswith("ENVI"):
        raise ImageError(f"{name} is not an ENVI header: it does not begin with the word ENVI.")
    found = dict(_fields(text))
    if "spectral library" in found.get("file type", "").lower():
        raise ImageError(f"{name} describes a library of spectra, not an image.")
    if found.get("file compression", "0").strip() not in ("", "0"):
        raise ImageError(f"{name} describes a compressed file; save the cube uncompressed.")
    interleave = found.get("interleave", "bsq").lower()
    if interleave not in _AXES:
        raise ImageError(f"{name} names the interleave {interleave[:40]!r}; it must be bsq, bil or bip.")
    bands = _whole(found, "bands", name, low=1, default=1)
    return EnviHeader(
        samples=_whole(found, "samples", name, low=1),
        lines=_whole(found, "lines", name, low=1),
        bands=bands,
        dtype=_dtype(found, name),
        interleave=interleave,
        offset=_whole(found, "header offset", name, default=0),
        info=_info(found).fitted(bands),
    )


def format_header(header: EnviHeader) -> bytes:
    """Return a header as the bytes of its file."""
    info = header.info
    order = 1 if header.dtype.str.startswith(">") else 0
    lines = [
        "ENVI",
        f"samples = {header.samples}",
        f"lines = {header.lines}",
        f"bands = {header.bands}",
        f"header offset = {header.offset}",
        "file type = ENVI Standard",
        f"data type = {_CODES[header.dtype.name]}",
        f"interleave = {header.interleave}",
        f"byte order = {order}",
    ]
    if info.wavelengths:
        lines.append(f"wavelength units = {_UNIT_NAMES.get(info.unit) or _plain(info.unit) or 'Unknown'}")
    lines += [
        f"{key} = {{{', '.join(map(str, values))}}}"
        for key, values in (
            ("wavelength", info.wavelengths),
            ("fwhm", info.widths),
            ("data gain values", info.scales),
            ("data offset values", info.offsets),
            ("band names", [_plain(band) for band in info.names]),
            ("default bands", [band + 1 for band in info.shown]),
        )
        if values
    ]
    if info.nodata is not None:
        lines.append(f"data ignore value = {info.nodata:.17g}")
    if info.value_unit:
        lines.append(f"data units = {_plain(info.value_unit)}")
    lines += [f"{key} = {text}" for key, text in with_fields(info) if _is_field(key, text)]
    return ("\n".join(lines) + "\n").encode()


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of fields; lists in braces may span several lines."""
    lines = iter(text.split("\n"))
    for line in lines:
        key, equals, value = line.partition("=")
        if not equals or line.lstrip().startswith(";"):
            continue
        parts = [value.strip()]
        if parts[0].startswith("{"):
            while "}" not in parts[-1]:
                following = next(lines, None)
                if following is None:
                    break
                parts.append(following.strip())
        yield " ".join(key.lower().split()), "\n".join(parts)


def _is_field(key: str, text: str) -> bool:
    """Return whether a field is text, and survives being written and read."""
    if _CONTROLS.search(key + text.replace("\n", " ")):
        return False
    return list(_fields(f"{key} = {text}")) == [(key, text)] and key not in _READ


def _plain(text: str) -> str:
    """Return a band's name or a unit without control characters and those that delimit lists."""
    return " ".join(re.sub(r"[{},]", " ", _CONTROLS.sub(" ", text)).split())


def _dtype(found: dict[str, str], name: str) -> np.dtype[Any]:
    code = _whole(found, "data type", name)
    if code not in _TYPES:
        raise ImageError(f"{name} has the data type {code}, which ENVI does not define.")
    order = _whole(found, "byte order", name, default=0)
    if order > 1:
        raise ImageError(f"{name} has the byte order {order}; it must be 0 or 1.")
    return np.dtype((">" if order else "<") + _TYPES[code])


def _whole(found: dict[str, str], key: str, name: str, *, low: int = 0, default: int | None = None) -> int:
    text = found.get(key, "")
    if not text and default is not None:
        return default
    if not text:
        raise ImageError(f"{name} does not say {key!r}, without which the cube cannot be read.")
    if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) < MAX_SIDE):
        said = " ".join(_CONTROLS.sub(" ", text[:40]).split())
        raise ImageError(f"{name} says {key} = {said}; it must be a whole number of at least {low}.")
    return int(text)


def _info(found: dict[str, str]) -> BandInfo:
    shown = [int(text) - 1 for text in _list(found, "default bands") if text.isascii() and text.isdigit()]
    ignored = _numbers([found.get("data ignore value", "")])
    wavelengths = _numbers(_list(found, "wavelength"), finite=True)
    return BandInfo(
        names=tuple(_list(found, "band names")),
        wavelengths=wavelengths,
        widths=_numbers(_list(found, "fwhm"), finite=True),
        unit=unit_of(found.get("wavelength units", "")) if wavelengths else "",
        nodata=ignored[0] if ignored else None,
        shown=tuple(shown),
        scales=_numbers(_list(found, "data gain values"), finite=True),
        offsets=_numbers(_list(found, "data offset values"), finite=True),
        value_unit=found.get("data units", ""),
        fields=tuple((key, text) for key, text in found.items() if key not in _READ and text),
    )


def _list(found: dict[str, str], key: str) -> list[str]:
    text = found.get(key, "")
    inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    return [" ".join(each.split()) for each in inner.split(",")] if inner.strip() else []


def _numbers(texts: list[str], *, finite: bool = False) -> tuple[float, ...]:
    """Return the numbers, or nothing if one of the texts is not a number."""
    try:
        values = tuple(float(text) for text in texts)
    except ValueError:
        return ()
    return () if finite and not all(math.isfinite(value) for value in values) else values
