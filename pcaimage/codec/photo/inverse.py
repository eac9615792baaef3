"""From coefficients to pixels, with the same bits on every machine.

All numbers are whole, held in float64. So long as the magnitudes of a sum's terms add up to less than 2^53,
each partial sum is exact, in any order and whether or not products and sums are fused. With F = 17 fraction
bits for images of 8 bits and F = 9 for those of 16, the steps and their bounds are:

1. x = floor(c m 2^(e + F) + ½), limited to ±2^30, of int32 coefficients c and a unit of m 2^e with m ≤ 2^20.
   |c m| ≤ 2^51 is exact, and so is its product with a power of two. Where the half cannot be added exactly,
   the product is far below a half or far above the limit. The limit is 2^13 grey levels for 8 bits and
   2^21 for 16, beyond every score of an image: that of 16×16 samples on a function of norm 1.
2. t = floor(2^-16 sum + ½), a sum of 16 products with the vertical map. The magnitudes in each row of the map
   add up to less than 2^19 (:data:`MAX_SUM`; orthonormal ones to at most 2^18): |sum| < 2^49, |t| ≤ 2^33.
3. y = floor(2^-16 sum + ½), a sum of 16 products with the horizontal map: |sum| < 2^52, |y| ≤ 2^36.
4. pixel = floor(2^-(F + 14) sum + ½), limited to the pixels' type: a sum of up to four products with entries
   of the rotation, which are at most 2^14, and of the mean times 2^(F + 14): |sum| ≤ 2^52 + 2^47.

No half that is added makes a number longer than 53 bits: each sum is a whole number below 2^53 before its
point is moved. For 8 bits, rounding x, t and y costs less than 0.001 grey levels. Rounding the maps' entries,
by at most 2^-17 each, costs 0.001 in the mean; in photographs, nowhere more than about 0.01.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import kernel
from pcaimage.codec.photo.channels import ROTATION_BITS
from pcaimage.codec.photo.forward import combine
from pcaimage.parallel import in_parallel
from pcaimage.progress import Progress

AnyArray = NDArray[Any]
Floats = NDArray[np.float64]
Coefficients = Callable[[int, int], NDArray[np.int32]]
"""Returns the coefficients of the rows of blocks from start to stop: (C*64, stop - start, columns)."""

LIMIT = 1 << 30
MAX_SUM = 1 << 19
FRACTION_BITS = {np.dtype(np.uint8): 17, np.dtype(np.uint16): 9}

_STRIP = 64
"""Groups of lines between reports of progress."""
_FETCHED = 16
"""Groups of lines whose coefficients a thread holds at once."""
_LARGE = 1 << 17
"""Numbers from which more than one core is worth its trouble."""


@kernel
def _fixed(coefficients: AnyArray, scale: float, fixed: AnyArray) -> None:
    """Step 1."""
    for j in range(len(coefficients)):
        value = np.floor(coefficients[j] * scale + 0.5)
        fixed[j] = min(max(value, -1073741824.0), 1073741824.0)


@kernel
def _rounded(values: AnyArray) -> None:
    """Take 16 bits off, rounding half up."""
    for j in range(len(values)):
        values[j] = np.floor(values[j] * (1.0 / 65536.0) + 0.5)


@kernel
def _down(coefficients: AnyArray, row: int, scale: float, vertical: AnyArray, lines: AnyArray) -> None:
    """Find the horizontal components of the eight lines of a group, lines[s, p*8 + v, 1 + column].

    The coefficients' rows ``row`` and ``row + 1`` are those of the blocks before and behind. A row outside is
    left out: its weights are zeros.
    """
    columns = coefficients.shape[2]
    fixed = np.empty((16, columns), np.float64)
    for pv in range(lines.shape[1]):
        for half in range(2):
            inside = min(max(row + half, 0), coefficients.shape[1] - 1)
            for u in range(8):
                plane = pv // 8 * 64 + u * 8 + pv % 8
                _fixed(coefficients[plane, inside], scale, fixed[half * 8 + u])
        for s in range(8):
            target = lines[s, pv, 1 : columns + 1]
            combine(target, vertical[s, :8], fixed[:8], 0, vertical[s, 8:], fixed[8:], 0)
            _rounded(target)


@kernel
def _along(line: AnyArray, horizontal: AnyArray, turned: AnyArray) -> None:
    """Find the principal components of a line's pixels, turned[p, k, group]."""
    groups = turned.shape[2]
    for p in range(len(turned)):
        source = line[p * 8 : p * 8 + 8]
        for k in range(8):
            target = turned[p, k]
            combine(target, horizontal[1, k, :8], source, 0, horizontal[1, k, 8:], source, 1)
            for group, kind in ((0, 0), (groups - 1, 2)):
                edge = target[group : group + 1]
                weights = horizontal[kind, k]
                combine(edge, weights[:8], source, group, weights[8:], source, group + 1)
            _rounded(target)


