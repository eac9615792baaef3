"""Missing data: values without a measurement are stored exactly, and excluded from everything else."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.machine.mapped import Footprint
from pcaimage.machine.parallel import in_order

Mask = NDArray[np.bool_]

_PIXELS, _SAMPLES = 0, 1
_VALUE = struct.Struct("<d")


@dataclass(frozen=True, eq=False)
class Missing:
    """Missing data of an image: the value that marks them, which may be NaN, and where they are.

    The mask has a flag for each pixel, (H, W), or for each sample, (H, W, C).
    """

    value: float
    mask: Mask

    @property
    def pixels(self) -> Mask:
        """True where all bands are missing, shape (H, W)."""
        return self.mask if self.mask.ndim == 2 else np.asarray(self.mask.all(axis=2))

    @property
    def incomplete(self) -> Mask:
        """True where any band is missing, shape (H, W)."""
        return self.mask if self.mask.ndim == 2 else np.asarray(self.mask.any(axis=2))

    def of_samples(self, where: slice | NDArray[np.intp], shape: tuple[int, ...]) -> Mask:
        """Return the mask of some pixels, numbered line by line, for values of shape (n, C)."""
        rows = self.mask.reshape(-1, 1 if self.mask.ndim == 2 else self.mask.shape[2])
        return np.broadcast_to(rows[where], shape)

    def part(self, top: int, bottom: int, left: int, right: int) -> Missing:
        """Return the missing data of some lines and columns."""
        return Missing(self.value, self.mask[top:bottom, left:right])

    def same_as(self, other: Missing | None) -> bool:
        """Return whether value and mask equal those of another image."""
        return (
            other is not None
            and (self.value == other.value or (math.isnan(self.value) and math.isnan(other.value)))
            and np.array_equal(self.mask, other.mask)
        )

    def to_bytes(self) -> bytes:
        """Serialise to the payload of a chunk."""
        bands = np.moveaxis(np.atleast_3d(self.mask), 2, 0)
        changed = bands.copy()
        changed[:, 1:] ^= bands[:, :-1]
        kind = _PIXELS if self.mask.ndim == 2 else _SAMPLES
        return bytes([kind]) + _VALUE.pack(self.value) + zlib.compress(np.packbits(changed).tobytes(), 9)


def representable(value: float, dtype: str) -> bool:
    """Return whether a type can represent a value exactly."""
    if dtype == "float32":
        return not abs(value) > float(np.finfo(np.float32).max) and (
            math.isnan(value) or float(np.float32(value)) == value
        )
    info = np.iinfo(dtype)
    return math.isfinite(value) and value == int(value) and info.min <= value <= info.max


def find_missing(array: NDArray[Any], value: float | None) -> Missing | None:
    """Find the missing data of an image of shape (H, W, C); None if there are none.

    `value` marks missing data; in real numbers so does NaN. Raises DataError if real numbers are infinite, or
    if both NaN and another value mark missing data.
    """
    real = array.dtype.kind == "f"
    if value is None and not real:
        return None
    chosen = math.nan if value is None else float(value)
    if real and abs(chosen) <= float(np.finfo(np.float32).max):
        # The nearest float32 is what pixels can hold.
        chosen = float(np.float32(chosen))
    if not representable(chosen, array.dtype.name):
        return None
    if real and not math.isnan(chosen) and not _occurs(array, chosen):
        # The declared value need not occur in the image.
        chosen = math.nan
    some, every = np.zeros(array.shape[:2], bool), np.zeros(array.shape[:2], bool)
    for row, gone in enumerate(_masks(array, chosen, real=real)):
        some[row], every[row] = gone.any(axis=1), gone.all(axis=1)
    if not some.any():
        return None
    if np.array_equal(some, every):
        return Missing(chosen, every)
    return Missing(chosen, np.stack([*_masks(array, chosen, real=real)]))


def _masks(array: NDArray[Any], value: float, *, real: bool) -> Iterator[Mask]:
    """Yield the mask of each line."""
    footprint = Footprint(array)

    def mask(row: int) -> Mask:
        line = np.asarray(array[row])
        gone = _gone(line, value, real=real)
        footprint.walked(line.nbytes)
        return gone

    yield from in_order(mask, len(array))
    footprint.let_go()


def _occurs(array: NDArray[Any], value: float) -> bool:
    footprint = Footprint(array)

    def found(row: int) -> bool:
        footprint.walked(array[row].nbytes)
        return bool((array[row] == value).any())

    return any(in_order(found, len(array)))


def _gone(line: NDArray[Any], value: float, *, real: bool) -> Mask:
    """Return which samples of a line are missing, shape (W, C)."""
    if not real:
        return np.asarray(line == value)
    unknown = np.isnan(line)
    if np.isinf(line).any():
        raise DataError("The image has infinite values, which cannot be compressed.")
    if math.isnan(value):
        return np.asarray(unknown)
    if unknown.any():
        raise DataError(
            f"The image has NaN and {value:g} where nothing was measured; let one of them stand for it."
        )
    return np.asarray(line == np.float32(value))
