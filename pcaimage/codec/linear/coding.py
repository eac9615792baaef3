"""Quantisation of an image's components and scores, and their coding to the bytes of a file, and back."""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.segments import split_segments
from pcaimage.codec.compressed import Component, Compressed, Metadata
from pcaimage.codec.linear.layout import mask_of, predictors_of, samples_of, slices_of
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.model import EXACT, IntegerModel, ScorePlanes
from pcaimage.codec.linear.slices import SliceCoder
from pcaimage.codec.linear.vectors import TOO_SMALL, code_vector, code_vectors, decode_vector, decode_vectors
from pcaimage.errors import FormatError, ModelError, SettingsError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress


def pack(
    model: IntegerModel,
    spectrum: NDArray[np.float64],
    metadata: Metadata | None = None,
    basis_source: Compressed | None = None,
) -> Compressed:
    """Assemble the compressed file of a quantised image.

    Parameters
    ----------
    spectrum : ndarray of float64
        All explained variances, stored in the file.
    basis_source : Compressed, optional
        The model file whose coded mean, deviations and vectors are copied unchanged.

    Raises
    ------
    SettingsError
        If the integers are too large to be stored.
    """
    if model.magnitude >= EXACT:
        raise SettingsError(TOO_SMALL)
    header, scale = model.header, None
    if basis_source is None:
        vectors = code_vectors(header, model.entries)
        mean = code_vector(header, model.mean)
        scale = None if model.scale is None else code_vector(header, model.scale)
    else:
        vectors = tuple(component.vector for component in basis_source.components[: model.k])
        mean, scale = basis_source.mean, basis_source.scale
    parts = zip(model.precisions, vectors, model.segments, strict=True)
    return Compressed(
        header=header,
        mean=mean,
        components=tuple(Component(*each) for each in parts),
        scale=scale,
        spectrum=spectrum,
        metadata=metadata or Metadata(),
        missing=None if model.missing is None else model.missing.to_bytes(),
    )


def unpack(compressed: Compressed, k: int | None = None, progress: Progress = no_progress) -> IntegerModel:
    """Decode the first k components of an image, or all, to integers.

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
    header, missing = compressed.header, None
    if compressed.missing is not None:
        missing = Missing.from_bytes(compressed.missing, header.shape, header.dtype)
    segments = tuple(component.scores for component in compressed.components)
    vectors = [component.vector for component in compressed.components]
    parts, tick = slices_of(header), counted(progress, len(slices_of(header)) * len(segments))
    streams, planes = split_segments(segments, len(parts)), ScorePlanes(len(segments), header.n_samples)
    lock, entries = Lock(), np.empty((len(vectors), header.n_features), np.int64)

    def decode(number: int) -> None:
        if number == len(parts):
            entries[:] = decode_vectors(header, vectors)
            return
        mask = mask_of(header, missing, *parts[number])
        coder = SliceCoder(len(segments), mask, predictors_of(header), streams[number])
        coder.decode(tick)
        keep(coder, planes, samples_of(header, *parts[number]), lock)

    side_by_side(decode, len(parts) + 1)
    model = IntegerModel(
        header=header,
        mean=decode_vector(header, compressed.mean),
        scale=None if compressed.scale is None else decode_vector(header, compressed.scale),
        entries=entries,
        precisions=tuple(component.precision for component in compressed.components),
        scores=planes.array,
        segments=segments,
        missing=missing,
    )
    if (model.scale is not None and model.scale.min() < 0) or model.magnitude >= EXACT:
        raise FormatError("The numbers of the image are out of range.")
    return model


def keep(coder: SliceCoder, planes: ScorePlanes, where: slice, lock: Lock) -> None:
    """Copy a slice's scores to the planes of all slices."""
    for plane in range(coder.count):
        scores = coder.plane(plane).ravel()[: where.stop - where.start]
        # Another thread may be replacing the planes by ones of a wider type.
        with lock:
            planes.put((plane, where), scores)
