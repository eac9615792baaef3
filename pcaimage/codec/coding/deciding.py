"""Deciding under uncertainty: what the core's coders of residuals and of planes learn, and their tables.

A number's distance from what is expected of it is taken to be logistic; of how wide, there are several
opinions. Each gives a probability, and so do models of the situation. They are mixed in the logistic
domain [1]_. Pixels have a tilt on top for each value that is decided on, and for its difference to the
channels before: whoever made the image rounded its values, perhaps in another colour space, and so some are
more frequent than others.

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

from pcaimage.codec.coding.range_coder import ONE

Ints = NDArray[np.int32]

LOGIT_LIMIT = 2815
"""Logits are in units of 1/256; beyond 11 nothing more is gained."""

OPINIONS, INPUTS = 3, 6
"""Distributions of different widths; they and as many models are mixed."""

STEPS, LOW = 23, 4
"""Distances are coded in unary up to so many steps; for two bits below, the step is known up to so many."""

NODES = 1 + STEPS + 2 * LOW
"""Questions that have models and weights."""

DENSITIES, SIZES, OCTAVES = 40, 168, 20
"""Levels of the opinions' mean, levels of widths, eight to the octave, and octaves below them."""


class Curves(NamedTuple):
    """Tables that never change, all but the last in units of 1/256.

    Parameters
    ----------
    probabilities : ndarray of int32, shape (2 * LOGIT_LIMIT + 1,)
        The probability of each logit in 1/65536, from 1 to 65535.
    logits : ndarray of int16, shape (65536,)
        ln(p / (1 - p)) of each probability.
    tails : ndarray of int32, shape (3072,)
        ln(1 + exp(-z)) of each z from 0 to 12.
    gaps, ratios : ndarray of int32, shape (8 * OCTAVES + SIZES,)
        ln(exp(r) - 1), and r, for the ratio r of one to each width, from 2^-20 of the smallest on.
    inverses : ndarray of int32, shape (SIZES,)
        2^26 divided by each width in 1/16.
    """

    probabilities: Ints
    logits: NDArray[np.int16]
    tails: Ints
    gaps: Ints
    ratios: Ints
    inverses: Ints


class Learned(NamedTuple):
    """What coding learns as it goes on, and the tables, as the core's struct of the same name.

    Parameters
    ----------
    weights : ndarray of int32, shape (n * INPUTS,)
        How much each input is believed, in 1/65536.
    models : ndarray of uint32, shape (n,)
        Probability of 22 bits above a count of 10.
    tilts : ndarray of int32, shape (n,)
        Logits, in 2^-24; none where numbers have no tilts.
    widths : ndarray of int32, shape (n, 2)
        Means of errors, times 46 / 16, and counts.
    biases : ndarray of int32, shape (n, 2)
        Sums of errors in 1/16, and counts.
    rates : ndarray of int32, shape (256,)
        65536 / (n + 1.5): how far a mean of n numbers moves towards the next.
    curves : Curves
        The tables.
    """

    weights: Ints
    models: NDArray[np.uint32]
    tilts: Ints
    widths: Ints
    biases: Ints
    rates: Ints
    curves: Curves


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
    return Curves(
        found, logits.astype(np.int16), tails, gaps, np.array(ratios, np.int32), np.array(inverses, np.int32)
    )


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


def nothing_learned(
    situations: int, models: int, tilts: int, widths: int, biases: int, first_width: int
) -> Learned:
    """Return what is known before a slice begins.

    Parameters
    ----------
    situations, models, tilts, widths, biases : int
        How many sets of weights for all nodes there are, of models for all nodes, and of the others.
    first_width : int
        What widths are taken to be before any error is known.

    Returns
    -------
    Learned
        To be changed by the core.
    """
    weights = np.zeros((situations * NODES, INPUTS), np.int32)
    weights[:, :OPINIONS], weights[:, OPINIONS:] = ONE * 2 // 9, ONE // 6
    first = np.zeros((widths, 2), np.int32)
    first[:, 0] = first_width
    return Learned(
        weights.ravel(),
        np.full(models * NODES, 1 << 31, np.uint32),
        np.zeros(tilts, np.int32),
        first,
        np.zeros((biases, 2), np.int32),
        (ONE / (np.arange(256) + 1.5)).astype(np.int32),
        curves(),
    )
