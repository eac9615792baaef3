"""Rate and distortion for every k, without encoding the image.

The squared error of the pixels follows from that of the scores. So the actual coder quantises and codes the
planes of a sample of the image at a few steps; values in between are interpolated, component by component.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.estimates import STEPS_PER_OCTAVE, Bracket, ComponentCosts, Interpolated, rounded_mse
from pcaimage.codec.linear.analysis import Analysis
from pcaimage.codec.linear.coding import code_vector, code_vectors
from pcaimage.codec.linear.model import value_bounds
from pcaimage.codec.linear.quantize import PRICE, entries, fixed, precisions
from pcaimage.codec.linear.slices import encode, predictors_of, sliced, tiles_of
from pcaimage.codec.linear.thumbnail import SHARE, size_within
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import counted, no_progress

Floats = NDArray[np.float64]

SAMPLE_NUMBERS = 4 << 20  # size of the sample of a large image, in values

ALL_CODED, CODED_SHARE = 192, 16
"""Number of leading components that are all coded; after them, the gaps grow by a sixteenth."""

COMPONENT_BYTES, FILE_BYTES, VARIANCE_BYTES = 9, 72, 1.03
"""Approximate bytes of overhead: for each component, for the file, and for each variance of the spectrum."""

LONG = 128  # least length that takes two bytes

SMALL_NUMBERS = 1 << 17
"""Largest number of values of an image whose costs are measured at more steps than usual."""

CLIPPED_NUMBERS = 1 << 20  # approximate number of values that tell what clipping does
REFERENCE_BYTES = 24  # size of the reference to a model file, in bytes


@dataclass(frozen=True, eq=False)
class RateModel(Interpolated["_Costs"]):
    """Estimates for every k and step of an analysis; thread-safe."""

    analysis: Analysis

    @property
    def steps_per_octave(self) -> int:
        """Density of the steps at which costs are measured: small images take little time."""
        header = self.analysis.header
        return STEPS_PER_OCTAVE * (4 if header.n_samples * header.n_features <= SMALL_NUMBERS else 1)

    def _between(self, k: int, at: Bracket[_Costs]) -> tuple[float, float]:
        costs, analysis = at.below.interpolated(at.above, at.share, k), self.analysis
        gains = analysis.gains[:k]
        kept = self._squares[:k].copy()
        kept[indices(analysis.left_out, k)] = 0
        lost = max(self._total - float(kept @ gains), 0.0)
        wrong = float(costs.errors @ gains) + self._basis_error(kept * gains, at.step)
        unit = 4.0**analysis.header.value_bits
        share = math.exp((1 - at.share) * math.log(at.below.clipped) + at.share * math.log(at.above.clipped))
        mse = rounded_mse(share * (lost + wrong) / analysis.header.n_features * unit) / unit
        stored = costs.score_bytes + costs.vector_bytes
        coded = float(stored.sum())
        lengths = np.count_nonzero(stored >= LONG) + np.count_nonzero(costs.vector_bytes >= LONG)
        n_bytes = coded + self._preview_bytes(coded) + k * COMPONENT_BYTES + lengths + costs.fixed_bytes
        return n_bytes, mse * analysis.pca.n_samples_ / analysis.header.n_samples

    def _preview_bytes(self, coded: float) -> float:
        """Estimate the bytes of the thumbnail, given those of the components."""
        if not self.analysis.has_thumbnail:
            return 0.0
        *_, height, width, channels = self.analysis.header.shape
        return float(math.prod(size_within(height, width, 3 if channels == 3 else 1, int(SHARE * coded))))

    @cached_property
    def _squares(self) -> Floats:
        """Mean squares of the scores, which variances exceed by n/(n - 1)."""
        analysis = self.analysis
        if analysis.external_basis is not None:
            return analysis.variances
        return analysis.variances * (1 - 1 / analysis.pca.n_samples_)

    @cached_property
    def _total(self) -> float:
        """Mean square of all features about their mean, in squared pixel units, summed over features."""
        return float(self._squares @ self.analysis.gains) + self.analysis.hidden_variance

    def _basis_error(self, weights: Floats, step: float) -> float:
        """Estimate a sample's squared error from rounded components, net of what the scores' fit recovers.

        The weights are the mean squares of the first scores in squared pixel units.
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

    def _measure(self, step: float) -> _Costs:
        analysis, (scores, mask, weight) = self.analysis, self._sample
        # Beyond that, all scores are zero; but white noise is the same in all components.
        count, flat, kept = analysis.n_components, analysis.white is not None, analysis.k_for_step(step)
        coded = measured_components(count if flat else min(count, 2 * kept + 8))
        rounded, sizes = _coded(sliced(analysis.header, kept), scores[coded], mask, step)
        squares = [np.square((scores[j] - plane) * mask) for j, plane in zip(coded, rounded, strict=True)]
        wrong = [float(square.sum(dtype=np.float64)) / max(int(mask.sum()), 1) for square in squares]
        every = np.arange(count)
        errors = np.interp(every, coded, wrong)
        errors[coded[-1] + 1 :] = analysis.variances[coded[-1] + 1 :]
        errors[indices(analysis.left_out, count)] = 0
        return _Costs(
            weight * np.interp(every, coded, sizes),
            self._vector_bytes(step),
            errors,
            FILE_BYTES + self._fixed_bytes(step),
            self._clipped(coded, rounded),
        )

    def _clipped(self, coded: list[int], rounded: NDArray[np.float32]) -> float:
        """Return the share of the squared error that remains when values are clipped to their range.

        It is that of some numbers of the sample, with the components that were coded.
        """
        analysis, (some, scores, exact) = self.analysis, self._values
        change = -scores
        change[coded] += rounded.reshape(len(coded), -1)[:, some]
        between = np.setdiff1d(np.arange(coded[-1]), coded)
        change[between] = 0
        wrong = change.T @ analysis.whole_synthesis.astype(np.float32)
        unit = 2.0**-analysis.header.value_bits
        low, high = (unit * bound for bound in value_bounds(analysis.header))
        left = np.clip(exact + wrong, low, high) - exact
        before = float(np.square(wrong, dtype=np.float64).sum())
        # Where values are as narrow as their range, it may leave nothing: logarithms need something.
        return max(float(np.square(left, dtype=np.float64).sum()) / before, 1e-9) if before else 1.0

    @cached_property
    def _values(self) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.float32]]:
        """Some places of the sample, the scores of all components there, and the values."""
        analysis = replace(self.analysis, left_out=frozenset())
        scores, mask, _ = analysis.sample(SAMPLE_NUMBERS) if self.analysis.left_out else self._sample
        some = np.flatnonzero(mask)
        some = some[:: max(1, len(some) * analysis.header.n_features // CLIPPED_NUMBERS)]
        found = scores.reshape(len(scores), -1)[:, some]
        values = found.T @ analysis.whole_synthesis.astype(np.float32)
        return some, found, values + analysis.pca.mean_.astype(np.float32)

    def _fixed_bytes(self, step: float) -> float:
        """Estimate the bytes of the mean, the standard deviations, the spectrum, and the mask."""
        analysis = self.analysis
        masked = 0 if analysis.missing is None else len(analysis.missing.to_bytes())
        if analysis.external_basis is not None:
            return REFERENCE_BYTES + masked
        header, *vectors = fixed(analysis, 1, Step.nearest(step))
        coded = sum(len(code_vector(header, vector)) for vector in vectors if vector is not None)
        return coded + VARIANCE_BYTES * analysis.n_components + masked

    def _vector_bytes(self, step: float) -> Floats:
        """Return the bytes of each vector."""
        analysis, count = self.analysis, self.analysis.n_components
        if analysis.external_basis is not None:
            return np.zeros(count)
        coded = measured_components(count)
        segments = code_vectors(analysis.header, entries(analysis, precisions(analysis, count, step))[coded])
        return np.interp(np.arange(count), coded, [len(segment) for segment in segments])


@dataclass(frozen=True, eq=False)
class _Costs(ComponentCosts):
    """Costs at a step, and the share of the squared error that remains after clipping."""

    clipped: float


def _coded(
    header: Header, scores: NDArray[np.float32], mask: NDArray[np.bool_], step: float
) -> tuple[NDArray[np.float32], Floats]:
    """Code planes of scores in the header's slices; return them as they decode, and the bytes of each."""
    parts = tiles_of((len(mask), mask.shape[1]), header.slice_rows, header.slice_columns)
    rounded = np.empty_like(scores)

    tick = counted(no_progress, len(parts) * len(scores))

    def work(number: int) -> Floats:
        top, bottom, left, right = parts[number]
        part = scores[:, top:bottom, left:right]
        found, where = np.empty(part.shape, np.int32), (mask[top:bottom, left:right], predictors_of(header))
        stream, ends = encode(lambda plane: part[plane] / np.float64(step), found, *where, PRICE, tick)
        np.multiply(found, np.float32(step), out=rounded[:, top:bottom, left:right])
        return np.diff([0.0, *ends[:-1], len(stream)])

    sizes = np.maximum(sum(side_by_side(work, len(parts))), 0)
    # All pieces but the last are preceded by their length.
    return rounded, sizes + (len(parts) - 1) * np.where(sizes < LONG * len(parts), 1, 2)


def measured_components(count: int) -> list[int]:
    """Choose the components whose cost is measured, as neighbours in the spectrum cost nearly the same.

    Returned are indices: the first :data:`ALL_CODED`, and after them with gaps of about
    1/:data:`CODED_SHARE` of the index.
    """
    places = list(range(min(count, ALL_CODED)))
    while places and places[-1] < count - 1:
        places.append(min(places[-1] + max(1, places[-1] // CODED_SHARE), count - 1))
    return places
