"""Rate and distortion of a many-band image for every k, without encoding it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands.analysis import BandsAnalysis
from pcaimage.codec.bands.basis import entries, fixed, precisions
from pcaimage.codec.bands.coding import PRICE, mask_of
from pcaimage.codec.bands.slices import SCORE_PLANES, BandsSliceCoder
from pcaimage.codec.coding.vectors import code_vector
from pcaimage.codec.estimates import Bracket, ComponentCosts, Interpolated, rounded_mse
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.progress import counted, no_progress

Floats = NDArray[np.float64]

SAMPLE_NUMBERS, LEAST_LINES = 4 << 20, 16
"""Sample of a large image: number of values, and least lines of each run."""

COMPONENT_BYTES, FILE_BYTES, VARIANCE_BYTES = 11, 90, 1.15
"""Approximate bytes of overhead: for each component, for the file, and for each variance of the spectrum."""


@dataclass(frozen=True, eq=False)
class BandsRates(Interpolated[ComponentCosts]):
    """Estimates for every k and step of an analysis; thread-safe."""

    analysis: BandsAnalysis

    def _between(self, k: int, at: Bracket[ComponentCosts]) -> tuple[float, float]:
        count = min(k, len(at.below.score_bytes), len(at.above.score_bytes))
        costs, analysis = at.below.interpolated(at.above, at.share, count), self.analysis
        gains = analysis.gains
        kept = analysis.variances[:count].copy()
        kept[indices(analysis.left_out, count)] = 0
        lost = max(self._total - float(kept @ gains[:count]), 0.0)
        wrong = float(costs.errors @ gains[:count])
        unit = 4.0**analysis.header.value_bits
        mse = rounded_mse((lost + wrong) / analysis.header.n_features * unit) / unit
        coded = float((costs.score_bytes + costs.vector_bytes).sum())
        return coded + k * COMPONENT_BYTES + costs.fixed_bytes, mse * self._measured

    @cached_property
    def _measured(self) -> float:
        """Share of the image that has data."""
        return self.analysis.pca.n_samples_ / self.analysis.header.n_samples

    @cached_property
    def _total(self) -> float:
        """Total variance of all features, in squared pixel units."""
        return float(self.analysis.variances @ self.analysis.gains)

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        """Runs of lines, spread over the image, that represent all of it."""
        height, width, bands = self.analysis.header.shape
        lines = max(LEAST_LINES, SAMPLE_NUMBERS // (width * bands))
        if lines >= height:
            return [(0, height)]
        count = max(1, min(4, lines // (4 * LEAST_LINES)))
        each = lines // count
        starts = np.linspace(0, height - each, count).astype(int).tolist()
        return [(start, start + each) for start in starts]

    @cached_property
    def _scores(self) -> tuple[NDArray[np.float32], NDArray[np.bool_], float]:
        """Scores of the runs, concatenated vertically; the mask of existing numbers; and the scores' unit."""
        analysis, width = self.analysis, self.analysis.header.shape[1]
        rows = analysis.projection
        found = [rows @ analysis.lines(start, stop).T for start, stop in self._runs]
        mask = np.concatenate([mask_of(analysis.missing, analysis.header, *run) for run in self._runs])
        scores = np.concatenate(found, axis=1).astype(np.float32)
        return scores.reshape(-1, len(mask), width), mask, analysis.header.shape[0] / len(mask)

    def _measure(self, step: float) -> ComponentCosts:
        analysis, (scores, mask, weight) = self.analysis, self._scores
        # White noise is the same in all components, so that from some step on all are kept at once.
        flat = analysis.white is not None
        k = analysis.n_components if flat else min(analysis.n_components, 2 * analysis.k_for_step(step) + 8)
        coder, measured = BandsSliceCoder(k, mask, SCORE_PLANES), max(int(mask.sum()), 1)
        coded, ends = coder.encode(
            lambda plane: scores[plane].astype(np.float64) / step, PRICE, counted(no_progress, k)
        )
        sizes = np.diff(np.array([0, *ends[:-1], len(coded)], np.float64))
        errors = np.array(
            [
                np.square((scores[plane] - coder.plane(plane) * step)[mask], dtype=np.float64).sum()
                / measured
                for plane in range(k)
            ]
        )
        digits = precisions(analysis, k, step)
        vectors = [len(code_vector(analysis.header, row)) for row in entries(analysis, digits)]
        header, mean = fixed(analysis, Step.nearest(step))
        rest = FILE_BYTES + len(code_vector(header, mean)) + VARIANCE_BYTES * analysis.n_components
        if analysis.missing is not None:
            rest += len(analysis.missing.to_bytes())
        return ComponentCosts(weight * np.maximum(sizes, 0), np.array(vectors, np.float64), errors, rest)
