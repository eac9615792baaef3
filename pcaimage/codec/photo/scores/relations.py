"""Trained statistical dependencies between components, in the order of the file."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIGN_TARGETS = 8
"""Largest number of components in an adjacent block whose signs a score helps to predict."""

N_RELATED = 6

SET_WORDS = 4
"""Number of 64-bit words in a bit set of components."""

LEVELS = 8192
"""Number of expected magnitudes that have bins, in 1/64 step."""


LARGEST = 1 << 22
"""Bound on scores, so that 256 times a score plus its prediction fits into 32 bits."""


class Plan(NamedTuple):
    """Trained parameters of the context modelling, for the non-constant components of an image.

    Parameters
    ----------
    predictors : ndarray of uint64, shape (n, SET_WORDS)
        Bit set of the earlier components that predict each component's magnitude.
    weights : ndarray of int16, shape (n, n, 3)
        Amount that a unit of magnitude of an earlier component adds to the expected magnitude of each, in
        1/256: in the same block, in the four adjacent blocks, and in the four diagonal ones.
    sign_predictors : ndarray of uint64, shape (n, SET_WORDS)
        Bit set of the earlier components that predict each component's sign.
    sign_weights : ndarray of int16, shape (n, n, 2 or 4)
        Their sign weights in the blocks to the left and above, with dependent quantisation also to the right
        and below, in 1/256.
    own_sign : ndarray of int16, shape (n, 2)
        The sign weights of the component itself in the blocks to the left and above.
    causal : ndarray of int16, shape (n, 4)
        Weights of the component's own magnitudes in the blocks above, left, above left and above right.
    level : ndarray of int16, shape (n,)
        Expected magnitude without any evidence.
    related : ndarray of int16, shape (n, N_RELATED)
        Earlier components used in contexts, -1 if there is none: the next lower vertical frequency, the next
        lower horizontal one, the same component of another channel (in the first channel: both lower), the
        same of a third channel, and two lower vertically and horizontally.
    channel, group, place : ndarray of int16, shape (n,)
        Channel, context group, and index among the trained components.
    bins : ndarray of int8, shape (LEVELS,)
        Bin of each expected magnitude, in thirds of an octave.
    components : int
        n.
    """

    predictors: NDArray[np.uint64]
    weights: NDArray[np.int16]
    sign_predictors: NDArray[np.uint64]
    sign_weights: NDArray[np.int16]
    own_sign: NDArray[np.int16]
    causal: NDArray[np.int16]
    level: NDArray[np.int16]
    related: NDArray[np.int16]
    channel: NDArray[np.int16]
    group: NDArray[np.int16]
    place: NDArray[np.int16]
    bins: NDArray[np.int8]
    components: int

    def in_order(self, order: NDArray[np.intp], related: NDArray[np.int16]) -> Plan:
        """Return the plan of the same components in another order, without weights of later ones."""
        weights, signs = self.weights[order][:, order], self.sign_weights[order][:, order]
        return self._replace(
            predictors=predictors_of(weights),
            weights=np.ascontiguousarray(weights),
            sign_predictors=predictors_of(signs),
            sign_weights=np.ascontiguousarray(signs),
            own_sign=self.own_sign[order],
            causal=self.causal[order],
            level=self.level[order],
            related=related,
            channel=self.channel[order],
            group=self.group[order],
            place=self.place[order],
        )


def predictors_of(weights: NDArray[np.int16]) -> NDArray[np.uint64]:
    """Return for each component the bit set of the earlier ones with weights other than zero.

    The weights are those of :class:`Plan`, with the predicted component first: (n, n, m).
    """
    tells = np.zeros((len(weights), 64 * SET_WORDS), np.bool_)
    tells[:, : len(weights)] = np.tril(reduce(or_, weights.transpose(2, 0, 1)) != 0, -1)
    return np.packbits(tells, axis=1, bitorder="little").view(np.dtype("<u8")).astype(np.uint64)
