"""Coding of quantised integers to the bytes of a file, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.blocks.model import EXACT, TOO_SMALL, IntegerModel, ScorePlanes
from pcaimage.codec.coding.vectors import code_vector, decode_vector, score_coder
from pcaimage.codec.compressed import Component, Compressed, Metadata
from pcaimage.errors import FormatError, ModelError, SettingsError
from pcaimage.progress import Progress, no_progress


def pack(
    model: IntegerModel,
    spectrum: NDArray[np.float64],
    metadata: Metadata | None = None,
    progress: Progress = no_progress,
    basis_source: Compressed | None = None,
) -> Compressed:
    """Code a quantised image.

    Parameters
    ----------
    spectrum : ndarray of float64
        All explained variances, stored in the file.
    basis_source : Compressed, optional
        The model file whose coded mean, deviations and vectors are copied unchanged.

    Raises
    ------
    SettingsError
        If the integers are too large to be summed exactly.
    """
    if model.magnitude >= EXACT:
        raise SettingsError(TOO_SMALL)
    header, coder, components = model.header, score_coder(model.header), []
    for j, precision in enumerate(model.precisions):
        vector = (
            code_vector(header, model.entries[j])
            if basis_source is None
            else basis_source.components[j].vector
        )
        components.append(Component(precision, vector, coder.encode(model.scores[j].astype(np.int64))))
        progress(j + 1, model.k)
    if basis_source is None:
        mean, scale = code_vector(header, model.mean), None
        if model.scale is not None:
            scale = code_vector(header, model.scale)
    else:
        mean, scale = basis_source.mean, basis_source.scale
    return Compressed(header, mean, tuple(components), scale, spectrum, metadata=metadata or Metadata())


def unpack(compressed: Compressed, k: int | None = None, progress: Progress = no_progress) -> IntegerModel:
    """Decode the first k components of a compressed image, or all, to integers.

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
            plane = coder.decode(component.scores)
            if component.scores:  # otherwise all zeros, which occupy no memory until written to
                scores.put((j,), plane.ravel())
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
