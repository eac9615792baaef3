"""An image's PCA, fitted once; every k and every step is then a prefix and a rounding of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.integers import EXACT, TOO_SMALL, IntegerModel
from pcaimage.codec.pack import MAX_MEAN_BITS, MAX_PRECISION, MAX_SCALE_BITS
from pcaimage.codec.step import Step
from pcaimage.errors import DataError, SettingsError
from pcaimage.pca import PCA
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Sampling, Stack

FINEST_STEP = 0.5
"""In units of a pixel's value: rounding to whole values then hides nearly all of the error."""

MAX_EXACT, MAX_APPROXIMATE = 3072, 512
"""Where both sides of the sample matrix are longer than the first, the second many components are found."""

MAX_SCORE = (1 << 30) - 1
"""In units of the step; what prediction leaves over of such numbers can still be coded."""

_CHUNK = 1 << 20
_SUPPORTED = (np.uint8, np.uint16)

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Analysis:
    """An image and its principal components.

    Parameters
    ----------
    header : Header
        The image's shape and sampling; its step and denominators are placeholders.
    samples : ndarray of uint8 or uint16, shape (n_samples, n_features)
        The image as samples.
    pca : PCA
        Fitted to the samples, with all components that could be found.
    """

    header: Header
    samples: NDArray[Any] = field(repr=False)
    pca: PCA = field(repr=False)

    @classmethod
    def fit(
        cls,
        array: NDArray[Any],
        sampling: Sampling,
        *,
        standardize: bool = False,
        progress: Progress = no_progress,
    ) -> Analysis:
        """Fit the components of an image.

        Parameters
        ----------
        array : ndarray of uint8 or uint16
            (H, W) or (H, W, C); for a stack (N, H, W) or (N, H, W, C).
        sampling : Sampling
            What a sample is.
        standardize : bool, default False
            Whether to divide each feature by its standard deviation.
        progress : Progress, optional
            Told of the work done, in thousandths.

        Returns
        -------
        Analysis
            With as many components as can matter: the rank, at most min(n_samples, n_features).

        Raises
        ------
        DataError
            If the array's type or shape is not supported.
        """
        header = describe(array, sampling)
        samples = sampling.to_samples(array)
        shorter = min(samples.shape)
        pca = PCA(
            None if shorter <= MAX_EXACT else MAX_APPROXIMATE,
            standardize=standardize,
            solver="auto" if shorter <= MAX_EXACT else "randomized",
        )
        pca.fit(samples, progress=progress)
        return cls(header, samples, pca)

    @property
    def variances(self) -> NDArray[np.float64]:
        """Explained variances in descending order, shape (n_components,)."""
        return self.pca.explained_variance_

    @property
    def n_components(self) -> int:
        """The largest k."""
        return len(self.variances)

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """Share of the variance that the first k components explain, at index k: (n_components + 1,)."""
        total = self.pca.total_variance_
        shares = self.variances / total if total > 0 else np.zeros(self.n_components)
        ratios: NDArray[np.float64] = np.minimum(np.concatenate([[0.0], np.cumsum(shares)]), 1.0)
        return ratios

    @cached_property
    def finest_step(self) -> float:
        """The smallest step worth taking, in units of the scores: a power of two, for the most exact sums."""
        step = FINEST_STEP / float(np.sqrt(np.mean(np.square(self.pca.scale_))))
        return 2.0 ** round(math.log2(step))

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Squared error of the pixels for a squared error of 1 in each score: (n_components,)."""
        if not self.pca.standardize:
            return np.ones(self.n_components)
        gains: NDArray[np.float64] = np.square(self.pca.components_) @ np.square(self.pca.scale_)
        return gains

    def k_for_variance(self, ratio: float) -> int:
        """Return the smallest k that explains a share of the variance.

        Parameters
        ----------
        ratio : float
            In (0, 1].

        Returns
        -------
        int
            From 1 to n_components.
        """
        return min(max(int(np.searchsorted(self.ratios, ratio * (1 - 1e-12))), 1), self.n_components)

    def step_for(self, k: int) -> Step:
        """Return the step that belongs to k by reverse water-filling.

        Each quantised score then has the error θ = Δ²/12, where θ is the first variance left out [1]_.

        Parameters
        ----------
        k : int
            How many components are kept.

        Returns
        -------
        Step
            sqrt(12 θ), and no finer than :attr:`finest_step`.

        References
        ----------
        .. [1] T. M. Cover and J. A. Thomas, "Elements of Information Theory", 2nd ed., 2006, section 10.3.3.
        """
        level = float(self.variances[k]) if k < self.n_components else 0.0
        return Step.nearest(max(math.sqrt(12 * level), self.finest_step))

    def k_for_step(self, step: float) -> int:
        """Return how many components stand out of a water level.

        Parameters
        ----------
        step : float
            Δ, for a water level of Δ²/12.

        Returns
        -------
        int
            At least 1.
        """
        return max(1, int(np.count_nonzero(self.variances > step * step / 12)))

    def check_k(self, k: int) -> None:
        """Refuse a k that the image does not have.

        Parameters
        ----------
        k : int
            How many components to keep.

        Raises
        ------
        SettingsError
            If it is not from 1 to :attr:`n_components`.
        """
        if not 1 <= k <= self.n_components:
            raise SettingsError(f"The image has {self.n_components} components; k = {k} cannot be kept.")

    @property
    def _least_precision(self) -> int:
        """That which gives a typical entry two levels."""
        return math.ceil(math.log2(self.header.n_features) / 2) + 1

    def precisions(self, k: int, step: float) -> tuple[int, ...]:
        """Return the binary digits that the first components' entries need.

        An entry that is wrong by δ/√12 costs λ δ²/12 in every one of n samples, and a bit more halves δ;
        a score's bit buys the same at δ = Δ / √(n λ). Finer would cost more than it is worth.

        Parameters
        ----------
        k : int
            How many components.
        step : float
            Δ.

        Returns
        -------
        tuple of int
            Each from the least that gives an entry two levels, to 30.
        """
        count = self.header.n_samples
        wanted = np.log2(np.sqrt(count * np.maximum(self.variances[:k], 1e-12)) / step)
        return tuple(np.clip(np.ceil(wanted), self._least_precision, MAX_PRECISION).astype(int).tolist())

    def entries(self, k: int, precisions: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the first components as integers.

        Parameters
        ----------
        k : int
            How many.
        precisions : tuple of int
            Binary digits of each.

        Returns
        -------
        ndarray of int64, shape (k, n_features)
            Component j in units of 2^-precisions[j].
        """
        scaled = np.ldexp(self.pca.components_[:k], np.array(precisions, np.int64)[:, None])
        rounded: NDArray[np.int64] = np.rint(scaled).astype(np.int64)
        return rounded

    def quantize(self, k: int, step: Step, progress: Progress = no_progress) -> IntegerModel:
        """Round the first k components and their scores to what a file stores.

        The scores are those of the least-squares fit to the *rounded* components, which takes back part of
        what rounding them lost.

        Parameters
        ----------
        k : int
            How many components.
        step : Step
            Δ.
        progress : Progress, optional
            Told of samples done.

        Returns
        -------
        IntegerModel
            What decoding will give.

        Raises
        ------
        SettingsError
            If k is out of range, or the step too small for the range of the image.
        """
        self.check_k(k)
        precisions = self.precisions(k, float(step))
        model = self._quantized(step, precisions, progress)
        while model.magnitude >= EXACT:
            # Large numbers and a small step: coarser components keep the sums exact, and cost little.
            highest = max(precisions) - (model.magnitude.bit_length() - EXACT.bit_length() + 1)
            if highest < self._least_precision:
                raise SettingsError(TOO_SMALL)
            precisions = tuple(min(precision, highest) for precision in precisions)
            model = self._quantized(step, precisions, progress)
        return model

    def _quantized(self, step: Step, precisions: tuple[int, ...], progress: Progress) -> IntegerModel:
        k, (header, mean, scale) = len(precisions), self.fixed(step)
        entries = self.entries(k, precisions)
        synthesis = np.ldexp(entries.astype(np.float64), -np.array(precisions, np.int64)[:, None])
        analysis = np.linalg.pinv(synthesis).T / float(step)
        centre, width = np.ldexp(mean.astype(np.float64), -header.mean_bits), None
        if scale is not None and header.scale_bits is not None:
            width = np.ldexp(scale.astype(np.float64), -header.scale_bits)
        scores = np.empty((k, header.n_samples), np.int32)
        for chunk, values in self._projected(analysis, centre, width):
            if max(values.max(), -values.min()) > MAX_SCORE:
                raise SettingsError(TOO_SMALL)
            scores[:, chunk] = np.rint(values, out=values)
            progress(chunk.stop, header.n_samples)
        return IntegerModel(header, mean, scale, entries, precisions, scores)

    def fixed(self, step: Step) -> tuple[Header, NDArray[np.int64], NDArray[np.int64] | None]:
        """Return what a file holds of an image whatever k is.

        Parameters
        ----------
        step : Step
            Δ.

        Returns
        -------
        (Header, ndarray of int64, ndarray of int64 or None)
            The header, and in its units the mean and, where features are standardised, their deviations.
        """
        header, scale = self._header(step), None
        mean = np.rint(np.ldexp(self.pca.mean_, header.mean_bits)).astype(np.int64)
        if header.scale_bits is not None:
            scale = np.maximum(np.rint(np.ldexp(self.pca.scale_, header.scale_bits)), 1).astype(np.int64)
        return header, mean, scale

    def scores(self, k: int | None = None, progress: Progress = no_progress) -> NDArray[np.float32]:
        """Return the exact scores of all samples.

        Parameters
        ----------
        k : int, optional
            On how many components; on all by default.
        progress : Progress, optional
            Told of samples done.

        Returns
        -------
        ndarray of float32, shape (k, n_samples)
            One plane for each component.
        """
        rows = self.pca.components_[:k]
        scores = np.empty((len(rows), self.header.n_samples), np.float32)
        for chunk, values in self._projected(rows, self.pca.mean_, self._width):
            scores[:, chunk] = values
            progress(chunk.stop, self.header.n_samples)
        return scores

    def scores_of(self, which: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the exact scores of some samples on all components.

        Parameters
        ----------
        which : ndarray of intp, shape (n,)
            The samples' numbers.

        Returns
        -------
        ndarray of float32, shape (n_components, n)
            One row for each component.
        """
        centred = self.samples[which] - self.pca.mean_
        if self._width is not None:
            centred /= self._width
        return (self.pca.components_ @ centred.T).astype(np.float32)

    @property
    def _width(self) -> NDArray[np.float64] | None:
        """What features are divided by, where they are."""
        return self.pca.scale_ if self.pca.standardize else None

    def _projected(
        self, rows: NDArray[np.float64], centre: NDArray[np.float64], width: NDArray[np.float64] | None
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield runs of samples and their projections (k, n) on some rows.

        Scores of 8-bit samples are exact to a thousandth of a step in float32; those of 16-bit ones are not.
        """
        kind: type[np.floating[Any]] = np.float32 if self.samples.dtype == np.uint8 else np.float64
        if width is not None:
            rows = rows / width
        factors, middle = rows.astype(kind), centre.astype(kind)
        length = max(1, _CHUNK // self.header.n_features)
        for start in range(0, self.header.n_samples, length):
            chunk = slice(start, min(start + length, self.header.n_samples))
            values: NDArray[Any] = np.subtract(self.samples[chunk], middle, dtype=kind)
            yield chunk, factors @ values.T

    def _header(self, step: Step) -> Header:
        """Choose the denominators: a mean's entry costs every sample, and is coded accordingly."""
        count, width = self.header.n_samples, float(np.median(self.pca.scale_))
        mean_bits = math.ceil(math.log2(math.sqrt(count) / (float(step) * width)))
        scale_bits = None
        if self.pca.standardize:
            largest = math.frexp(float(self.pca.scale_.max()))[1]
            scale_bits = int(np.clip(12 - largest, 0, MAX_SCALE_BITS))
        return Header(
            shape=self.header.shape,
            dtype=self.header.dtype,
            sampling=self.header.sampling,
            step=step,
            # The mean's entries, which are at most the peak, must stay in the range of what is coded.
            mean_bits=int(np.clip(mean_bits, 0, min(MAX_MEAN_BITS, 31 - self.header.peak.bit_length()))),
            scale_bits=scale_bits,
            has_channel_axis=self.header.has_channel_axis,
        )


def describe(array: NDArray[Any], sampling: Sampling) -> Header:
    """Return the header of an array that is to be compressed.

    Parameters
    ----------
    array : ndarray
        An image or a stack.
    sampling : Sampling
        What a sample is.

    Returns
    -------
    Header
        With a step that is yet to be chosen.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    """
    if array.dtype not in _SUPPORTED:
        raise DataError(f"Images are of type uint8 or uint16; this array is {array.dtype}.")
    full = 4 if isinstance(sampling, Stack) else 3
    if array.ndim not in {full - 1, full} or 0 in array.shape:
        raise DataError(f"An array of shape {array.shape} cannot be compressed by {type(sampling).__name__}.")
    has_channels = array.ndim == full
    shape = array.shape if has_channels else (*array.shape, 1)
    return Header(shape, array.dtype.name, sampling, Step.nearest(1.0), has_channel_axis=has_channels)
