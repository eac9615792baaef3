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
    """Trained parameters of the context modelling, for the n non-constant components of an image."""

    predictors: NDArray[np.uint64]
    """Bit sets of the earlier components that predict each magnitude: (n, SET_WORDS)."""
    # What a unit of magnitude of an earlier component adds to the expected one of each, in 1/256: in the same
    # block, in the four adjacent blocks, and in the four diagonal ones, shape (n, n, 3).
    weights: NDArray[np.int16]
    sign_predictors: NDArray[np.uint64]  # the same for signs
    # In the blocks to the left and above, with dependent quantisation also right and below: (n, n, 2 or 4).
    sign_weights: NDArray[np.int16]
    own_sign: NDArray[np.int16]  # of the component's own signs to the left and above: (n, 2)
    causal: NDArray[np.int16]  # of its own magnitudes above, left, above left and above right: (n, 4)
    level: NDArray[np.int16]  # expected magnitude without any evidence: (n,)
    # Earlier components used in contexts, -1 if there is none: the next lower vertical frequency, the next
    # lower horizontal one, the same component of another channel (in the first channel: both lower), the same
    # of a third channel, and two lower vertically and horizontally; shape (n, N_RELATED).
    related: NDArray[np.int16]
    channel: NDArray[np.int16]
    group: NDArray[np.int16]
    place: NDArray[np.int16]  # index among the trained components
    bins: NDArray[np.int8]  # of each expected magnitude, in thirds of an octave: (LEVELS,)
    components: int  # n

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
