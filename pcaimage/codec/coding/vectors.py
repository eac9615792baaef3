"""Coding of means, deviations and components, and the coder of score planes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.planes import PlaneCoder
from pcaimage.codec.compressed import Component, Header
from pcaimage.errors import FormatError
from pcaimage.sampling import Stack


def score_coder(header: Header) -> PlaneCoder:
    """Return the coder of an image's score planes; in a stack, samples are not spatial neighbours."""
    rows, columns = header.sampling.grid(header.shape)
    return PlaneCoder((rows, columns, 1), beside=not isinstance(header.sampling, Stack))


def code_vector(header: Header, vector: NDArray[np.int64]) -> bytes:
    """Code one integer for each feature, in the shape that a sample has as a picture."""
    return PlaneCoder(header.sampling.feature_grid(header.shape), contexts=False).encode(vector)


def decode_vector(header: Header, data: bytes) -> NDArray[np.int64]:
    """Decode the integers of :func:`code_vector`; raise FormatError if no encoder writes such bytes."""
    return PlaneCoder(header.sampling.feature_grid(header.shape), contexts=False).decode(data).ravel()


def decode_vectors(header: Header, components: Sequence[Component], of: str = "") -> NDArray[np.int64]:
    """Decode the vectors of components, shape (k, n_features); the error for damaged bytes says of which."""
    rows = np.empty((len(components), header.n_features), np.int64)
    for number, component in enumerate(components):
        try:
            rows[number] = decode_vector(header, component.vector)
        except FormatError as error:
            raise FormatError(f"Component {number + 1}{of} is damaged: {error.message}") from error
    return rows
