"""What is known around a pixel, and which experience applies to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import inline
from pcaimage.codec.photo.numbers import digits, level
from pcaimage.codec.photo.residual_learning import (
    BIASES,
    CHANNELS,
    DENSITIES,
    KINDS,
    MODELS,
    NODES,
    OPINIONS,
    SIZES,
    VALUES,
    WIDTHS,
    Tools,
)

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

FRACTION_BITS = 4
"""Expectations and errors are in units of 1/16."""


class Known(NamedTuple):
    """What is known of a slice, in planes with a border, in the order of coding.

    Parameters
    ----------
    planes : ndarray of int32, shape (2 * C * area,)
        What each channel lacks, as far as it is known, and then their reconstructions.
    errors : ndarray of int32, shape (C * area,)
        How wrong the expectations were, in 1/16.
    area, stride : int
        Numbers in a plane, and in a line of it.
    channels, peak : int
        C, and the largest value of a pixel.
    """

    planes: Ints
    errors: Ints
    area: int
    stride: int
    channels: int
    peak: int


@inline
def _fine(value: int) -> int:
    """Return how large a number is, eight levels for each octave of the number plus one."""
    value = 8 * value + 8
    octave = digits(value) - 4
    return min(8 * octave + ((value >> octave) & 7), SIZES - 1)


@inline
def look(known: Known, channel: int, place: int, near: Longs) -> None:
    """Find how wrong expectations were around a pixel, and how steep the image is.

    Parameters
    ----------
    known : Known
        What is known of the slice.
    channel : int
        The pixel's, in the order of coding.
    place : int
        Where the pixel lies in the first plane.
    near : ndarray of int64, shape (4,)
        Takes the numbers, as in :class:`~pcaimage.codec.photo.residual_learning.Room`.
    """
    planes, errors, stride, area = known.planes, known.errors, known.stride, known.area
    here = place + channel * area
    around = 2 * (np.int64(errors[here - 1]) + errors[here - stride]) + errors[here - stride - 1]
    near[0] = around + errors[here - stride + 1] + errors[here - 2] + errors[here - 2 * stride]
    for before in range(1, 3):
        near[before] = 0
        if channel >= before:
            there = here - before * area
            around = 4 * np.int64(errors[there]) + errors[there - 1] + errors[there + 1]
            near[before] = around + errors[there - stride] + errors[there + stride]
    base = here + known.channels * area
    west, east, north = planes[base - 1], planes[base + 1], planes[base - stride]
    south, middle = planes[base + stride], 2 * planes[base]
    slope = abs(east - west) + abs(south - north) + abs(east + west - middle) + abs(south + north - middle)
    west, north, corner = planes[here - 1], planes[here - stride], planes[here - stride - 1]
    near[3] = slope + abs(west - north) + abs(west - corner) + abs(north - planes[here - stride + 1])


@inline
def opinions(channel: int, tools: Tools) -> int:
    """Find the widths of the distributions.

    Parameters
    ----------
    channel : int
        The pixel's.
    tools : Tools
        With what is near; contexts and sizes are changed.

    Returns
    -------
    int
        The mean of their levels.
    """
    near, held = tools.room.near, tools.room.held
    first, second, third = near[0], near[1], near[2]
    whole = first
    if channel == 1:
        whole = (2 * first + 3 * second) // 5
    elif channel > 1:
        whole = (2 * first + 3 * second + 2 * third) // 7
    held[0] = channel * WIDTHS[0] + level(first >> 2, 31) * 24 + level(second >> 2, 23)
    held[1] = CHANNELS * WIDTHS[0] + channel * WIDTHS[1]
    held[1] += level(near[3], 23) * 32 + level((first + second + third) >> 2, 31)
    held[2] = CHANNELS * (WIDTHS[0] + WIDTHS[1]) + channel * WIDTHS[2] + _fine(whole)
    total = 0
    for index in range(OPINIONS):
        size = _fine(int(tools.learned.widths[held[index], 0]) >> 6)
        tools.room.sizes[index] = size
        total += size
    return total // OPINIONS


@inline
def bias(known: Known, channel: int, place: int, tools: Tools) -> int:
    """Return how wrong expectations were lately in situations like this one.

    Parameters
    ----------
    known : Known
        What is known of the slice.
    channel, place : int
        As for :func:`look`.
    tools : Tools
        With what is near; contexts are changed.

    Returns
    -------
    int
        In 1/16.
    """
    held, biases, here = tools.room.held, tools.learned.biases, place + channel * known.area
    west, north = known.planes[here - 1], known.planes[here - known.stride]
    sides = (0 if west == 0 else (3 if west > 0 else 6)) + (0 if north == 0 else (1 if north > 0 else 2))
    held[3] = channel * BIASES[0] + level(tools.room.near[0] >> 3, 23) * 9 + sides
    held[4] = CHANNELS * BIASES[0] + channel * BIASES[1]
    if channel > 0:
        held[4] += min(max(known.planes[here - known.area], -20), 20) + 20
    else:
        held[4] += level(tools.room.near[3], 40)
    total = 0
    for index in range(OPINIONS, OPINIONS + 2):
        total += np.int64(biases[held[index], 0]) * tools.learned.rates[biases[held[index], 1] + 3]
    return total >> 17


@inline
def situate(
    known: Known, channel: int, place: int, density: int, border: int, fraction: int, tools: Tools
) -> None:
    """Find the contexts of models, weights and tilts.

    Parameters
    ----------
    known : Known
        What is known of the slice.
    channel, place : int
        As for :func:`look`.
    density : int
        How wide the distributions are: a level below DENSITIES.
    border : int
        The first value above what is expected.
    fraction : int
        How far the expected value lies above the one before it, in 1/16, from 0 to 15.
    tools : Tools
        Contexts are changed.
    """
    contexts, others = tools.room.contexts, tools.room.others
    contexts[0] = (channel * MODELS[0] + density * 16 + fraction) * NODES
    base = CHANNELS * MODELS[0] + channel * MODELS[1]
    contexts[1] = (base + _alike(known, channel, place, border) * 10 + density // 4) * NODES
    base = CHANNELS * (MODELS[0] + MODELS[1]) + channel * MODELS[2]
    contexts[2] = (base + _beyond(known, channel, place, border) * 10 + density // 4) * NODES
    contexts[3] = (channel * DENSITIES + density) * NODES
    contexts[4], contexts[5] = channel * KINDS, min(channel, 2) + 1
    for before in range(1, 3):
        others[before] = before * CHANNELS * KINDS * VALUES
        if channel >= before:
            value = _value(known, place + (channel - before) * known.area)
            others[before] += VALUES // 2 - (value >> (8 if known.peak > 255 else 0))


@inline
def _value(known: Known, here: int) -> int:
    """Return a pixel that is known."""
    return int(known.planes[here] + known.planes[here + known.channels * known.area])


@inline
def _pair(first: int, second: int) -> int:
    """Return a context of two small numbers."""
    return 8 * min(max(first + 4, 0), 7) + min(max(second + 4, 0), 7)


@inline
def _alike(known: Known, channel: int, place: int, border: int) -> int:
    """Return where a pixel would lie that differs from its neighbours as it does in the channel before."""
    here = place + channel * known.area
    west, north, same = _value(known, here - 1) - border, _value(known, here - known.stride) - border, 0
    if channel > 0:
        there = here - known.area
        across = _value(known, there) - _value(known, there - 1)
        down = _value(known, there) - _value(known, there - known.stride)
        west, north = west + across, north + down
        same = (1 if across == 0 else 0) + (2 if down == 0 else 0)
    return 4 * _pair(west, north) + same


@inline
def _beyond(known: Known, channel: int, place: int, border: int) -> int:
    """Return the like for the channel before that, or else where neighbours lie themselves."""
    here = place + channel * known.area
    if channel == 0:
        above = here - known.stride
        return _pair(_value(known, above - 1) - border, _value(known, above + 1) - border)
    west, north = _value(known, here - 1) - border, _value(known, here - known.stride) - border
    if channel > 1:
        there = here - 2 * known.area
        value = _value(known, there)
        west += value - _value(known, there - 1)
        north += value - _value(known, there - known.stride)
    return _pair(west, north)
