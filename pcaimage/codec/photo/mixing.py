"""Predicting bits: adaptive models, and a mixer that learns whom to believe.

Every context of a bit has a model: a probability and a count of what it has seen, from which it learns
quickly at first and slowly later. The models' predictions are added up in the logistic domain with weights
that follow what each was worth [1]_; curves correct what is still wrong with the sum where much was seen of
it [2]_. All numbers are integers; tables, not functions, turn probabilities into logits and back.

References
----------
.. [1] M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech.
   Technical Report CS-2005-16, 2005.
.. [2] C. Bloom, "Solving the problems of context modeling", 1998, section on secondary estimation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import inline

Words = NDArray[np.uint32]

COUNT_BITS = 10
"""A model is a probability of 22 bits above a count of 10."""

LOGIT_LIMIT = 2815
"""Logits are in units of 1/256; beyond 11 nothing more is gained."""

KNOTS = 24
"""A curve has a point for every logit of a whole unit, from -11 on."""


class Mixer(NamedTuple):
    """What is learned of some kind of bits.

    Parameters
    ----------
    models : ndarray of uint32, shape (n,)
        Probability and count of each context of each bit.
    weights : ndarray of int32, shape (n, n_inputs)
        How much each input is believed, in 1/65536, for each set of weights.
    more : ndarray of int32, shape (n, n_inputs)
        Added to the weights: sets chosen by something else.
    limit : int
        The largest count; the smaller it is, the sooner a model forgets.
    speed : int
        How fast weights learn, in 2^-18.
    """

    models: Words
    weights: NDArray[np.int32]
    more: NDArray[np.int32]
    limit: int
    speed: int


class Scales(NamedTuple):
    """The tables that never change.

    Parameters
    ----------
    logits : ndarray of int16, shape (65536,)
        256 ln(p / (1 - p)) of each probability.
    probabilities : ndarray of int32, shape (2 * LOGIT_LIMIT + 1,)
        The probability of each logit in 1/65536, from 1 to 65535.
    rates : ndarray of int32, shape (1024,)
        65536 / (n + 1.5): how far a model that has seen n bits moves towards the next.
    """

    logits: NDArray[np.int16]
    probabilities: NDArray[np.int32]
    rates: NDArray[np.int32]


@inline
def mixed(
    mixer: Mixer,
    scales: Scales,
    places: NDArray[np.int64],
    bit: int,
    first: int,
    second: int,
    inputs: NDArray[np.int64],
    count: int,
) -> int:
    """Return the logit of the probability that a bit is 1.

    Parameters
    ----------
    mixer : Mixer
        What is learned.
    scales : Scales
        Tables.
    places : ndarray of int64, shape (n_inputs,)
        The first model of each input's context.
    bit : int
        Which bit of the number it is; added to the places.
    first, second : int
        Which sets of weights.
    inputs : ndarray of int64, shape (n_inputs,)
        Takes the inputs' logits, for :func:`learn`.
    count : int
        n_inputs: a constant where it is called, so that the loop is unrolled.

    Returns
    -------
    int
        From -LOGIT_LIMIT to LOGIT_LIMIT.
    """
    total = np.int64(0)
    for index in range(count):
        logit = np.int64(scales.logits[mixer.models[places[index] + bit] >> 16])
        inputs[index] = logit
        total += logit * (np.int64(mixer.weights[first, index]) + mixer.more[second, index])
    logit = total >> 16
    if logit < -LOGIT_LIMIT:
        return -LOGIT_LIMIT
    if logit > LOGIT_LIMIT:
        return LOGIT_LIMIT
    return int(logit)


@inline
def learn(
    mixer: Mixer,
    scales: Scales,
    places: NDArray[np.int64],
    bit: int,
    first: int,
    second: int,
    inputs: NDArray[np.int64],
    count: int,
    logit: int,
    value: int,
) -> None:
    """Let models and weights learn from a bit.

    Parameters
    ----------
    mixer : Mixer
        What is learned; changed.
    scales, places, bit, first, second, inputs, count
        As for :func:`mixed`.
    logit : int
        From :func:`mixed`.
    value : int
        What the bit was.
    """
    error = ((value << 16) - np.int64(scales.probabilities[logit + LOGIT_LIMIT])) * mixer.speed
    for index in range(count):
        place = places[index] + bit
        mixer.models[place] = taught(mixer.models[place], value, scales, mixer.limit)
        change = (inputs[index] * error + (1 << 17)) >> 18
        mixer.weights[first, index] += change
        mixer.more[second, index] += change


@inline
def taught(word: int, value: int, scales: Scales, limit: int) -> int:
    """Return a model that has seen one more bit.

    Parameters
    ----------
    word : int
        The model.
    value : int
        The bit.
    scales : Scales
        Tables.
    limit : int
        The largest count.

    Returns
    -------
    int
        The model.
    """
    count = np.int64(word) & 1023
    probability = np.int64(word) >> COUNT_BITS
    probability += ((value * 4194303 - probability) * scales.rates[count]) >> 16
    return int((probability << COUNT_BITS) | min(count + 1, limit))


@inline
def chance_of(word: int, margin: int) -> int:
    """Return the probability that a model alone gives.

    Parameters
    ----------
    word : int
        The model.
    margin : int
        How far it is kept from 0 and from 65536.

    Returns
    -------
    int
        In 1/65536.
    """
    chance = np.int64(word) >> 16
    if chance < margin:
        return margin
    if chance > 65536 - margin:
        return 65536 - margin
    return int(chance)


@inline
def corrected(curves: NDArray[np.int32], curve: int, logit: int) -> int:
    """Return what bits of a logit were really like.

    Parameters
    ----------
    curves : ndarray of int32, shape (n, KNOTS)
        Probabilities at whole units, from -11 on.
    curve : int
        Which curve.
    logit : int
        From :func:`mixed`.

    Returns
    -------
    int
        A probability between the curve's two nearest points.
    """
    place = logit + LOGIT_LIMIT + 1
    knot, rest = place >> 8, place & 255
    return (int(curves[curve, knot]) * (256 - rest) + int(curves[curve, knot + 1]) * rest) >> 8


@inline
def correct(curves: NDArray[np.int32], curve: int, logit: int, value: int) -> None:
    """Move a curve's nearest point towards what a bit was.

    Parameters
    ----------
    curves : ndarray of int32, shape (n, KNOTS)
        Changed.
    curve : int
        Which curve.
    logit : int
        From :func:`mixed`.
    value : int
        The bit.
    """
    knot = (logit + LOGIT_LIMIT + 1 + 128) >> 8
    curves[curve, knot] += (value * 65535 - int(curves[curve, knot])) >> 6
