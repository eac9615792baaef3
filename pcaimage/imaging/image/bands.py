"""Metadata of an image's bands, and its serialisation in files.

The bytes that :meth:`BandInfo.to_bytes` returns are specified in ``docs/bands.md``.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeVar

from pcaimage.errors import DataError

VERSION: Final = 1  # first byte of the serialised metadata
MAX_BYTES: Final = 1 << 24  # bytes of the decompressed text: a damaged file must not take more memory

_UNITS: Final = {
    "nm": ("nm", "nanometer", "nanometers", "nanometre", "nanometres"),
    "µm": ("µm", "μm", "um", "micron", "microns", "micrometer", "micrometers", "micrometre", "micrometres"),
    "": ("", "unknown", "index", "none"),
}
_NANOMETRES: Final = {"nm": 1.0, "µm": 1000.0}
_Item = TypeVar("_Item")

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
        found = _inflated(data)
        get = found.get
        return cls(
            names=_list(get("names"), _text),
            wavelengths=_list(get("wavelengths"), _number),
            widths=_list(get("widths"), _number),
            unit=_unit_or_empty(get("unit")),
            nodata=_any_number(get("nodata")),
            shown=_list(get("shown"), _whole),
            tags=_list(get("tags"), _tag),
            fields=_list(get("fields"), _field),
            scales=_list(get("scales"), _number),
            offsets=_list(get("offsets"), _number),
            value_unit=_unit_or_empty(get("value_unit")),
        )


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


def _list(value: object, item: Callable[[object], _Item]) -> tuple[_Item, ...]:
    """Return the list's entries, or nothing if any of them is invalid."""
    if not isinstance(value, list):
        return ()
    try:
        return tuple(item(each) for each in value)
    except (ValueError, TypeError, OverflowError):
        return ()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError
    return float(value)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise TypeError
    return value


def _any_number(value: object) -> float | None:
    if value in ("nan", "inf", "-inf"):
        return float(str(value))
    try:
        return _number(value)
    except (TypeError, OverflowError):
        return None


def _unit_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


def _tag(value: object) -> Tag:
    if not isinstance(value, list) or len(value) != 4:
        raise TypeError
    code, kind, count = (_whole(each) for each in value[:3])
    try:
        content = base64.b64decode(_text(value[3]), validate=True)
    except binascii.Error as error:
        raise ValueError from error
    return Tag(code, kind, count, content)


def _field(value: object) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError
    return _text(value[0]), _text(value[1])
