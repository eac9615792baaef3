"""From quantised integers to coded bytes, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Component, Compressed, Header, Metadata
from pcaimage.codec.integers import EXACT, TOO_SMALL, IntegerModel, ScorePlanes
from pcaimage.codec.planes import PlaneCoder
from pcaimage.errors import FormatError, ModelError, SettingsError
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Stack

MAX_MEAN_BITS = 16
MAX_SCALE_BITS = 24
MAX_PRECISION = 30


def score_coder(header: Header) -> PlaneCoder:
    """Return the coder of an image's score planes.

    Parameters
    ----------
    header : Header
        The image's shape and sampling.

    Returns
    -------
    PlaneCoder
        Samples of an image see their neighbours; the images of a stack have none.
    """
    rows, columns = header.sampling.grid(header.shape)
    return PlaneCoder((rows, columns, 1), beside=not isinstance(header.sampling, Stack))


def code_vector(header: Header, vector: NDArray[np.int64]) -> bytes:
    """Code one number for each feature.

    Parameters
    ----------
    header : Header
        The image's shape and sampling.
    vector : ndarray of int64, shape (n_features,)
        The numbers.

    Returns
    -------
    bytes
        They are coded as the picture that a sample is.
    """
    return PlaneCoder(header.sampling.feature_grid(header.shape), contexts=False).encode(vector)


def decode_vector(header: Header, data: bytes) -> NDArray[np.int64]:
    """Return the numbers that :func:`code_vector` coded.

    Parameters
    ----------
    header : Header
        The image's shape and sampling.
    data : bytes
        They.

    Returns
    -------
    ndarray of int64, shape (n_features,)
        The numbers.

    Raises
    ------
    FormatError
        If the bytes are not from an encoder.
    """
    return PlaneCoder(header.sampling.feature_grid(header.shape), contexts=False).decode(data).ravel()


def pack(
    model: IntegerModel,
    spectrum: NDArray[np.float64],
    metadata: Metadata | None = None,
    progress: Progress = no_progress,
    lender: Compressed | None = None,
) -> Compressed:
    """Code a quantised image.

    Parameters
    ----------
    model : IntegerModel
        The integers.
    spectrum : ndarray of float64
        All explained variances, for the file.
    metadata : Metadata, optional
        What is carried along.
    progress : Progress, optional
        Told of components done.
    lender : Compressed, optional
        The model that mean, deviations and components come from. Its bytes are taken as they are.

    Returns
    -------
    Compressed
        It decodes to the same integers.

    Raises
    ------
    SettingsError
        If the integers are too large to be summed exactly.
    """
    if model.magnitude >= EXACT:
        raise SettingsError(TOO_SMALL)
    header, coder, components = model.header, score_coder(model.header), []
    for j, precision in enumerate(model.precisions):
        vector = code_vector(header, model.entries[j]) if lender is None else lender.components[j].vector
        components.append(Component(precision, vector, coder.encode(model.scores[j].astype(np.int64))))
        progress(j + 1, model.k)
    if lender is not None:
        lent = Compressed(header, lender.mean, tuple(components), lender.scale)
        return replace(lent, metadata=metadata or Metadata())
    return Compressed(
        header=header,
        mean=code_vector(header, model.mean),
        scale=None if model.scale is None else code_vector(header, model.scale),
        components=tuple(components),
        spectrum=spectrum,
        metadata=metadata or Metadata(),
    )


def unpack(compressed: Compressed, k: int | None = None, progress: Progress = no_progress) -> IntegerModel:
    """Decode a compressed image to its integers.

    Parameters
    ----------
    compressed : Compressed
        The image.
    k : int, optional
        How many components to decode; all of them by default.
    progress : Progress, optional
        Told of components done.

    Returns
    -------
    IntegerModel
        It reconstructs the image.

    Raises
    ------
    FormatError
        If the coded bytes are damaged, or decode to integers that no encoder writes.
    SettingsError
        If there are fewer than k components.
    """
    if compressed.lacks_basis:
        raise ModelError(f"The image's basis is in a model file, with the id {compressed.basis}.")
    if k is not None:
        compressed = compressed.trimmed(k)
    header, coder = compressed.header, score_coder(compressed.header)
    entries = np.empty((compressed.k, header.n_features), np.int64)
    scores = ScorePlanes(compressed.k, header.n_samples)
    for j, component in enumerate(compressed.components):
        try:
            entries[j] = decode_vector(header, component.vector)
            scores.put((j,), coder.decode(component.scores).ravel())
        except FormatError as error:
            raise FormatError(f"Component {j + 1} is damaged: {error.message}") from error
        progress(j + 1, compressed.k)
    model = IntegerModel(
        header=header,
        mean=decode_vector(header, compressed.mean),
        scale=None if compressed.scale is None else decode_vector(header, compressed.scale),
        entries=entries,
        precisions=tuple(component.precision for component in compressed.components),
        scores=scores.array,
    )
    if (model.scale is not None and model.scale.min() < 0) or model.magnitude >= EXACT:
        raise FormatError("The numbers of the image are out of range.")
    return model
