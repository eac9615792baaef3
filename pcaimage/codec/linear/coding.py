"""Coding of an image's integers to the bytes of a file, and back: scores, and vectors, a plane a channel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.segments import join_streams
from pcaimage.codec.compressed import Component, Compressed, Header, Metadata
from pcaimage.codec.decoding import ENTRIES, MEAN, SCALE, SCORES, Decoding
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.model import EXACT, TOO_SMALL, IntArray, IntegerModel, ScorePlanes
from pcaimage.codec.linear.slices import LARGEST, OTHER_PLANES, encode
from pcaimage.errors import SettingsError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, no_progress

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
    header = compressed.header
    with Decoding(compressed, k) as decoding:
        if compressed.tiles is not None:
            return framed(header, np.concatenate(list(decoding.strips(progress))))
        decoding.decode_all(progress)
        components, planes = compressed.components[: decoding.k], ScorePlanes(decoding.k, header.n_samples)
        for number in range(decoding.k):
            planes.put((number,), decoding.numbers(SCORES, header.n_samples, number))
        mean, scale, entries = vectors_of(decoding)
        return IntegerModel(
            header=header,
            mean=mean,
            scale=scale,
            entries=entries,
            precisions=tuple(component.precision for component in components),
            scores=planes.array,
            segments=tuple(component.scores for component in components),
            missing=_mask(compressed, decoding),
        )


def framed(header: Header, images: NDArray[np.uint8]) -> IntegerModel:
    """Return a stack that has its images, (N, H, W, C), instead of components."""
    header, zeros = replace(header, mean_bits=0, scale_bits=None), np.zeros((1, header.n_features), np.int64)
    scores = np.zeros((0, header.n_samples), np.int16)
    return IntegerModel(header, zeros[0], None, zeros[:0], (), scores, frames=images)


def vectors_of(decoding: Decoding) -> tuple[IntArray, IntArray | None, IntArray]:
    """Return mean, deviations, and entries of the components, (k, n_features), once they are decoded."""
    header, size = decoding.header, decoding.header.n_features
    entries = np.empty((decoding.k, size), np.int64)
    for number in range(decoding.k):
        entries[number] = decoding.numbers(ENTRIES, size, number)
    mean = decoding.numbers(MEAN, size).astype(np.int64)
    return (
        mean,
        None if header.scale_bits is None else decoding.numbers(SCALE, size).astype(np.int64),
        entries,
    )


def decode_vectors(compressed: Compressed) -> tuple[IntArray, IntArray | None, IntArray]:
    """Decode mean, deviations, and entries of the components alone, as :func:`vectors_of` returns them."""
    with Decoding(compressed) as decoding:
        decoding.decode_only(range(decoding.core.vectors))
        return vectors_of(decoding)


def missing_of(compressed: Compressed) -> Missing | None:
    """Return where data are missing in a file; FormatError if the mask is damaged."""
    bare = replace(compressed, components=(), residual=None, basis=None, lacks_basis=False)
    with Decoding(bare) as decoding:
        return _mask(bare, decoding)


def _mask(compressed: Compressed, decoding: Decoding) -> Missing | None:
    if compressed.missing is None:
        return None
    value = float(np.frombuffer(compressed.missing, "<f8", 1, 1)[0])  # the core has checked it
    shape = compressed.header.shape
    mask = np.empty(shape if compressed.missing[0] else shape[:2], bool)
    decoding.core.put_missing(mask)
    return Missing(value, mask)


def code_vectors(header: Header, rows: NDArray[np.int64]) -> tuple[bytes, ...]:
    """Code vectors of one integer for each feature; return each one's segments of the streams of all."""
    if int(np.abs(rows).max(initial=0)) >= LARGEST:
        raise SettingsError(TOO_SMALL)
    if not len(rows):
        return ()
    each, (height, width), parts = _layout(header)
    count = each * len(rows)
    planes = np.moveaxis(rows.reshape(len(rows), height, width, each), 3, 1).reshape(count, height, width)

    def work(number: int) -> tuple[bytes, list[int]]:
        part = planes[:, slice(*parts[number])].astype(np.float64)
        result, mask = np.empty(part.shape, np.int32), np.ones(part.shape[1:], bool)
        coded, ends = encode(part.__getitem__, result, mask, OTHER_PLANES, 0.0, lambda _more: None)
        return coded, ends[each - 1 :: each]

    coded = side_by_side(work, len(parts))
    return join_streams([data for data, _ in coded], [ends for _, ends in coded])


def code_vector(header: Header, vector: NDArray[np.int64]) -> bytes:
    """Code a single vector."""
    return code_vectors(header, vector[None])[0]


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
