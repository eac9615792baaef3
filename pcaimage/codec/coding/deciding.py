"""Modelling of binary decisions by logistic mixing: adaptive state and tables for the core's coders.

A number's prediction error is modelled as logistic, with several estimates of its scale. Each estimate gives
a probability of the next decision, and so do adaptive context models; all are mixed in the logistic domain
[1]_. Pixels also have a tilt, an adaptive logit offset, for each candidate value and for its difference to
the earlier channels: rounding in the image's earlier processing, perhaps in another colour space, makes some
values more frequent than others.

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
"""Logits are in units of 1/256 and clipped to ±11."""

OPINIONS, INPUTS = 3, 6
"""Number of scale estimates, and number of mixer inputs: these estimates and as many context models."""

STEPS, LOW = 23, 4
"""Largest number of steps coded in unary, and largest one for which two lower bits have models by step."""

NODES = 1 + STEPS + 2 * LOW
"""Number of decisions of the binarisation that have models and weights."""

DENSITIES, SIZES, OCTAVES = 40, 168, 20
"""Levels of the mean scale; levels of scales, eight to the octave; octaves below the smallest scale."""


class Curves(NamedTuple):
    """Constant tables; all but the last are in units of 1/256."""

    probabilities: Ints  # of each logit, in 1/65536, from 1 to 65535
    logits: NDArray[np.int16]  # ln(p / (1 - p)) of each of 65536 probabilities p
    tails: Ints  # ln(1 + exp(-z)) of each z from 0 to 12
    gaps: Ints  # ln(exp(r) - 1), for the ratio r of one to each scale, from 2^-20 of the smallest on
    ratios: Ints  # r
    inverses: Ints  # 2^26 divided by each scale in 1/16


class Learned(NamedTuple):
    """Adaptive state of the coding, and the tables; mirrors the struct of the same name in the core."""

    weights: Ints  # mixing weights of the inputs, in 1/65536
    models: NDArray[np.uint32]  # probability of 22 bits above a count of 10 bits
    tilts: Ints  # logit offsets, in 2^-24; empty where numbers have none
    widths: Ints  # scale estimates, the means of absolute errors times 46 / 16, and counts: shape (n, 2)
    biases: Ints  # sums of prediction errors in 1/16, and counts: shape (n, 2)
    rates: Ints  # 65536 / (n + 1.5): adaptation rate of a mean of n numbers
    curves: Curves


@lru_cache(maxsize=1)
def curves() -> Curves:
    """Return the tables; most are rounded from :func:`exact_curves`."""
    found, logits, tails, gaps = (np.rint(table).astype(np.int32) for table in exact_curves())
    widths = [(8 + (size & 7)) << (size // 8 + OCTAVES) for size in range(-8 * OCTAVES, SIZES)]
    ratios = [min((1 << (15 + OCTAVES)) // width, 4096) for width in widths]
    inverses = [(1 << 29) // ((8 + (size & 7)) << (size >> 3)) for size in range(SIZES)]
    return Curves(
        found, logits.astype(np.int16), tails, gaps, np.array(ratios, np.int32), np.array(inverses, np.int32)
    )


def exact_curves() -> tuple[NDArray[np.float64], ...]:
    """Return the first four tables before rounding.

    No value lies so close to half an integer that machines could round it differently.
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


def rates() -> Ints:
    """Return the adaptation rates of means of so many numbers."""
    return (ONE / (np.arange(256) + 1.5)).astype(np.int32)


def nothing_learned(
    situations: int, models: int, tilts: int, widths: int, biases: int, first_width: int, more: int = 0
) -> Learned:
    """Return the adaptive state at the start of a slice, which the core updates in place.

    `situations` and `models` count the sets of weights and of models for all decisions, `more` the sets of
    weights, 0 at first, that are added to the others.
    """
    weights = np.zeros(((situations + more) * NODES, INPUTS), np.int32)
    first_weights = weights[: situations * NODES]
    first_weights[:, :OPINIONS], first_weights[:, OPINIONS:] = ONE * 2 // 9, ONE // 6
    first = np.zeros((widths, 2), np.int32)
    first[:, 0] = first_width
    return Learned(
        weights.ravel(),
        np.full(models * NODES, 1 << 31, np.uint32),
        np.zeros(tilts, np.int32),
        first,
        np.zeros((biases, 2), np.int32),
        rates(),
        curves(),
    )
