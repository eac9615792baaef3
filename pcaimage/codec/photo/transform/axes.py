"""Block PCA and lapping along one axis, combined into one linear map.

Along an axis of n blocks there are n + 1 groups of eight samples: group g spans the border between blocks g -
1 and g, with four samples on either side. The first and the last group lie half outside the image. The eight
samples of a group depend on the eight components of each of the two adjacent blocks, and on nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import Array, function
from pcaimage.sampling.blocks import BLOCK, HALF, LAPPING_BITS, lapping

Floats = NDArray[np.float64]
IntArray = NDArray[np.int64]

BASIS_BITS = 14
SYNTHESIS_BITS = 16

_MAPS = function("pcai_find_maps", None, Array(np.int32), Array(np.float64, writable=True))

FIRST, INNER, LAST = 0, 1, 2
"""Kinds of groups: at the image's first border, between two blocks, at its last border."""


def _lapped(kind: int) -> IntArray:
    """Return the lapping of a group, as a matrix in units of 2^-31."""
    unlapped = np.eye(BLOCK, dtype=np.int64) << LAPPING_BITS
    return lapping() if kind == INNER else unlapped


def _components(basis: NDArray[Any], kind: int) -> NDArray[Any]:
    """Return the map from the components of two adjacent blocks to lapped samples, shape (8, 16)."""
    weights = np.zeros((BLOCK, 2 * BLOCK), basis.dtype)
    if kind != FIRST:
        weights[:HALF, :BLOCK] = basis[:, HALF:].T
    if kind != LAST:
        weights[HALF:, BLOCK:] = basis[:, :HALF].T
    return weights


def synthesis(basis: IntArray) -> Floats:
    """Return the maps from the components of two blocks to the samples around their border: (3, 8, 16).

    There is one for each kind of group, in whole units of 2^-16: Pᵀ times the basis, whose rows are
    components in 2^-14 and at most 1, rounded half up. Sums stay below 2^48.
    """
    maps = np.empty((3, BLOCK, 2 * BLOCK), np.float64)
    _MAPS(np.ascontiguousarray(basis, np.int32), maps)
    return maps


def analysis(basis: IntArray) -> Floats:
    """Return the inverse of :func:`synthesis`, from a group's samples to its two blocks: (3, 16, 8).

    The rounded basis is inverted rather than transposed, so that its rounding loses nothing. A block's
    components are the second half of what the group before it gives, plus the first half of what the group
    after it gives.
    """
    inverse = np.linalg.inv(basis.T * 2.0**-BASIS_BITS)
    maps = [_components(inverse, kind).T @ _lapped(kind) for kind in (FIRST, INNER, LAST)]
    return np.array(maps, np.float64) * 2.0**-LAPPING_BITS


def support(basis: IntArray) -> Floats:
    """Return the basis functions of a block away from the image's borders, which overlap its neighbours.

    Each of the eight has four samples before the block, the block's eight, and four after it.
    """
    inner = synthesis(basis)[INNER] * 2.0**-SYNTHESIS_BITS
    return np.concatenate([inner[:, BLOCK:].T, inner[:, :BLOCK].T], axis=1)


def averages(basis: IntArray, reduction: int, *, first: bool, last: bool) -> NDArray[np.float32]:
    """Return the map from components of three consecutive blocks to averages of the middle one's samples.

    Of shape (8 / reduction, 24): the components of the block before, of the block itself and of the block
    after.
    """
    maps = synthesis(basis) * 2.0**-SYNTHESIS_BITS
    whole = np.zeros((BLOCK, 3 * BLOCK))
    whole[:HALF, : 2 * BLOCK] = maps[FIRST if first else INNER][HALF:]
    whole[HALF:, BLOCK:] = maps[LAST if last else INNER][:HALF]
    averaged: NDArray[np.float32] = whole.reshape(-1, reduction, 3 * BLOCK).mean(axis=1).astype(np.float32)
    return averaged
