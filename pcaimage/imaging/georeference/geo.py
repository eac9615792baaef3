"""Georeferencing: affine transform and coordinate system, in GeoTIFF tags, ENVI headers, and world files.

References
----------
OGC GeoTIFF Standard 1.1 (OGC 19-008r4): ModelPixelScale, ModelTiepoint, ModelTransformation,
GeoKeyDirectory; ENVI Header Files, NV5 Geospatial Software documentation: ``map info``,
``coordinate system string``; GDAL's data model, for the six numbers of a transform, and its Persistent
Auxiliary Metadata, ``.aux.xml``; Esri: World files for raster datasets.
"""

from __future__ import annotations

import html
import math
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.imaging.georeference import wkt
from pcaimage.imaging.image.bands import BandInfo, Tag

Transform = tuple[float, float, float, float, float, float]

_SCALE, _TIEPOINT, _TRANSFORMATION, _KEYS, _DOUBLES, _TEXTS = 33550, 33922, 34264, 34735, 34736, 34737
_GEOTIFF: Final = frozenset((_SCALE, 33920, _TIEPOINT, _TRANSFORMATION, _KEYS, _DOUBLES, _TEXTS))
_MAP_INFO, _SYSTEM = "map info", "coordinate system string"
_PLACED: Final = frozenset((_MAP_INFO, _SYSTEM))
_DOUBLE, _SHORT, _ASCII = 12, 3, 2
_POINT: Final = 2
_DEGREES: Final = ("GEOG", "EPSG:4326")
_HELD: Final = frozenset({"TIFF", "NPZ"})
_WGS84: Final = frozenset({"wgs-84", "wgs84", "wgs 84"})