@kernel
def _mix(
    turned: AnyArray, rotation: AnyArray, bias: AnyArray, unit: float, peak: float, mixed: AnyArray
) -> None:
    """Find the pixels of a line, mixed[channel, k, group]."""
    sums = np.empty(turned.shape[2], np.float64)
    for channel in range(len(rotation)):
        for k in range(8):
            sums[:] = bias[channel]
            for p in range(len(rotation)):
                weight = rotation[p, channel]
                values = turned[p, k]
                for j in range(len(sums)):
                    sums[j] += weight * values[j]
            target = mixed[channel, k]
            for j in range(len(sums)):
                target[j] = np.int32(min(max(np.floor(sums[j] * unit + 0.5), 0.0), peak))


@kernel
def _join(mixed: AnyArray, line: AnyArray) -> None:
    """Put a line's pixels where they belong, line[x, channel]."""
    for group in range(mixed.shape[2]):
        for k in range(max(0, 4 - 8 * group), min(8, len(line) + 4 - 8 * group)):
            for channel in range(line.shape[1]):
                line[8 * group - 4 + k, channel] = mixed[channel, k, group]


@kernel
def _synthesise(
    coefficients: AnyArray,
    first: int,
    scale: float,
    vertical: AnyArray,
    horizontal: AnyArray,
    rotation: AnyArray,
    bias: AnyArray,
    unit: float,
    peak: float,
    start: int,
    stop: int,
    image: AnyArray,
) -> None:
    """Find the pixels of some groups of lines.

    Parameters
    ----------
    coefficients : ndarray of int32, shape (C*64, rows, columns)
        Those of some rows of blocks; the groups need the row before and the row behind them.
    first : int
        Which row of blocks the first is.
    scale : float
        m 2^(e + F).
    vertical, horizontal : ndarray of float64, shape (3, 8, 16)
        As of :func:`pcaimage.codec.photo.axes.synthesis`.
    rotation : ndarray of float64, shape (C, C)
        Rows are the channels' principal components, in units of 2^-14.
    bias : ndarray of float64, shape (C,)
        The mean, in units of 2^-(F + 14).
    unit, peak : float
        2^-(F + 14), and the largest pixel.
    start, stop : int
        The groups: group g is the lines from 8 g - 4 to 8 g + 3, as far as the image has them.
    image : ndarray of uint8 or uint16, shape (H, W, C)
        All of the image; the groups' lines are written.
    """
    height, channels = image.shape[0], image.shape[2]
    columns = coefficients.shape[2]
    lines = np.zeros((8, channels * 8, columns + 2), np.float64)
    turned = np.empty((channels, 8, columns + 1), np.float64)
    mixed = np.empty((channels, 8, columns + 1), image.dtype)
    for group in range(start, stop):
        kind = 0 if group == 0 else (2 if group == (height + 7) // 8 else 1)
        _down(coefficients, group - 1 - first, scale, vertical[kind], lines)
        for s in range(max(0, 4 - 8 * group), min(8, height + 4 - 8 * group)):
            _along(lines[s], horizontal, turned)
            _mix(turned, rotation, bias, unit, peak, mixed)
            _join(mixed, image[8 * group - 4 + s])


def reconstruct(
    image: AnyArray,
    coefficients: Coefficients,
    unit: tuple[int, int],
    maps: tuple[Floats, Floats],
    channels: tuple[NDArray[np.int64], NDArray[np.int64]],
    progress: Progress,
) -> None:
    """Find all pixels of an image.

    Parameters
    ----------
    image : ndarray of uint8 or uint16, shape (H, W, C)
        It is overwritten.
    coefficients : callable
        Asked from several threads, and for some rows more than once.
    unit : (int, int)
        m and e: coefficients are in units of m 2^e.
    maps : (ndarray, ndarray) of float64, shape (3, 8, 16) each
        Vertical and horizontal, as of :func:`pcaimage.codec.photo.axes.synthesis`.
    channels : (ndarray, ndarray) of int64, shapes (C,) and (C, C)
        Mean and rotation.
    progress : Progress
        Told of rows of blocks done.
    """
    bits = FRACTION_BITS[image.dtype]
    scale, peak = math.ldexp(unit[0], unit[1] + bits), float(np.iinfo(image.dtype).max)
    small = math.ldexp(1.0, -bits - ROTATION_BITS)
    rotation, bias = (
        channels[1].astype(np.float64),
        np.ldexp(channels[0].astype(np.float64), bits + ROTATION_BITS),
    )
    rows = (len(image) + 7) // 8

    def find(start: int, stop: int) -> None:
        for first in range(start, stop, _FETCHED):
            last, above = min(first + _FETCHED, stop), max(first - 1, 0)
            part = coefficients(above, min(last, rows))
            _synthesise(part, above, scale, *maps, rotation, bias, small, peak, first, last, image)

    for done in range(0, rows + 1, _STRIP):
        end = min(done + _STRIP, rows + 1)

        def find_here(start: int, stop: int, done: int = done) -> None:
            find(done + start, done + stop)

        in_parallel(find_here, end - done, worth=(end - done) * 8 * image[0].size > _LARGE)
        progress(min(end, rows), rows)
