"""A many-band image and its principal components, found in one pass over its lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.analysis import FINEST_STEP, Analysis
from pcaimage.codec.bands.missing import Missing, find_missing
from pcaimage.codec.bands.model import MOST_REAL, line_strips
from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.step import Step
from pcaimage.errors import DataError
from pcaimage.pca import PCA, Moments
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Sampling

SUPPORTED = ("uint8", "uint16", "int16", "float32")

SLICE_PIXELS = 1 << 17
"""About how many pixels a slice has. Slices are coded side by side, and know nothing of each other."""

MAX_VALUE_BITS, LARGEST_REAL = 40, 2.0**30
"""Fractional bits of real numbers, and how large they may be."""

TAIL = 10.0
"""Times the mean of the smaller half of the variances: the water level that suits a file with corrections."""

USUAL_PSNR = 50.0
"""Decibels that are aimed at where nothing is said."""


@dataclass(frozen=True, eq=False)
class BandsAnalysis(Analysis):
    """A many-band image and its components.

    Parameters
    ----------
    header, samples, pca, left_out
        As of :class:`~pcaimage.codec.analysis.Analysis`. The samples are the image's own numbers, which may
        be mapped from a file.
    missing : Missing, optional
        What was not measured.
    """

    missing: Missing | None = None

    reach = 0.8

    @classmethod
    def fit_bands(
        cls,
        array: NDArray[Any],
        sampling: Sampling,
        *,
        standardize: bool = False,
        nodata: float | None = None,
        precision: float | None = None,
        progress: Progress = no_progress,
    ) -> BandsAnalysis:
        """Fit the components of an image.

        Parameters
        ----------
        array : ndarray of uint8, uint16, int16 or float32, shape (H, W) or (H, W, C)
            The image; of a mapped file, some lines at a time are read.
        sampling : Sampling
            ``Bands()``.
        standardize : bool, default False
            Whether to divide each band by its standard deviation.
        nodata : float, optional
            What stands where nothing was measured.
        precision : float, optional
            The error that real numbers may have in the end.
        progress : Progress, optional
            Told of lines done.

        Returns
        -------
        BandsAnalysis
            With min(n_samples, n_features) components.

        Raises
        ------
        DataError
            If the array's type or shape is not supported, or nothing was measured.
        """
        if array.dtype.name not in SUPPORTED:
            raise DataError(f"Images are of type {', '.join(SUPPORTED)}; this array is {array.dtype}.")
        if array.ndim not in {2, 3} or 0 in array.shape:
            raise DataError(f"An array of shape {array.shape} is no image with bands.")
        full = array if array.ndim == 3 else array[..., None]
        missing = find_missing(full, nodata)
        plain = Header(full.shape, array.dtype.name, sampling, Step.nearest(1.0))
        moments, low, high = _moments(full, plain, missing, progress)
        header = _described(plain, low, high, precision, has_axis=array.ndim == 3)
        pca = PCA(standardize=standardize).fit_moments(moments)
        return cls(header, full.reshape(-1, full.shape[2]), pca, missing=missing)

    @cached_property
    def finest_step(self) -> float:
        """The smallest step worth taking: a power of two, for the most exact sums."""
        step = FINEST_STEP / float(np.sqrt(np.mean(np.square(self.pca.scale_))))
        return 2.0 ** (round(math.log2(step)) - self.header.value_bits)

    @property
    def compact_unit(self) -> float | None:
        """A unit in which every score fits into 16 bits; None where no useful one is known."""
        if self.pca.standardize:
            return None
        width = self.header.peak * (1 if self.header.dtype.startswith("uint") else 2)
        return math.sqrt(self.header.n_features) * width / np.iinfo(np.int16).max

    @property
    def usual_step(self) -> Step:
        """The step at which about :data:`USUAL_PSNR` can be expected."""
        wanted = self.header.n_features * self.header.peak**2 * 10 ** (-USUAL_PSNR / 10)
        if self.pca.standardize:
            wanted /= float(np.mean(np.square(self.pca.scale_)))
        levels = np.maximum(self.variances, 0)
        low, high = 0.0, float(levels.max(initial=0.0)) + 1e-9
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if np.minimum(levels, middle).sum() < wanted else (low, middle)
        return Step.nearest(max(math.sqrt(12 * low), self.finest_step))

    def default_step(self, max_error: float | None) -> Step:
        """Return the step where nothing says what to keep.

        Parameters
        ----------
        max_error : float or None
            How far values may be off, where corrections follow.

        Returns
        -------
        Step
            Which gives about :data:`USUAL_PSNR`, or the smallest file with corrections.
        """
        if max_error is None:
            return self.usual_step
        return self.step_for_corrections(int(max_error * 2.0**self.header.value_bits))

    def step_for_corrections(self, error: int) -> Step:
        """Return the step that makes a file with corrections small.

        Parameters
        ----------
        error : int
            How far values may be off, in their unit.

        Returns
        -------
        Step
            At which components are coded that hold more than noise.
        """
        small = np.maximum(np.sort(self.variances)[: max(1, self.n_components // 2)], 0)
        unit = 2.0**-self.header.value_bits
        level = max(TAIL * float(small.mean()), (unit * (2 * error + 1)) ** 2 / 12)
        return Step.nearest(max(math.sqrt(12 * level), self.finest_step))

    def lines(self, start: int, stop: int) -> NDArray[np.float64]:
        """Return the samples of some lines, without their mean.

        Parameters
        ----------
        start, stop : int
            Which lines.

        Returns
        -------
        ndarray of float64, shape (n, n_features)
            Zeros where nothing was measured.
        """
        width = self.header.shape[1]
        return self._centred(slice(start * width, stop * width), self.pca.mean_)

    def projected(
        self, rows: NDArray[np.float64], centre: NDArray[np.float64], width: NDArray[np.float64] | None
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield runs of samples and their projections.

        Parameters
        ----------
        rows : ndarray of float64, shape (k, n_features)
            What to project on.
        centre : ndarray of float64, shape (n_features,)
            What to subtract from samples first.
        width : ndarray of float64, shape (n_features,), or None
            What to divide them by then.

        Yields
        ------
        (slice, ndarray of float64, shape (k, n))
            Which samples, and their projections, which the caller may change.
        """
        factors = rows if width is None else rows / width
        for start, stop in line_strips(self.header):
            chunk = slice(start * self.header.shape[1], stop * self.header.shape[1])
            yield chunk, factors @ self._centred(chunk, centre).T

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
        centred = self._centred(which, self.pca.mean_)
        if self.pca.standardize:
            centred /= self.pca.scale_
        return (self.components @ centred.T).astype(np.float32)

    def _centred(self, where: slice | NDArray[np.intp], centre: NDArray[np.float64]) -> NDArray[np.float64]:
        values = self.samples[where] - centre
        if self.missing is not None:
            mask = self.missing.mask
            gone = mask.reshape(-1, 1 if mask.ndim == 2 else mask.shape[2])[where]
            values[np.broadcast_to(gone, values.shape)] = 0.0
        return values


