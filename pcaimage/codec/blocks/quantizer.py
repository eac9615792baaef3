"""Quantisation of components and scores to the integers of a file, each with the precision that pays off."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.blocks.analysis import Analysis
from pcaimage.codec.blocks.model import TOO_SMALL, IntegerModel, ScorePlanes, as_reals, with_exact_sums
from pcaimage.codec.coding.pseudoinverse import pseudoinverse
from pcaimage.codec.coding.rounding import dead_zone, rounded
from pcaimage.codec.compressed import MAX_MEAN_BITS, MAX_PRECISION, MAX_SCALE_BITS, Header
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress

MAX_SCORE = (1 << 30) - 1
"""Largest quantised score; prediction residuals of such numbers can still be coded."""


@dataclass(frozen=True)
class Quantizer:
    """Quantises an image's components and scores.

    Parameters
    ----------
    analysis : Analysis
        The image.
    samples : int, optional
        Number of samples that share the mean and the components; by default those of the image.
    """

    analysis: Analysis
    samples: int | None = None

    @property
    def _count(self) -> int:
        return self.analysis.header.n_samples if self.samples is None else self.samples

    @property
    def _least_precision(self) -> int:
        """The precision at which a typical entry has two levels."""
        return math.ceil(math.log2(self.analysis.header.n_features) / 2) + 1

    def precisions(self, k: int, step: float) -> tuple[int, ...]:
        """Return the fractional bits of the entries of each of the first k components, at most 30.

        Rounding an entry to a step δ costs λ δ²/12 in each of n samples, and one more bit halves δ. A score's
        bit buys the same reduction at δ = Δ / √(n λ), so finer entries would cost more than they are worth.
        """
        if self.analysis.external_basis is not None:
            return self.analysis.external_basis.precisions[:k]
        wanted = np.log2(np.sqrt(self._count * np.maximum(self.analysis.variances[:k], 1e-12)) / step)
        return tuple(np.clip(np.ceil(wanted), self._least_precision, MAX_PRECISION).astype(int).tolist())

    def entries(self, k: int, precisions: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the first k components as integers; zeros if left out.

        Returns
        -------
        ndarray of int64, shape (k, n_features)
            Component j in units of 2^-precisions[j].
        """
        scaled = np.ldexp(self.analysis.components[:k], np.array(precisions, np.int64)[:, None])
        entries: NDArray[np.int64] = np.rint(scaled).astype(np.int64)
        return entries

    def quantize(self, k: int, step: Step, progress: Progress = no_progress) -> IntegerModel:
        """Quantise the first k components and their scores.

        The scores are those of the least-squares fit to the *rounded* components, which recovers part of
        their rounding error.

        Raises
        ------
        SettingsError
            If k is out of range, or the step too small for the range of the image.
        """
        self.analysis.check_k(k)
        least = self._least_precision if self.analysis.external_basis is None else None
        quantized = partial(self._quantized, step, progress)
        return with_exact_sums(quantized, self.precisions(k, float(step)), least)

    def _quantized(self, step: Step, progress: Progress, precisions: tuple[int, ...]) -> IntegerModel:
        k, (header, mean, scale) = len(precisions), self.fixed_part(step)
        entries = self.entries(k, precisions)
        synthesis = as_reals(entries, precisions)
        projection = pseudoinverse(synthesis).T / float(step)
        centre, width = np.ldexp(mean.astype(np.float64), -header.mean_bits), None
        if scale is not None and header.scale_bits is not None:
            width = np.ldexp(scale.astype(np.float64), -header.scale_bits)
        scores = ScorePlanes(k, header.n_samples)
        zone = dead_zone(float(step), self.analysis.finest_step)
        for chunk, values in self.analysis.projected(projection, centre, width):
            if max(values.max(), -values.min()) > MAX_SCORE:
                raise SettingsError(TOO_SMALL)
            scores.put((slice(None), chunk), rounded(values, zone))
            progress(chunk.stop, header.n_samples)
        if self.analysis.external_basis is not None:
            entries = self.analysis.external_basis.entries[:k]  # includes those whose scores are left out
        return IntegerModel(header, mean, scale, entries, precisions, scores.array)

    def fixed_part(self, step: Step) -> tuple[Header, NDArray[np.int64], NDArray[np.int64] | None]:
        """Return the parts of a file that do not depend on k.

        Returns
        -------
        (Header, ndarray of int64, ndarray of int64 or None)
            The header and, in its units, the mean and the standard deviations if features are standardised.
        """
        basis = self.analysis.external_basis
        if basis is not None:
            bits = basis.source.header
            header = replace(
                self.analysis.header, step=step, mean_bits=bits.mean_bits, scale_bits=bits.scale_bits
            )
            return header, basis.mean, basis.scale
        header, scale = self._header(step), None
        mean = np.rint(np.ldexp(self.analysis.pca.mean_, header.mean_bits)).astype(np.int64)
        if header.scale_bits is not None:
            scale = np.maximum(np.rint(np.ldexp(self.analysis.pca.scale_, header.scale_bits)), 1).astype(
                np.int64
            )
        return header, mean, scale

    def _header(self, step: Step) -> Header:
        """Choose the denominators; the mean is precise, as its error affects every sample."""
        source, scale = self.analysis.header, self.analysis.pca.scale_
        wanted = math.log2(math.sqrt(self._count) / (float(step) * float(np.median(scale))))
        # The mean's entries, at most the peak, must stay in the range that the coder accepts.
        most = min(MAX_MEAN_BITS, 31 - int(source.peak).bit_length())
        scale_bits = None
        if self.analysis.pca.standardize:
            scale_bits = int(np.clip(12 - math.frexp(float(scale.max()))[1], 0, MAX_SCALE_BITS))
        mean_bits = int(np.clip(math.ceil(wanted), 0, most))
        return replace(source, step=step, mean_bits=mean_bits, scale_bits=scale_bits)
