"""Rate and distortion for every k, without encoding the image.

The squared error of the pixels follows from that of the scores. So the actual coder quantises and codes the
planes of a sample of the image at a few steps; values in between are interpolated, component by component.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.estimates import Bracket, ComponentCosts, Interpolated, rounded_mse
from pcaimage.codec.linear.analysis import Analysis
from pcaimage.codec.linear.layout import predictors_of
from pcaimage.codec.linear.quantize import PRICE, entries, fixed, precisions
from pcaimage.codec.linear.slices import SliceCoder
from pcaimage.codec.linear.thumbnail import LARGEST, SHARE
from pcaimage.codec.linear.vectors import code_vector, code_vectors
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.progress import counted, no_progress

Floats = NDArray[np.float64]

SAMPLE_NUMBERS = 4 << 20
"""Size of the sample of a large image, in values."""

ALL_CODED, CODED_SHARE = 192, 16
"""Number of leading components that are all coded; after them, the gaps grow by a sixteenth."""

COMPONENT_BYTES, FILE_BYTES, VARIANCE_BYTES = 10, 70, 1.15
"""Approximate bytes of overhead: for each component, for the file, and for each variance of the spectrum."""

REFERENCE_BYTES = 24
"""Size of the reference to a model file, in bytes."""


@dataclass(frozen=True, eq=False)
class RateModel(Interpolated[ComponentCosts]):
    """Estimates for every k and step of an analysis; thread-safe."""

    analysis: Analysis

    def _between(self, k: int, at: Bracket[ComponentCosts]) -> tuple[float, float]:
        count = min(k, len(at.below.score_bytes), len(at.above.score_bytes))
        costs, analysis = at.below.interpolated(at.above, at.share, count), self.analysis
        gains = analysis.gains[:count]
        kept = analysis.variances[:count].copy()
        kept[indices(analysis.left_out, count)] = 0
        lost = max(self._total - float(kept @ gains), 0.0)
        wrong = float(costs.errors @ gains) + self._basis_error(kept * gains, at.step)
        unit = 4.0**analysis.header.value_bits
        mse = rounded_mse((lost + wrong) / analysis.header.n_features * unit) / unit
        coded = float((costs.score_bytes + costs.vector_bytes).sum())
        preview = min(coded * SHARE, 3 * LARGEST**2) if analysis.has_thumbnail else 0.0
        n_bytes = coded + preview + k * COMPONENT_BYTES + costs.fixed_bytes
        return n_bytes, mse * analysis.pca.n_samples_ / analysis.header.n_samples

    @cached_property
    def _total(self) -> float:
        """Total variance of all features, in squared pixel units."""
        return float(self.analysis.variances @ self.analysis.gains) + self.analysis.hidden_variance

    def _basis_error(self, weights: Floats, step: float) -> float:
        """Estimate a sample's squared error from rounded components, net of what the scores' fit recovers.

        The weights are the variances of the first components in squared pixel units.
        """
        analysis, k = self.analysis, len(weights)
        if analysis.external_basis is not None:
            return 0.0
        digits = np.array(precisions(analysis, k, step), np.float64)
        rounding = np.exp2(-2 * digits) / (12 * np.square(analysis.lengths[:k]))
        return max(analysis.header.n_features - k, 0) * float(weights @ rounding)

    @cached_property
    def _sample(self) -> tuple[NDArray[np.float32], NDArray[np.bool_], float]:
        """Scores of a part of the image, the mask of existing numbers, and their weight."""
        return self.analysis.sample(SAMPLE_NUMBERS)

    def _measure(self, step: float) -> ComponentCosts:
        analysis, (scores, mask, weight) = self.analysis, self._sample
        # Beyond that, all scores are zero; but white noise is the same in all components.
        flat = analysis.white is not None
        k = analysis.n_components if flat else min(analysis.n_components, 2 * analysis.k_for_step(step) + 8)
        coded = measured_components(k)
        coder = SliceCoder(len(coded), mask, predictors_of(analysis.header))
        stream, ends = coder.encode(
            lambda plane: scores[coded[plane]].astype(np.float64) / step, PRICE, counted(no_progress, k)
        )
        sizes = np.maximum(np.diff(np.array([0, *ends[:-1], len(stream)], np.float64)), 0)
        wrong = [
            float(np.square((scores[j] - coder.plane(plane) * step)[mask], dtype=np.float64).mean())
            for plane, j in enumerate(coded)
        ]
        every = np.arange(k)
        return ComponentCosts(
            weight * np.interp(every, coded, sizes),
            np.interp(every, coded, self._vector_bytes(coded, k, step)),
            np.interp(every, coded, wrong),
            FILE_BYTES + self._fixed_bytes(k, step),
        )

    def _fixed_bytes(self, k: int, step: float) -> float:
        """Estimate the bytes of the mean, the standard deviations, the spectrum, and the mask."""
        analysis = self.analysis
        masked = 0 if analysis.missing is None else len(analysis.missing.to_bytes())
        if analysis.external_basis is not None:
            return REFERENCE_BYTES + masked
        header, *vectors = fixed(analysis, k, Step.nearest(step))
        coded = sum(len(code_vector(header, vector)) for vector in vectors if vector is not None)
        return coded + VARIANCE_BYTES * analysis.n_components + masked

    def _vector_bytes(self, chosen: list[int], k: int, step: float) -> Floats:
        """Return the bytes of some of the first k vectors."""
        analysis = self.analysis
        if analysis.external_basis is not None:
            return np.zeros(len(chosen))
        segments = code_vectors(analysis.header, entries(analysis, precisions(analysis, k, step))[chosen])
        return np.array([len(segment) for segment in segments], np.float64)


def measured_components(count: int) -> list[int]:
    """Choose the components whose cost is measured, as neighbours in the spectrum cost nearly the same.

    Returned are indices: the first :data:`ALL_CODED`, and after them with gaps of about
    1/:data:`CODED_SHARE` of the index.
    """
    places = list(range(min(count, ALL_CODED)))
    while places and places[-1] < count - 1:
        places.append(min(places[-1] + max(1, places[-1] // CODED_SHARE), count - 1))
    return places
