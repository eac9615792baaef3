"""Image pyramid, so that any zoom is drawn from about as many pixels as it shows."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.imaging.image.pixels import Pixels

SMALLEST = 256
STRIP_BYTES = 1 << 19  # bytes of a strip with its sums, small enough for the processor's cache
_SUMS = {"uint8": np.uint16, "uint16": np.uint32, "int16": np.int32, "float32": np.float64}
"""Types in which four values of pixels are summed."""
_WIDER = _SUMS | {"int8": np.int16, "float16": np.float32, "float64": np.float64}
_WIDER |= {"int32": np.int64, "uint32": np.uint64}


class Pyramid:
    """Half-size copies of an image, (H, W, C), made on demand and kept; safe to use from several threads.

    Level 0 is the image itself, which is not copied and must not change. Every pixel of a further level is
    the mean of 2 x 2 pixels of the level before, with halves of whole numbers rounded up; where a side is
    odd, its last row or column counts twice.
    """

    def __init__(self, array: Pixels) -> None:
        if array.ndim != 3 or not array.size or array.dtype.name not in _SUMS:
            raise DataError(
                f"A pyramid needs (H, W, C) of {', '.join(_SUMS)}, not {array.shape} of {array.dtype}."
            )
        self._levels = [array]
        self._lock = Lock()
        longest, self._count = max(array.shape[:2]), 1
        while longest > SMALLEST:
            longest, self._count = (longest + 1) // 2, self._count + 1

    @property
    def levels(self) -> int:
        """Number of levels; the last has no side over 256 pixels."""
        return self._count

    def level(self, n: int) -> Pixels:
        """Return a level, made if necessary: 0 for the image, 1 for half its size, up to ``levels - 1``."""
        if not 0 <= n < self._count:
            raise DataError(f"There is no level {n}; the pyramid has levels 0 to {self._count - 1}.")
        if n < len(self._levels):
            return self._levels[n]
        with self._lock:
            while len(self._levels) <= n:
                self._levels.append(halve(self._levels[-1]))
        return self._levels[n]

    def region(self, x0: int, y0: int, x1: int, y1: int, level: int) -> Pixels:
        """Return the part of a level that covers a rectangle of the image, whose ends are excluded.

        It is a view of rows ``y0 // 2**level`` to ``ceil(y1 / 2**level)``, and so for the columns.
        """
        array = self.level(level)
        rows = slice(max(y0, 0) >> level, max(-(-y1 >> level), 0))
        columns = slice(max(x0, 0) >> level, max(-(-x1 >> level), 0))
        return array[rows, columns]


def halve(array: NDArray[Any]) -> NDArray[Any]:
    """Average 2 x 2 pixels of an image of shape (H, W, C); sides are rounded up, and so are halves.

    Of numbers that have no mean, or whose sums may exceed every type, one of four is taken.
    """
    if array.dtype.name not in _WIDER:
        return np.ascontiguousarray(array[::2, ::2])
    height, width, channels = array.shape
    even_height, even_width = height & ~1, width & ~1
    result = np.empty(((height + 1) // 2, (width + 1) // 2, channels), array.dtype)
    _halve_even(array[:even_height, :even_width], result[: even_height // 2, : even_width // 2])
    if even_width < width:
        last = np.repeat(array[:even_height, -1:], 2, axis=1)
        _halve_even(last, result[: even_height // 2, -1:])
    if even_height < height:
        columns = np.minimum(np.arange(2 * result.shape[1]), width - 1)
        last = np.repeat(array[-1:, columns], 2, axis=0)
        _halve_even(last, result[-1:])
    return result


def _halve_even(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Average 2 x 2 pixels of an image with even sides, in strips that fit in the cache."""
    height, width, channels = source.shape
    sums = _WIDER[source.dtype.name]
    rows = max(1, STRIP_BYTES // max(1, 2 * width * channels * source.itemsize))
    for top in range(0, height // 2, rows):
        part = target[top : top + rows]
        strip = source[2 * top : 2 * (top + rows)].reshape(len(part), 2, width, channels)
        vertical = np.add(strip[:, 0], strip[:, 1], dtype=sums).reshape(len(part), width // 2, 2, channels)
        # One channel at a time: a loop over three adjacent values is too short to be fast.
        for c in [slice(None)] if channels > 8 else [slice(k, k + 1) for k in range(channels)]:
            total = vertical[:, :, 0, c] + vertical[:, :, 1, c]
            if source.dtype.kind == "f":
                part[..., c] = total * 0.25
                continue
            total += 2
            total >>= 2
            part[..., c] = total
