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
    models : ndarray of uint32, shape (n,) or (n, 2)
        Probability and count of each context of each bit; with it the logit of the probability, where looking
        that up would take longer than all else.
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
