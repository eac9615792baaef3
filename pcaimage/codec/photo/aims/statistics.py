"""Rate and distortion of a photo at every step, estimated from the histogram of its scores.

The bits of a transform coder are nearly proportional to the number of nonzero quantised scores, for all
images and steps [1]_. So a histogram of each component's magnitudes, computed once, suffices.

References
----------
.. [1] Z. He, S. K. Mitra, "A unified rate-distortion analysis framework for transform coding", IEEE Trans.
   Circuits and Systems for Video Technology 11, 2001.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.estimates import rounded_mse
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.scores.costs import size_bits, square_errors
from pcaimage.codec.photo.tables import plan_of
from pcaimage.codec.spectrum import indices

COUNTED_BLOCKS = 1 << 16  # approximate number of blocks of a large photo that are counted, evenly spread

SHRUNK = 0.95
"""Share of the squared error that shrinkage leaves of a typical photograph; of smooth ones it is less."""

_CUT_BITS = 17
"""Low bits of a float32 dropped in the histogram: magnitudes up to 128 are exact, larger ones to 1/64."""

_ZERO = (np.float32(1).view(np.int32) >> _CUT_BITS) - 1

Floats = NDArray[np.float64]


class _Counts(NamedTuple):
    """Histogram of the magnitudes of scores; those with larger steps than the image's count as smaller.

    Among the first k components each magnitude occurs `times[k]`, and `squares[k]` is the sum of the squared
    steps of these scores, relative to the image's.
    """

    sizes: Floats
    times: Floats
    squares: Floats
    blocks: int  # number of blocks counted


@dataclass(frozen=True, eq=False)
class ScoreStatistics:
    """Rough estimates of a photo's rate and distortion at every step."""

    analysis: PhotoAnalysis = field(repr=False)

    def n_bytes(self, k: int, step: float) -> float:
        """Estimate the coded size of the first k components in bytes."""
        sizes, times, _, blocks = self._counts
        rows, columns = self.analysis.planes.shape[1:]
        bits = float(times[k] @ size_bits(sizes * (UNIT / step)))
        return bits / 8 * (int(rows) * int(columns) / blocks)

    def mse(self, k: int, step: float) -> float:
        """Estimate the mean squared error of the shrunk reconstruction from the first k components."""
        sizes, _, squares, blocks = self._counts
        header = self.analysis.header
        constant = min(k, header.shape[-1])
        wrong = SHRUNK * step**2 / 15 * float(squares[constant].sum())
        others = squares[k] - squares[constant]
        wrong += SHRUNK * step**2 * float(others @ square_errors(sizes * (UNIT / step)))
        variances = self.analysis.variances
        lost = float(variances[k:].sum()) + float(variances[indices(self.analysis.left_out, k)].sum())
        wrong += blocks * lost
        return rounded_mse(wrong / (blocks * header.n_features))

    @cached_property
    def _counts(self) -> _Counts:
        analysis, grid = self.analysis, self.analysis.planes.shape[1:]
        stride = stride_of(grid)
        start = (min(stride, *grid) - 1) // 2
        part = slice(start, None, stride), slice(start, None, stride)
        relative = plan_of(analysis.header).relative
        counts, squares = list[Floats](), list[Floats]()
        for index, plane in enumerate(analysis.order):
            scores = self._scores(index, part)
            if relative is None:
                counts.append(np.bincount(_numbers(scores)).astype(np.float64))
                squares.append(counts[-1])
                continue
            steps = np.broadcast_to(relative[plane][analysis.local_levels[part]], scores.shape)
            numbers = _numbers(scores / steps)
            counts.append(np.bincount(numbers).astype(np.float64))
            squares.append(np.bincount(numbers, np.square(steps).ravel()).astype(np.float64))
        times = _summed(counts)
        return _Counts(_sizes(times.shape[1]), times, _summed(squares), scores.size)

    def _scores(self, index: int, part: tuple[slice, slice]) -> NDArray[Any]:
        """Return scores of some blocks; of constant components the differences to the block on the left."""
        plane = self.analysis.plane(index)[part[0]]
        if index < self.analysis.header.shape[-1]:
            plane = np.diff(plane.astype(np.float64), axis=1, prepend=plane[:, :1])
        return plane[:, part[1]]


def _summed(counts: Sequence[Floats]) -> Floats:
    """Return the sums of the first k histograms at index k, each with as many classes as the longest."""
    sums = np.zeros((len(counts) + 1, max(map(len, counts))))
    for index, each in enumerate(counts):
        sums[index + 1] = sums[index]
        sums[index + 1, : len(each)] += each
    return sums


def stride_of(grid: tuple[int, int]) -> int:
    """Return the distance, in either direction, of the blocks of a photo that are counted."""
    return max(1, round(math.sqrt(grid[0] * grid[1] / COUNTED_BLOCKS)))


def _numbers(scores: NDArray[Any]) -> NDArray[np.int32]:
    """Return the histogram class of each magnitude; classes ascend with the magnitude."""
    bits = np.abs(scores.astype(np.float32)).ravel().view(np.int32)
    numbers: NDArray[np.int32] = np.maximum((bits >> _CUT_BITS) - _ZERO, 0)
    return numbers


def _sizes(count: int) -> Floats:
    """Return the central magnitude of each histogram class."""
    bits = (np.arange(count + 1, dtype=np.int32) + _ZERO) << _CUT_BITS
    edges = bits.view(np.float32).astype(np.float64)
    sizes: Floats = edges[:-1] + np.maximum(np.diff(edges) - 1, 0) / 2
    sizes[0] = 0.0
    return sizes
