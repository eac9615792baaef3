"""What is known around a number, and which experience applies to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands.equations import BORDER
from pcaimage.codec.bands.learning import DENSITIES, NODES, OPINIONS, SITUATIONS, WIDTHS, Tools
from pcaimage.codec.coding.jit import inline
from pcaimage.codec.photo.numbers import digits, level
from pcaimage.codec.photo.residual_learning import SIZES

Ints = NDArray[np.int32]

_ACTIVE = 4095


class Known(NamedTuple):
    """What is known of a slice, in planes with a border.

    Parameters
    ----------
    planes : ndarray of int32, shape (n * area,)
        The numbers.
    errors : ndarray of int32, shape (n * area,)
        How wrong expectations were, in 1/16.
    activity : ndarray of int32, shape (area,)
        How wrong they were at a place in all planes before; the later, the more it counts.
    area, stride : int
        Numbers in a plane, and in a line of it.
    """

    planes: Ints
    errors: Ints
    activity: Ints
    area: int
    stride: int


def nothing_known(count: int, rows: int, columns: int) -> Known:
    """Return planes of which nothing is known.

    Parameters
    ----------
    count, rows, columns : int
        The planes' shape.

    Returns
    -------
    Known
        Zeros.
    """
    stride = columns + 2 * BORDER
    area = (rows + 2 * BORDER) * stride
    planes, errors = np.zeros(count * area, np.int32), np.zeros(count * area, np.int32)
    return Known(planes, errors, np.zeros(area, np.int32), area, stride)


def see(known: Known, plane: int) -> None:
    """Remember where a plane was hard to predict.

    Parameters
    ----------
    known : Known
        Changed.
    plane : int
        The plane, which is known by now.
    """
    activity = known.activity
    errors = known.errors[plane * known.area : (plane + 1) * known.area]
    activity += np.minimum(errors, _ACTIVE) - ((activity * 5) >> 5)


@inline
def fine(value: int) -> int:
    """Return how large a number is, eight levels for each octave of the number plus one.

    Parameters
    ----------
    value : int
        Not negative.

    Returns
    -------
    int
        The level of a width.
    """
    value = 8 * value + 8
    octave = digits(value) - 4
    return min(8 * octave + ((value >> octave) & 7), SIZES - 1)


@inline
def look(here: int, plane: int, known: Known, tools: Tools) -> int:
    """Find out how wrong expectations were around a number.

    Parameters
    ----------
    here : int
        Where it lies among all planes.
    plane : int
        Which plane it is of.
    known : Known
        What is known of the slice.
    tools : Tools
        Contexts and sizes are changed.

    Returns
    -------
    int
        The mean level of the widths.
    """
    errors, activity, stride, area, held = (
        known.errors,
        known.activity,
        known.stride,
        known.area,
        tools.room.held,
    )
    own = 2 * (np.int64(errors[here - 1]) + errors[here - stride]) + errors[here - stride - 1]
    own += np.int64(errors[here - stride + 1]) + errors[here - 2] + errors[here - 2 * stride]
    at = here - plane * area
    before = 4 * np.int64(activity[at]) + activity[at - 1] + activity[at + 1]
    before += np.int64(activity[at - stride]) + activity[at + stride]
    held[0] = level(own >> 2, 31) * 32 + level(before >> 5, 31)
    held[1] = WIDTHS[0] + fine((2 * own + (before >> 2)) >> 2)
    held[2] = WIDTHS[0] + WIDTHS[1] + level(own >> 3, 15) * 16 + level(before >> 6, 15)
    west, north = known.planes[here - 1], known.planes[here - stride]
    sides = (0 if west == 0 else (3 if west > 0 else 6)) + (0 if north == 0 else (1 if north > 0 else 2))
    held[3] = level(own >> 4, 23) * 9 + sides
    total = 0
    for index in range(OPINIONS):
        size = fine(int(tools.learned.widths[held[index], 0]) >> 6)
        tools.room.sizes[index] = size
        total += size
    return total // OPINIONS


@inline
def _pair(first: int, second: int) -> int:
    """Return a context of two small numbers."""
    return 8 * min(max(first + 4, 0), 7) + min(max(second + 4, 0), 7)


@inline
def situate(here: int, plane: int, center: int, mean: int, border: int, known: Known, tools: Tools) -> None:
    """Find the contexts of models and weights.

    Parameters
    ----------
    here, plane, known
        As for :func:`look`.
    center : int
        What is expected, in 1/16.
    mean : int
        From :func:`look`.
    border : int
        The first whole number above.
    tools : Tools
        Contexts are changed.
    """
    contexts, density = tools.room.contexts, min(mean // 3, DENSITIES - 1)
    planes, errors, stride, area = known.planes, known.errors, known.stride, known.area
    contexts[0] = (density * 16 + (center & 15)) * NODES
    beside = _pair(planes[here - 1] - border, planes[here - stride] - border)
    contexts[1] = (SITUATIONS[0] + beside * 10 + density // 4) * NODES
    last = errors[here - area] if plane > 0 else 0
    further = errors[here - 2 * area] if plane > 1 else 0
    below = level(last >> 2, 12) * 13 + level(further >> 2, 12)
    contexts[2] = (SITUATIONS[0] + SITUATIONS[1] + below * 10 + density // 4) * NODES
    contexts[3] = density * NODES


@inline
def begin(line: int, known: Known) -> None:
    """Let a line's border on the left be like the beginning of the line above.

    Parameters
    ----------
    line : int
        Where the line with its border begins.
    known : Known
        Changed.
    """
    for numbers in (known.planes, known.errors):
        for index in range(BORDER):
            numbers[line + index] = numbers[line - known.stride + BORDER]


@inline
def end(line: int, columns: int, known: Known) -> None:
    """Let a line's border on the right be like its end.

    Parameters
    ----------
    line : int
        Where the line with its border begins.
    columns : int
        How long it is without.
    known : Known
        Changed.
    """
    for numbers in (known.planes, known.errors):
        for index in range(BORDER):
            numbers[line + columns + BORDER + index] = numbers[line + columns + BORDER - 1]
