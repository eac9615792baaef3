"""Coding numbers around what is expected of them, question by question.

Is the number above the expected value? How far beyond it, in steps that suit the place? Where in the last
step? The answers' probabilities follow from how wrong expectations were around it, in its own plane and in
those before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands.around import Known, begin, end, fine, look, situate
from pcaimage.codec.bands.equations import BORDER, STRIP, STRIPS, Fit, accumulate, expected, middle, solve
from pcaimage.codec.bands.learning import LOW, OPINIONS, STEPS, Tools, decide, learn
from pcaimage.codec.coding.jit import hot, inline
from pcaimage.codec.coding.rangecoder import ONE, code
from pcaimage.codec.photo.numbers import digits
from pcaimage.codec.photo.residual_learning import OCTAVES, bounded

Ints = NDArray[np.int32]

BITS = STEPS + 90
"""At most so many bits does a number take."""

LARGEST = 1 << 25
"""Numbers are bounded by it."""

FRACTION_BITS = 4
"""Expectations and errors are in units of 1/16."""

_SMALLEST = 40
"""Level of the widths from which on steps are longer than one."""

_FARTHEST = (1 << 20) - 1
_MOST_DIGITS = 28


@inline
def _tail(place: int, tails: Ints) -> int:
    """Return ln(1 + exp(-z))."""
    if place < 0:
        return int(tails[min(-place, 3071)] - place)
    return int(tails[min(place, 3071)])


@inline
def _distance(distance: int, start: int, shift: int, tools: Tools) -> int:
    """Code how many numbers lie between a number and what is expected.

    The edge of the first of them lies `start` sixteenths beyond what is expected.
    """
    room, inverses = tools.room, tools.curves.inverses
    for index in range(OPINIONS):
        size = room.sizes[index]
        room.places[index] = (start * inverses[size]) >> 18
        room.steps[index] = (inverses[size] << (shift + FRACTION_BITS)) >> 18
        room.gaps[index] = tools.curves.gaps[size - 8 * shift + 8 * OCTAVES]
    goal, found = distance >> shift, 0
    while found < STEPS:
        for index in range(OPINIONS):
            room.logits[index] = bounded(_tail(room.places[index], tools.curves.tails) - room.gaps[index])
        if not decide(1 + found, 1 if goal > found else 0, tools):
            break
        found += 1
        for index in range(OPINIONS):
            room.places[index] += room.steps[index]
    node = 1 + STEPS + min(found, LOW - 1)
    if found == STEPS:
        found += _far(goal - STEPS, tools)
    for bit in range(shift - 1, -1, -1):
        half = (distance >> bit) & 1
        if bit >= shift - 2:
            half = _half(node + LOW * (shift - 1 - bit), bit, shift - bit, half, tools)
        else:
            half = code(tools.state, tools.tape, tools.data, ONE // 2, half, tools.reading)
        found = 2 * found + half
    return found


@inline
def _half(node: int, bit: int, depth: int, half: int, tools: Tools) -> int:
    """Code in which half of a part of a step a number lies."""
    room, tails = tools.room, tools.curves.tails
    for index in range(OPINIONS):
        place, step = room.places[index], room.steps[index] >> (depth - 1)
        ratio = tools.curves.ratios[room.sizes[index] - 8 * bit + 8 * OCTAVES]
        room.logits[index] = bounded(_tail(place, tails) - _tail(place + step, tails) - ratio)
    half = decide(node, half, tools)
    if half:
        for index in range(OPINIONS):
            room.places[index] += room.steps[index] >> depth
    return half


@inline
def _far(rest: int, tools: Tools) -> int:
    """Code what a distance has beyond all steps."""
    length, found = digits(rest + 1) - 1, 0
    while found < _MOST_DIGITS and code(
        tools.state, tools.tape, tools.data, ONE // 2, 1 if length > found else 0, tools.reading
    ):
        found += 1
    value = 1
    for place in range(found - 1, -1, -1):
        bit = ((rest + 1) >> place) & 1
        value = 2 * value + code(tools.state, tools.tape, tools.data, ONE // 2, bit, tools.reading)
    return value - 1


@inline
def _bits(edge: float, width: float) -> float:
    """Return how many bits a number costs whose first edge lies somewhere; the encoder alone asks."""
    first, second = edge / width, (edge + 16.0) / width
    if first + second < 0:
        first, second = -second, -first
    share = 1 / (1 + np.exp(min(first, 60.0))) - 1 / (1 + np.exp(min(second, 60.0)))
    return float(-np.log2(share * 0.998 + 1e-6))


@inline
def _best(wanted: float, center: int, mean: int, price: float) -> int:
    """Return the whole number that costs the least: squared error plus the price of its bits.

    Looked at are the nearest, and the next one towards what is expected.
    """
    nearest = int(np.floor(wanted + 0.5))
    if price <= 0 or abs(16 * nearest - center) <= 8:
        return nearest
    other = nearest - 1 if center < 16 * wanted else nearest + 1
    width = 2.0 ** (mean / 8)
    cost = (wanted - nearest) ** 2 + price * _bits(16.0 * nearest - 8 - center, width)
    less = (wanted - other) ** 2 + price * _bits(16.0 * other - 8 - center, width)
    return other if less < cost else nearest


@inline
def _number(value: int, center: int, mean: int, tools: Tools) -> int:
    """Code a number around its expected value in 1/16, and return it."""
    room, border = tools.room, (center >> FRACTION_BITS) + 1
    start = (border << FRACTION_BITS) - (1 << (FRACTION_BITS - 1)) - center
    for index in range(OPINIONS):
        room.logits[index] = bounded((-start * tools.curves.inverses[room.sizes[index]]) >> 18)
    side, shift = decide(0, 1 if value >= border else 0, tools), max(mean - _SMALLEST, 0) >> 3
    distance = value - border if side else border - 1 - value
    found = _distance(distance, start if side else -start, shift, tools)
    return min(max(border + found if side else border - 1 - found, -LARGEST), LARGEST)


@hot
def code_lines(
    plane: int,
    start: int,
    stop: int,
    wanted: NDArray[np.float64],
    mask: NDArray[np.uint8],
    known: Known,
    fit: Fit,
    tools: Tools,
    price: float,
) -> None:
    """Code some lines of a plane, or decode them.

    Parameters
    ----------
    plane : int
        Which plane, from 0.
    start, stop : int
        Which lines.
    wanted : ndarray of float64, shape (rows, columns)
        What the numbers would best be; not used on reading.
    mask : ndarray of uint8, shape (rows, columns)
        1 where there is a number.
    known : Known
        Takes the numbers.
    fit, tools : NamedTuple
        What was learned; changed.
    price : float
        Squared error that a bit is worth; used on writing alone.
    """
    planes, errors, columns = known.planes, known.errors, mask.shape[1]
    biases, rates, held = tools.learned.biases, tools.learned.rates, tools.room.held
    n, goal = fit.weights.shape[1], 0
    for row in range(start, stop):
        line = plane * known.area + (row + BORDER) * known.stride
        begin(line, known)
        for column in range(columns):
            here, inside = line + column + BORDER, column % STRIP
            strip = column // STRIP % STRIPS
            if inside == 0:
                solve(fit, strip)
            if mask[row, column]:
                base = middle(planes, here, known.stride)
                raw = (base << FRACTION_BITS) + (
                    (expected(fit, column, planes, here, base) + (1 << 11)) >> 12
                )
                mean = look(here, plane, known, tools)
                place = held[OPINIONS]
                center = raw + ((np.int64(biases[place, 0]) * rates[biases[place, 1] + 3]) >> 16)
                center = min(max(center, -16 * LARGEST), 16 * LARGEST)
                situate(here, plane, center, mean, (center >> FRACTION_BITS) + 1, known, tools)
                if not tools.reading:
                    goal = min(max(_best(wanted[row, column], center, mean, price), -LARGEST), LARGEST)
                value = _number(goal, center, mean, tools)
                planes[here] = value
                errors[here] = min(abs((value << FRACTION_BITS) - center), _FARTHEST)
                # What was a surprise teaches less: edges would rule the equations.
                surprise = (int(tools.learned.widths[held[1], 0]) >> 6) + (int(errors[here]) >> 1)
                fit.inverses[inside] = tools.curves.inverses[fine(surprise)]
                learn(int(errors[here]), (value << FRACTION_BITS) - raw, tools)
            else:
                planes[here], errors[here] = planes[here - 1], errors[here - 1]
                base, fit.inverses[inside] = 0, 0
            fit.seen[n, inside] = planes[here] - base
            if inside == STRIP - 1 or column == columns - 1:
                accumulate(fit, strip, inside + 1)
        end(line, columns, known)
