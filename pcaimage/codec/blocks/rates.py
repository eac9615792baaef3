"""Rate and distortion for every k, without encoding the image.

With an orthonormal basis the squared error of the pixels is that of the scores. So the actual coder quantises
and codes the planes of a sample of the image at a few steps; values in between are interpolated, component by
component.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.blocks.analysis import Analysis
from pcaimage.codec.blocks.projection import Projection
from pcaimage.codec.blocks.quantizer import Quantizer
from pcaimage.codec.blocks.thumbnail import LARGEST, SHARE
from pcaimage.codec.coding.planes import PlaneCoder
from pcaimage.codec.coding.rounding import dead_zone, rounded
from pcaimage.codec.coding.vectors import code_vector, score_coder
from pcaimage.codec.estimates import Bracket, ComponentCosts, Interpolated, rounded_mse
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.sampling import Stack

Floats = NDArray[np.float64]

SAMPLE_NUMBERS = 4 << 20
"""Size of the sample of a large image, in scores."""

LEADING, MAX_LEADING_SAMPLES = 6, 1 << 20
"""Number of leading planes that are sampled whole, and the largest number of samples for which they are.

Their scores are predicted from their neighbours, which the seams between tiles would disturb.
"""

TILES, LARGE_TILES = 512, 32
"""Approximate number of tiles in a sample, and in one that includes predicted planes."""

ALL_CODED, CODED_SHARE = 192, 16
"""Number of leading components that are all coded; after them, the gaps grow by a sixteenth."""

LEARNING_BYTES = 8
"""Approximate cost in bytes of adapting a plane's models, whatever the plane's size."""

COMPONENT_BYTES, FILE_BYTES, VARIANCE_BYTES = 10, 62, 1.15
"""Approximate bytes of overhead: for each component, for the file, and for each variance of the spectrum."""

REFERENCE_BYTES = 24
"""Size of the reference to a model file, in bytes."""


@dataclass(frozen=True, eq=False)
class RateModel(Interpolated[ComponentCosts]):
    """Estimates for every k and step of an analysis; thread-safe."""

    analysis: Analysis

    def _between(self, k: int, at: Bracket[ComponentCosts]) -> tuple[float, float]:
        costs, gains = at.below.interpolated(at.above, at.share, k), self.analysis.gains
        left_out = self._total - float(self._kept(k) @ gains[:k])
        wrong = float(costs.errors @ gains[:k])
        wrong += self._basis_error(k, at.step)
        mse = rounded_mse((max(left_out, 0.0) + wrong) / self.analysis.header.n_features)
        coded = float((costs.score_bytes + costs.vector_bytes).sum())
        preview = min(coded * SHARE, 3 * LARGEST**2)
        return coded + preview + k * COMPONENT_BYTES + costs.fixed_bytes, mse

    @cached_property
    def _total(self) -> float:
        """Total variance of all features, in squared pixel units."""
        pca = self.analysis.pca
        known = float(self.analysis.variances @ self.analysis.gains)
        if isinstance(self.analysis, Projection):
            return known + self.analysis.hidden
        hidden = max(pca.total_variance_ - float(self.analysis.variances.sum()), 0.0)
        return known + hidden * float(np.mean(np.square(pca.scale_)))

    def _kept(self, k: int) -> Floats:
        """Return the variances of the first k components; zero if left out."""
        variances = self.analysis.variances[:k].copy()
        variances[indices(self.analysis.left_out, k)] = 0
        return variances

    def _basis_error(self, k: int, step: float) -> float:
        """Estimate a sample's squared error from rounded components, net of what the scores' fit recovers."""
        if self.analysis.external_basis is not None:
            return 0.0
        precisions = np.array(Quantizer(self.analysis).precisions(k, step), np.float64)
        rounding = np.exp2(-2 * precisions) / 12
        weights = self._kept(k) * self.analysis.gains[:k]
        return (self.analysis.header.n_features - k) * float(weights @ rounding)

    @cached_property
    def _sample(self) -> tuple[NDArray[np.float32], tuple[int, int], float]:
        """Scores of tiles spread over the image, the shape of the tiles side by side, and their weight."""
        analysis = self.analysis
        header = analysis.header
        rows, columns = header.sampling.grid(header.shape)
        tiles = TILES if header.n_samples <= MAX_LEADING_SAMPLES else LARGE_TILES
        where = _tiles(rows, columns, SAMPLE_NUMBERS // header.n_features, tiles)
        scores = analysis.scores_of(where.ravel())
        return scores, where.shape, header.n_samples / where.size

    @cached_property
    def _leading(self) -> NDArray[np.float32]:
        """Whole score planes of the leading components, unless the sample is the whole image anyway."""
        header = self.analysis.header
        sampled = self._sample[2] > 1 and header.n_samples <= MAX_LEADING_SAMPLES
        return self.analysis.scores(k=LEADING if sampled else 0)

    def _measure(self, step: float) -> ComponentCosts:
        analysis, (scores, shape, weight) = self.analysis, self._sample
        beside = not isinstance(analysis.header.sampling, Stack)
        coder = PlaneCoder((*shape, 1), beside=beside)
        zone, count = dead_zone(step, analysis.finest_step), analysis.n_components
        n_bytes, errors = np.zeros(count), np.zeros(count)
        coded = coded_planes(count, analysis.left_out)
        chosen = frozenset(coded)
        for j, plane in enumerate(scores):
            quantized = rounded(plane / np.float32(step), zone)
            errors[j] = float(np.square(plane - quantized * np.float32(step)).mean(dtype=np.float64))
            if j in chosen:
                n_bytes[j] = len(coder.encode(quantized.astype(np.int64)))
        n_bytes = filled(n_bytes, coded, analysis.left_out)
        scaled = np.where(n_bytes > 0, weight * np.maximum(n_bytes - LEARNING_BYTES, 0) + LEARNING_BYTES, 0.0)
        coder = score_coder(analysis.header)
        for j, plane in enumerate(self._leading):
            scaled[j] = len(coder.encode(rounded(plane / np.float32(step), zone).astype(np.int64)))
        score_bytes = scaled if weight > 1 else n_bytes
        return ComponentCosts(score_bytes, self._vector_bytes(step), errors, self._fixed_bytes(step))

    def _fixed_bytes(self, step: float) -> float:
        """Estimate the bytes of the mean, the standard deviations, the spectrum and the framing."""
        analysis = self.analysis
        if analysis.external_basis is not None:
            return FILE_BYTES + REFERENCE_BYTES
        header, mean, scale = Quantizer(analysis).fixed_part(Step.nearest(step))
        vectors = [vector for vector in (mean, scale) if vector is not None]
        coded = sum(len(code_vector(header, vector)) for vector in vectors)
        return FILE_BYTES + coded + VARIANCE_BYTES * analysis.n_components

    def _vector_bytes(self, step: float) -> Floats:
        analysis = self.analysis
        if analysis.external_basis is not None:
            return np.zeros(analysis.n_components)
        quantizer = Quantizer(analysis)
        precisions = quantizer.precisions(analysis.n_components, step)
        entries = quantizer.entries(analysis.n_components, precisions)
        n_bytes, coded = np.zeros(len(entries)), coded_planes(len(entries), analysis.left_out)
        for j in coded:
            n_bytes[j] = len(code_vector(analysis.header, entries[j]))
        return filled(n_bytes, coded, analysis.left_out)


def coded_planes(count: int, left_out: frozenset[int] = frozenset()) -> list[int]:
    """Choose the components whose cost is measured, as neighbours in the spectrum cost nearly the same.

    Coding each of thousands of components would dominate the time. Returned are indices: the first
    :data:`ALL_CODED`, and after them with gaps of about 1/:data:`CODED_SHARE` of the index. Those left out,
    by one-based numbers, cost nothing.
    """
    places = list(range(min(count, ALL_CODED)))
    while places and places[-1] < count - 1:
        places.append(min(places[-1] + max(1, places[-1] // CODED_SHARE), count - 1))
    gone = indices(left_out, count)
    return [place for place in places if place not in gone] if gone else places


def filled(n_bytes: Floats, coded: list[int], left_out: frozenset[int] = frozenset()) -> Floats:
    """Interpolate the costs of components linearly between those of :func:`coded_planes`.

    Components left out, by one-based numbers, cost nothing.
    """
    if not coded:
        return n_bytes
    every: Floats = np.interp(np.arange(len(n_bytes)), coded, n_bytes[coded])
    every[indices(left_out, len(every))] = 0
    return every


def _tiles(rows: int, columns: int, limit: int, tiles: int) -> NDArray[np.intp]:
    """Return the indices of the samples in tiles spread evenly over a grid, with the tiles side by side."""
    numbers = np.arange(rows * columns).reshape(rows, columns)
    if numbers.size <= limit:
        return numbers
    down = int(np.clip(round(math.sqrt(tiles * rows / columns)), 1, min(rows, tiles)))
    across = int(np.clip(tiles // down, 1, columns))
    share = math.sqrt(limit / numbers.size)
    height, width = (math.ceil(share * size / parts) for size, parts in ((rows, down), (columns, across)))
    tops = np.linspace(0, rows - height, down).astype(int)[:, None] + np.arange(height)
    lefts = np.linspace(0, columns - width, across).astype(int)[:, None] + np.arange(width)
    return numbers[np.ix_(tops.ravel(), lefts.ravel())]
