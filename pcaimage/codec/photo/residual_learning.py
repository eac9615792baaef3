"""Deciding under uncertainty: yes or no, by several opinions and by what was seen before.

A pixel's distance from what is expected of it is taken to be logistic; of how wide, there are several
opinions. Each gives a probability, and so do models of the situation. They are mixed in the logistic
domain [1]_. On top comes a tilt for each value that is decided on, and for its difference to the channels
before: whoever made the image rounded its values, perhaps in another colour space, and so some are more
frequent than others.

References
----------
.. [1] M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech.
   Technical Report CS-2005-16, 2005.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import inline
from pcaimage.codec.coding.rangecoder import ONE, Bytes, State, Tape, code

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

LOGIT_LIMIT = 2815
"""Logits are in units of 1/256; beyond 11 nothing more is gained."""

OPINIONS, INPUTS = 3, 6
"""Distributions of different widths; they and as many models are mixed."""

STEPS, LOW = 23, 4
"""Distances are coded in unary up to so many steps; for two bits below, the step is known up to so many."""

NODES = 1 + STEPS + 2 * LOW
"""Questions that have models and weights."""

KINDS, VALUES = 17, 512
"""Questions that have tilts, and values of each."""

SPEED, TILT_SPEED = 6, 10
"""How fast weights learn, in 2^-18, and tilts, in 2^-24."""

LIMIT, QUICK, BIAS_LIMIT = 255, 60, 252
"""The largest counts of models, of widths, and of biases."""

CHANNELS, DENSITIES, SIZES, OCTAVES = 4, 40, 168, 20
"""Channels, levels of the opinions' mean, levels of widths, eight to the octave, and octaves below them."""

WIDTHS, BIASES, MODELS = (32 * 24, 24 * 32, SIZES), (24 * 9, 41), (DENSITIES * 16, 2560, 640)
"""Contexts of each opinion, of each bias and of each model in a channel."""


class Curves(NamedTuple):
    """Tables that never change, all but the last in units of 1/256.

    Parameters
    ----------
    probabilities : ndarray of int32, shape (2 * LOGIT_LIMIT + 1,)
        The probability of each logit in 1/65536, from 1 to 65535.
    logits : ndarray of int32, shape (65536,)
        ln(p / (1 - p)) of each probability.
    tails : ndarray of int32, shape (3072,)
        ln(1 + exp(-z)) of each z from 0 to 12.
    gaps, ratios : ndarray of int32, shape (8 * OCTAVES + SIZES,)
        ln(exp(r) - 1), and r, for the ratio r of one to each width, from 2^-20 of the smallest on.
    inverses : ndarray of int64, shape (SIZES,)
        2^26 divided by each width in 1/16.
    """

    probabilities: Ints
    logits: Ints
    tails: Ints
    gaps: Ints
    ratios: Ints
    inverses: Longs


class Learned(NamedTuple):
    """What coding learns as it goes on.

    Parameters
    ----------
    weights : ndarray of int32, shape (n * INPUTS,)
        How much each input is believed, in 1/65536.
    models : ndarray of uint32, shape (n,)
        Probability of 22 bits above a count of 10.
    tilts : ndarray of int32, shape (3 * CHANNELS * KINDS * VALUES,)
        Logits, in 2^-24.
    widths : ndarray of int32, shape (n, 2)
        Means of errors, times 46 / 16, and counts.
    biases : ndarray of int32, shape (n, 2)
        Sums of errors in 1/16, and counts.
    rates : ndarray of int32, shape (256,)
        65536 / (n + 1.5): how far a mean of n numbers moves towards the next.
    """

    weights: Ints
    models: NDArray[np.uint32]
    tilts: Ints
    widths: Ints
    biases: Ints
    rates: Ints


class Room(NamedTuple):
    """Numbers of the pixel at hand.

    Parameters
    ----------
    near : ndarray of int64, shape (4,)
        Errors around it, in the last channel, and in that before; slopes around it.
    held : ndarray of int64, shape (5,)
        Its contexts among widths and biases.
    contexts : ndarray of int64, shape (6,)
        The first of its models, of each kind; the first of its weights; the first kind of its tilts, and how
        many there are of each.
    others : ndarray of int64, shape (3,)
        What is to be subtracted from a value to find each of its tilts.
    sizes, places, steps, gaps : ndarray of int64, shape (OPINIONS,)
        Levels of the widths; the place at hand, and the step, in 1/256 widths; the step's gap.
    logits : ndarray of int64, shape (INPUTS,)
        Inputs of the decision at hand.
    """

    near: Longs
    held: Longs
    contexts: Longs
    others: Longs
    sizes: Longs
    places: Longs
    steps: Longs
    gaps: Longs
    logits: Longs


class Tools(NamedTuple):
    """What every decision needs.

    Parameters
    ----------
    learned : Learned
        Changed by decisions.
    room : Room
        Changed by decisions.
    curves : Curves
        The tables.
    state, tape, data, reading
        As for :func:`~pcaimage.codec.coding.rangecoder.code`.
    """

    learned: Learned
    room: Room
    curves: Curves
    state: State
    tape: Tape
    data: Bytes
    reading: bool


