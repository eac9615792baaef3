"""Band metadata in TIFFs: georeferencing, nodata, names and wavelengths, read and written.

References
----------
OGC GeoTIFF Standard 1.1 (OGC 19-008r4), requirements class TIFF tags; GDAL's documentation of its TIFF driver
for tags 42112 and 42113; the OME-TIFF and ImageJ conventions for names of channels; EnMAP's Product
Specification Document (DLR, EN-PCV-ICD-2009) for the file of metadata, in nanometres, beside a GeoTIFF.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pcaimage.imaging.georeference.geo import with_tags
from pcaimage.imaging.image.bands import GDAL_METADATA, BandInfo, Tag, unit_of

if TYPE_CHECKING:
    import tifffile

GDAL_NODATA: Final = 42113

XMP_TAG: Final = 700
IPTC_TAG: Final = 33723

TAGS: Final = (33550, 33920, 33922, 34264, 34735, 34736, 34737, 50844, GDAL_METADATA, GDAL_NODATA)
"""The tags that are kept verbatim; docs/bands.md has their names."""

WHITE_TAGS: Final = (281, 341)  # MaxSampleValue and SMaxSampleValue, which has the type of the samples

MAX_TAG_BYTES: Final = 1 << 22
_SIZES: Final = {
    **dict.fromkeys((1, 2, 6, 7), 1),
    **dict.fromkeys((3, 8), 2),
    **dict.fromkeys((4, 9, 11), 4),
    **dict.fromkeys((5, 10, 12, 16, 17, 18), 8),
}
"""Bytes of a value by its type (TIFF 6.0 section 2; BigTIFF)."""
_UNIT_BYTES: Final = {5: 4, 10: 4}  # unit of byte swapping in bytes, for values of several parts
_ITEM: Final = re.compile(r"<Item\s([^<>]*)>([^<]*)</Item>")
_CHANNEL: Final = re.compile(r"<(?:\w+:)?Channel\s([^<>]*)>")
_ATTRIBUTE: Final = re.compile(r"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ENVI: Final = "ENVI"
_Element: TypeAlias = tuple[dict[str, str], str]


def tiff_bands(tif: tifffile.TiffFile, page: tifffile.TiffPage, bands: int) -> BandInfo:
    """Collect a TIFF's band metadata, as far as they match the number of bands."""
    tags = tuple(tag for code in TAGS if (tag := _verbatim(page, code)) is not None)
    texts = {tag.code: _ascii(tag.value) for tag in tags if tag.code in (GDAL_METADATA, GDAL_NODATA)}
    items = list(_attributes(_ITEM, texts.get(GDAL_METADATA, "")))
    names = _by_band(items, "description") or _channel_names(tif)
    wavelengths = _numbers(_by_band(items, "wavelength"))
    unit = next((value for item, value in items if item.get("name", "").lower() == "wavelength_units"), "")
    units = set(_by_band(items, "unittype"))
    if not wavelengths:
        wavelengths, unit = _emissions(tif)
    return BandInfo(
        names=tuple(names),
        wavelengths=wavelengths,
        widths=_numbers(_by_band(items, "fwhm")),
        unit=unit_of(unit),
        nodata=_number(texts.get(GDAL_NODATA, "")),
        tags=tags,
        fields=tuple(
            (item["name"], value)
            for item, value in items
            if item.get("domain") == _ENVI and "name" in item and "sample" not in item
        ),
        scales=_numbers(_by_band(items, "scale")),
        offsets=_numbers(_by_band(items, "offset")),
        value_unit=units.pop() if len(units) == 1 else "",
    ).fitted(bands)


def declared_white(page: tifffile.TiffPage) -> float | None:
    """Return the largest value that a page says its samples may have; None if it says nothing useful."""
    for code in WHITE_TAGS:
        value = page.tags.valueof(code)
        said = value if isinstance(value, tuple) else (value,)
        if said and all(isinstance(each, int | float) and each > 0 for each in said):
            return float(max(said))
    return None


def tiff_tags(info: BandInfo, bands: int) -> list[Tag]:
    """Return the tags that store metadata in a TIFF, by their codes.

    GeoTIFF tags are kept as they were read; GDAL's tags are supplemented with what they lack.
    """
    kept = {
        tag.code: tag
        for tag in with_tags(info)
        if tag.code in TAGS and 0 < tag.count * _SIZES.get(tag.kind, 0) == len(tag.value)
    }
    kept |= {tag.code: tag for tag in _own_tags(info, bands, kept)}
    return [tag for _, tag in sorted(kept.items())]


def _own_tags(info: BandInfo, bands: int, kept: dict[int, Tag]) -> Iterable[Tag]:
    metadata = _ascii(kept[GDAL_METADATA].value) if GDAL_METADATA in kept else ""
    present = list(_attributes(_ITEM, metadata))
    lines = [
        *_items("DESCRIPTION", info.names, "description", present),
        *_items("wavelength", info.wavelengths, "", present),
        *_items("fwhm", info.widths, "", present),
        *_items("SCALE", info.scales, "scale", present),
        *_items("OFFSET", info.offsets, "offset", present),
        *_items("UNITTYPE", [info.value_unit] * bands if info.value_unit else (), "unittype", present),
    ]
    names = {item.get("name", "").lower() for item, _ in present}
    if info.unit and info.wavelengths and "wavelength_units" not in names:
        lines.append(_line('name="wavelength_units"', info.unit))
    lines += [
        _line(f'name="{html.escape(key)}" domain="{_ENVI}"', text)
        for key, text in info.fields
        if key.lower() not in names
    ]
    if lines:
        body = re.sub(r"</GDALMetadata>\s*$", "", metadata.strip()) or "<GDALMetadata>"
        yield _ascii_tag(GDAL_METADATA, "\n".join([body, *lines, "</GDALMetadata>"]))
    if info.nodata is not None and GDAL_NODATA not in kept:
        yield _ascii_tag(GDAL_NODATA, f"{info.nodata:.17g}")


