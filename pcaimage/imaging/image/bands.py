"""Metadata of an image's bands, and its serialisation in files.

The bytes that :meth:`BandInfo.to_bytes` returns are specified in ``docs/bands.md``.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from pcaimage.errors import DataError
from pcaimage.machine.folders import tables
from pcaimage.typed import as_type, types_of

VERSION: Final = 1  # first byte of the serialised metadata
MAX_BYTES: Final = 1 << 24  # bytes of the decompressed text: a damaged file must not take more memory

_UNITS: Final[dict[str, list[str]]] = tables("files.json")["units"]
_NANOMETRES: Final = {"nm": 1.0, "µm": 1000.0}

GDAL_METADATA: Final = 42112  # the tag by which GDAL says what it likes of bands, by their numbers

BY_BAND: Final = ("names", "wavelengths", "widths", "scales", "offsets")
"""Fields of :class:`BandInfo` that have an entry for each band."""


@dataclass(frozen=True)
class Tag:
    """A TIFF tag, kept verbatim."""

    code: int  # such as 33550 (ModelPixelScale)
    kind: int  # field type as in TIFF 6.0 section 2, such as 12 (DOUBLE)
    count: int  # of values
    value: bytes  # little-endian


@dataclass(frozen=True)
class BandInfo:
    """Metadata of an image's bands, and its georeferencing.

    Whatever is unknown is empty. A list by band has one entry for each band, or none at all.
    """

    names: tuple[str, ...] = ()  # by band
    wavelengths: tuple[float, ...] = ()  # the centre of each band, in `unit`
    widths: tuple[float, ...] = ()  # full width at half maximum of each band, in `unit`
    unit: str = ""  # of the wavelengths: nm, µm, empty where unknown, otherwise as the file says
    nodata: float | None = None  # marks pixels that were not measured; may be NaN
    shown: tuple[int, ...] = ()  # bands shown first, counted from 0: red, green and blue, or one for grey
    tags: tuple[Tag, ...] = ()  # of a GeoTIFF, verbatim
    fields: tuple[tuple[str, str], ...] = ()  # others of an ENVI header, verbatim, such as ``map info``
    scales: tuple[float, ...] = ()  # by band, value = scale × number + offset; empty stands for 1
    offsets: tuple[float, ...] = ()  # by band; empty stands for 0
    value_unit: str = ""  # of these values, as the file says

    def __bool__(self) -> bool:
        """Return whether anything is known."""
        return any(getattr(self, each.name) not in ((), "", None) for each in fields(self))

    def check(self, bands: int) -> None:
        """Raise DataError for lists of another length, infinite numbers, and bands that are not there."""
        for what, entries in self._by_band.items():
            if entries and len(entries) != bands:
                raise DataError(f"The image has {bands} bands, but {len(entries)} {what} of bands are given.")
        if not all(map(math.isfinite, (*self.wavelengths, *self.widths, *self.scales, *self.offsets))):
            raise DataError("Wavelengths of bands, widths, scales and offsets must be finite numbers.")
        if not all(0 <= band < bands for band in self.shown):
            raise DataError(f"Bands {self.shown} do not exist in an image with {bands} bands.")

    def fitted(self, bands: int) -> BandInfo:
        """Return what fits an image, and passes :meth:`check`, since files are not always consistent."""
        wrong: dict[str, Any] = {name: () for name, entries in self._by_band.items() if len(entries) != bands}
        kept = replace(self, **wrong)
        shown = self.shown if all(0 <= band < bands for band in self.shown) else ()
        return replace(kept, unit=self.unit if kept.wavelengths else "", shown=shown)

    def of(self, bands: Sequence[int]) -> BandInfo:
        """Return what is known of some bands; what GDAL says of each by its number is left out."""
        lists: dict[str, Any] = {
            name: tuple(found[band] for band in bands) for name in BY_BAND if (found := getattr(self, name))
        }
        lists["shown"] = tuple(map(bands.index, self.shown)) if set(self.shown) <= set(bands) else ()
        return replace(self, tags=tuple(tag for tag in self.tags if tag.code != GDAL_METADATA), **lists)

    @property
    def _by_band(self) -> dict[str, tuple[object, ...]]:
        return {name: getattr(self, name) for name in BY_BAND}

    @property
    def scale(self) -> float:
        """The largest scale of a band, without its sign."""
        return max(map(abs, self.scales), default=1.0)

    def physical(self, *numbers: float) -> tuple[float, float]:
        """Return the least and the largest value that numbers stand for in any band."""
        count = len(self.scales or self.offsets or (1,))
        pairs = zip(self.scales or (1.0,) * count, self.offsets or (0.0,) * count, strict=True)
        values = [scale * number + offset for scale, offset in pairs for number in numbers]
        return min(values), max(values)

    @property
    def nanometres(self) -> tuple[float, ...]:
        """The wavelengths in nanometres; empty where they or their unit are not known."""
        factor = _NANOMETRES.get(self.unit)
        return tuple(factor * value for value in self.wavelengths) if factor else ()

    def to_bytes(self) -> bytes:
        """Serialise the metadata to be stored in a file; empty if nothing is known."""
        if not self:
            return b""
        text: dict[str, Any] = {
            each.name: value
            for each in fields(self)
            if each.name not in ("nodata", "tags") and (value := getattr(self, each.name))
        }
        if self.nodata is not None:
            text["nodata"] = self.nodata if math.isfinite(self.nodata) else str(self.nodata)
        if self.tags:
            text["tags"] = [[t.code, t.kind, t.count, base64.b64encode(t.value).decode()] for t in self.tags]
        packed = json.dumps(text, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return bytes([VERSION]) + zlib.compress(packed.encode("utf-8", "replace"), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> BandInfo:
        """Read as much as possible of what :meth:`to_bytes` returned.

        Nothing is raised, whatever the bytes are: a picture is worth more than a damaged description of it.
        What is damaged or unknown to this version is left out.
        """
        kept = dict[str, Any]()
        for name, value in _inflated(data).items():
            with suppress(TypeError, ValueError, KeyError):
                kept[name] = _read(name, value)
        return cls(**kept)


def unit_of(text: str) -> str:
    """Return the short name of a wavelength unit: nm, µm, empty for no unit, otherwise the text itself."""
    plain = text.strip()
    return next((unit for unit, names in _UNITS.items() if plain.lower() in names), plain)


def _inflated(data: bytes) -> dict[str, Any]:
    if not data or data[0] != VERSION:
        return {}
    try:
        inflater = zlib.decompressobj()
        text = inflater.decompress(data[1:], MAX_BYTES)
        found = json.loads(text) if inflater.eof else None
    except (zlib.error, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read(name: str, value: Any) -> Any:
    """Return the value of a field; TypeError, ValueError or the like if it is none."""
    if name == "tags":
        return tuple(_tag(*as_type(tuple[int, int, int, str], each)) for each in value)
    if name == "nodata" and value in ("nan", "inf", "-inf"):
        return float(value)
    found = as_type(types_of(BandInfo)[name], value)
    numbers = found if isinstance(found, tuple) else (found,)
    if not all(math.isfinite(each) for each in numbers if isinstance(each, float)):
        raise ValueError("Numbers are finite.")
    if not all(0 <= each < 1 << 32 for each in numbers if isinstance(each, int)):
        raise ValueError("Bands are counted in 32 bits.")
    return found


def _tag(code: int, kind: int, count: int, content: str) -> Tag:
    if not all(0 <= each < 1 << 32 for each in (code, kind, count)):
        raise ValueError("Tags have 32 bits.")
    return Tag(code, kind, count, base64.b64decode(content, validate=True))
