"""What errors are relative to, mean squared error and PSNR of two images."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError, SettingsError
from pcaimage.machine.mapped import Footprint

TYPES = ("uint8", "uint16", "int16", "float32")  # of the pixels of an image; others are converted to one
MOST = 65535  # the largest white

_CHUNK = 1 << 20


def white_of(array: NDArray[Any], white: float | None = None, nodata: float | None = None) -> float:
    """Return what the errors of an image are relative to: the largest value that its data may have.

    With 8 bits without sign that is 255. Cameras, microscopes and scanners often use 10, 12 or 14 of 16 bits,
    so that it is the smallest 2^n - 1 not below any value there, unless the white is given. Signed and real
    numbers have no such scale, and zero need not mean "nothing": there it is the range of the values. What
    was not measured, `nodata` and what is not finite, does not count. The result is above 0, and for whole
    numbers an int; SettingsError if the white is below the largest value, or above that of the type.
    """
    array = parts_of(array)
    low, high = (0.0, 255.0) if array.dtype == np.uint8 else extremes(array, nodata)
    return white_between(array.dtype.name, low, high, white)


def parts_of(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array, or both parts of its numbers if these are complex."""
    found: NDArray[Any] = array.reshape(-1).view(array.real.dtype) if array.dtype.kind == "c" else array
    return found


def white_between(dtype: str, low: float, high: float, white: float | None = None) -> float:
    """Return :func:`white_of` an image of a type whose known values are from `low` to `high`."""
    if dtype.startswith("float"):
        return high - low if high > low else 1.0
    if not dtype.startswith("u"):
        return max(int(high - low), 1)
    if dtype == "uint8":
        return 255
    if white is None:
        return int((1 << max(int(high), 1).bit_length()) - 1)
    if not max(high, 1) <= white <= MOST or white != int(white):
        raise SettingsError(
            f"The white is a whole number from the largest value, {high:g}, to {MOST}; {white:g} is not."
        )
    return int(white)


def believed(array: NDArray[Any], white: float | None, nodata: float | None = None) -> float | None:
    """Return the white that the file of an image of 16 bits without sign declares, if no value is above."""
    if white is None or array.dtype != np.uint16 or not (1 <= white <= MOST and white == int(white)):
        return None
    return int(white) if extremes(array, nodata)[1] <= white else None


def extremes(array: NDArray[Any], nodata: float | None) -> tuple[float, float]:
    """Return the smallest and the largest known value; zeros if there is none."""
    low, high, footprint = math.inf, -math.inf, Footprint(array)
    plain = nodata is None and array.dtype.kind != "f"
    for part, _ in _chunks(array, array):
        with np.errstate(over="ignore"):  # what is too large for the type equals none of its values
            known = part if plain else part[np.isfinite(part) & (part != nodata)]
        if known.size:
            low, high = min(low, float(known.min())), max(high, float(known.max()))
        footprint.walked(part.nbytes)
    return (low, high) if low <= high else (0.0, 0.0)


def mean_squared_error(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the mean squared difference; for whole numbers exact up to the final division.

    Values are whole or real numbers; arrays are neither copied as a whole nor, if mapped, read into memory at
    once. Two NaN (missing values) count as equal; the result is NaN if only one of two values is. DataError
    if the shapes differ, or the images are empty.
    """
    if first.shape != second.shape or first.size == 0:
        raise DataError(f"Images of shape {first.shape} and {second.shape} cannot be compared.")
    return squared_error(first, second) / first.size


def squared_error(first: NDArray[Any], second: NDArray[Any]) -> int | float:
    """Return the sum of squared differences, an exact int for whole numbers, so that parts can be added."""
    whole = first.dtype.kind != "f" and second.dtype.kind != "f"
    footprint, sums = Footprint(first, second), list[int | float]()
    for one, two in _chunks(first, second):
        # Differences of 16 bits and their squares are exact in float64, and so are sums of a million.
        difference = differences(one, two).astype(np.float64, copy=False)
        square = float(difference @ difference)
        sums.append(int(square) if whole else square)
        footprint.walked(one.nbytes + two.nbytes)
    return total_error(sums)


def differences(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Return differences, of whole numbers without sign; 0 where both are NaN, or the same infinity."""
    if first.dtype.kind != "f" and second.dtype.kind != "f":
        # The difference of two signed values may not fit in their type, but always fits in the unsigned one.
        larger, smaller = np.maximum(first, second), np.minimum(first, second)
        kind: np.dtype[Any] = np.dtype(f"u{larger.itemsize}")
        found: NDArray[Any] = larger.view(kind) - smaller.view(kind)
        return found
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.subtract(first, second, dtype=np.float64)
    if (wrong := np.isnan(found)).any():
        found[wrong & ((first == second) | (np.isnan(first) & np.isnan(second)))] = 0
    return found


def total_error(sums: Sequence[int | float]) -> int | float:
    """Return the sum of several results of :func:`squared_error`."""
    return sum(sums) if all(isinstance(each, int) for each in sums) else math.fsum(sums)


def _chunks(first: NDArray[Any], second: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield corresponding values of two arrays in one dimension."""
    if first.flags.c_contiguous and second.flags.c_contiguous:
        first, second, step = first.reshape(-1), second.reshape(-1), _CHUNK
    else:
        step = max(1, _CHUNK // max(1, first.size // first.shape[0]))
    for start in range(0, len(first), step):
        one, two = first[start : start + step].reshape(-1), second[start : start + step].reshape(-1)
        for place in range(0, one.size, _CHUNK):
            yield one[place : place + _CHUNK], two[place : place + _CHUNK]


def psnr_of_mse(mse: float, peak: float) -> float:
    """Return the PSNR in decibels, 10 log10(peak² / MSE); infinite if there is no error."""
    return math.inf if mse <= 0 else 20 * math.log10(peak) - 10 * math.log10(mse)