def _items(name: str, values: Iterable[object], role: str, present: list[_Element]) -> list[str]:
    if _by_band(present, name):
        return []
    suffix = f' role="{role}"' if role else ""
    return [_line(f'name="{name}" sample="{band}"{suffix}', str(value)) for band, value in enumerate(values)]


def _line(attributes: str, text: str) -> str:
    return f"  <Item {attributes}>{html.escape(text, quote=False)}</Item>"


def _ascii_tag(code: int, text: str) -> Tag:
    # GDAL writes and reads UTF-8 where TIFF says ASCII.
    value = text.encode() + b"\0"
    return Tag(code, 2, len(value), value)


def _ascii(value: bytes) -> str:
    return value.partition(b"\0")[0].decode("utf-8", "replace").strip()


def _verbatim(page: tifffile.TiffPage, code: int) -> Tag | None:
    """Return a tag's bytes, little-endian."""
    tag: Any = page.tags.get(code)
    size = _SIZES.get(int(tag.dtype), 0) if tag is not None else 0
    n_bytes = size * tag.count if tag is not None else 0
    if not 0 < n_bytes <= MAX_TAG_BYTES:
        return None
    file = page.parent.filehandle
    file.seek(tag.valueoffset)
    value = file.read(n_bytes)
    if len(value) < n_bytes:
        return None
    kind = int(tag.dtype)
    together = _UNIT_BYTES.get(kind, size)
    if page.parent.byteorder == ">" and together > 1:
        value = b"".join(value[at : at + together][::-1] for at in range(0, n_bytes, together))
    return Tag(code, kind, int(tag.count), value)


def _attributes(pattern: re.Pattern[str], text: str) -> Iterable[_Element]:
    """Yield attributes and content of elements; a full XML parser would expose more than is needed here."""
    for match in pattern.finditer(text):
        found = {key: html.unescape(one or two) for key, one, two in _ATTRIBUTE.findall(match[1])}
        yield found, html.unescape(match[2]) if pattern is _ITEM else ""


def _by_band(items: list[_Element], what: str) -> list[str]:
    """Return the values of an item that occurs once for each band, in the bands' order."""
    found: dict[int, str] = {}
    for item, value in items:
        place = item.get("sample", "")
        known = (item.get("role", "").lower(), item.get("name", "").lower())
        if what.lower() in known and place.isascii() and place.isdigit():
            found[int(place[:9])] = value
    return [found[place] for place in sorted(found)] if sorted(found) == list(range(len(found))) else []


def _numbers(texts: list[str]) -> tuple[float, ...]:
    values = [_number(text) for text in texts]
    finite = [value for value in values if value is not None and math.isfinite(value)]
    return tuple(finite) if len(finite) == len(values) else ()


def _number(text: str) -> float | None:
    try:
        return float(text.strip()) if text.strip() else None
    except ValueError:
        return None


def _channel_names(tif: tifffile.TiffFile) -> list[str]:
    if tif.is_imagej:
        labels = (tif.imagej_metadata or {}).get("Labels")
        if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
            return [str(label) for label in labels]
    names = [item.get("Name", "") for item in _channels(tif)]
    return names if any(names) else []


def _emissions(tif: tifffile.TiffFile) -> tuple[tuple[float, ...], str]:
    """Return the wavelengths of an OME-TIFF's channels, and their unit."""
    channels = _channels(tif)
    values = _numbers([item.get("EmissionWavelength", "") for item in channels])
    units = {item.get("EmissionWavelengthUnit", "nm") for item in channels}
    return (values, units.pop()) if values and len(units) == 1 else ((), "")


def _channels(tif: tifffile.TiffFile) -> list[dict[str, str]]:
    text = tif.ome_metadata if tif.is_ome else None
    return [item for item, _ in _attributes(_CHANNEL, text)] if text else []


MAX_BYTES: Final = 1 << 24

_IMAGE: Final = re.compile(r"(?i)(.*)-SPECTRAL_IMAGE\.TIFF?")
_BAND: Final = re.compile(r"<bandID\s[^<>]*>(.*?)</bandID>", re.DOTALL)
_CENTRE: Final = re.compile(r"<wavelengthCenterOfBand>\s*([\d.]+)\s*<")
_WIDTH: Final = re.compile(r"<FWHMOfBand>\s*([\d.]+)\s*<")
_BACKGROUND: Final = re.compile(r"<backgroundValue>\s*(-?[\d.]+)\s*<")


def with_enmap(info: BandInfo, path: Path | None, bands: int) -> BandInfo:
    """Return a TIFF's band metadata, with those of the file beside an EnMAP product if one fits."""
    named = None if path is None or info.wavelengths else _IMAGE.fullmatch(path.name)
    if named is None or path is None:
        return info
    try:
        with path.with_name(f"{named[1]}-METADATA.XML").open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
        listed = _BAND.findall(text)
        centres = [float(each[1]) for band in listed if (each := _CENTRE.search(band))]
        widths = [float(each[1]) for band in listed if (each := _WIDTH.search(band))]
        background = _BACKGROUND.search(text)
        nodata = None if background is None else float(background[1])
    except (OSError, ValueError):
        return info
    if len(centres) != bands:
        return info
    found = replace(
        info,
        wavelengths=tuple(centres),
        widths=tuple(widths),
        unit="nm",
        nodata=nodata if info.nodata is None else info.nodata,
    )
    return found.fitted(bands)