@lru_cache(maxsize=1)
def curves() -> Curves:
    """Return the tables.

    Returns
    -------
    Curves
        Integers, most of them rounded from :func:`exact_curves`.
    """
    found, logits, tails, gaps = (np.rint(table).astype(np.int32) for table in exact_curves())
    widths = [(8 + (size & 7)) << (size // 8 + OCTAVES) for size in range(-8 * OCTAVES, SIZES)]
    ratios = [min((1 << (15 + OCTAVES)) // width, 4096) for width in widths]
    inverses = [(1 << 29) // ((8 + (size & 7)) << (size >> 3)) for size in range(SIZES)]
    return Curves(found, logits, tails, gaps, np.array(ratios, np.int32), np.array(inverses, np.int64))


def exact_curves() -> tuple[NDArray[np.float64], ...]:
    """Return the first four tables before they are rounded.

    Returns
    -------
    tuple of ndarray of float64
        Nowhere so near to halves of integers that machines could differ.
    """
    sizes = np.arange(-8 * OCTAVES, SIZES)
    ratios = 16 / ((1 + (sizes & 7) / 8) * 2.0 ** (sizes >> 3))
    gaps = np.where(ratios < 16, np.log(np.expm1(np.minimum(ratios, 16))), ratios)
    chances = np.maximum(np.arange(ONE), 1) / ONE
    found = ONE / (1 + np.exp(-np.arange(-LOGIT_LIMIT, LOGIT_LIMIT + 1) / 256))
    return (
        np.clip(found, 1, ONE - 1),
        256 * np.log(chances / (1 - chances)),
        256 * np.log1p(np.exp(-np.arange(3072) / 256)),
        np.clip(256 * gaps, -4096, 4096),
    )


def nothing_learned() -> Learned:
    """Return what is known before an image begins.

    Returns
    -------
    Learned
        To be changed by decisions.
    """
    weights = np.zeros((CHANNELS * DENSITIES * NODES, INPUTS), np.int32)
    weights[:, :OPINIONS], weights[:, OPINIONS:] = ONE * 2 // 9, ONE // 6
    widths = np.zeros((CHANNELS * sum(WIDTHS), 2), np.int32)
    widths[:, 0] = 46 * 64
    return Learned(
        weights.ravel(),
        np.full(CHANNELS * sum(MODELS) * NODES, 1 << 31, np.uint32),
        np.zeros(3 * CHANNELS * KINDS * VALUES, np.int32),
        widths,
        np.zeros((CHANNELS * sum(BIASES), 2), np.int32),
        (ONE / (np.arange(256) + 1.5)).astype(np.int32),
    )


def room() -> Room:
    """Return room for a pixel's numbers.

    Returns
    -------
    Room
        To be changed by decisions.
    """
    sizes = (4, 5, 6, 3, OPINIONS, OPINIONS, OPINIONS, OPINIONS, INPUTS)
    return Room(*(np.zeros(size, np.int64) for size in sizes))


@inline
def bounded(logit: int) -> int:
    """Return a logit that is not beyond the limits.

    Parameters
    ----------
    logit : int
        In 1/256.

    Returns
    -------
    int
        From -LOGIT_LIMIT to LOGIT_LIMIT.
    """
    return min(max(logit, -LOGIT_LIMIT), LOGIT_LIMIT)


@inline
def decide(node: int, kind: int, value: int, bit: int, tools: Tools) -> int:
    """Code a decision, and learn from it.

    Parameters
    ----------
    node, kind : int
        Which question it is, for models and for tilts.
    value : int
        Which pixel's value it is about, from 0 to 255.
    bit : int
        The answer; ignored on reading.
    tools : Tools
        The opinions are among the logits.

    Returns
    -------
    int
        The answer.
    """
    models, weights, tilts = tools.learned.models, tools.learned.weights, tools.learned.tilts
    logits, contexts, others = tools.room.logits, tools.room.contexts, tools.room.others
    base, tilt = (contexts[3] + node) * INPUTS, (contexts[4] + kind) * VALUES + value
    for index in range(INPUTS - OPINIONS):
        logits[OPINIONS + index] = tools.curves.logits[models[contexts[index] + node] >> 16]
    total = np.int64(0)
    for index in range(contexts[5]):
        total += np.int64(tilts[tilt + others[index]])
    for index in range(INPUTS):
        total += logits[index] * weights[base + index]
    chance = tools.curves.probabilities[bounded(int(total >> 16)) + LOGIT_LIMIT]
    bit = code(tools.state, tools.tape, tools.data, chance, bit, tools.reading)
    error = (bit << 16) - chance
    for index in range(contexts[5]):
        tilts[tilt + others[index]] += error * TILT_SPEED
    for index in range(INPUTS):
        weights[base + index] += (logits[index] * error * SPEED + (1 << 17)) >> 18
    for index in range(INPUTS - OPINIONS):
        place = contexts[index] + node
        models[place] = _taught(models[place], bit, tools.learned.rates)
    return bit


@inline
def _taught(word: int, bit: int, rates: Ints) -> int:
    """Return a model that has seen one more bit."""
    count, probability = np.int64(word) & 1023, np.int64(word) >> 10
    probability += ((bit * 4194303 - probability) * rates[count]) >> 16
    return int((probability << 10) | min(count + 1, LIMIT))
