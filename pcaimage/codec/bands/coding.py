"""Coding of a many-band image's components and scores to the bytes of its file, and back."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands.analysis import BandsAnalysis
from pcaimage.codec.bands.basis import entries, fixed, precisions
from pcaimage.codec.bands.missing import Missing
from pcaimage.codec.bands.model import BandsModel
from pcaimage.codec.bands.numbers import LARGEST
from pcaimage.codec.bands.slices import SCORE_PLANES, BandsSliceCoder
from pcaimage.codec.blocks.model import EXACT, TOO_SMALL, ScorePlanes, as_reals, with_exact_sums
from pcaimage.codec.coding.pseudoinverse import pseudoinverse
from pcaimage.codec.coding.segments import join_streams, split_segments
from pcaimage.codec.coding.vectors import code_vector, decode_vector, decode_vectors
from pcaimage.codec.compressed import Component, Compressed, Header, Metadata
from pcaimage.codec.step import Step
from pcaimage.errors import FormatError, SettingsError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress

PRICE = 0.12
"""Lagrange multiplier of the rate–distortion optimisation: squared steps per bit, found by experiment [1]_.

.. [1] The slope of an ideal coder's distortion at high rates would be (ln 2 / 6) = 0.116.
"""


def slices_of(header: Header) -> list[tuple[int, int]]:
    """Return the first and last (exclusive) line of each slice."""
    height = header.shape[0]
    rows = header.slice_rows or height
    return [(start, min(start + rows, height)) for start in range(0, height, rows)]


def mask_of(missing: Missing | None, header: Header, start: int, stop: int) -> NDArray[np.bool_]:
    """Return where some lines have data, shape (stop - start, W); False where every band is missing."""
    if missing is None:
        return np.ones((stop - start, header.shape[1]), bool)
    return ~missing.pixels[start:stop]


def quantize(analysis: BandsAnalysis, k: int, step: Step, progress: Progress = no_progress) -> BandsModel:
    """Quantise and code the first k components of an image and their scores.

    Raises
    ------
    SettingsError
        If k is out of range, or the step too small for the range of the image.
    """
    analysis.check_k(k)
    header, mean = fixed(analysis, step)

    def quantized(digits: tuple[int, ...]) -> BandsModel:
        return code_with(analysis, header, mean, entries(analysis, digits), digits, progress)

    return with_exact_sums(quantized, precisions(analysis, k, float(step)), 0)


def code_with(
    analysis: BandsAnalysis,
    header: Header,
    mean: NDArray[np.int64],
    rows: NDArray[np.int64],
    digits: tuple[int, ...],
    progress: Progress = no_progress,
) -> BandsModel:
    """Round and code the scores of an image on components that are rounded already.

    The mean is in units of 2^-mean_bits of the header, row j in units of 2^-digits[j]. The result is the
    model that decoding will give; SettingsError if the step is too small for the range of the image.
    """
    k, step = len(digits), header.step
    synthesis = as_reals(rows, digits)
    # The least-squares fit recovers part of the rounding error; in units of the bands' scale.
    projection = analysis.unscaled(pseudoinverse(analysis.unscaled(synthesis)).T) / float(step)
    offset = analysis.pca.mean_ - np.ldexp(mean.astype(np.float64), -header.mean_bits)
    parts, width = slices_of(header), header.shape[1]
    planes, tick = ScorePlanes(k, header.n_samples), counted(progress, len(parts) * k)
    lock = Lock()

    def encode(number: int) -> tuple[bytes, list[int]]:
        start, stop = parts[number]
        scores = np.empty((k, stop - start, width), np.float32)
        lines = max(1, (1 << 20) // (width * header.n_features))
        for top in range(start, stop, lines):
            bottom = min(top + lines, stop)
            found = projection @ (analysis.lines(top, bottom) + offset).T
            scores[:, top - start : bottom - start] = found.reshape(k, bottom - top, width)
        if scores.size and float(np.abs(scores).max()) >= LARGEST:
            raise SettingsError(TOO_SMALL)
        coder = BandsSliceCoder(k, mask_of(analysis.missing, header, start, stop), SCORE_PLANES)
        coded = coder.encode(lambda plane: scores[plane].astype(np.float64), PRICE, tick)
        _keep(coder, planes, slice(start * width, stop * width), lock)
        return coded

    coded = side_by_side(encode, len(parts))
    segments = join_streams([data for data, _ in coded], [certain for _, certain in coded])
    return BandsModel(header, mean, None, rows, digits, planes.array, segments, analysis.missing)


def pack(model: BandsModel, spectrum: NDArray[np.float64], metadata: Metadata | None = None) -> Compressed:
    """Assemble the compressed file of a quantised image.

    Parameters
    ----------
    spectrum : ndarray of float64
        All explained variances, stored in the file.
    """
    parts = zip(model.precisions, model.entries, model.segments, strict=True)
    return Compressed(
        header=model.header,
        mean=code_vector(model.header, model.mean),
        components=tuple(Component(p, code_vector(model.header, row), data) for p, row, data in parts),
        spectrum=spectrum,
        metadata=metadata or Metadata(),
        missing=None if model.missing is None else model.missing.to_bytes(),
    )


def unpack(compressed: Compressed, k: int | None = None, progress: Progress = no_progress) -> BandsModel:
    """Decode the first k components of an image, or all, to integers.

    Raises
    ------
    FormatError
        If the coded bytes are damaged, or decode to integers that no encoder writes.
    SettingsError
        If there are fewer than k components.
    """
    if k is not None:
        compressed = compressed.trimmed(k)
    header = compressed.header
    missing = None
    if compressed.missing is not None:
        missing = Missing.from_bytes(compressed.missing, header.shape, header.dtype)
    rows = decode_vectors(header, compressed.components)
    segments = tuple(component.scores for component in compressed.components)
    model = BandsModel(
        header=header,
        mean=decode_vector(header, compressed.mean),
        scale=None,
        entries=rows,
        precisions=tuple(component.precision for component in compressed.components),
        scores=_scores(header, segments, missing, progress),
        segments=segments,
        missing=missing,
    )
    if model.magnitude >= EXACT:
        raise FormatError("The numbers of the image are out of range.")
    return model


def _scores(
    header: Header, segments: tuple[bytes, ...], missing: Missing | None, progress: Progress
) -> NDArray[Any]:
    """Decode the scores of all slices, shape (k, n_samples)."""
    parts, width, k = slices_of(header), header.shape[1], len(segments)
    streams, planes = split_segments(segments, len(parts)), ScorePlanes(k, header.n_samples)
    tick, lock = counted(progress, len(parts) * k), Lock()

    def decode(number: int) -> None:
        start, stop = parts[number]
        coder = BandsSliceCoder(k, mask_of(missing, header, start, stop), SCORE_PLANES, streams[number])
        coder.decode(tick)
        _keep(coder, planes, slice(start * width, stop * width), lock)

    side_by_side(decode, len(parts))
    return planes.array


def _keep(coder: BandsSliceCoder, planes: ScorePlanes, where: slice, lock: Lock) -> None:
    """Copy a slice's scores to the planes of all slices."""
    for plane in range(coder.count):
        scores = coder.plane(plane).ravel()
        # Another thread may be replacing the planes by ones of a wider type.
        with lock:
            planes.put((plane, where), scores)