@dataclass(frozen=True)
class Place:
    """The georeferencing of an image, as far as it is known.

    The transform is in GDAL's order, of the corners of pixels: x = t[0] + column t[1] + row t[2], y = t[3] +
    column t[4] + row t[5].
    """

    transform: Transform | None = None
    crs: str = ""  # ``"EPSG:…"``, or WKT

    def coordinates(self, height: int, width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return y and x of the centres of rows and columns; None if rotated or not known."""
        if self.transform is None or self.transform[2] or self.transform[4]:
            return None
        x, dx, _, y, _, dy = self.transform
        rows, columns = (np.arange(side, dtype=np.float64) + 0.5 for side in (height, width))
        return np.asarray(y + dy * rows, np.float64), np.asarray(x + dx * columns, np.float64)


def place_of(info: BandInfo) -> Place:
    """Return the georeferencing of an image by its metadata, tags of a GeoTIFF or else fields of ENVI."""
    by_tags, by_fields = _of_tags(info.tags), _of_fields(dict(info.fields))
    return Place(by_tags.transform or by_fields.transform, by_tags.crs or by_fields.crs)


def _of_tags(tags: tuple[Tag, ...]) -> Place:
    doubles = {
        tag.code: np.frombuffer(tag.value, "<f8") for tag in tags if tag.kind == _DOUBLE and _fits(tag, 8)
    }
    keys = next((tag for tag in tags if tag.code == _KEYS and tag.kind == _SHORT and _fits(tag, 2)), None)
    entries = np.zeros((0, 4), "<u2")
    if keys is not None and len(keys.value) >= 8:
        entries = np.frombuffer(keys.value, "<u2")[4 : 4 + (len(keys.value) // 2 - 4) // 4 * 4].reshape(-1, 4)
    texts = b"".join(tag.value for tag in tags if tag.code == _TEXTS).decode("utf-8", "replace")
    numbers = doubles.get(_DOUBLES, np.zeros(0)).tolist()
    said: dict[int, int | float | str] = {
        key: value if where == 0 else texts[value : value + count] if where == _TEXTS else numbers[value]
        for key, where, count, value in entries.tolist()
        if where in (0, _TEXTS) or (where == _DOUBLES and value < len(numbers))
    }
    code = said.get(wkt.PROJECTED) or said.get(wkt.GEOGRAPHIC) or 0
    known = isinstance(code, int) and 0 < code < wkt.USER_DEFINED and said.get(wkt.MODEL) != wkt.USER_DEFINED
    scale, tie, matrix = (doubles.get(each, np.zeros(0)) for each in (_SCALE, _TIEPOINT, _TRANSFORMATION))
    transform: Transform | None = None
    if len(matrix) == 16:
        transform = _six(matrix[[3, 0, 1, 7, 4, 5]])
    elif len(scale) >= 2 and len(tie) >= 6:
        dx, dy = float(scale[0]), -float(scale[1])
        transform = _six([tie[3] - tie[0] * dx, dx, 0, tie[4] - tie[1] * dy, 0, dy])
    if transform is not None and said.get(wkt.RASTER) == _POINT:
        x, dx, across, y, down, dy = transform
        transform = (x - (dx + across) / 2, dx, across, y - (down + dy) / 2, down, dy)
    return Place(transform, f"EPSG:{code}" if known else wkt.wkt_of_keys(said))


def _of_fields(fields: dict[str, str]) -> Place:
    system = fields.get("coordinate system string", "").strip().removeprefix("{").removesuffix("}").strip()
    parts = [each.strip() for each in fields.get("map info", "").strip().strip("{}").split(",")]
    crs = wkt.epsg_of_wkt(system) or system or _epsg(parts)
    try:
        column, row, x, y, dx, dy = map(float, parts[1:7])
        turned = (each.partition("=")[2] for each in parts if each.lower().startswith("rotation"))
        angle = math.radians(float(next(turned, "0")))
    except ValueError:
        return Place(None, crs)
    (a, b), (d, e) = _rotated(dx, dy, angle)
    transform = _six([x - (column - 1) * a - (row - 1) * b, a, b, y - (column - 1) * d - (row - 1) * e, d, e])
    return Place(transform, crs)


def _rotated(dx: float, dy: float, angle: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return how x and y change by columns and rows, as GDAL reads the rotation of ``map info``."""
    cos, sin = (math.cos(angle), math.sin(angle)) if angle else (1.0, 0.0)
    return (dx * cos, dx * sin), (dy * sin, -dy * cos)


def with_fields(info: BandInfo) -> tuple[tuple[str, str], ...]:
    """Return the fields of an ENVI header, with those of the place as far as the header can say it."""
    place, found = place_of(info), list(info.fields)
    if _PLACED & set(dict(found)):
        return info.fields
    code = int(place.crs.removeprefix("EPSG:")) if place.crs.startswith("EPSG:") else 0
    if place.transform is not None:
        x, a, b, y, d, e = place.transform
        dx, dy, angle = math.hypot(a, b), math.hypot(d, e), math.atan2(b, a)
        if np.allclose(_rotated(dx, dy, angle), ((a, b), (d, e)), rtol=0, atol=1e-9 * (dx + dy)):
            parts = ["Geographic Lat/Lon" if place.crs.startswith(_DEGREES) else "Arbitrary", "1", "1"]
            parts += map(repr, (x, y, dx, dy))
            if code // 100 in (326, 327) and 1 <= code % 100 <= 60:
                parts[0] = "UTM"
                parts += [str(code % 100), "South" if code > 32700 else "North"]
            parts += ["WGS-84"] if parts[0] == "UTM" or code == 4326 else []
            parts += [f"rotation={math.degrees(angle)!r}"] if angle else []
            found.append((_MAP_INFO, f"{{{', '.join(parts)}}}"))
    if system := " ".join((wkt.wkt_of_epsg(code) if code else place.crs).split()):
        found.append((_SYSTEM, f"{{{system}}}"))
    return tuple(found)


def with_tags(info: BandInfo) -> tuple[Tag, ...]:
    """Return the tags of a TIFF, with those of the place if there are none of GeoTIFF."""
    has = any(tag.code in _GEOTIFF for tag in info.tags)
    return info.tags if has else (*info.tags, *of_place(place_of(info)))


def of_place(place: Place) -> list[Tag]:
    """Return the tags of a place; a coordinate system without a code is given in text, as GDAL does."""
    found = []
    if place.transform is not None:
        x, a, b, y, d, e = place.transform
        if b == d == 0 and a > 0 > e:
            found += [_doubles(_SCALE, a, -e, 0), _doubles(_TIEPOINT, 0, 0, 0, x, y, 0)]
        else:
            found.append(_doubles(_TRANSFORMATION, a, b, 0, x, d, e, 0, y, *[0] * 7, 1))
    if place.crs:
        degrees = place.crs.startswith(_DEGREES)
        keys = [(wkt.MODEL, 0, 1, 2 if degrees else 1), (wkt.RASTER, 0, 1, 1)]
        if place.crs.startswith("EPSG:"):
            keys.append((wkt.GEOGRAPHIC if degrees else wkt.PROJECTED, 0, 1, int(place.crs[5:])))
        else:
            text = f"{wkt.AS_TEXT}{place.crs}|".encode() + b"\0"
            keys = [(wkt.MODEL, 0, 1, wkt.USER_DEFINED), keys[1], (wkt.CITATION, _TEXTS, len(text) - 1, 0)]
            found.append(Tag(_TEXTS, _ASCII, len(text), text))
        values = [1, 1, 0, len(keys), *(number for key in keys for number in key)]
        found.append(Tag(_KEYS, _SHORT, len(values), struct.pack(f"<{len(values)}H", *values)))
    return found


def rescaled(info: BandInfo, across: float, down: float) -> BandInfo:
    """Return the metadata of an image whose pixels became so many times as wide and high."""
    place = place_of(info)
    if place.transform is None:
        return _placed(info, Place())
    x, a, b, y, d, e = place.transform
    six = (x, a * across, b * down, y, d * across, e * down)
    return _placed(info, Place(six, place.crs))


def _placed(info: BandInfo, place: Place) -> BandInfo:
    """Return the metadata of an image at another place."""
    rest = tuple((key, text) for key, text in info.fields if key not in _PLACED)
    tags = tuple(tag for tag in info.tags if tag.code not in _GEOTIFF)
    return replace(info, tags=(*tags, *of_place(place)), fields=rest)


def moved(info: BandInfo, left: int, top: int) -> BandInfo:
    """Return the metadata of an image without so many columns and rows at its left and upper edges."""
    place = place_of(info)
    if place.transform is None or not (left or top):
        return info
    x, a, b, y, d, e = place.transform
    six = (x + left * a + top * b, a, b, y + left * d + top * e, d, e)
    return _placed(info, Place(six, place.crs))


def only_place(info: BandInfo) -> BandInfo:
    """Return the georeference alone, for an image of other bands at the same place."""
    return BandInfo(
        tags=tuple(tag for tag in info.tags if tag.code in _GEOTIFF),
        fields=tuple((key, text) for key, text in info.fields if key in _PLACED),
    )


def lost_text(info: BandInfo, target: str, title: str) -> str:
    """Return a sentence about what a format does not hold of an image's place; empty if it holds all."""
    place = place_of(info)
    if place == Place() or target in _HELD:
        return ""
    if target != "ENVI":
        return f"{title} does not hold where the image lies; TIFF and ENVI do."
    held = place_of(BandInfo(fields=with_fields(info)))
    lost = [] if held.transform or not place.transform else ["how the grid is turned and sheared"]
    lost += [] if held.crs or not place.crs else [f"the coordinate system {place.crs}"]
    return f"ENVI's header does not hold {' and '.join(lost)}; TIFF does." if lost else ""


def _doubles(code: int, *values: float) -> Tag:
    return Tag(code, _DOUBLE, len(values), struct.pack(f"<{len(values)}d", *values))


def _epsg(parts: list[str]) -> str:
    """Return the EPSG code of UTM, or longitude and latitude, on WGS 84 as ``map info`` names them."""
    name, rest = parts[0].lower(), [each.lower() for each in parts[7:]]
    if not _WGS84 & set(rest):
        return ""
    if name.startswith("geographic"):
        return "EPSG:4326"
    if name == "utm" and rest[0].isdecimal() and 1 <= int(rest[0]) <= 60:
        return f"EPSG:{(32700 if 'south' in rest else 32600) + int(rest[0])}"
    return ""


def _fits(tag: Tag, size: int) -> bool:
    return len(tag.value) == tag.count * size


def _six(values: NDArray[np.float64] | list[float]) -> Transform | None:
    found = tuple(float(each) for each in values)
    usable = all(map(math.isfinite, found)) and found[1] * found[5] - found[2] * found[4] != 0
    return (found[0], found[1], found[2], found[3], found[4], found[5]) if usable else None


def beside(image: Path) -> tuple[Path, Path]:
    """Return the paths of the world file (.pgw of a .png, .jgw of a .jpg) and of the auxiliary file."""
    suffix = image.suffix or ".w"
    return image.with_suffix(f".{suffix[1]}{suffix[-1]}w"), image.with_name(f"{image.name}.aux.xml")


def write_world_file(image: Path, info: BandInfo, *, overwrite: bool = False) -> list[Path]:
    """Write where an image lies beside its file, and return what was written."""
    place, (world, auxiliary) = place_of(info), beside(image)
    found: dict[Path, str] = {}
    if place.transform is not None:
        x, a, b, y, d, e = place.transform
        found[world] = "".join(f"{each!r}\n" for each in (a, d, b, e, x + (a + b) / 2, y + (d + e) / 2))
    if place.crs:
        system = html.escape(place.crs, quote=False)
        found[auxiliary] = f"<PAMDataset>\n  <SRS>{system}</SRS>\n</PAMDataset>\n"
    for path, text in found.items():
        atomic_write_bytes(path, text.encode(), overwrite=overwrite)
    return list(found)
