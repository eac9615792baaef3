"""From pixels to scores: the loops of the cascade's analysis.

Nothing here need be exact; the encoder's arithmetic is its own business.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import kernel

AnyArray = NDArray[Any]


@kernel
def combine(
    target: AnyArray,
    weights: AnyArray,
    source: AnyArray,
    start: int,
    more_weights: AnyArray,
    more: AnyArray,
    more_start: int,
) -> None:
    """Set target[j] to the sum of weights[k] source[k, start + j] over eight k, and of the others."""
    for j in range(target.size):
        total = weights[0] * source[0, start + j]
        for k in range(1, 8):
            total += weights[k] * source[k, start + j]
        for k in range(8):
            total += more_weights[k] * more[k, more_start + j]
        target[j] = total


@kernel
def _split(line: AnyArray, channels: AnyArray) -> None:
    """Copy a line of pixels, (W, C), to where its groups of eight are columns: (C, 8, groups)."""
    last = len(line) - 1
    for group in range(channels.shape[2]):
        for k in range(8):
            x = min(max(8 * group - 4 + k, 0), last)
            for channel in range(line.shape[1]):
                channels[channel, k, group] = line[x, channel]


@kernel
def _turn(channels: AnyArray, rotation: AnyArray, offset: AnyArray, turned: AnyArray) -> None:
    """Replace the channels by their principal components."""
    for p in range(len(rotation)):
        for k in range(8):
            row = turned[p, k]
            row[:] = -offset[p]
            for channel in range(len(rotation)):
                weight = rotation[p, channel]
                values = channels[channel, k]
                for j in range(len(row)):
                    row[j] += weight * values[j]


@kernel
def _across(turned: AnyArray, horizontal: AnyArray, scores: AnyArray, s: int) -> None:
    """Find the horizontal components of a line: scores[p*8 + v, s, column]."""
    columns = scores.shape[2]
    for p in range(len(turned)):
        line = turned[p]
        for v in range(8):
            before, behind = horizontal[1, 8 + v], horizontal[1, v]
            target = scores[p * 8 + v, s]
            combine(target, before, line, 0, behind, line, 1)
            for column in (0, columns - 1):
                kind_before = 0 if column == 0 else 1
                kind_behind = 2 if column == columns - 1 else 1
                edge = target[column : column + 1]
                before, behind = horizontal[kind_before, 8 + v], horizontal[kind_behind, v]
                combine(edge, before, line, column, behind, line, column + 1)


@kernel
def _store(values: AnyArray, factor: float, target: AnyArray) -> None:
    """Write scores, as they are."""
    for j in range(len(values)):
        target[j] = values[j] * factor


@kernel
def _store_rounded(values: AnyArray, factor: float, limit: float, target: AnyArray) -> None:
    """Write whole scores, as far as they go."""
    for j in range(len(values)):
        target[j] = np.int32(min(max(np.rint(values[j] * factor), -limit), limit))


@kernel
def _down(
    above: AnyArray, here: AnyArray, before: AnyArray, behind: AnyArray, factor: AnyArray, planes: AnyArray
) -> None:
    """Find all scores of a row of blocks between two groups of lines."""
    values = np.empty(planes.shape[1], above.dtype)
    for pv in range(len(above)):
        for u in range(8):
            combine(values, before[u], above[pv], 0, behind[u], here[pv], 0)
            target = planes[pv // 8 * 64 + u * 8 + pv % 8]
            if factor[1] > 0:
                _store_rounded(values, factor[0], factor[1], target)
            else:
                _store(values, factor[0], target)


@kernel
def analyse(
    image: AnyArray,
    rotation: AnyArray,
    offset: AnyArray,
    vertical: AnyArray,
    horizontal: AnyArray,
    start: int,
    stop: int,
    factor: AnyArray,
    planes: AnyArray,
) -> None:
    """Find the scores of some rows of blocks.

    Parameters
    ----------
    image : ndarray of uint8 or uint16, shape (H, W, C)
        All of the image.
    rotation : ndarray of float, shape (C, C)
        Maps channels to their principal components.
    offset : ndarray of float, shape (C,)
        The principal components of the mean, which are subtracted.
    vertical, horizontal : ndarray of float, shape (3, 16, 8)
        As of :func:`pcaimage.codec.photo.axes.analysis`.
    start, stop : int
        The rows of blocks.
    factor : ndarray of float, shape (2,)
        By which scores are multiplied; the magnitude to which they are rounded and limited, 0 for neither.
    planes : ndarray, shape (C*64, stop - start, columns)
        Where the scores are written.
    """
    height, channels = image.shape[0], image.shape[2]
    rows, columns = (height + 7) // 8, planes.shape[2]
    split = np.empty((channels, 8, columns + 1), rotation.dtype)
    turned = np.empty((channels, 8, columns + 1), rotation.dtype)
    groups = np.empty((2, channels * 8, 8, columns), rotation.dtype)
    for group in range(start, stop + 1):
        here = groups[group % 2]
        for s in range(8):
            _split(image[min(max(8 * group - 4 + s, 0), height - 1)], split)
            _turn(split, rotation, offset, turned)
            _across(turned, horizontal, here, s)
        if group == start:
            continue
        before = vertical[0 if group == 1 else 1, 8:]
        behind = vertical[2 if group == rows else 1, :8]
        _down(groups[(group - 1) % 2], here, before, behind, factor, planes[:, group - 1 - start])
