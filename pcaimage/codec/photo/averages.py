"""From coefficients to averages of pixels, for the screen: fast, and as exact as float32."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.forward import combine
from pcaimage.codec.photo.jit import kernel
from pcaimage.parallel import in_parallel

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]
Halo = tuple[bool, bool, bool, bool]
"""Whether there are blocks beyond a rectangle above, below, left and right."""

_LARGE = 1 << 17
"""Numbers from which more than one core is worth its trouble."""


@kernel
def _add(target: AnyArray, weights: AnyArray, source: AnyArray, start: int) -> None:
    """Add to target[j] the sum over eight k of weights[k] source[k, start + j]."""
    for j in range(target.size):
        total = target[j]
        for k in range(8):
            total += weights[k] * source[k, start + j]
        target[j] = total


@kernel
def _one(
    target: AnyArray,
    weights: AnyArray,
    place: tuple[int, int],
    sources: tuple[AnyArray, AnyArray, AnyArray],
    step: int,
) -> None:
    """Find the averages at one place of so many in each block.

    They depend on the block before, from column 0, on the block itself, from column ``step``, and on the
    block behind, from column 2 ``step``; but in a block's first half not on the one behind, and in its second
    half not on the one before.
    """
    before, here, behind = sources
    if 2 * place[0] < place[1]:
        combine(target, weights[:8], before, 0, weights[8:16], here, step)
        if place[1] == 1:
            _add(target, weights[16:], behind, 2 * step)
    else:
        combine(target, weights[8:16], here, step, weights[16:], behind, 2 * step)


@kernel
def _across(lines: AnyArray, horizontal: AnyArray, first: bool, last: bool, turned: AnyArray) -> None:  # noqa: FBT001
    """Find the principal components of a line of averages, turned[p, k, column]."""
    cells, columns = turned.shape[1:]
    for p in range(len(turned)):
        source = lines[p * 8 : p * 8 + 8]
        for k in range(cells):
            _one(turned[p, k], horizontal[0, k], (k, cells), (source, source, source), 1)
            for column in (0, columns - 1):
                kind = (1 if first and column == 0 else 0) + (2 if last and column == columns - 1 else 0)
                if kind:
                    edge = source[:, column : column + 3]
                    target = turned[p, k, column : column + 1]
                    _one(target, horizontal[kind, k], (k, cells), (edge, edge, edge), 1)


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
    top, bottom, left, right = halo
    cells = vertical.shape[1]
    width, columns = planes.shape[4], planes.shape[4] - left - right
    lines = np.zeros((cells, channels * 8, columns + 2), np.float32)
    turned = np.empty((channels, cells, columns), np.float32)
    sums = np.empty(columns, np.float32)
    for row in range(start, stop):
        kind = 1 if top == 0 and row == 0 else 0
        if bottom == 0 and row + top + 1 == height:
            kind += 2
        above, below = max(row + top - 1, 0), min(row + top + 1, height - 1)
        for pv in range(channels * 8):
            part = planes[pv // 8, :, pv % 8]
            sources = part[:, above], part[:, row + top], part[:, below]
            for s in range(cells):
                _one(lines[s, pv, 1 - left : 1 - left + width], vertical[kind, s], (s, cells), sources, 0)
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
