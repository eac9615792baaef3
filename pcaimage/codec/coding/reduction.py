"""Downscaling of pictures to display size: first within blocks, then by averaging blocks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def reduction(size: int, scale: float) -> tuple[int, int]:
    """Return how a picture is downscaled for display: the side of a cell, and a level.

    Cells within a block, whose side divides the block's, become one pixel each. The level is how often the
    grid of blocks is halved.
    """
    wanted = 1 / min(scale, 1.0)
    divisors = [cell for cell in range(1, size + 1) if size % cell == 0]
    cell = min(divisors, key=lambda cell: abs(math.log(wanted / cell)))
    level = max(0, round(math.log2(wanted / cell))) if cell == size else 0
    return cell, level


def significant(effects: NDArray[np.float64], limit: float) -> NDArray[np.int64]:
    """Return the indices, ascending, of all effects except the smallest that are negligible together.

    Effects are mean squared changes of the picture; the limit is the RMS change that is negligible.
    """
    order = np.argsort(effects)
    negligible = int(np.searchsorted(np.cumsum(effects[order]), limit**2))
    return np.sort(order[negligible:])


def halved(planes: NDArray[Any]) -> NDArray[np.float32]:
    """Average pairs of rows and of columns of planes (n, rows, columns); an odd last one is kept as it is."""
    _, rows, columns = planes.shape
    result = np.empty((len(planes), (rows + 1) // 2, (columns + 1) // 2), np.float32)
    for number, plane in enumerate(planes):
        even = plane.astype(np.float32)
        if rows % 2 or columns % 2:
            even = np.pad(even, ((0, rows % 2), (0, columns % 2)), mode="edge")
        pairs = even[0::2] + even[1::2]
        np.add(pairs[:, 0::2], pairs[:, 1::2], out=result[number])
    result *= np.float32(0.25)
    return result


def reduced(numbers: NDArray[Any], most: int) -> NDArray[np.float32]:
    """Average over squares so that at most `most` rows and columns remain; the last may be smaller."""
    every = -(-max(numbers.shape[:2]) // most)
    result = numbers.astype(np.float32)
    for axis in (0, 1):
        if every > 1:
            size = result.shape[axis]
            starts = np.arange(0, size, every)
            counts = np.diff(np.append(starts, size)).astype(np.float32)
            result = np.add.reduceat(result, starts, axis=axis)
            result /= counts.reshape((-1,) + (1,) * (numbers.ndim - axis - 1))
    return result
