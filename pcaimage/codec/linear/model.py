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
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.linear.line_buffer import LineBuffer
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.method import Model
from pcaimage.core.library import DOUBLE, LONG, Array, function
from pcaimage.errors import SettingsError
from pcaimage.machine.mapped import Footprint
from pcaimage.machine.parallel import in_order
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import squared_error, total_error
from pcaimage.sampling import Bands

IntArray = NDArray[np.int64]
Ints = NDArray[np.int32]
Scores = NDArray[np.int16] | NDArray[np.int32]

TOO_SMALL = "The step is too small for the range of the image: its sums would not be exact."

EXACT = 1 << 53  # below this bound, float64 represents every integer
MOST_REAL = 1 << 24  # exclusive bound on real values in their unit, so that float32 represents them exactly

CHUNK = 1 << 20
_WHOLE, _REALS = Array(np.int32, writable=True), Array(np.float64, writable=True)
_MAKE = function(
    *("pcai_make_samples", DOUBLE, Array(np.int32), LONG, LONG, Array(np.float64), LONG),
    *(DOUBLE, DOUBLE, _REALS, _WHOLE, *(LONG,) * 7),
)
_NARROW = np.iinfo(np.int16).max


def bounds(dtype: str) -> tuple[int, int]:
    """Return the smallest and the largest integer of a type; for real numbers in their unit."""
    if dtype == "float32":
        return -MOST_REAL, MOST_REAL
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def value_bounds(header: Header) -> tuple[int, int]:
    """Return the smallest and the largest value in their unit, at most the white."""
    low, high = bounds(header.dtype)
    return low, high if header.white is None else header.white


def place_of(samples: NDArray[Any]) -> tuple[int, ...]:
    """Return where numbers lie, the number of their type, if of at most 16 bits, and their strides."""
    kind = {"uint8": 1, "uint16": 2, "int16": 3}.get(samples.dtype.name, 4)
    return samples.__array_interface__["data"][0], kind, *samples.strides


