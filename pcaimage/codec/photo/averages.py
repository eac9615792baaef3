"""From coefficients to averages of pixels, for the screen: fast, and as exact as float32."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import kernel
from pcaimage.parallel import in_parallel

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]
Halo = tuple[bool, bool, bool, bool]
"""Whether there are blocks beyond a rectangle above, below, left and right."""

_LARGE = 1 << 17
"""Numbers from which more than one core is worth its trouble."""


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
def _add(target: AnyArray, weights: AnyArray, source: AnyArray, start: int) -> None:
    """Add to target[j] the sum of weights[k] source[k, start + j] over eight k."""
    for j in range(target.size):
        total = target[j]
        for k in range(8):
            total += weights[k] * source[k, start + j]
        target[j] = total


@kernel
def _beside(target: AnyArray, weights: AnyArray, source: AnyArray, place: tuple[int, int]) -> None:
    """Find the averages at one place, of so many, of each block in a line.

    They depend on the block itself and, in its first half, on the one before, in its second on that behind.
    """
    # Starts are written out: with those that the compiler does not know, the loops are seven times slower.
    if 2 * place[0] < place[1]:
        combine(target, weights[:8], source, 0, weights[8:16], source, 1)
    else:
        combine(target, weights[8:16], source, 1, weights[16:], source, 2)
    if place[1] == 1:
        _add(target, weights[16:], source, 2)


@kernel
def _across(lines: AnyArray, horizontal: AnyArray, first: bool, last: bool, turned: AnyArray) -> None:  # noqa: FBT001
    """Find the principal components of a line of averages, turned[p, k, column]."""
    cells, columns = turned.shape[1:]
    for p in range(len(turned)):
        source = lines[p * 8 : p * 8 + 8]
        for k in range(cells):
            _beside(turned[p, k], horizontal[0, k], source, (k, cells))
            for column in (0, columns - 1):
                kind = (1 if first and column == 0 else 0) + (2 if last and column == columns - 1 else 0)
                if kind:
                    edge = source[:, column : column + 3].copy()
                    target = turned[p, k, column : column + 1]
                    _beside(target, horizontal[kind, k], edge, (k, cells))


@kernel
def _down(rows: tuple[AnyArray, AnyArray, AnyArray], vertical: AnyArray, left: int, lines: AnyArray) -> None:
    """Find the horizontal components of the lines of averages of a row of blocks.

    The rows, (C*8, 8, columns), are that above, the row itself and that below: lines[s, p*8 + v, column].
    """
    above, here, below = rows
    cells, start, stop = len(vertical), 1 - left, 1 - left + here.shape[2]
    for pv in range(len(here)):
        for s in range(cells):
            target, weights = lines[s, pv, start:stop], vertical[s]
            if 2 * s < cells:
                combine(target, weights[:8], above[pv], 0, weights[8:16], here[pv], 0)
            else:
                combine(target, weights[8:16], here[pv], 0, weights[16:], below[pv], 0)
            if cells == 1:
                _add(target, weights[16:], below[pv], 0)


@kernel
def _gather(planes: AnyArray, row: int, target: AnyArray) -> None:
    """Copy a row of blocks, if there is one, to where its components lie together, target[p*8 + v, u]."""
    if 0 <= row < planes.shape[3]:
        for pv in range(len(target)):
            for u in range(8):
                target[pv, u] = planes[pv // 8, u, pv % 8, row]


@kernel
def _mix(turned: AnyArray, rotation: AnyArray, mean: AnyArray, sums: AnyArray, line: AnyArray) -> None:
    """Find the averaged pixels of a line, line[x, channel]."""
    cells = turned.shape[1]
    for channel in range(len(rotation)):
        for k in range(cells):
            sums[:] = mean[channel]
            for p in range(len(rotation)):
                weight = rotation[p, channel]
                values = turned[p, k]
                for j in range(len(sums)):
                    sums[j] += weight * values[j]
            for j in range(len(sums)):
                line[j * cells + k, channel] = sums[j]


@kernel
def _average(
    planes: AnyArray,
    halo: tuple[int, int, int, int],
    vertical: AnyArray,
    horizontal: AnyArray,
    rotation: AnyArray,
    mean: AnyArray,
    start: int,
    stop: int,
    pixels: AnyArray,
) -> None:
    """Find averages of pixels of some rows of blocks.

    Parameters
    ----------
    planes : ndarray of float32, shape (C, 8, 8, rows, columns)
        Coefficients in pixel units, with those of the halo.
    halo : tuple of int
        How many blocks there are beyond the region above, below, left and right; 0 at the image's borders.
    vertical, horizontal : ndarray of float32, shape (4, 8 / r, 24)
        As of :func:`pcaimage.codec.photo.axes.averages`, for blocks that are neither first nor last, first,
        last, and both.
    rotation, mean : ndarray of float32, shapes (C, C) and (C,)
        The channels' principal components, in rows, and their mean.
    start, stop : int
        Rows of blocks of the region.
    pixels : ndarray of float32, shape (8 h / r, 8 w / r, C)
        All of the region's; those rows of blocks are written.
    """
    channels, height = planes.shape[0], planes.shape[3]
    top, _, left, right = halo
    cells, width = vertical.shape[1], planes.shape[4]
    columns = width - left - right
    lines = np.zeros((cells, channels * 8, columns + 2), np.float32)
    turned = np.empty((channels, cells, columns), np.float32)
    sums = np.empty(columns, np.float32)
    recent = np.zeros((3, channels * 8, 8, width), np.float32)
    _gather(planes, start + top - 1, recent[(start + top + 2) % 3])
    _gather(planes, start + top, recent[(start + top) % 3])
    for row in range(start, stop):
        here = row + top
        _gather(planes, here + 1, recent[(here + 1) % 3])
        kind = (1 if here == 0 else 0) + (2 if here + 1 == height else 0)
        rows = recent[(here + 2) % 3], recent[here % 3], recent[(here + 1) % 3]
        _down(rows, vertical[kind], left, lines)
        for s in range(cells):
            _across(lines[s], horizontal, left == 0, right == 0, turned)
            _mix(turned, rotation, mean, sums, pixels[row * cells + s])


def averaged(
    planes: Floats, halo: Halo, maps: tuple[Floats, Floats], rotation: Floats, mean: Floats
) -> Floats:
    """Return averages of pixels of a rectangle of blocks.

    Parameters
    ----------
    planes : ndarray of float32, shape (C*64, rows, columns)
        Coefficients in pixel units, with those of the halo.
    halo : (bool, bool, bool, bool)
        Where there is one. Elsewhere the image ends.
    maps : (ndarray, ndarray) of float32, shape (4, 8 / r, 24) each
        Vertical and horizontal, as of :func:`pcaimage.codec.photo.axes.averages`, for blocks that are neither
        first nor last, first, last, and both.
    rotation, mean : ndarray of float32, shapes (C, C) and (C,)
        The channels' principal components, in rows, and their mean.

    Returns
    -------
    ndarray of float32, shape (8 h / r, 8 w / r, C)
        Of the h × w blocks without the halo.
    """
    top, bottom, left, right = (int(side) for side in halo)
    height, width = planes.shape[1] - top - bottom, planes.shape[2] - left - right
    cells, channels = maps[0].shape[1], len(mean)
    pixels = np.empty((height * cells, width * cells, channels), np.float32)
    parts = np.ascontiguousarray(planes, np.float32).reshape(channels, 8, 8, *planes.shape[1:])

    def find(start: int, stop: int) -> None:
        if start < stop:
            _average(parts, (top, bottom, left, right), *maps, rotation, mean, start, stop, pixels)

    in_parallel(find, height, worth=planes.size > _LARGE)
    return pixels
