"""Georeferencing: affine transform and coordinate system from GeoTIFF tags or fields of an ENVI header.

References
----------
OGC GeoTIFF Standard 1.1 (OGC 19-008r4): ModelPixelScale, ModelTiepoint, ModelTransformation,
GeoKeyDirectory; ENVI Header Files, NV5 Geospatial Software documentation: ``map info``,
``coordinate system string``; GDAL's data model, for the six numbers of a transform.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.bands import BandInfo, Tag

Transform = tuple[float, float, float, float, float, float]

_SCALE, _TIEPOINT, _TRANSFORMATION, _KEYS = 33550, 33922, 34264, 34735
_DOUBLE, _SHORT = 12, 3
_RASTER_TYPE, _GEOGRAPHIC, _PROJECTED = 1025, 2048, 3072
_POINT, _USER_DEFINED = 2, 32767
_WGS84: Final = frozenset({"wgs-84", "wgs84", "wgs 84"})


@dataclass(frozen=True)
class Place:
    """The georeferencing of an image.

    Parameters
    ----------
    transform : tuple of float, optional
        In GDAL's order, of the corners of pixels: x = t[0] + column t[1] + row t[2],
        y = t[3] + column t[4] + row t[5].
    crs : str
        ``"EPSG:…"``, or the coordinate system in WKT; empty if it is not known.
    """

    transform: Transform | None = None
    crs: str = ""

    def coordinates(self, height: int, width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the coordinates of the centres of rows and columns.

        Parameters
        ----------
        height, width : int
            The image's size in pixels.

        Returns
        -------
        (ndarray, shape (height,), ndarray, shape (width,)), or None
            y and x, None where the image is rotated or its place is not known.
        """
        if self.transform is None or self.transform[2] or self.transform[4]:
            return None
        x, dx, _, y, _, dy = self.transform
        rows, columns = (np.arange(side, dtype=np.float64) + 0.5 for side in (height, width))
        return np.asarray(y + dy * rows, np.float64), np.asarray(x + dx * columns, np.float64)


def place_of(info: BandInfo) -> Place:
    """Return the georeferencing of an image by its metadata.

    Parameters
    ----------
    info : BandInfo
        Tags of a GeoTIFF, or fields of an ENVI header; the tags are preferred.

    Returns
    -------
    Place
        Transform and coordinate system, as far as they are known.
    """
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
    said = {int(key): int(value) for key, where, _, value in entries if where == 0}
    code = said.get(_PROJECTED) or said.get(_GEOGRAPHIC) or 0
    scale, tie, matrix = (doubles.get(each, np.zeros(0)) for each in (_SCALE, _TIEPOINT, _TRANSFORMATION))
    transform: Transform | None = None
    if len(matrix) == 16:
        transform = _six(matrix[[3, 0, 1, 7, 4, 5]])
    elif len(scale) >= 2 and len(tie) >= 6:
        dx, dy = float(scale[0]), -float(scale[1])
        transform = _six([tie[3] - tie[0] * dx, dx, 0, tie[4] - tie[1] * dy, 0, dy])
    if transform is not None and said.get(_RASTER_TYPE) == _POINT:
        x, dx, across, y, down, dy = transform
        transform = (x - (dx + across) / 2, dx, across, y - (down + dy) / 2, down, dy)
    return Place(transform, f"EPSG:{code}" if 0 < code < _USER_DEFINED else "")


def _of_fields(fields: dict[str, str]) -> Place:
    wkt = fields.get("coordinate system string", "").strip().removeprefix("{").removesuffix("}").strip()
    parts = [each.strip() for each in fields.get("map info", "").strip().strip("{}").split(",")]
    try:
        column, row, x, y, dx, dy = map(float, parts[1:7])
    except ValueError:
        return Place(None, wkt)
    rotated = any(each.lower().startswith("rotation") and not each.endswith("=0") for each in parts)
    transform = None if rotated else _six([x - (column - 1) * dx, dx, 0, y + (row - 1) * dy, 0, -dy])
    return Place(transform, wkt or _epsg(parts))


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
