"""CCSDS 123.0-B-2, lossless and near-lossless compression of images of many bands, to compare with.

Written from the standard (CCSDS 123.0-B-2, February 2019, with corrigendum 1). Pixel ``t`` of band ``z`` is
predicted at step ``t + z``, when all that its prediction needs is known: one operation of a step is of all
bands, and of several settings of the same form. All numbers are integers below 2^53 in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Sums(StrEnum):
    """What the local sum of a sample is of."""

    WIDE = "wide, neighbours"
    NARROW = "narrow, neighbours"
    WIDE_COLUMN = "wide, column"
    NARROW_COLUMN = "narrow, column"


@dataclass(frozen=True)
class Form:
    """What settings that are tried together have in common.

    Parameters
    ----------
    previous : int
        P: number of bands before that a prediction looks at.
    full : bool
        Whether the three neighbours in the band have weights, too.
    sums : Sums
        Type of the local sums.
    """

    previous: int
    full: bool
    sums: Sums


@dataclass(frozen=True)
class Tuning:
    """Numbers of a predictor, and the maximum error.

    Parameters
    ----------
    error : int
        m: largest absolute error.
    resolution : int
        Ω: fractional bits of weights.
    first, last : int
        Exponents with which the update of weights begins and ends.
    interval : int
        Binary logarithm of the number of pixels after which the exponent grows by one.
    damping, offset : int
        φ and ψ of sample representatives, in units of 2^-Θ.
    """

    error: int = 0
    resolution: int = 13
    first: int = -1
    last: int = 3
    interval: int = 6
    damping: int = 0
    offset: int = 0


THETA, DIGITS = 4, 6
"""Θ: resolution of sample representatives; Q: bits of a weight in the header."""


@dataclass(frozen=True)
class Coded:
    """What one setting makes of an image, pixel by pixel.

    Parameters
    ----------
    indices : ndarray of int64, shape (pixels, bands)
        Mapped quantizer indices δ, which the entropy coder gets.
    values : ndarray of int64, shape (pixels, bands)
        What a decoder restores.
    weights : ndarray of int64, shape (weights, bands), or None
        Λ: what weights begin with, if the header has them.
    header_bits : int
        How many bits the header needs for them.
    """

    indices: Integers
    values: Integers
    weights: Integers | None = None
    header_bits: int = 0


def depth_of(cube: NDArray[Any]) -> int:
    """Return D: how many bits the largest value needs."""
    return max(2, int(cube.max()).bit_length())


def encode(
    cube: NDArray[Any], form: Form, tunings: Sequence[Tuning], *, twice: bool = False
) -> Iterator[Coded]:
    """Yield what each setting makes of an image (height, width, bands) of whole numbers without sign.

    If `twice`, weights begin with those at the end of a first run, which a header then has.
    """
    wave = _Wave(cube.shape, depth_of(cube), form, tunings)
    samples = _skewed(cube.reshape(-1, cube.shape[2]))[:, None]
    doubled, quantized = wave.run(samples, known=False)
    if twice:
        wave.given = wave.rounded()
        doubled, quantized = wave.run(samples, known=False)
    for number, tuning in enumerate(tunings):
        double, index = (_straight(found[:, number]).astype(np.int64) for found in (doubled, quantized))
        errors = np.full((len(index), 1), tuning.error)
        errors[0] = 0
        yield Coded(
            _mapped(index, double, errors, wave.top),
            (double // 2 + index * (2 * errors + 1)).clip(0, wave.top),
            *(() if wave.given is None else (wave.given[:, number], wave.header_bits)),
        )


def decode(coded: Coded, shape: tuple[int, ...], depth: int, form: Form, tuning: Tuning) -> Integers:
    """Return the image of mapped quantizer indices, and of weights if there are any."""
    wave = _Wave(shape, depth, form, [tuning])
    wave.given = None if coded.weights is None else coded.weights[:, None]
    doubled, quantized = wave.run(_skewed(coded.indices)[:, None], known=True)
    twice, index = (_straight(found[:, 0]).astype(np.int64) for found in (doubled, quantized))
    width = np.full((len(index), 1), 2 * tuning.error + 1)
    width[0] = 1
    values: Integers = (twice // 2 + index * width).clip(0, wave.top)
    return values.reshape(shape)


def _mapped(index: Any, doubled: Any, errors: Any, top: int) -> Any:
    """Return δ of signed quantizer indices."""
    most, size = _ends(doubled, errors, top), np.abs(index)
    towards = index * (1 - 2 * (doubled % 2))
    return np.where(size > most, size + most, 2 * size - (towards < 0))


def _unmapped(mapped: Floats, doubled: Floats, errors: Floats, top: int) -> Floats:
    """Return signed quantizer indices of δ."""
    most = _ends(doubled, errors, top)
    beyond, half = mapped > 2 * most, (mapped + 1) // 2
    towards = half * (1 - 2 * (doubled % 2)) * (1 - 2 * (mapped % 2))
    # Where one side has no room left, the index is of the other one.
    side = np.where(2 * (doubled // 2) < top, 1, -1)
    return np.where(beyond, (mapped - most) * side, towards)


def _ends(doubled: Any, errors: Any, top: int) -> Any:
    """Return θ: how many bins there are on both sides of a prediction."""
    predicted = doubled // 2
    return (np.minimum(predicted, top - predicted) + errors) // (2 * errors + 1)


def _skewed(samples: NDArray[Any]) -> NDArray[np.int32]:
    """Return samples (pixels, bands) with each band one step later than the one before."""
    pixels, bands = samples.shape
    found = np.zeros((pixels + bands - 1, bands), np.int32)
    for band in range(bands):
        found[band : band + pixels, band] = samples[:, band]
    return found


def _straight(found: NDArray[Any]) -> NDArray[Any]:
    """Undo the skew."""
    steps, bands = found.shape
    pixels = steps - bands + 1
    return np.stack([found[band : band + pixels, band] for band in range(bands)], axis=1)


class _Wave:
    """The predictor with its loop of quantization, of all bands and several settings at once.

    Parameters
    ----------
    shape : tuple of int
        Height, width (at least 2) and bands.
    depth : int
        D: bits of a sample.
    """

    def __init__(self, shape: tuple[int, ...], depth: int, form: Form, tunings: Sequence[Tuning]) -> None:
        self.height, self.width, self.bands = shape
        self.form, self.depth, self.top = form, depth, (1 << depth) - 1
        self.tunings, self.pixels = tunings, self.height * self.width
        self._resolutions = np.array([[tuning.resolution] for tuning in tunings])
        self.given: Integers | None = None
        self._time = np.arange(1 - self.bands, self.pixels + self.bands - 1)
        self._place = np.divmod(self._time, self.width)
        self._shares = self._shares_of()

    def run(self, given: NDArray[np.int32], *, known: bool) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return doubled predictions and quantizer indices, skewed, of samples or, if `known`, of δ."""
        self._begin()
        doubled = np.empty((len(given), len(self.tunings), self.bands), np.int32)
        quantized = np.empty_like(doubled)
        for step, now in enumerate(given):
            local = self._look(step)
            np.multiply(self._weights, self._vector, out=self._product)
            fine = self._product.sum(axis=0) + local * self._unit + 2 * self._unit
            np.clip(fine, 0.0, (4 * self.top + 2) * self._unit, out=fine)
            twice = np.floor(fine / (2 * self._unit))
            predicted = np.floor(twice / 2)
            if known:
                index = _unmapped(now.astype(np.float64), twice, self._error, self.top)
            else:
                missed = now - predicted
                index = np.copysign(np.floor((np.abs(missed) + self._error) / self._bins), missed)
            value = (predicted + index * self._bins).clip(0, self.top)
            stands = self._stand(value, index, fine)
            if step < self.bands:
                first = self._first(now[:, step], step, known=known)
                twice[:, step], index[:, step], stands[:, step] = first
            doubled[step], quantized[step] = twice, index
            self._ring[step % len(self._ring)] = stands
            self._difference = 4 * stands - local
            self._learn(step, 2 * value >= twice)
        return doubled, quantized

    def _begin(self) -> None:
        """Set what changes in a run to its first values."""
        self._error, resolution, self._damping, self._offset = (
            np.array([[float(getattr(tuning, name))] for tuning in self.tunings])
            for name in ("error", "resolution", "damping", "offset")
        )
        self._unit, self._bins = 2.0**resolution, 2 * self._error + 1
        self._weights, self._rates = self._first_weights(), self._all_rates()
        self._vector, self._product = np.zeros_like(self._weights), np.empty_like(self._weights)
        self._ring = np.zeros((self.width + 2, len(self.tunings), self.bands))
        self._difference = np.zeros(self._ring.shape[1:])

    def _back(self, step: int, back: int) -> Floats:
        """Return sample representatives some steps before."""
        found: Floats = self._ring[(step - back) % len(self._ring)]
        return found

    def _now(self, by_pixel: NDArray[Any], step: int) -> NDArray[Any]:
        """Return what belongs to the pixels of a step, by band."""
        return by_pixel[..., step : step + self.bands][..., ::-1]

    def _look(self, step: int) -> Floats:
        """Return local sums, and set the vector of local differences."""
        west, north, corner, east = (
            self._back(step, back) for back in (1, self.width, self.width + 1, self.width - 1)
        )
        local = self._local(step, (west, north, corner, east))
        full, vector = 3 * self.form.full, self._vector
        if full:
            line, column = (self._now(place, step) for place in self._place)
            vector[0] = 4 * north - local
            vector[1] = 4 * np.where(column > 0, west, north) - local
            vector[2] = 4 * np.where(column > 0, corner, north) - local
            vector[:3] *= line > 0
        if self.form.previous:
            vector[full + 1 :, :, 1:] = vector[full:-1, :, :-1]
            vector[full, :, 1:] = self._difference[:, :-1]
        return local

    def _stand(self, value: Floats, index: Floats, fine: Floats) -> Floats:
        """Return sample representatives."""
        if not (self._damping.any() or self._offset.any()):
            return value
        shift = np.sign(index) * self._error * self._offset * self._unit / 2**THETA
        pull: Floats = 4 * (2**THETA - self._damping) * (value * self._unit - shift)
        pull += self._damping * (fine - 2 * self._unit)
        doubled: Floats = np.floor(pull / (self._unit * 2 ** (THETA + 1)))
        return np.floor((doubled + 1) / 2)

    def _learn(self, step: int, up: NDArray[np.bool_]) -> None:
        """Change weights so that predictions would have been larger, or smaller."""
        rate = self._now(self._rates, step)
        np.multiply(self._vector, np.where(up, rate, -rate), out=self._product)
        self._product += 0.5
        np.floor(self._product, out=self._product)
        self._weights += self._product
        np.clip(self._weights, -4 * self._unit, 4 * self._unit - 1, out=self._weights)

    def rounded(self) -> Integers:
        """Return the weights at the end of a run with the precision of a header."""
        most = 2 ** (DIGITS - 1)
        steps = 2.0 ** (self._resolutions + 3 - DIGITS)
        return np.floor(self._weights / steps).clip(-most, most - 1).astype(np.int64)

    @property
    def header_bits(self) -> int:
        """How many bits of a header weights take: none for bands that are not there."""
        return DIGITS * sum(3 * self.form.full + min(band, self.form.previous) for band in range(self.bands))

    def _first(self, given: NDArray[np.int32], band: int, *, known: bool) -> tuple[Floats, Floats, Floats]:
        """Return doubled prediction, index and value of a band's first pixel, which is always exact."""
        usual = np.full(len(self.tunings), float(1 << (self.depth - 1)))
        before = self._back(band, 1)[:, band - 1].copy()
        predicted = before if band and self.form.previous else usual
        if known:
            index = _unmapped(given.astype(np.float64), 2 * predicted, np.zeros(1), self.top)
        else:
            index = given - predicted
        return 2 * predicted, index, predicted + index

    def _first_weights(self) -> Floats:
        """Return weights that are given, or 7/8 of the band before, and an eighth with each band farther."""
        full = 3 * self.form.full
        found = np.zeros((full + self.form.previous, len(self.tunings), self.bands))
        if self.given is not None:
            found += self.given * 2.0 ** (self._resolutions + 3 - DIGITS)
            found += np.ceil(2.0 ** (self._resolutions + 2 - DIGITS) - 1)
            return found
        for number, tuning in enumerate(self.tunings):
            weight = (1 << tuning.resolution) * 7 // 8
            for distance in range(self.form.previous):
                found[full + distance, number, distance + 1 :] = weight
                weight //= 8
        return found

    def _all_rates(self) -> Floats:
        """Return 2^-(ρ + 1) by setting and pixel; 0 where weights stay."""
        rates = []
        for tuning in self.tunings:
            grown = (self._time - self.width) // 2**tuning.interval
            exponents = (tuning.first + grown).clip(tuning.first, tuning.last)
            rates.append(2.0 ** -(exponents + self.depth - tuning.resolution + 1.0) * (self._time > 0))
        return np.array(rates)

    def _shares_of(self) -> list[Floats]:
        """Return by how much west, north, corner and east count by pixel, and west of the band before."""
        line, column = self._place
        top, left, right = line == 0, column == 0, column == self.width - 1
        if self.form.sums in {Sums.WIDE_COLUMN, Sums.NARROW_COLUMN}:
            west, north, corner, east = 4 * top, 4 * ~top, 0 * top, 0 * top
        elif self.form.sums is Sums.WIDE:
            west = np.select([top, left], [4, 0], 1)
            north = np.select([top, left | right], [0, 2], 1)
            corner = np.where(top | left, 0, 1)
            east = np.select([top, left, right], [0, 2, 0], 1)
        else:
            west = 4 * top
            north = np.select([top], [0], 2)
            corner = np.select([top | left, right], [0, 2], 1)
            east = np.select([top, left, right], [0, 2, 0], 1)
        narrow = self.form.sums in {Sums.NARROW, Sums.NARROW_COLUMN}
        shares = [0 * west if narrow else west, north, corner, east, west if narrow else 0 * west]
        return [share.astype(np.float64) for share in shares]

    def _local(self, step: int, around: tuple[Floats, ...]) -> Floats:
        """Return local sums of a step."""
        found = np.zeros_like(around[0])
        *shares, before = (self._now(share, step) for share in self._shares)
        for share, neighbour in zip(shares, around, strict=True):
            if share.any():
                found += share * neighbour
        if before.any():
            found[:, 1:] += before[1:] * self._back(step, 2)[:, :-1]
            found[:, 0] += before[0] * (1 << (self.depth - 1))
        return found
