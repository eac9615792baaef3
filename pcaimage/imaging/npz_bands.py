"""What stands beside the pixels in an ``.npz``: wavelengths, names, labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.lib import format as npy

from pcaimage.imaging.bands import BandInfo, unit_of

if TYPE_CHECKING:
    import zipfile

    from numpy.typing import NDArray

MAX_HEADER: Final = 1 << 16
"""Of an array, in characters: more is refused before it is parsed."""
MAX_BYTES: Final = 1 << 23


def short_array(archive: zipfile.ZipFile, member: str) -> NDArray[Any]:
    """Read a list that describes bands or images.

    Parameters
    ----------
    archive : zipfile.ZipFile
        The opened file.
    member : str
        Name of the array.

    Returns
    -------
    ndarray, shape (N,) or ()
        The list or number; empty when there is none.
    """
    try:
        with archive.open(f"{member}.npy") as stream:
            version = npy.read_magic(stream)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, _, dtype = read(stream, max_header_size=MAX_HEADER)
            n_bytes = math.prod(shape) * dtype.itemsize
            if len(shape) > 1 or dtype.hasobject or n_bytes > MAX_BYTES:
                return np.zeros(0)
            data = stream.read(n_bytes)
        return np.frombuffer(data, dtype).reshape(shape)
    except (KeyError, ValueError):
        return np.zeros(0)


def npz_labels(archive: zipfile.ZipFile, count: int) -> str | None:
    """Find the list of whole numbers that has one for each image.

    Parameters
    ----------
    archive : zipfile.ZipFile
        The opened file.
    count : int
        How many images there are.

    Returns
    -------
    str or None
        Its name.
    """
    for name in archive.namelist():
        member = name.removesuffix(".npy")
        if name.endswith(".npy") and member not in ("info", "wavelengths"):
            values = short_array(archive, member)
            if values.shape == (count,) and values.dtype.kind in "iu":
                return member
    return None


def npz_bands(archive: zipfile.ZipFile, bands: int) -> BandInfo:
    """Return what the arrays beside the pixels say of their bands.

    Parameters
    ----------
    archive : zipfile.ZipFile
        The opened file.
    bands : int
        How many bands there are.

    Returns
    -------
    BandInfo
        As far as it fits.
    """
    if (packed := short_array(archive, "info")).dtype == np.uint8:
        return BandInfo.from_bytes(packed.tobytes()).fitted(bands)
    lists = {key: short_array(archive, key) for key in ("wavelengths", "widths", "names", "unit", "nodata")}
    numbers = {
        key: tuple(float(each) for each in lists[key])
        for key in ("wavelengths", "widths")
        if lists[key].ndim == 1 and lists[key].dtype.kind in "iuf" and np.isfinite(lists[key]).all()
    }
    names, unit, nodata = lists["names"], lists["unit"], lists["nodata"]
    return BandInfo(
        names=tuple(map(str, names)) if names.ndim == 1 and names.dtype.kind == "U" else (),
        unit=unit_of(str(unit)) if unit.ndim == 0 and unit.dtype.kind == "U" else "",
        nodata=float(nodata) if nodata.ndim == 0 and nodata.dtype.kind in "iuf" else None,
        wavelengths=numbers.get("wavelengths", ()),
        widths=numbers.get("widths", ()),
    ).fitted(bands)
