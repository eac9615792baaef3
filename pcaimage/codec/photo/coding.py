"""Coding of a photo's scores to the bytes of its file, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memories, Memory
from pcaimage.codec.coding.segments import join_streams, split_segments
from pcaimage.codec.compressed import NESTED, Component, Compressed, Header, Metadata
from pcaimage.codec.decoding import Decoding
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.checking import Checks, check_cost, proves
from pcaimage.codec.photo.layout import UNIT, PhotoLayout
from pcaimage.codec.photo.masking import masking, with_step
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.slices import PhotoSliceCoder
from pcaimage.codec.photo.strengths import ranges, shrunk
from pcaimage.codec.photo.tables import Tables, plan_of
from pcaimage.codec.photo.tiles.tiles import Tiles, grid_of
from pcaimage.codec.photo.transform.cascade import cascade_from_bytes, cascade_to_bytes
from pcaimage.codec.step import Step
from pcaimage.machine.parallel import followed, side_by_side
from pcaimage.progress import Progress, counted, no_progress, overlapping


def quantize(analysis: PhotoAnalysis, k: int, step: Step, progress: Progress = no_progress) -> PhotoModel:
    """Quantise and code the first k components of a photo, with rate–distortion optimised rounding.

    Each score becomes the integer that minimises D + λR, where λ is :attr:`.PhotoSliceCoder.price`.
    SettingsError if k is out of range, or the step too small for the range of the image.
    """
    if analysis.graphic is not None:
        from pcaimage.codec.photo.tiled import quantize_tiled  # noqa: PLC0415 - photographs do without

        return quantize_tiled(quantize, analysis, k, step, progress)
    empty, encode = encoder(analysis, k, step, progress)
    return with_strengths(analysis, joined(empty, side_by_side(encode, len(empty.scores))))


def quantize_checked(
    analysis: PhotoAnalysis,
    k: int,
    step: Step,
    original: NDArray[Any],
    progress: Progress = no_progress,
    *,
    proven: bool,
) -> PhotoModel:
    """Quantise and code as :func:`quantize` does, and measure the error against the original.

    If slices are to be `proven`, each is also decoded and compared as soon as it is coded.
    """
    coding, checking = overlapping(progress, 1 / (1 + check_cost(proven=proven)))
    if analysis.graphic is not None:
        model = quantize(analysis, k, step, coding)
        return checked(model, original, checking)
    empty, encode = encoder(analysis, k, step, coding)
    checks = Checks(empty, original, checking, proven=proven)

    def prove(number: int, coded: Sequence[Coded]) -> None:
        if proven:
            checks.prove(number, coded[-1].data, coded[-1].scores)

    # The strengths of shrinkage, on which all pixels depend, follow from the whole photo.
    parts = followed(encode, prove, len(empty.scores))
    return checks.measured(with_strengths(analysis, joined(empty, parts)))


def with_strengths(
    analysis: PhotoAnalysis, model: PhotoModel, numbers: Sequence[int] | None = None
) -> PhotoModel:
    """Return a model, with the same scores, that is shrunk so that it comes closest to its photo.

    The errors of each channel and its corrections by each of its gains give the best multiples of these by
    least squares; channels are orthogonal, so that each is a problem of its own. Only the slices of the given
    numbers, which are coded already, are looked at; by default all.
    """
    parts = _parts(model, range(len(model.scores)) if numbers is None else numbers)
    shown = shrunk(model.header, lambda header: replace(model, header=header).picture, analysis.planes, parts)
    return replace(model, header=shown)


def _parts(model: PhotoModel, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return ranges of groups of lines that some slices suffice for."""
    rows, found = model.layout.grid[0], list[tuple[int, int]]()
    for number in numbers:
        part = model.layout.slices[number]
        first, last = part.start + (part.start > 0), part.stop + (part.stop == rows)
        found += ranges(first, last)
    return found


def checked(model: PhotoModel, original: NDArray[Any], progress: Progress = no_progress) -> PhotoModel:
    """Measure the error of a photo's reconstruction and decode its slices, unless both have been done."""
    known = model.measured is not None and model.measured.original is original
    if known and all(model.proven or [b""]):
        progress(1, 1)
        return model
    checks, streams = Checks(model, original, progress, proven=True), _streams(model)
    side_by_side(lambda n: checks.prove(n, streams[n], model.scores[n]), len(streams))
    return checks.proved(model) if known else checks.measured(model)


def holds(compressed: Compressed, model: PhotoModel, progress: Progress = no_progress) -> bool:
    """Return whether a file decodes to exactly the integers, bases and header of a model.

    Slices that were proven are not decoded again; their bytes are compared. FormatError if they are damaged.
    """
    with Decoding(compressed) as decoding:
        found = _without_scores(compressed, decoding)
        decoding.decode_only(range(len(found.scores), decoding.core.info.parts))
        found = replace(found, tiles=_tiles_of(compressed, decoding))
    if not found.same_outside_scores(model):
        return False
    streams, tick = _streams(found), counted(progress, len(model.scores) * model.k)

    def same(number: int) -> bool:
        if model.proven and model.proven[number] == streams[number]:
            return True
        return proves(model, number, streams[number], model.scores[number], tick)

    same_slices = all(side_by_side(same, len(streams)))
    progress(1, 1)
    return same_slices


COARSE, UNSHRUNK = 4.0, 0.82
"""The least step, on a scale of 255, from which constant components are tried as a picture of their own; and
the share of the error of rounded ones that shrinkage leaves."""


