"""Georeferencing by the conventions of CF and GDAL, as fields of an ENVI header.

References
----------
CF Conventions 1.11, section 5.6 and appendix F: grid mappings; GDAL's documentation of its netCDF driver, for
the attribute GeoTransform; ENVI Header Files, NV5 Geospatial Software documentation, for ``map info``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

REGULAR: Final = 1e-3  # largest deviation of coordinates from a regular grid, in pixels


class Coordinate(Protocol):
    """An array of a file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sides."""

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Its attributes in the file."""

    def values(self) -> NDArray[Any]:
        """Return its values."""


def georeference(
    dims: tuple[str, ...], attributes: Mapping[str, Any], find: Callable[[str], Coordinate | None]
) -> tuple[tuple[str, str], ...]:
    """Return the fields ``map info`` and ``coordinate system string`` of an image with a regular grid.

    `find` returns the array of a name, and of the attributes ``grid_mapping`` counts.
    """
    grid = find(_text(attributes.get("grid_mapping", "")).split(":")[0].strip() or "spatial_ref")
    about = {} if grid is None else grid.attributes
    wkt = _text(about.get("crs_wkt", "")) or _text(about.get("spatial_ref", ""))
    degrees = any(dim.lower().startswith("lat") for dim in dims) or wkt.upper().startswith("GEOG")
    transform = _transform(_text(about.get("GeoTransform", ""))) or _of_axes(dims, find)
    fields = []
    if transform is not None:
        x, dx, y, dy = transform
        name = "Geographic Lat/Lon" if degrees else "Arbitrary"
        fields.append(("map info", f"{{{name}, 1, 1, {x!r}, {y!r}, {dx!r}, {dy!r}}}"))
    if wkt and not any(each in wkt for each in "{}\n"):
        fields.append(("coordinate system string", f"{{{wkt}}}"))
    return tuple(fields)


def _transform(text: str) -> tuple[float, float, float, float] | None:
    """Return the corner and the sides of pixels by an attribute GeoTransform; None if it is rotated."""
    try:
        x, dx, turned, y, sheared, dy = map(float, text.split())
    except ValueError:
        return None
    return (x, dx, y, -dy) if turned == sheared == 0 and dx > 0 and dy < 0 else None


def _of_axes(
    dims: tuple[str, ...], find: Callable[[str], Coordinate | None]
) -> tuple[float, float, float, float] | None:
    """Return corner and sides by the coordinates of the axes, which are those of the pixels' centres."""
    across = down = None
    for dim in dims:
        name, values = dim.lower(), _steps(find(dim)) if dim else None
        if name in {"x", "lon", "longitude", "easting"}:
            across = values
        elif name in {"y", "lat", "latitude", "northing"}:
            down = values
    if across is None or down is None or across[1] <= 0 or down[1] >= 0:
        return None
    (x, dx), (y, dy) = across, down
    return x - dx / 2, dx, y - dy / 2, -dy


def _steps(axis: Coordinate | None) -> tuple[float, float] | None:
    """Return the first coordinate and the step of a regular axis."""
    if axis is None or len(axis.shape) != 1 or axis.shape[0] < 2:
        return None
    values = axis.values()
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        return None
    first, last = float(values[0]), float(values[-1])
    step = (last - first) / (len(values) - 1)
    even = first + step * np.arange(len(values))
    rounding = 1e-7 * np.abs(values).max()
    regular = step != 0 and np.abs(values - even).max() <= REGULAR * abs(step) + rounding
    return (first, step) if regular else None


def _text(value: object) -> str:
    if isinstance(value, np.ndarray):
        return " ".join(str(each) for each in value.ravel())
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""
