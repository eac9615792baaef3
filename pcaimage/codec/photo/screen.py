"""From scores to coefficients for the screen: as :mod:`.prediction`, but in float32, and rounding on the way.

Coefficients are in units of the step, so that rounding is to whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import kernel
from pcaimage.codec.photo.prediction import BIAS_MORE, BIAS_ONE, FRACTION_BITS

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]

STORED, ROUNDED, EXACT = 0, 1, 2
"""What scores are: a file's integers; to be rounded to integers; to be shown as they are."""

_HALF = np.float32(0.5)
_ZERO = np.float32(0.0)
_SURE = np.float32(1.5)
_ONE_LESS = np.float32(BIAS_ONE / (1 << FRACTION_BITS))
_MORE_LESS = np.float32(BIAS_MORE / (1 << FRACTION_BITS))


@kernel
def means_around(
    planes: AnyArray,
    bounds: tuple[int, int],
    places: AnyArray,
    corner: tuple[int, int],
    factor: np.float32,
    kind: int,
    around: Floats,
) -> None:
    """Read the blocks' means in a rectangle.

    Parameters
    ----------
    planes : ndarray of int16 or int32, shape (n, rows, columns)
        Scores, best in C order: else each number takes ten times as long.
    bounds : (int, int)
        The first row of the slice, and the one behind its last.
    places : ndarray of int64, shape (C,)
        The planes of the constant components, -1 for those that are left out.
    corner : (int, int)
        First row and column of the rectangle.
    factor : float32
        By which scores are multiplied to be in units of the step.
    kind : int
        One of :data:`STORED`, :data:`ROUNDED` and :data:`EXACT`.
    around : ndarray of float32, shape (C, height + 2, width + 2)
        Takes the means of the rectangle, and those around it. Outside of the slice stands its nearest block.
    """
    columns = planes.shape[2]
    for channel in range(len(places)):
        for y in range(around.shape[1]):
            target = around[channel, y]
            if places[channel] < 0:
                target[:] = _ZERO
                continue
            source = planes[places[channel], min(max(corner[0] + y - 1, bounds[0]), bounds[1] - 1)]
            for x in range(len(target)):
                value = np.float32(source[min(max(corner[1] + x - 1, 0), columns - 1)]) * factor
                target[x] = np.rint(value) if kind == ROUNDED else value


@kernel
def _expect(above: Floats, here: Floats, below: Floats, weights: Floats, target: Floats) -> None:
    """Predict a row of blocks from the means around each, in rows that begin and end one block further."""
    for x in range(len(target)):
        target[x] = (
            weights[0] * above[x]
            + weights[1] * above[x + 1]
            + weights[2] * above[x + 2]
            + weights[3] * here[x]
            + weights[4] * here[x + 1]
            + weights[5] * here[x + 2]
            + weights[6] * below[x]
            + weights[7] * below[x + 1]
            + weights[8] * below[x + 2]
        )


@kernel
def _settle(source: AnyArray, target: Floats) -> None:
    """Add to a prediction what a file's integers stand for."""
    for x in range(len(target)):
        value = np.float32(source[x])
        size = abs(value)
        less = _MORE_LESS if size > _SURE else _ONE_LESS
        size -= less if size > _HALF else _ZERO
        target[x] += size if value > _ZERO else -size


@kernel
def _round(
    source: AnyArray, factor: np.float32, zones: tuple[np.float32, np.float32], target: Floats
) -> None:
    """Add to a prediction what the rounded difference of the scores to it stands for."""
    first, others = zones
    for x in range(len(target)):
        value = np.float32(source[x]) * factor - target[x]
        size = abs(value)
        whole = np.float32(np.int32(size + others))
        whole -= _MORE_LESS if whole > _SURE else _ONE_LESS
        whole = whole if size > first else _ZERO
        target[x] += np.copysign(whole, value)


@kernel
def coefficients(
    planes: AnyArray,
    chosen: AnyArray,
    weights: Floats,
    around: Floats,
    corner: tuple[int, int],
    factor: np.float32,
    zones: tuple[np.float32, np.float32],
    kind: int,
    rows: tuple[int, int],
    result: Floats,
) -> None:
    """Find the coefficients of chosen components in a rectangle of a slice.

    Parameters
    ----------
    planes : ndarray of int16 or int32, shape (n, rows, columns)
        Scores, as above.
    chosen : ndarray of int64, shape (m, 3)
        For each component its plane, or -1 where it is only predicted; its channel; and whether it is
        predicted, -1 for the constants.
    weights : ndarray of float32, shape (m, 9)
        Of the means around a block and its own, in reading order.
    around : ndarray of float32, shape (C, height + 2, width + 2)
        From :func:`means_around`.
    corner : (int, int)
        First row and column of the rectangle.
    factor : float32
        By which scores are multiplied to be in units of the step.
    zones : (float32, float32)
        What is smaller than the first is rounded to zero; the other is added before larger numbers are
        rounded down.
    kind : int
        One of :data:`STORED`, :data:`ROUNDED` and :data:`EXACT`.
    rows : (int, int)
        The first row of the result that is found, and the one behind the last.
    result : ndarray of float32, shape (m, height, width), in C order
        Takes the coefficients.
    """
    width = result.shape[2]
    for index in range(len(chosen)):
        plane, channel, predicted = chosen[index]
        means = around[channel]
        for y in range(rows[1] - rows[0]):
            target = result[index, rows[0] + y]
            if predicted < 0:
                target[:] = means[y + 1, 1 : 1 + width]
                continue
            if predicted > 0:
                _expect(means[y], means[y + 1], means[y + 2], weights[index], target)
            else:
                target[:] = _ZERO
            if plane < 0:
                continue
            source = planes[plane, corner[0] + y, corner[1] : corner[1] + width]
            if kind == STORED:
                _settle(source, target)
            elif kind == ROUNDED:
                _round(source, factor, zones, target)
            else:
                for x in range(width):
                    target[x] = np.float32(source[x]) * factor