class Coded(NamedTuple):
    """A coded slice: its integers, its bytes, and the number of bytes that the first i components need."""

    scores: NDArray[Any]
    data: bytes
    certain: list[int]


def encoder(
    analysis: PhotoAnalysis, k: int, step: Step, progress: Progress
) -> tuple[PhotoModel, Callable[..., Coded]]:
    """Return a model without scores, and a thread-safe function that codes one slice.

    The function takes the slice's number, and optionally a Lagrange multiplier relative to the usual one. Its
    memory is the model's, so that proofs of slices use it, too.
    """
    analysis.check_k(k)
    header = with_means(analysis, with_step(analysis.header, step))
    layout = PhotoLayout(header)
    slices = layout.slices
    factor, tick = np.float32(UNIT / float(step)), counted(progress, len(slices) * k)
    memories = Memories()
    empty = replace(PhotoModel.empty(header, analysis.cascade, (b"",) * k), memories=memories)

    def encode(number: int, worth: float = 1.0) -> Coded:
        rows = slices[number]
        scores = np.empty((k, rows.stop - rows.start, layout.grid[1]), layout.dtype)
        levels = empty.levels[number] if empty.levels else None

        def wanted(index: int) -> NDArray[np.float32]:
            return analysis.plane(index)[rows].astype(np.float32) * factor

        mask = masking(analysis.planes, header, UNIT, rows) if header.levels else None
        with memories.taken() as memory:
            coder = PhotoSliceCoder.of(header, scores, levels=levels, memory=memory)
            return Coded(scores, *coder.encode(wanted, worth * coder.price, tick, mask))

    return empty, encode


def with_means(analysis: PhotoAnalysis, header: Header) -> Header:
    """Return the header with constant components as a picture of their own, if that is worth it.

    Both ways are tried on the middle slice: what counts is squared errors, as far as they are not shrunk, and
    bits.
    """
    if header.tools & NESTED or float(header.step) * 255 < COARSE * header.peak:
        return header
    layout = PhotoLayout(header)
    rows = layout.slices[len(layout.slices) // 2]
    factor = np.float32(UNIT / float(header.step))
    means = [analysis.plane(index)[rows].astype(np.float32) * factor for index in range(layout.channels)]
    best, least = header, math.inf
    for tools, left in ((header.tools, UNSHRUNK), (header.tools | NESTED, 1.0)):
        found = replace(header, tools=tools)
        scores = np.empty(np.shape(means), layout.dtype)
        coder = PhotoSliceCoder.of(found, scores)
        data, _ = coder.encode(means.__getitem__, coder.price, lambda _: None)
        wrong = float(np.square(scores / plan_of(found).mean_parts - means).sum())
        cost = left * wrong + coder.price * 8 * len(data)
        if cost < least:
            best, least = found, cost
    return best


def joined(empty: PhotoModel, parts: Sequence[Coded]) -> PhotoModel:
    """Return a model with the scores of all slices."""
    segments = join_streams([part.data for part in parts], [part.certain for part in parts])
    return replace(empty, scores=tuple(part.scores for part in parts), segments=segments, memories=None)


def _streams(model: PhotoModel) -> list[bytes]:
    """Return the coded bytes of each slice."""
    return split_segments(model.segments, len(model.scores))


def pack(model: PhotoModel, metadata: Metadata | None = None) -> Compressed:
    """Assemble the compressed file of a photo from :func:`quantize`, with optional metadata."""
    return Compressed(
        header=model.header,
        mean=cascade_to_bytes(model.cascade, Tables.of(model.header.tables).basis),
        components=tuple(Component(0, b"", segment) for segment in model.segments),
        metadata=metadata or Metadata(),
        tiles=None if model.tiles is None else model.tiles.data,
    )


def unpack(
    compressed: Compressed,
    k: int | None = None,
    progress: Progress = no_progress,
    learned: Sequence[NDArray[np.uint8]] = (),
) -> PhotoModel:
    """Decode the first k components of a photo, or all, to integers, and copy what slices `learned`.

    FormatError if the coded bytes are damaged, or were made with tables that this program does not have;
    SettingsError if there are fewer than k components.
    """
    with Decoding(compressed, k) as decoding:
        empty, scores = _without_scores(compressed, decoding), list[NDArray[Any]]()
        for number, rows in enumerate(empty.layout.slices):
            shape = empty.k, rows.stop - rows.start, empty.layout.grid[1]
            scores.append(Memory().array("scores", shape, empty.layout.dtype.type))
            decoding.core.put_scores(number, scores[-1], empty.levels[number] if empty.levels else None)
        for number, models in enumerate(learned):
            decoding.core.put_models(number, models)
        decoding.decode_all(progress)
        return replace(empty, scores=tuple(scores), tiles=_tiles_of(compressed, decoding))


def _without_scores(compressed: Compressed, decoding: Decoding) -> PhotoModel:
    header = compressed.header
    cascade = cascade_from_bytes(compressed.mean, header.shape[-1], Tables.of(header.tables).basis)
    segments = tuple(component.scores for component in compressed.components[: decoding.k])
    return PhotoModel.empty(header, cascade, segments)


def _tiles_of(compressed: Compressed, decoding: Decoding) -> Tiles | None:
    """Return the tiles once they are decoded."""
    if compressed.tiles is None:
        return None
    shape = compressed.header.shape
    chosen, image = np.empty(grid_of(shape), np.bool_), np.empty(shape, np.uint8)
    decoding.core.put_tiles(chosen, image)
    return Tiles(compressed.tiles, chosen, image)
