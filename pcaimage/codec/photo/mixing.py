"""Predicting bits: adaptive models, and a mixer that learns whom to believe.

Every context of a bit has a model: a probability and a count of what it has seen, from which it learns
quickly at first and slowly later. The models' predictions are added up in the logistic domain with weights
that follow what each was worth [1]_. All numbers are integers; tables, not functions, turn probabilities into
logits and back.

References
----------
.. [1] M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech.
   Technical Report CS-2005-16, 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.jit import inline

Words = NDArray[np.uint32]

COUNT_BITS = 10
"""A model is a probability of 22 bits above a count of 10."""

LOGIT_LIMIT = 2815
"""Logits are in units of 1/256; beyond 11 nothing more is gained."""


class Mixer(NamedTuple):
    """What is learned, and the tables that never change.

    Parameters
    ----------
    models : ndarray of uint32, shape (n_inputs, n)
        Probability and count of each context, input by input.
    weights : ndarray of int32, shape (n, n_inputs)
        How much each input is believed, in 1/65536, for each set of weights.
    logits : ndarray of int16, shape (65536,)
        256 ln(p / (1 - p)) of each probability.
    probabilities : ndarray of uint16, shape (2 * LOGIT_LIMIT + 1,)
        The probability of each logit, from 1 to 65535.
    rates : ndarray of int32, shape (1024,)
        65536 / (n + 1.5): how far a model that has seen n bits moves towards the next.
    limit : int
        The largest count; the smaller it is, the sooner a model forgets.
    speed : int
        How fast weights learn, in 2^-18.
    """

    models: Words
    weights: NDArray[np.int32]
    logits: NDArray[np.int16]
    probabilities: NDArray[np.uint16]
    rates: NDArray[np.int32]
    limit: int
    speed: int


@inline
def mixed(mixer: Mixer, contexts: NDArray[np.int64], bit: int, chosen: int, logits: NDArray[np.int64]) -> int:
    """Return the probability that a bit is 1.

    Parameters
    ----------
    mixer : Mixer
        What is learned.
    contexts : ndarray of int64, shape (n_inputs,)
        The first model of each input's context.
    bit : int
        Which bit of the number it is; added to the contexts.
    chosen : int
        Which set of weights.
    logits : ndarray of int64, shape (n_inputs,)
        Takes the inputs, for :func:`learn`.

    Returns
    -------
    int
        In 1/65536, from 1 to 65535.
    """
    total = 0
    for index in range(contexts.size):
        logit = np.int64(mixer.logits[mixer.models[index, contexts[index] + bit] >> 16])
        logits[index] = logit
        total += logit * mixer.weights[chosen, index]
    total >>= 16
    total = min(max(total, -LOGIT_LIMIT), LOGIT_LIMIT)
    return int(mixer.probabilities[total + LOGIT_LIMIT])


@inline
def learn(
    mixer: Mixer,
    contexts: NDArray[np.int64],
    bit: int,
    chosen: int,
    logits: NDArray[np.int64],
    probability: int,
    value: int,
) -> None:
    """Let models and weights learn from a bit.

    Parameters
    ----------
    mixer : Mixer
        What is learned; changed.
    contexts : ndarray of int64, shape (n_inputs,)
        As for :func:`mixed`.
    bit : int
        Which bit of the number it is.
    chosen : int
        Which set of weights.
    logits : ndarray of int64, shape (n_inputs,)
        From :func:`mixed`.
    probability : int
        From :func:`mixed`.
    value : int
        What the bit was.
    """
    error = ((value << 16) - probability) * mixer.speed
    for index in range(contexts.size):
        place = contexts[index] + bit
        mixer.models[index, place] = taught(mixer.models[index, place], value, mixer.rates, mixer.limit)
        mixer.weights[chosen, index] += (logits[index] * error + (1 << 17)) >> 18


@inline
def taught(word: int, value: int, rates: NDArray[np.int32], limit: int) -> int:
    """Return a model that has seen one more bit.

    Parameters
    ----------
    word : int
        The model.
    value : int
        The bit.
    rates : ndarray of int32
        As in :class:`Mixer`.
    limit : int
        As in :class:`Mixer`.

    Returns
    -------
    int
        The model.
    """
    count = np.int64(word) & 1023
    probability = np.int64(word) >> COUNT_BITS
    probability += ((value * 4194303 - probability) * rates[count]) >> 16
    return int((probability << COUNT_BITS) | min(count + 1, limit))
