"""Reaches a size in little more than one pass: some slices tell how large the others become.

A sample of a photo's blocks predicts the size of its file with an error of some percent, or of ten
if parts of the photo are unlike. Every other slice is therefore coded first: these predict it within one.
If the photo will be too large or too small, they alone are coded again, at the step that they suggest.
Results do not depend on the number of cores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pcaimage.codec.method import Sized
from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.coding import Coded, encoder, joined
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.local_steps import LEVEL, OCTAVE, of_blocks
from pcaimage.codec.photo.masking import masking
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.statistics import size_bits
from pcaimage.codec.photo.strengths import with_strengths
from pcaimage.codec.step import Step
from pcaimage.parallel import side_by_side
from pcaimage.progress import Progress

FEWEST = 6
"""Photos of fewer slices are coded at the step that is given."""

ROUNDS = 3
"""Most steps at which the first slices are coded."""

OCTAVES, SLOPES = 1.15, (0.6, 2.0)
"""Typical fall of the size, in octaves, for each octave of the step; range of what is found for a photo."""

FARTHEST = 0.5
"""Largest change of the step in octaves."""

COUNTED = 1 << 16
"""Approximate number of blocks from which slices are compared."""


def quantize_sized(
    analysis: PhotoAnalysis, k: int, step: Step, sized: Sized, progress: Progress
) -> PhotoModel:
    """Quantise and code a photo so that its components have about as many bytes as wanted.

    Parameters
    ----------
    k, step : int, Step
        What nearly gives that size; both are replaced if the first slices say otherwise.
    """
    count = len(PhotoLayout(analysis.header).slices)
    first = range(1, count, 2) if count >= FEWEST else range(0)
    coded = dict[int, Coded]()

    def heard(done: int, total: int) -> None:
        progress(min(done, total), total)  # some slices are coded twice

    def code(numbers: Sequence[int]) -> None:
        coded.update(zip(numbers, side_by_side(lambda n: encode(numbers[n]), len(numbers)), strict=True))

    slope, tried = OCTAVES, (math.nan, 0.0)
    amounts = _amounts(analysis, k, step) if first else []
    for attempt in range(ROUNDS):
        empty, encode = encoder(analysis, k, step, heard)
        code(first)
        place, off = math.log2(float(step)), 0.0
        if first:
            parts = [coded[number] for number in first]
            # A file also says how long the parts of each slice are.
            more = sum(map(len, joined(empty, parts).segments)) / sum(len(part.data) for part in parts)
            ratios = [more * len(coded[number].data) / amounts[number] for number in first]
            off = math.log2(float(np.interp(range(count), first, ratios) @ amounts) / sized.n_bytes)
        if abs(off) <= sized.tolerance or attempt == ROUNDS - 1:
            break
        if abs(place - tried[0]) > 0:
            slope = min(max((tried[1] - off) / (place - tried[0]), SLOPES[0]), SLOPES[1])
        tried, changed = (place, off), min(max(off / slope, -FARTHEST), FARTHEST)
        step = Step.nearest(max(2 ** (place + changed), analysis.finest_step))
        k = analysis.k_for_step(float(step))
    code([number for number in range(count) if number not in coded])
    return with_strengths(analysis, joined(empty, [coded[number] for number in range(count)]))


def _amounts(analysis: PhotoAnalysis, k: int, step: Step) -> list[float]:
    """Return the approximate bits of each slice, as far as they differ between slices."""
    layout, factor = PhotoLayout(analysis.header), np.float32(UNIT / float(step))
    rows, columns = layout.grid
    stride = max(1, round(math.sqrt(rows * columns / COUNTED)))

    def amount(number: int) -> float:
        part, bits = layout.slices[number], 1.0
        seen = masking(analysis.planes, analysis.header, UNIT, part)
        local = np.ones((part.stop - part.start, columns), np.float32)
        if seen is not None:
            octaves = (analysis.header.middle - seen[0]) * np.float32(LEVEL / OCTAVE)
            local = of_blocks(np.exp2(octaves), *local.shape)
        finer = local[::stride, ::stride] * factor
        for index in range(layout.channels, k):
            scores = analysis.plane(index)[part][::stride, ::stride].astype(np.float32)
            bits += float(size_bits(np.abs(scores) * finer).mean())
        height: float = part.stop - part.start
        return bits * height

    return side_by_side(amount, len(layout.slices))
