"""Reaches a size in little more than one pass, by :mod:`.steering`."""

from __future__ import annotations

import numpy as np

from pcaimage.codec.method import Sized
from pcaimage.codec.photo.aims.rates import COMPONENT_BYTES, FILE_BYTES
from pcaimage.codec.photo.aims.statistics import stride_of
from pcaimage.codec.photo.aims.steering import Guess, Steering, decibels, steered
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import joined, quantize
from pcaimage.codec.photo.layout import UNIT, PhotoLayout
from pcaimage.codec.photo.masking import masking
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.regions import of_blocks
from pcaimage.codec.photo.scores.costs import is_lively, size_bits
from pcaimage.codec.photo.strengths import with_strengths
from pcaimage.codec.photo.tables import plan_of
from pcaimage.codec.step import Step
from pcaimage.progress import Progress

CHANGED = -1.4
"""Increase of the bits for each lively score if the multiplier grows e-fold: between -1.2 and -1.9 on
photographs."""


def quantize_sized(
    analysis: PhotoAnalysis, k: int, step: Step, sized: Sized, progress: Progress
) -> PhotoModel:
    """Round and code the first k components of a photo with a given size, if it can be reached.

    If the size at the step is far off, the step is replaced, and k follows. Photos of one slice, images with
    tiles, and those whose size the finest step does not reach are coded with the step that is given.
    """
    finest = float(step) <= analysis.finest_step
    if finest or len(PhotoLayout(analysis.header).slices) == 1 or analysis.graphic is not None:
        return quantize(analysis, k, step, progress)

    def make(k: int, step: Step) -> _Sizes:
        return _Sizes(analysis, k, step, progress, proven=sized.proven)

    wanted = max(sized.n_bytes - FILE_BYTES - k * COMPONENT_BYTES, 1.0)
    tolerance = decibels(1 + sized.tolerance)
    return with_strengths(analysis, steered(make, k, step, wanted, tolerance).joined)


class _Sizes(Steering):
    """Steers the number of bytes."""

    changed, octave, far = CHANGED, -3.5, 0.1

    def measure(self, number: int) -> float:
        """Return the bytes of a slice; one for a slice without components."""
        return max(float(len(self.coded[number].data)), 1.0)

    def guess(self, number: int) -> Guess:
        """Return the bits by the sizes of scores in some blocks."""
        layout, part = self.empty.layout, self.empty.layout.slices[number]
        height, columns = part.stop - part.start, layout.grid[1]
        stride = stride_of(layout.grid)
        header, analysis = self.empty.header, self.analysis
        plan = plan_of(header)
        levels = np.zeros((height, columns), np.int64)
        if header.levels:
            wanted, _ = masking(analysis.planes, header, UNIT, part)
            wanted = np.clip(np.rint(wanted), 0, header.levels - 1).astype(np.int64)
            levels = of_blocks(wanted, height, columns)
        levels, bits, lively = levels[::stride, ::stride], 1e-3, 0.0
        for index in range(layout.channels, self.empty.k):
            sizes = np.abs(analysis.plane(index)[part][::stride, ::stride].astype(np.float32))
            sizes *= np.float32(UNIT / float(header.step))
            if plan.local:
                sizes *= plan.inverse(int(analysis.order[index]))[levels]
            bits += float(size_bits(sizes).mean())
            lively += float(is_lively(sizes).mean())
        return Guess(bits * height, lively * height)

    def apart(self, wanted: float) -> float:  # noqa: ARG002 - it does not depend on the size
        """Estimate the bytes that say how long the parts of slices are."""
        parts = [self.coded[number] for number in sorted(self.coded)]
        more = sum(map(len, joined(self.empty, parts).segments)) - sum(len(part.data) for part in parts)
        return more * (self.count - 1) / max(len(parts) - 1, 1)

    @property
    def total(self) -> float:
        """The bytes of all components."""
        return max(float(sum(map(len, self.joined.segments))), 1.0)
