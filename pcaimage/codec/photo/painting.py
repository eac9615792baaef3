"""From coefficients to what a screen shows: as :mod:`.averages`, but of a few components, and in bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import kernel

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]

_ZERO, _WHITE = np.float32(0), np.float32(255)


@kernel
def _add(target: Floats, first: bool, a: np.float32, one: Floats, b: np.float32, two: Floats) -> None:  # noqa: FBT001
    """Set a line to a combination of two, or add it."""
    if first:
        for x in range(len(target)):
            target[x] = a * one[x] + b * two[x]
    else:
        for x in range(len(target)):
            target[x] += a * one[x] + b * two[x]


@kernel
def _add_four(
    target: Floats,
    first: bool,  # noqa: FBT001
    weights: tuple[np.float32, np.float32, np.float32, np.float32],
    lines: tuple[Floats, Floats, Floats, Floats],
) -> None:
    """Set a line to a combination of four, or add it."""
    (a, b, c, d), (one, two, three, four) = weights, lines
    if first:
        for x in range(len(target)):
            target[x] = a * one[x] + b * two[x] + c * three[x] + d * four[x]
    else:
        for x in range(len(target)):
            target[x] += a * one[x] + b * two[x] + c * three[x] + d * four[x]


@kernel
def _down(
    values: Floats,
    row: int,
    nothing: Floats,
    lines: AnyArray,
    weights: Floats,
    half: int,
    left: int,
    target: Floats,
) -> None:
    """Find the horizontal components of a line of averages: target[p*8 + v, column].

    It depends on the row of blocks and, in their upper half (-1), on that above, in their lower (1) on that
    below, and if a block is a pixel (0) on both.
    """
    width, height, index = values.shape[2], values.shape[1], 0
    beside, other = (0, row - 1) if half <= 0 else (16, row + 1)
    inside, below = 0 <= other < height, half == 0 and row + 1 < height
    while index < len(lines):
        line, u = lines[index]
        goal = target[line, 1 - left : 1 - left + width]
        first = index == 0 or lines[index - 1, 0] != line
        here = values[index, row]
        more = values[index, other] if inside else nothing
        if index + 1 < len(lines) and lines[index + 1, 0] == line:
            v = lines[index + 1, 1]
            parts = weights[8 + u], weights[beside + u], weights[8 + v], weights[beside + v]
            second = values[index + 1, other] if inside else nothing
            _add_four(goal, first, parts, (here, more, values[index + 1, row], second))
            if below:
                more, second = values[index, row + 1], values[index + 1, row + 1]
                _add(goal, False, weights[16 + u], more, weights[16 + v], second)
            index += 2
        else:
            _add(goal, first, weights[8 + u], here, weights[beside + u], more)
            if below:
                _add(goal, False, weights[16 + u], values[index, row + 1], _ZERO, here)
            index += 1


@kernel
def _across(source: Floats, present: AnyArray, weights: Floats, half: int, target: Floats) -> None:
    """Find the averages at one place of each block in a line, from the components that there are.

    The place is in a block's first half (-1), in its second (1), or the block is a pixel (0).
    """
    n, first, index = len(target), True, 0
    beside, other = (0, 0) if half <= 0 else (16, 2)
    while index < len(present):
        v = present[index]
        here, more = source[v, 1 : n + 1], source[v, other : n + other]
        if index + 1 < len(present):
            w = present[index + 1]
            parts = weights[8 + v], weights[beside + v], weights[8 + w], weights[beside + w]
            _add_four(target, first, parts, (here, more, source[w, 1 : n + 1], source[w, other : n + other]))
            if half == 0:
                _add(
                    target,
                    False,
                    weights[16 + v],
                    source[v, 2 : n + 2],
                    weights[16 + w],
                    source[w, 2 : n + 2],
                )
        else:
            _add(target, first, weights[8 + v], here, weights[beside + v], more)
            if half == 0:
                _add(target, False, weights[16 + v], source[v, 2 : n + 2], _ZERO, here)
        first = False
        index += 2
    if first:
        target[:] = _ZERO


@kernel
def _along(
    source: Floats, present: AnyArray, horizontal: Floats, ends: tuple[bool, bool], turned: Floats
) -> None:
    """Find a line of averages of a channel's principal component: turned[k, column]."""
    cells, columns = turned.shape
    for k in range(cells):
        half = 0 if cells == 1 else (-1 if 2 * k < cells else 1)
        _across(source, present, horizontal[0, k], half, turned[k])
        for x in (0, columns - 1):
            kind = (1 if ends[0] and x == 0 else 0) + (2 if ends[1] and x == columns - 1 else 0)
            if kind:
                edge = source[:, x : x + 3].copy()
                _across(edge, present, horizontal[kind, k], half, turned[k, x : x + 1])


