"""Deciding under uncertainty: yes or no, by several opinions and by what was seen before.

A number's distance from what is expected of it is taken to be logistic; of how wide, there are several
opinions. Each gives a probability, and so do models of the situation. They are mixed in the logistic
domain [1]_.

References
----------
.. [1] M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech.
   Technical Report CS-2005-16, 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import inline
from pcaimage.codec.coding.rangecoder import ONE, Bytes, State, Tape, code
from pcaimage.codec.photo.residual_learning import LOGIT_LIMIT, SIZES, Curves, bounded

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

OPINIONS, MODELS, INPUTS = 3, 3, 6
"""Distributions of different widths, and as many models: they are mixed."""

STEPS, LOW = 23, 4
"""Distances are coded in unary up to so many steps; for two bits below, the step is known up to so many."""

NODES = 1 + STEPS + 2 * LOW
"""Questions that have models and weights."""

DENSITIES = 40
"""Levels of the opinions' mean."""

WIDTHS = (32 * 32, SIZES, 16 * 16)
"""Contexts of each opinion."""

SITUATIONS = (DENSITIES * 16, 64 * 10, 13 * 13 * 10)
"""Contexts of each model."""

BIASES = 24 * 9

SPEED = 6
"""How fast weights learn, in 2^-18."""

LIMIT, QUICK, BIAS_LIMIT = 127, 60, 252
"""The largest counts of models, of widths, and of biases."""

FIRST_WIDTH = 46 * 16


class Learned(NamedTuple):
    """What coding learns as it goes on.

    Parameters
    ----------
    weights : ndarray of int32, shape (n * INPUTS,)
        How much each input is believed, in 1/65536.
    models : ndarray of uint32, shape (n,)
        Probability of 22 bits above a count of 10.
    widths : ndarray of int32, shape (n, 2)
        Means of errors, times 46 / 16, and counts.
    biases : ndarray of int32, shape (n, 2)
        Sums of errors in 1/16, and counts.
    rates : ndarray of int32, shape (256,)
        65536 / (n + 1.5): how far a mean of n numbers moves towards the next.
    """

    weights: Ints
    models: NDArray[np.uint32]
    widths: Ints
    biases: Ints
    rates: Ints


class Room(NamedTuple):
    """Numbers of what is coded at the moment.

    Parameters
    ----------
    held : ndarray of int64, shape (4,)
        Its contexts among widths and biases.
    contexts : ndarray of int64, shape (4,)
        The first of its models, of each kind; the first of its weights.
    sizes, places, steps, gaps : ndarray of int64, shape (OPINIONS,)
        Levels of the widths; the place at hand, and the step, in 1/256 widths; the step's gap.
    logits : ndarray of int64, shape (INPUTS,)
        Inputs of the decision at hand.
    """

    held: Longs
    contexts: Longs
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
        Tables that never change.
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


def nothing_learned() -> Learned:
    """Return what is known before a slice begins.

    Returns
    -------
    Learned
        To be changed by decisions.
    """
    weights = np.zeros((DENSITIES * NODES, INPUTS), np.int32)
    weights[:, :OPINIONS], weights[:, OPINIONS:] = ONE * 2 // 9, ONE // 6
    widths = np.zeros((sum(WIDTHS), 2), np.int32)
    widths[:, 0] = FIRST_WIDTH
    return Learned(
        weights.ravel(),
        np.full(sum(SITUATIONS) * NODES, 1 << 31, np.uint32),
        widths,
        np.zeros((BIASES, 2), np.int32),
        (ONE / (np.arange(256) + 1.5)).astype(np.int32),
    )


def next_plane(learned: Learned) -> None:
    """Forget what is known of one plane only.

    Parameters
    ----------
    learned : Learned
        Changed.
    """
    learned.widths[-WIDTHS[2] :] = (FIRST_WIDTH, 0)


def room() -> Room:
    """Return room for the numbers of what is coded.

    Returns
    -------
    Room
        To be changed by decisions.
    """
    sizes = (OPINIONS + 1, MODELS + 1, OPINIONS, OPINIONS, OPINIONS, OPINIONS, INPUTS)
    return Room(*(np.zeros(size, np.int64) for size in sizes))


@inline
def decide(node: int, bit: int, tools: Tools) -> int:
    """Code a decision, and learn from it.

    Parameters
    ----------
    node : int
        Which question it is.
    bit : int
        The answer; ignored on reading.
    tools : Tools
        The opinions are among the logits.

    Returns
    -------
    int
        The answer.
    """
    models, weights = tools.learned.models, tools.learned.weights
    logits, contexts = tools.room.logits, tools.room.contexts
    base = (contexts[MODELS] + node) * INPUTS
    for index in range(MODELS):
        logits[OPINIONS + index] = tools.curves.logits[models[contexts[index] + node] >> 16]
    total = np.int64(0)
    for index in range(INPUTS):
        total += logits[index] * weights[base + index]
    chance = tools.curves.probabilities[bounded(int(total >> 16)) + LOGIT_LIMIT]
    bit = code(tools.state, tools.tape, tools.data, chance, bit, tools.reading)
    error = (bit << 16) - chance
    for index in range(INPUTS):
        weights[base + index] += (logits[index] * error * SPEED + (1 << 17)) >> 18
    for index in range(MODELS):
        place = contexts[index] + node
        models[place] = _taught(models[place], bit, tools.learned.rates)
    return bit


@inline
def _taught(word: int, bit: int, rates: Ints) -> int:
    """Return a model that has seen one more bit."""
    count, probability = np.int64(word) & 1023, np.int64(word) >> 10
    probability += ((bit * 4194303 - probability) * rates[count]) >> 16
    return int((probability << 10) | min(count + 1, LIMIT))


@inline
def learn(error: int, missed: int, tools: Tools) -> None:
    """Let widths and the bias learn from a number's errors.

    Parameters
    ----------
    error : int
        How far the number was from what was expected, in 1/16.
    missed : int
        What it lacked of being as expected without the bias, in 1/16.
    tools : Tools
        With the contexts.
    """
    widths, biases, held = tools.learned.widths, tools.learned.biases, tools.room.held
    for index in range(OPINIONS):
        place = held[index]
        count, old = widths[place, 1], np.int64(widths[place, 0])
        widths[place, 0] = old + (((46 * error - old) * tools.learned.rates[count]) >> 16)
        widths[place, 1] = min(count + 1, QUICK)
    place = held[OPINIONS]
    biases[place, 0] += min(max(missed, -65536), 65536)
    biases[place, 1] += 1
    if biases[place, 1] > BIAS_LIMIT:
        biases[place, 0] >>= 1
        biases[place, 1] >>= 1
