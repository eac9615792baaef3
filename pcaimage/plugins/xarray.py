"""xarray opens ``.pcai`` files: ``xarray.open_dataset("cube.pcai", engine="pcaimage")``.

It finds the engine once the package is installed. Values are decoded when they are first needed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
import xarray
from numpy.typing import NDArray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from pcaimage import api
from pcaimage.api import CompressedImage
from pcaimage.imaging import BandInfo
from pcaimage.imaging.georeference.geo import Place, place_of

_OUTER = indexing.IndexingSupport.OUTER


class _Decoded(BackendArray):  # type: ignore[misc]  # it is not among what types are checked with
    """The values of a file, decoded on first use; pickling keeps the compressed file only."""

    def __init__(self, compressed: CompressedImage, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype = shape, dtype
        self._compressed, self._lock = compressed, threading.Lock()
        self._values: NDArray[Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"compressed": self._compressed, "shape": self.shape, "dtype": self.dtype}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # there is no subclass

    def __getitem__(self, key: indexing.ExplicitIndexer) -> NDArray[Any]:
        found: NDArray[Any] = indexing.explicit_indexing_adapter(key, self.shape, _OUTER, self._part)
        return found

    def _part(self, key: tuple[Any, ...]) -> NDArray[Any]:
        spans = [_span(each, side) for each, side in zip(key, self.shape, strict=True)]
        if self._compressed.parts is not None:
            window = spans if len(self._compressed.shape) == len(spans) else spans[:-1]
            values = self._compressed[*window].reshape([span.stop - span.start for span in spans])
            key = tuple(
                _within(each, span, side) for each, span, side in zip(key, spans, self.shape, strict=True)
            )
        else:
            with self._lock:
                if self._values is None:
                    self._values = np.asarray(self._compressed.decode()).reshape(self.shape)
                values = self._values
        for axis in reversed(range(len(key))):  # a number takes its axis away
            values = values[(slice(None),) * axis + (key[axis],)]
        return np.asarray(values)


def _span(key: Any, side: int) -> slice:
    """Return the span of an axis that a key of it lies in."""
    places = np.atleast_1d(np.arange(side)[key])
    return slice(int(places.min()), int(places.max()) + 1) if places.size else slice(0, 0)


def _within(key: Any, span: slice, side: int) -> Any:
    """Return a key for a span of an axis instead of all of it."""
    return np.arange(side)[key] - span.start


class PcaimageBackend(BackendEntrypoint):  # type: ignore[misc]  # as above
    """Opens ``.pcai`` files as data sets."""

    description = "Open images compressed by PCA (.pcai)"
    url = "https://pypi.org/project/pcaimage"
    open_dataset_parameters: ClassVar[tuple[str, ...]] = (
        "filename_or_obj",
        "drop_variables",
        "mask_and_scale",
    )

    def open_dataset(
        self,
        filename_or_obj: str | os.PathLike[str] | BinaryIO,
        *,
        drop_variables: str | Iterable[str] | None = None,
        mask_and_scale: bool = True,
    ) -> xarray.Dataset:
        """Open a file, by its path or as a binary file, as a data set.

        ``pixels`` has the axes y, x and band, for a stack image before them; of an array that is no image,
        its own axes, of which others are dim_0 and so on. Coordinates are names or numbers
        of bands, ``wavelength`` and ``fwhm`` with their units, y and x where the file knows them, and
        ``spatial_ref`` with the coordinate system and the affine transform, as rioxarray reads them. With
        `mask_and_scale` missing values become NaN, and numbers with a scale and an offset the values that
        they stand for, which makes all numbers real.
        """
        if isinstance(filename_or_obj, str | os.PathLike):
            compressed = api.open_file(filename_or_obj)
            source = os.fspath(filename_or_obj)
        else:
            compressed, source = api.open_bytes(filename_or_obj.read()), ""
        found = _dataset(compressed)
        found = xarray.decode_cf(found, mask_and_scale=mask_and_scale, decode_times=False)
        found.encoding["source"] = source
        return found.drop_vars(drop_variables, errors="ignore") if drop_variables is not None else found

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Return whether a name is that of such a file."""
        named = isinstance(filename_or_obj, str | os.PathLike)
        return named and Path(filename_or_obj).suffix.lower() == api.SUFFIX


def _dataset(compressed: CompressedImage) -> xarray.Dataset:
    header, info = compressed.outline.header, compressed.bands
    shape, dims = header.shape, ("image", "y", "x", "band")[-len(header.shape) :]
    if compressed.values is not None:
        shape, dims = compressed.shape, _dims(compressed.ndim, compressed.values.axis)
    values = _Decoded(compressed, shape, compressed.dtype)
    attributes: dict[str, Any] = {}
    if info.nodata is not None and not np.isnan(info.nodata):
        attributes["_FillValue"] = np.array(info.nodata).astype(compressed.dtype)[()]
    if info.value_unit:
        attributes["units"] = info.value_unit
    for key, theirs, found in (
        ("scale_factor", "scales", info.scales),
        ("add_offset", "offsets", info.offsets),
    ):
        if len(set(found)) > 1:  # no attribute of CF is for bands that differ; these are rioxarray's
            attributes[theirs] = found
        elif found:
            attributes[key] = found[0]
    place = place_of(info)
    if place != Place():
        attributes["grid_mapping"] = "spatial_ref"
    pixels = xarray.Variable(dims, indexing.LazilyIndexedArray(values), attributes)
    variables: dict[str, Any] = {"pixels": pixels}
    alpha = compressed.outline.alpha
    if alpha is not None:
        variables["alpha"] = (dims[:-1], alpha)
    fits = sorted(shape) == sorted(header.shape)  # not if axes were joined to those of an image
    return xarray.Dataset(variables, _coordinates(header.shape, info, place) if fits else {})


def _dims(count: int, axis: int) -> tuple[str, ...]:
    """Return the names of so many axes, of three and more of which one has the bands."""
    others = [*(f"dim_{number}" for number in range(count - 3)), "y", "x"][-count:] if count else []
    return (*others[:axis], "band", *others[axis:]) if count > 2 else tuple(others)


def _coordinates(shape: tuple[int, ...], info: BandInfo, place: Place) -> dict[str, Any]:
    height, width, bands = shape[-3:]
    found: dict[str, Any] = {"band": list(info.names) or np.arange(1, bands + 1)}
    units = {"units": info.unit} if info.unit else {}
    if info.wavelengths:
        found["wavelength"] = ("band", list(info.wavelengths), units)
    if info.widths:
        found["fwhm"] = ("band", list(info.widths), units)
    axes = place.coordinates(height, width)
    if axes is not None:
        found["y"], found["x"] = axes
    if place != Place():
        attributes = {"spatial_ref": place.crs} if place.crs else {}
        if place.crs and not place.crs.startswith("EPSG:"):
            attributes["crs_wkt"] = place.crs
        if place.transform is not None:
            attributes["GeoTransform"] = " ".join(map(repr, place.transform))
        found["spatial_ref"] = ((), 0, attributes)
    return found