@kernel
def _show(turned: Floats, rotation: Floats, offset: Floats, shown: AnyArray, line: AnyArray) -> None:
    """Turn the channels' principal components, filled up to four, into a line of the picture."""
    cells, columns = turned.shape[1:]
    for channel in range(len(offset)):
        start, a, b = offset[channel], rotation[0, channel], rotation[1, channel]
        c, d = rotation[2, channel], rotation[3, channel]
        for k in range(cells):
            one, two, three, four = turned[0, k], turned[1, k], turned[2, k], turned[3, k]
            for x in range(columns):
                value = start + a * one[x] + b * two[x] + c * three[x] + d * four[x]
                shown[x] = np.uint8(np.int32(min(max(value, _ZERO), _WHITE)))
            target = line[k::cells, channel]
            for x in range(columns):
                target[x] = shown[x]


@kernel
def paint(
    values: Floats,
    lines: AnyArray,
    halo: tuple[int, int, int, int],
    vertical: Floats,
    horizontal: Floats,
    rotation: Floats,
    offset: Floats,
    picture: AnyArray,
) -> None:
    """Paint a rectangle of blocks.

    Parameters
    ----------
    values : ndarray of float32, shape (m, rows, columns)
        The coefficients of the rectangle and of its halo.
    lines : ndarray of int64, shape (m, 2)
        For each component p*8 + v, in ascending order, and u: its channel, its horizontal frequency and its
        vertical one.
    halo : (int, int, int, int)
        How many blocks there are beyond the rectangle above, below, left and right; 0 where the image ends.
    vertical, horizontal : ndarray of float32, shape (4, 8 / r, 24)
        As of :func:`pcaimage.codec.photo.axes.averages`, for blocks that are neither first nor last, first,
        last, and both.
    rotation : ndarray of float32, shape (4, n)
        What the channels' principal components add to the channels shown; zeros where there are fewer.
    offset : ndarray of float32, shape (n,)
        What is shown without any, and one half.
    picture : ndarray of uint8, shape (8 h / r, 8 w / r, n)
        Takes the pixels.
    """
    top, bottom, left, right = halo
    cells, height, width = vertical.shape[1], values.shape[1], values.shape[2]
    columns = width - left - right
    source = np.zeros((32, columns + 2), np.float32)
    turned = np.zeros((4, cells, columns), np.float32)
    shown, nothing = np.empty(columns, np.uint8), np.zeros(width, np.float32)
    there = np.zeros(32, np.bool_)
    for index in range(len(lines)):
        there[lines[index, 0]] = True
    for row in range(top, height - bottom):
        kind = (1 if row == 0 else 0) + (2 if row + 1 == height else 0)
        for s in range(cells):
            half = 0 if cells == 1 else (-1 if 2 * s < cells else 1)
            _down(values, row, nothing, lines, vertical[kind, s], half, left, source)
            for p in range(4):
                present = np.flatnonzero(there[p * 8 : p * 8 + 8])
                if len(present) > 0:
                    _along(source[p * 8 : p * 8 + 8], present, horizontal, (left == 0, right == 0), turned[p])
            _show(turned, rotation, offset, shown, picture[(row - top) * cells + s])