def slice_rows(height: int, width: int) -> int:
    """Return how many lines a slice of an image has.

    Parameters
    ----------
    height, width : int
        The image's.

    Returns
    -------
    int
        All lines, for what is not large.
    """
    count = min(max(1, round(height * width / SLICE_PIXELS)), MAX_SLICES, height)
    return -(-height // count)


def _moments(
    array: NDArray[Any], header: Header, missing: Missing | None, progress: Progress
) -> tuple[Moments, float, float]:
    """Return the moments of what was measured, and its smallest and largest number."""
    total, low, high = Moments.empty(array.shape[2]), math.inf, -math.inf
    for start, stop in line_strips(header):
        samples = np.asarray(array[start:stop]).reshape(-1, array.shape[2])
        if missing is not None:
            samples = samples[~missing.touched[start:stop].ravel()]
        if len(samples):
            part = Moments.of(samples)
            total = total + part if total.count else part
            low, high = min(low, float(samples.min())), max(high, float(samples.max()))
        progress(stop, array.shape[0])
    if not total.count:
        raise DataError("No pixel of the image was measured in all bands, so there are no components.")
    return total, low, high


def _described(plain: Header, low: float, high: float, precision: float | None, *, has_axis: bool) -> Header:
    """Return the header of an image whose numbers lie between two."""
    if plain.dtype == "float32" and precision is not None and precision <= 0:
        raise DataError("Real numbers are not kept without loss; give an error above 0.")
    largest = max(abs(low), abs(high))
    peak = high if high > 0 else max(high - low, 1.0 if plain.dtype != "float32" else 0.0)
    bits = 0
    if plain.dtype == "float32":
        if largest > LARGEST_REAL:
            raise DataError(f"Numbers up to {largest:g} are too large; multiply them by something smaller.")
        peak = peak if peak > 0 else 1.0
        most = min(MAX_VALUE_BITS, math.floor(math.log2(MOST_REAL / max(largest, 2.0**-60))) - 1)
        bits = most
        if precision is not None:
            bits = min(most, math.ceil(-math.log2(2 * precision)) + 3)
            if 0.5 * 2.0**-bits > precision:
                raise DataError(
                    f"An error of {precision:g} is finer than 24 bits of numbers up to {largest:g} can be."
                )
    return Header(
        plain.shape,
        plain.dtype,
        plain.sampling,
        Step.nearest(1.0),
        has_channel_axis=has_axis,
        slice_rows=slice_rows(*plain.shape[:2]),
        value_bits=bits,
        largest=peak,
    )