def line_strips(header: Header) -> list[tuple[int, int]]:
    """Return the bounds of strips of samples' lines of about a million numbers; stops are exclusive."""
    height, width = header.sampling.grid(header.shape)
    rows = max(1, CHUNK // (width * header.n_features))
    return [(start, min(start + rows, height)) for start in range(0, height, rows)]


@dataclass(frozen=True, eq=False)
class IntegerModel(Model):
    """A quantised image: the integers that a file's components decode to.

    SettingsError is raised on use if they are too large to be summed exactly.
    """

    header: Header  # the image's shape and the denominators
    mean: IntArray  # in units of 2^-mean_bits, shape (n_features,)
    scale: IntArray | None  # standard deviations in units of 2^-scale_bits; None for ones
    entries: IntArray  # component j in units of 2^-precisions[j], shape (k, n_features)
    precisions: tuple[int, ...]
    scores: Scores  # in units of the step, shape (k, n_samples); of 16 bits if they fit
    segments: tuple[bytes, ...] = ()  # each component's scores as they are coded
    missing: Missing | None = None  # where many bands have no data
    frames: NDArray[np.uint8] | None = None  # the images of a stack, if they do not depend on components

    @property
    def k(self) -> int:
        """Number of components."""
        return len(self.precisions)

    def trimmed(self, k: int) -> IntegerModel:
        """Return the model of the first k components, which shares memory with this one."""
        return replace(
            self,
            entries=self.entries[:k],
            precisions=self.precisions[:k],
            scores=self.scores[:k],
            segments=self.segments[:k],
        )

    def same_as(self, other: object) -> bool:
        """Return whether another model has the same integers: it then decodes alike for every k."""
        return (
            isinstance(other, IntegerModel)
            and (self.header, self.precisions) == (other.header, other.precisions)
            and np.array_equal(self.entries, other.entries)
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.scores, other.scores)
            and np.array_equal(self.scale, other.scale)  # type: ignore[arg-type]  # None is like None alone
            and self.segments == other.segments
            and (other.missing is None if self.missing is None else self.missing.same_as(other.missing))
            and np.array_equal(self.frames, other.frames)  # type: ignore[arg-type]  # as above
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
        """F: every term is an integer multiple of 2^-F, and so is half a unit of the values."""
        bits = (-exponent for exponent in self._exponents)
        return max(1, self.header.value_bits + 1, self.header.mean_bits, *bits, 0)

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

    @cached_property
    def _terms(self) -> NDArray[np.float64]:
        """The mean, and half a unit by which floor rounds half up; components: as the core takes them."""
        bits = self.header.value_bits
        mean = np.ldexp(self.mean.astype(np.float64), bits - self.header.mean_bits) + 0.5
        rows = np.vstack([mean, np.ldexp(self.weights, bits - self.fraction_bits)])
        return np.pad(rows, ((0, 0), (0, -rows.shape[1] % 16)))

    def whole(self, where: slice | NDArray[np.intp]) -> Ints:
        """Reconstruct some samples as integers, shape (n, n_features), ignoring missing data.

        Values are in units of 2^-value_bits, rounded half up and clipped to :func:`value_bounds`.
        """
        features = self.header.n_features
        if self.frames is not None:
            return self.frames[where].reshape(-1, features).astype(np.int32)
        scores = self.scores[:, where]
        found = np.empty((scores.shape[1], features), np.int32)
        self._make(scores, found)
        return found

    def _make(self, scores: Scores, result: Ints, lines: NDArray[Any] | None = None) -> int:
        """Make samples of scores, or, if there are lines of an image, return the squared error from these."""
        (height, width), room = self._terms.shape, np.zeros((2, self._terms.shape[1]))
        others = (0, 0, 0, 0, 0, 1) if lines is None else (*place_of(lines), lines.shape[1])
        flat, (low, high) = np.ascontiguousarray(scores, np.int32), value_bounds(self.header)
        sizes = flat.shape[1], height - 1, self._terms, width
        return int(_MAKE(flat, *sizes, low, high, room, result, self.header.n_features, *others))

    def values(self, whole: Ints, where: slice | NDArray[np.intp]) -> NDArray[Any]:
        """Convert integers of some samples to the image's type, and put in the value of missing data."""
        values: NDArray[Any] = whole.astype(self.header.dtype)
        if self.header.dtype == "float32":
            values = np.ldexp(values, -self.header.value_bits)
        if self.missing is not None:
            values[self.missing.of_samples(where, values.shape)] = np.array(self.missing.value).astype(
                values.dtype
            )
        return values

    def samples(self, where: slice | NDArray[np.intp]) -> NDArray[Any]:
        """Reconstruct some samples in the image's type, shape (n, n_features)."""
        return self.values(self.whole(where), where)

    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image in the header's output shape; a large one is mapped from a temporary file."""
        buffer, done = LineBuffer(self.header.shape, self.header.dtype), 0
        for strip in self.strips(progress):
            buffer.put(done, strip)
            done += len(strip)
        return buffer.array().reshape(self.header.output_shape)

    def strips(self, progress: Progress = no_progress) -> Generator[NDArray[Any]]:
        """Reconstruct the image from the top, in strips of lines, or of a stack's images."""
        parts = line_strips(self.header)
        _ = self._terms  # computed before threads ask for it
        with closing(in_order(lambda number: self._strip(*parts[number]), len(parts))) as strips:
            for (_, stop), strip in zip(parts, strips, strict=True):
                progress(stop, parts[-1][1])
                yield strip

    def _strip(self, start: int, stop: int) -> NDArray[Any]:
        sampling, shape = self.header.sampling, self.header.shape
        lines, columns = sampling.lines(shape, start, stop), sampling.grid(shape)[1]
        samples = self.samples(slice(start * columns, stop * columns))
        return sampling.from_samples(samples, (lines.stop - lines.start, *shape[1:]))

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Compare the reconstruction with an image, holding only a few lines of either in memory."""
        header, image, footprint = self.header, array.reshape(self.header.shape), Footprint(array)
        parts, errors = line_strips(header), list[int | float]()
        columns = header.sampling.grid(header.shape)[1]
        plain = isinstance(header.sampling, Bands) and not self.missing
        plain = plain and array.dtype == header.dtype != "float32"

        def compare(number: int) -> int | float:
            start, stop = parts[number]
            original = image[header.sampling.lines(header.shape, start, stop)]
            if plain:
                scores = self.scores[:, start * columns : stop * columns]
                found: int | float = self._make(scores, np.empty(0, np.int32), original)
            else:
                found = squared_error(original, self._strip(start, stop))
            footprint.walked(original.nbytes)
            return found

        _ = self._terms  # as above
        for (_, stop), error in zip(parts, in_order(compare, len(parts)), strict=True):
            progress(stop, parts[-1][1])
            errors.append(error)
        footprint.let_go()
        return total_error(errors) / image.size


class ScorePlanes:
    """A buffer for score planes: 16 bits per number, until a number needs more."""

    def __init__(self, k: int, n_samples: int) -> None:
        self.array: Scores = np.zeros((k, n_samples), np.int16)

    def put(self, where: tuple[int | slice | NDArray[np.intp], ...], scores: NDArray[Any]) -> None:
        """Store some scores: integers of any type, below 2^31 in magnitude."""
        if self.array.dtype == np.int16 and scores.size and max(scores.max(), -scores.min()) > _NARROW:
            self.array = self.array.astype(np.int32)
        self.array[where] = scores


def as_reals(entries: IntArray, precisions: Sequence[int]) -> NDArray[np.float64]:
    """Return components as real numbers, from integers in units of 2^-precisions[j] in row j."""
    return np.ldexp(entries.astype(np.float64), -np.array(precisions, np.int64)[:, None])


def with_exact_sums(
    quantize: Callable[[tuple[int, ...]], IntegerModel], precisions: tuple[int, ...], least: int | None
) -> IntegerModel:
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
