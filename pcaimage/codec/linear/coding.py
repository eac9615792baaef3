"""Coding of an image's integers to the bytes of a file, and back: scores, and vectors, a plane a channel."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.segments import join_streams, split_segments
from pcaimage.codec.compressed import Component, Compressed, Header, Metadata
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.model import EXACT, TOO_SMALL, IntegerModel, ScorePlanes
from pcaimage.codec.linear.slices import (
    LARGEST,
    OTHER_PLANES,
    SliceCoder,
    mask_of,
    predictors_of,
    samples_of,
    slices_of,
)
from pcaimage.errors import FormatError, ModelError, SettingsError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress

SLICE_ENTRIES = 1 << 15
"""Approximate number of a vector's entries in a slice, for vectors of large images are coded side by side."""


def pack(
    model: IntegerModel,
    spectrum: NDArray[np.float64],
    metadata: Metadata | None = None,
    basis_source: Compressed | None = None,
) -> Compressed:
    """Assemble the compressed file of a quantised image, with all explained variances.

    Coded mean, deviations and vectors of a `basis_source`, a model file, are copied unchanged. SettingsError
    if the integers are too large to be stored.
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
    """Decode the first k components of an image, or all, to integers, as :func:`pcaimage.codec.unpack`."""
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


def code_vectors(header: Header, rows: NDArray[np.int64]) -> tuple[bytes, ...]:
    """Code vectors of one integer for each feature; return each one's segments of the streams of all."""
    if int(np.abs(rows).max(initial=0)) >= LARGEST:
        raise SettingsError(TOO_SMALL)
    if not len(rows):
        return ()
    each, (height, width), parts = _layout(header)
    count = each * len(rows)
    planes = np.moveaxis(rows.reshape(len(rows), height, width, each), 3, 1).reshape(count, height, width)

    def encode(number: int) -> tuple[bytes, list[int]]:
        part = planes[:, slice(*parts[number])].astype(np.float64)
        coder = SliceCoder(count, np.ones(part.shape[1:], bool), OTHER_PLANES)
        coded, ends = coder.encode(part.__getitem__, 0.0, _silent)
        return coded, ends[each - 1 :: each]

    coded = side_by_side(encode, len(parts))
    return join_streams([data for data, _ in coded], [ends for _, ends in coded])


def decode_vectors(header: Header, segments: Sequence[bytes]) -> NDArray[np.int64]:
    """Decode vectors from the first segments of their streams, shape (k, n_features)."""
    each, (height, width), parts = _layout(header)
    streams, count = split_segments(segments, len(parts)), each * len(segments)
    planes = np.empty((count, height, width), np.int32)

    def decode(number: int) -> None:
        start, stop = parts[number]
        coder = SliceCoder(count, np.ones((stop - start, width), bool), OTHER_PLANES, streams[number])
        coder.decode(_silent)
        for plane in range(count):
            planes[plane, start:stop] = coder.plane(plane)

    side_by_side(decode, len(parts))
    rows = np.moveaxis(planes.reshape(len(segments), each, height, width), 1, 3)
    return rows.astype(np.int64).reshape(len(segments), header.n_features)


def code_vector(header: Header, vector: NDArray[np.int64]) -> bytes:
    """Code a single vector."""
    return code_vectors(header, vector[None])[0]


def decode_vector(header: Header, data: bytes) -> NDArray[np.int64]:
    """Decode a single vector."""
    found: NDArray[np.int64] = decode_vectors(header, [data])[0]
    return found


def _layout(header: Header) -> tuple[int, tuple[int, int], list[tuple[int, int]]]:
    """Return how many planes a vector is, their shape, and the bounds of slices of their lines.

    There is a plane for each channel; a pixel's bands are a line.
    """
    height, width, channels = header.sampling.feature_grid(header.shape)
    if height * width == 1:
        return 1, (1, channels), [(0, 1)]
    count = min(max(1, (header.n_features + SLICE_ENTRIES // 2) // SLICE_ENTRIES), height)
    parts = [(height * number // count, height * (number + 1) // count) for number in range(count)]
    return channels, (height, width), parts


def _silent(more: int) -> None:
    """Report no progress."""
