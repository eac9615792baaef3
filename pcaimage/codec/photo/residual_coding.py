"""Coding pixels around what is expected of them, question by question.

Is the pixel above the expected value? How far beyond it, in steps that suit the place? Where in the last
step? The answers' probabilities follow from how wrong expectations were around the pixel, in its own channel
and in those before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import hot, inline
from pcaimage.codec.coding.rangecoder import ONE, code
from pcaimage.codec.photo.numbers import digits
from pcaimage.codec.photo.residual_context import FRACTION_BITS, Known, bias, look, opinions, situate
from pcaimage.codec.photo.residual_fit import BORDER, STRIP, STRIPS, Fit, accumulate, expected, solve
from pcaimage.codec.photo.residual_learning import (
    BIAS_LIMIT,
    DENSITIES,
    LOW,
    OCTAVES,
    OPINIONS,
    QUICK,
    STEPS,
    Tools,
    bounded,
    decide,
)

Ints = NDArray[np.int32]

BITS = STEPS + 57
"""At most so many bits does a channel of a pixel take."""

_SMALLEST = 40
"""Level of the widths from which on steps are longer than one."""

_FARTHEST = (1 << 20) - 1


@inline
def _tail(place: int, tails: Ints) -> int:
    """Return ln(1 + exp(-z))."""
    if place < 0:
        return int(tails[min(-place, 3071)] - place)
    return int(tails[min(place, 3071)])


@inline
def _distance(
    distance: int, start: int, shift: int, side: int, border: int, known: Known, tools: Tools
) -> int:
    """Code how far a pixel lies beyond the value next to what is expected, and return the pixel.

    The value next to it is the border; the edge before it lies `start` sixteenths beyond what is expected.
    """
    room, inverses = tools.room, tools.curves.inverses
    limit, sign = (known.peak - border, 1) if side else (border, -1)
    shade = 8 if known.peak > 255 else 0
    for index in range(OPINIONS):
        size = room.sizes[index]
        room.places[index] = (start * inverses[size]) >> 18
        room.steps[index] = (inverses[size] << (shift + FRACTION_BITS)) >> 18
        room.gaps[index] = tools.curves.gaps[size - 8 * shift + 8 * OCTAVES]
    goal, last, found = distance >> shift, limit >> shift, 0
    kind = 1 + 4 * side + min(shift, 3)
    while found < min(last, STEPS):
        for index in range(OPINIONS):
            room.logits[index] = bounded(_tail(room.places[index], tools.curves.tails) - room.gaps[index])
        value = (border + sign * (found << shift)) >> shade
        if not decide(1 + found, kind, value, 1 if goal > found else 0, tools):
            break
        found += 1
        for index in range(OPINIONS):
            room.places[index] += room.steps[index]
    node = 1 + STEPS + min(found, LOW - 1)
    if found == STEPS and last > STEPS:
        found += _far(goal - STEPS, tools)
    for bit in range(shift - 1, -1, -1):
        half = (distance >> bit) & 1
        if bit >= shift - 2:
            value = (border + sign * min(found << (bit + 1), limit)) >> shade
            half = _half(node + LOW * (shift - 1 - bit), bit, shift - bit, side, value, half, tools)
        else:
            half = code(tools.state, tools.tape, tools.data, ONE // 2, half, tools.reading)
        found = 2 * found + half
    return border + sign * min(found, limit)


@inline
def _half(node: int, bit: int, depth: int, side: int, value: int, half: int, tools: Tools) -> int:
    """Code in which half of a part of a step a pixel lies."""
    room, tails = tools.room, tools.curves.tails
    for index in range(OPINIONS):
        place, step = room.places[index], room.steps[index] >> (depth - 1)
        ratio = tools.curves.ratios[room.sizes[index] - 8 * bit + 8 * OCTAVES]
        room.logits[index] = bounded(_tail(place, tails) - _tail(place + step, tails) - ratio)
    half = decide(node, 9 + 4 * side + min(bit, 3), value, half, tools)
    if half:
        for index in range(OPINIONS):
            room.places[index] += room.steps[index] >> depth
    return half


@inline
def _far(rest: int, tools: Tools) -> int:
    """Code what a distance has beyond all steps."""
    length, found = digits(rest + 1) - 1, 0
    while found < 20 and code(
        tools.state, tools.tape, tools.data, ONE // 2, 1 if length > found else 0, tools.reading
    ):
        found += 1
    value = 1
    for place in range(found - 1, -1, -1):
        bit = ((rest + 1) >> place) & 1
        value = 2 * value + code(tools.state, tools.tape, tools.data, ONE // 2, bit, tools.reading)
    return value - 1


@inline
def _learn(error: int, missed: int, tools: Tools) -> None:
    """Let widths and biases learn from errors, with the bias taken off and without."""
    widths, biases, held = tools.learned.widths, tools.learned.biases, tools.room.held
    for index in range(OPINIONS):
        place = held[index]
        count, old = widths[place, 1], np.int64(widths[place, 0])
        widths[place, 0] = old + (((46 * error - old) * tools.learned.rates[count]) >> 16)
        widths[place, 1] = min(count + 1, QUICK)
    for index in range(OPINIONS, OPINIONS + 2):
        place = held[index]
        biases[place, 0] += min(max(missed, -65536), 65536)
        biases[place, 1] += 1
        if biases[place, 1] > BIAS_LIMIT:
            biases[place, 0] >>= 1
            biases[place, 1] >>= 1


@inline
def _pixel(value: int, center: int, channel: int, place: int, mean: int, known: Known, tools: Tools) -> int:
    """Code a pixel around its expected value in 1/16, and return it."""
    room, inverses = tools.room, tools.curves.inverses
    border = min((center >> FRACTION_BITS) + 1, known.peak)
    fraction = min(center - ((border - 1) << FRACTION_BITS), 15)
    situate(known, channel, place, min(mean // 4, DENSITIES - 1), border, fraction, tools)
    start = (border << FRACTION_BITS) - (1 << (FRACTION_BITS - 1)) - center
    for index in range(OPINIONS):
        room.logits[index] = bounded((-start * inverses[room.sizes[index]]) >> 18)
    shade = 8 if known.peak > 255 else 0
    side = decide(0, 0, border >> shade, 1 if value >= border else 0, tools)
    distance = value - border if side else border - 1 - value
    start, border = (start, border) if side else (-start, border - 1)
    return _distance(distance, start, max(mean - _SMALLEST, 0) >> 3, side, border, known, tools)


@hot
def code_pixels(
    channel: int, start: int, stop: int, values: Ints, columns: int, known: Known, fit: Fit, tools: Tools
) -> None:
    """Code one channel of some pixels, or decode it.

    Parameters
    ----------
    channel : int
        Which channel, in the order of coding.
    start, stop : int
        Which pixels, in reading order.
    values : ndarray of int32, shape (rows * columns,)
        The channel; takes what is read.
    columns : int
        Pixels in a line.
    known, fit, tools : NamedTuple
        What is known of the slice and learned of the channel; changed.
    """
    row, column = start // columns, start % columns - 1
    for pixel in range(start, stop):
        column += 1
        if column == columns:
            row, column = row + 1, 0
        if column % STRIP == 0:
            solve(fit, column // STRIP % STRIPS)
        place = (row + BORDER) * known.stride + column + BORDER
        here = place + channel * known.area
        base = known.planes[here + known.channels * known.area]
        lacks = expected(fit, column, known.planes, place, base)
        raw = (base << FRACTION_BITS) + ((lacks + (1 << 11)) >> 12)
        look(known, channel, place, tools.room.near)
        mean = opinions(channel, tools)
        center = raw + bias(known, channel, place, tools)
        center = min(max(center, 0), known.peak << FRACTION_BITS)
        value = _pixel(values[pixel], center, channel, place, mean, known, tools)
        exact, values[pixel], known.planes[here] = value << FRACTION_BITS, value, value - base
        error = min(abs(exact - center), _FARTHEST)
        known.errors[here] = error
        _learn(error, exact - raw, tools)
        fit.seen[fit.places.size, column % STRIP] = value - base
        fit.inverses[column % STRIP] = tools.curves.inverses[tools.room.sizes[2]]
        if column % STRIP == STRIP - 1 or column == columns - 1:
            accumulate(fit, column // STRIP % STRIPS, column % STRIP + 1)
