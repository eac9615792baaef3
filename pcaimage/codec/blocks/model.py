"""The quantised model, integers only, and its reconstruction, which is exact on every machine.

Feature f of a sample is reconstructed from the integers of the file as

    x_f = mean_f 2^-b + sum_j q_j E_jf s_f m 2^(x - p_j - S)

with scores q, entries E of components with precision p_j, a step m 2^x with odd m and, if features are
standardised, their standard deviations s 2^-S. Over a common denominator 2^F every term is an integer. As
long as the sum of their magnitudes stays below 2^53, float64 represents every partial sum exactly, in any
order: BLAS gives the same bits everywhere, whatever its blocking, threads and fused operations.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.model import Model
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress

IntArray = NDArray[np.int64]
Scores = NDArray[np.int16] | NDArray[np.int32]

EXACT = 1 << 53
"""Below this bound, float64 represents every integer."""
TOO_SMALL = "The step is too small for the range of the image: its sums would not be exact."
_CHUNK = 1 << 20
_NARROW = np.iinfo(np.int16).max

AnyModel = TypeVar("AnyModel", bound="IntegerModel")


@dataclass(frozen=True, eq=False)
class IntegerModel(Model):
    """A quantised image: the integers that a file's components decode to.

    Parameters
    ----------
    header : Header
        The image's shape and the denominators.
    mean : ndarray of int64, shape (n_features,)
        The mean, in units of 2^-mean_bits.
    scale : ndarray of int64, shape (n_features,), or None
        Standard deviations in units of 2^-scale_bits, or None for ones.
    entries : ndarray of int64, shape (k, n_features)
        Component j in units of 2^-precisions[j].
    precisions : tuple of int
        Fractional bits of each component's entries.
    scores : ndarray of int16 or int32, shape (k, n_samples)
        In units of the step; of 16 bits if they fit, see :class:`ScorePlanes`.

    Raises
    ------
    SettingsError
        On use, if the integers are too large to be summed exactly.
    """

    header: Header
    mean: IntArray
    scale: IntArray | None
    entries: IntArray
    precisions: tuple[int, ...]
    scores: Scores

    @property
    def k(self) -> int:
        """Number of components."""
        return len(self.precisions)

    def trimmed(self, k: int) -> IntegerModel:
        """Return the model of the first k components, which shares memory with this one."""
        return replace(self, entries=self.entries[:k], precisions=self.precisions[:k], scores=self.scores[:k])

    def same_as(self, other: object) -> bool:
        """Return whether another model has the same integers: it then decodes alike for every k."""
        return (
            isinstance(other, IntegerModel)
            and (self.header, self.precisions) == (other.header, other.precisions)
            and np.array_equal(self.entries, other.entries)
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.scores, other.scores)
            and (self.scale is None) == (other.scale is None)
            and (self.scale is None or other.scale is None or np.array_equal(self.scale, other.scale))
        )

    @cached_property
    def _step(self) -> tuple[int, int]:
        """The step with an odd mantissa, which leaves the most room for exact sums."""
        step = self.header.step
        zeros = (step.mantissa & -step.mantissa).bit_length() - 1
        return step.mantissa >> zeros, step.exponent + zeros

    @cached_property
    def _exponents(self) -> list[int]:
        """Exponent of the power of two of each component's term."""
        scale_bits = self.header.scale_bits or 0
        return [self._step[1] - precision - scale_bits for precision in self.precisions]

    @cached_property
    def fraction_bits(self) -> int:
        """F: every term is an integer multiple of 2^-F, and so is one half."""
        return max(1, self.header.mean_bits, *(-exponent for exponent in self._exponents), 0)

    @cached_property
    def magnitude(self) -> int:
        """A bound on any partial sum, in units of 2^-F, computed in exact integer arithmetic."""
        largest_scale = 1 if self.scale is None else int(self.scale.max(initial=0))
        terms = [
            max(int(self.scores[j].max(initial=0)), -int(self.scores[j].min(initial=0)))
            * max(int(self.entries[j].max(initial=0)), -int(self.entries[j].min(initial=0)))
            * largest_scale
            * self._step[0]
            << (self.fraction_bits + exponent)
            for j, exponent in enumerate(self._exponents)
        ]
        mean = int(np.abs(self.mean).max(initial=0)) << (self.fraction_bits - self.header.mean_bits)
        return sum(terms) + mean + (1 << self.fraction_bits)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The components in units of 2^-F for a unit score: integers, shape (k, n_features)."""
        if self.magnitude >= EXACT:
            raise SettingsError(TOO_SMALL)
        factor = self._step[0] if self.scale is None else (self._step[0] * self.scale).astype(np.float64)
        shifts = np.array([self.fraction_bits + exponent for exponent in self._exponents], np.float64)
        # Scaling by powers of two is exact, and so is every product, as magnitude bounds it.
        weights: NDArray[np.float64] = np.multiply(self.entries, factor, dtype=np.float64)
        np.ldexp(weights, shifts.astype(np.int64)[:, None], out=weights)
        # A component whose scores are all zero is skipped, as its weights may exceed the exact range.
        weights[~self.scores.any(axis=1)] = 0.0
        return weights

    def samples(self, where: slice | NDArray[np.intp]) -> NDArray[Any]:
        """Reconstruct some samples (n, n_features), rounded half up and clipped to the image's type."""
        header = self.header
        bias = np.ldexp(self.mean.astype(np.float64), self.fraction_bits - header.mean_bits)
        bias += 2.0 ** (self.fraction_bits - 1)
        sums = self.scores[:, where].T.astype(np.float64, order="C") @ self.weights
        sums += bias
        sums *= 2.0**-self.fraction_bits
        # Truncation equals floor for nonnegative numbers, and negative ones are clipped.
        np.clip(sums, 0, header.peak, out=sums)
        return sums.astype(header.dtype)

    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image in the header's output shape.

        Raises
        ------
        SettingsError
            If the integers are too large to be summed exactly.
        """
        image, done = np.empty(self.header.shape, self.header.dtype), 0
        for strip in self.strips(progress):
            image[done : done + len(strip)] = strip
            done += len(strip)
        return image.reshape(self.header.output_shape)

    def strips(self, progress: Progress = no_progress) -> Generator[NDArray[Any]]:
        """Reconstruct the image from the top, in strips of lines, or of a stack's images.

        Raises
        ------
        SettingsError
            If the integers are too large to be summed exactly.
        """
        header = self.header
        rows, columns = header.sampling.grid(header.shape)
        height = max(1, _CHUNK // (columns * header.n_features))
        for start in range(0, rows, height):
            stop = min(start + height, rows)
            lines = header.sampling.lines(header.shape, start, stop)
            samples = self.samples(slice(start * columns, stop * columns))
            strip = header.sampling.from_samples(samples, (lines.stop - lines.start, *header.shape[1:]))
            progress(stop, rows)
            yield strip


class ScorePlanes:
    """A buffer for score planes: 16 bits per number, until a number needs more."""

    def __init__(self, k: int, n_samples: int) -> None:
        self.array: Scores = np.zeros((k, n_samples), np.int16)

    def put(self, where: tuple[int | slice, ...], scores: NDArray[Any]) -> None:
        """Store some scores: integers of any type, below 2^31 in magnitude."""
        if self.array.dtype == np.int16 and scores.size and max(scores.max(), -scores.min()) > _NARROW:
            self.array = self.array.astype(np.int32)
        self.array[where] = scores


def as_reals(entries: IntArray, precisions: Sequence[int]) -> NDArray[np.float64]:
    """Return components as real numbers, from integers in units of 2^-precisions[j] in row j."""
    return np.ldexp(entries.astype(np.float64), -np.array(precisions, np.int64)[:, None])


def with_exact_sums(
    quantize: Callable[[tuple[int, ...]], AnyModel], precisions: tuple[int, ...], least: int | None
) -> AnyModel:
    """Quantise an image with components of at most some precisions, such that its sums are exact.

    With large values and a small step, coarser components achieve that at little cost. The largest precision
    may be reduced to `least`; None if none may be changed. SettingsError if that is not enough.
    """
    model = quantize(precisions)
    while model.magnitude >= EXACT:
        highest = max(precisions) - (model.magnitude.bit_length() - EXACT.bit_length() + 1)
        if least is None or highest < least:
            raise SettingsError(TOO_SMALL)
        precisions = tuple(min(precision, highest) for precision in precisions)
        model = quantize(precisions)
    return model
