"""Structural similarity, computed in tiles from exact sums over windows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pcaimage.machine.mapped import Footprint
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pcaimage.imaging.image.types import Pixels

WINDOW = 7
"""Side of the window in pixels."""
TILE = 1 << 15
"""Approximate number of windows in a tile, whose sums fit into the processor's cache."""
_ROWS = 64
_CHANNELS = 8
_PAIRS = WINDOW**2


def mean_similarity(a: Pixels, b: Pixels, peak: float, progress: Progress = no_progress) -> float:
    """Return the mean structural similarity (Wang et al. 2004, doi:10.1109/TIP.2003.819861).

    With means, variances and covariances over windows of 7 x 7 pixels, C1 = (0.01 peak)² and C2 = (0.03
    peak)², the similarity of a window is

        (2 mean_a mean_b + C1) (2 cov_ab + C2) / ((mean_a² + mean_b² + C1) (var_a + var_b + C2)).

    Variances have the divisor n - 1. The mean is over all windows that lie inside of the image, and over
    channels and images, of shape (N, H, W, C). These are scikit-image's conventions. NaN and infinity count
    as zero; a side of fewer than 7 pixels is first extended to 7 by mirroring it at its end.
    """
    count, height, width, channels = a.shape
    inner = (count, max(1, height - WINDOW + 1), max(1, width - WINDOW + 1), channels)
    windows: int = math.prod(inner)
    footprint = Footprint(a, b)
    done, total = 0, 0.0
    for tile in _tiles(inner):
        x, y = _extended(a[tile]), _extended(b[tile])
        footprint.walked(x.nbytes + y.nbytes)
        similar = _similarities(x, y, peak)
        total += float(similar.sum())
        done += similar.size
        progress(done, windows)
    return total / windows


def _tiles(inner: tuple[int, int, int, int]) -> Iterator[tuple[slice, ...]]:
    """Yield the part of the images under each tile of windows, of which there are `inner` along each axis."""
    count, height, width, channels = inner
    deep, rows = min(channels, _CHANNELS), min(height, _ROWS)
    columns = min(width, max(WINDOW, TILE // (rows * deep)))
    images = max(1, TILE // (rows * columns * deep))
    beyond = WINDOW - 1
    for image in range(0, count, images):
        for top in range(0, height, rows):
            for left in range(0, width, columns):
                for channel in range(0, channels, deep):
                    yield (
                        slice(image, image + images),
                        slice(top, min(top + rows, height) + beyond),
                        slice(left, min(left + columns, width) + beyond),
                        slice(channel, channel + deep),
                    )


def _extended(part: Pixels) -> Pixels:
    missing = [(0, 0), *((0, max(0, WINDOW - side)) for side in part.shape[1:3]), (0, 0)]
    return np.pad(part, missing, mode="symmetric") if any(n for _, n in missing) else part


def _similarities(x: Pixels, y: Pixels, peak: float) -> NDArray[np.float64]:
    """Return the similarity of each window.

    Means are multiplied by the n = 49 pixels of a window, and variances by n (n - 1). With S for the sum over
    a window, the formula is then made of S(a) S(b), S(a)² + S(b)², n S(ab) - S(a) S(b) and n S(a² + b²) -
    S(a)² - S(b)²: for 16-bit integers, numbers that float64 represents exactly.
    """
    one, two, offset = _values(x, y)
    products, squares = np.multiply(one, two, dtype=_wide(one)), np.multiply(one, one, dtype=_wide(one))
    squares += np.multiply(two, two, dtype=_wide(one))
    sum_one, sum_two = _sums(one).astype(np.float64), _sums(two).astype(np.float64)
    covariance, variance = _sums(products) * float(_PAIRS), _sums(squares) * float(_PAIRS)

    both, each = _pairs(sum_one, sum_two)
    covariance -= both
    variance -= each
    if offset:
        sum_one += _PAIRS * offset
        sum_two += _PAIRS * offset
        both, each = _pairs(sum_one, sum_two)
    similar = _ratio(both, each, (0.01 * _PAIRS * peak) ** 2)
    similar *= _ratio(covariance, variance, _PAIRS * (_PAIRS - 1) * (0.03 * peak) ** 2)
    return similar


def _values(x: Pixels, y: Pixels) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return pixels as numbers whose sums are exact, and the offset subtracted from them.

    For real numbers it is the mean, which avoids cancellation in the variances.
    """
    if x.dtype == np.uint8:
        return x.astype(np.uint16), y.astype(np.uint16), 0.0
    one, two = x.astype(np.float64), y.astype(np.float64)
    if x.dtype.kind != "f":
        return one, two, 0.0
    for values in (one, two):
        np.nan_to_num(values, copy=False, posinf=0, neginf=0)
    offset = float(one.mean())
    one -= offset
    two -= offset
    return one, two, offset


def _wide(values: NDArray[Any]) -> type[np.uint32 | np.float64]:
    """Return the type of squares: the sum of 49 pairs of squares of 8 bits has 23 bits."""
    return np.uint32 if values.dtype == np.uint16 else np.float64


def _sums(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums over windows.

    Each is computed anew from sums of two and of four: a running sum would be as fast, but accumulate the
    rounding errors of all previous values.
    """
    for axis in (1, 2):
        values = np.moveaxis(values, axis, 0)
        two = values[:-1] + values[1:]
        sums = two[:-2] + two[2:]
        sums = sums[:-3] + two[4:-1]
        sums += values[6:]
        values = np.moveaxis(sums, 0, axis)
    return values


def _pairs(one: NDArray[np.float64], two: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return a·b and a² + b²."""
    squares = one * one
    squares += two * two
    return one * two, squares


def _ratio(both: NDArray[np.float64], each: NDArray[np.float64], constant: float) -> NDArray[np.float64]:
    """Return (2 both + constant) / (each + constant), computed in place of `both`."""
    both *= 2
    both += constant
    each += constant
    both /= each
    return both
