"""Bands: their names and places on an axis, the quality of each, spectral angles, and spectra of pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Pictures
from pcaimage.errors import DataError
from pcaimage.insight.formatting import significant
from pcaimage.insight.inspection import Samples
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Lapped

TRUE_COLOUR = (640.0, 550.0, 460.0)  # wavelengths in nanometres of red, green and blue as the eye sees them
INFRARED = (860.0, 650.0, 550.0)
"""Wavelengths of colour infrared, in which plants appear red, as they reflect near infrared."""
NEAR = 50.0  # largest distance in nanometres at which a band represents a wavelength


def default_bands(count: int) -> tuple[int, ...]:
    """Return the bands that are shown by default: one as grey, or three as red, green and blue."""
    if count < 3:
        return (0,)
    return (0, 1, 2) if count == 3 else _spread(count)


def _spread(count: int) -> tuple[int, int, int]:
    return count * 3 // 4, count // 2, count // 4


@dataclass(frozen=True)
class BandNames:
    """Names and centre wavelengths of bands, as far as known; DataError if there is not one for each."""

    count: int
    nanometres: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    ranked: tuple[int, ...] = ()
    """Three bands by :func:`ranked_bands`, where wavelengths do not tell which to show; from 0."""

    def __post_init__(self) -> None:
        for what, given in (("wavelengths", self.nanometres), ("names", self.names)):
            if given and len(given) != self.count:
                raise DataError(f"There are {self.count} bands, but {len(given)} {what}.")

    @property
    def spectral(self) -> bool:
        """Whether the wavelengths are known."""
        return bool(self.nanometres)

    @property
    def axis_title(self) -> str:
        """Title of the axis of bands."""
        return "wavelength, nm" if self.spectral else "band"

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Position of each band on the axis: its wavelength, or its number from 1."""
        if self.spectral:
            return np.array(self.nanometres, np.float64)
        return np.arange(1, self.count + 1, dtype=np.float64)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Bands, from 0, in ascending order of position; the ranges of a sensor's detectors may overlap."""
        return np.argsort(self.places, kind="stable")

    def at(self, place: float) -> int:
        """Return the band, from 0, that is nearest to a position on the axis."""
        return int(np.argmin(np.abs(self.places - place)))

    def like(self, wavelengths: tuple[float, float, float]) -> tuple[int, int, int] | None:
        """Return the bands, from 0, nearest to three wavelengths in nm; None unless all are close."""
        if not self.spectral:
            return None
        first, second, third = (self.at(wavelength) for wavelength in wavelengths)
        found = first, second, third
        near = all(abs(self.nanometres[b] - w) <= NEAR for b, w in zip(found, wavelengths, strict=True))
        return found if near else None

    @property
    def usual(self) -> tuple[int, int, int]:
        """Three bands as red, green and blue: the ranked ones, or else three that are far apart.

        The highest is red, as if ordered by wavelength.
        """
        return self.ranked if len(self.ranked) == 3 else _spread(self.count)

    def label(self, band: int) -> str:
        """Return a band's label, its number from 1 with its wavelength and name, such as ``12 · 640 nm``."""
        parts = [str(band + 1)]
        if self.spectral:
            parts.append(f"{self.nanometres[band]:.4g}\u00a0nm")
        name = self.names[band].strip() if self.names else ""
        if name and name != parts[0]:
            parts.append(name)
        return " · ".join(parts)


Doubles = NDArray[np.float64]

_STRIP = 1 << 18  # approximate number of values compared at a time, which fit into the processor's cache


@dataclass(frozen=True, eq=False)
class BandQuality:
    """Reconstruction errors, band by band, and the spectral angles of all pixels, in degrees.

    The PSNR is 10 log10(peak² / rms²), with one peak for all bands, and infinite without errors. The SNR is
    10 log10(σ² / rms²), where σ² is the variance of the original band (as in Du and Fowler 2007,
    doi:10.1109/LGRS.2006.888109), and minus infinity for a constant band with errors.
    """

    rms: Doubles = field(repr=False)  # in the band's own units
    largest: Doubles = field(repr=False)  # absolute error
    psnr: Doubles = field(repr=False)
    snr: Doubles = field(repr=False)
    angle: float  # mean
    angle_95: float  # 95th percentile
    pixels: int  # number compared

    @classmethod
    def of(
        cls,
        original: NDArray[Any],
        reconstruction: NDArray[Any],
        peak: float,
        missing: NDArray[np.bool_] | None = None,
        progress: Progress = no_progress,
    ) -> BandQuality:
        """Compare an image with its reconstruction, in float64, but for pixels that were not measured.

        The peak is the largest possible value. DataError if the shapes differ, or no pixel was measured.
        """
        if original.shape != reconstruction.shape or original.ndim != 3:
            raise DataError(f"Shapes {original.shape} and {reconstruction.shape} cannot be compared.")
        sums = _BandSums.zero(original.shape[-1])
        angles = []
        for before, after in _strips(original, reconstruction, missing, progress):
            angles.append(sums.add(before, after))
        if not sums.count:
            raise DataError("No pixel of the image was measured.")
        mse, variance = sums.squares / sums.count, sums.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            psnr = np.where(mse > 0, 10 * np.log10(peak**2 / mse), math.inf)
            snr = np.where(mse > 0, 10 * np.log10(variance / mse), math.inf)
        turned = np.concatenate(angles)
        mean, high = (
            (float(turned.mean(dtype=np.float64)), float(np.percentile(turned, 95)))
            if turned.size
            else (0.0, 0.0)
        )
        return cls(np.sqrt(mse), sums.largest, psnr, snr, mean, high, sums.count)

    def __len__(self) -> int:
        return len(self.rms)

    @property
    def exact(self) -> bool:
        """Whether there is no error at all."""
        return not self.largest.any()

    @property
    def worst(self) -> int:
        """The band with the lowest signal-to-noise ratio, from 0."""
        return int(np.argmin(self.snr))


class SpectralAngles(NamedTuple):
    """Statistics of the angles between original and reconstructed spectra, in degrees."""

    mean: float
    largest: float

    @classmethod
    def of(
        cls,
        original: NDArray[Any],
        reconstruction: NDArray[Any],
        missing: NDArray[np.bool_] | None = None,
        progress: Progress = no_progress,
    ) -> SpectralAngles:
        """Compare an image with its reconstruction; the parameters are those of :meth:`BandQuality.of`."""
        total, count, largest = 0.0, 0, 0.0
        for before, after in _strips(original, reconstruction, missing, progress):
            angles = spectral_angles(before, after)
            total, count = total + float(angles.sum()), count + angles.size
            largest = max(largest, float(angles.max(initial=0.0)))
        return cls(total / max(count, 1), largest)


@dataclass(eq=False)
class _BandSums:
    """Running sums for each band."""

    count: int
    squares: Doubles
    largest: Doubles
    shift: Doubles | None
    first: Doubles
    second: Doubles

    @classmethod
    def zero(cls, bands: int) -> _BandSums:
        squares, largest, first, second = np.zeros((4, bands))
        return cls(0, squares, largest, None, first, second)

    def add(self, before: Doubles, after: Doubles) -> NDArray[np.float32]:
        """Add pixels, overwriting them, and return their spectral angles."""
        angles = spectral_angles(before, after)
        after -= before
        self.squares += np.einsum("nc,nc->c", after, after)
        np.abs(after, out=after)
        np.maximum(self.largest, after.max(axis=0, initial=0), out=self.largest)
        if self.shift is None and len(before):
            # Without it, variances of bright bands would suffer from cancellation.
            self.shift = before[0].copy()
        if self.shift is not None:
            before -= self.shift
        self.first += before.sum(axis=0)
        self.second += np.einsum("nc,nc->c", before, before)
        self.count += len(before)
        return angles.astype(np.float32)

    @property
    def variance(self) -> Doubles:
        return np.maximum(self.second / self.count - np.square(self.first / self.count), 0)


def spectral_angles(first: Doubles, second: Doubles) -> Doubles:
    """Return the angles between spectra, in degrees, which do not depend on a pixel's brightness.

    The angle arccos(⟨x, y⟩ / (‖x‖ ‖y‖)) (F. A. Kruse et al., "The spectral image processing system (SIPS)",
    Remote Sensing of Environment 44, 1993, doi:10.1016/0034-4257(93)90013-N) is computed from its sine and
    cosine, since a cosine alone does not resolve small angles. Pairs with a zero spectrum, which has no
    direction, are omitted.
    """
    dot = np.einsum("nc,nc->n", first, second)
    norms = np.einsum("nc,nc->n", first, first) * np.einsum("nc,nc->n", second, second)
    some = norms > 0
    dot, norms = dot[some], norms[some]
    angles: Doubles = np.degrees(np.arctan2(np.sqrt(np.maximum(norms - dot * dot, 0)), dot))
    return angles


def _strips(
    original: NDArray[Any],
    reconstruction: NDArray[Any],
    missing: NDArray[np.bool_] | None,
    progress: Progress,
) -> Iterator[tuple[Doubles, Doubles]]:
    """Yield copies of the measured pixels of both images, as (n, C)."""
    height, width, channels = original.shape
    step = max(1, _STRIP // (width * channels))
    for top in range(0, height, step):
        progress(top, height)
        rows = slice(top, top + step)
        pair = [each[rows].reshape(-1, channels).astype(np.float64) for each in (original, reconstruction)]
        if missing is not None:
            there = ~missing[rows].reshape(-1)
            pair = [each[there] for each in pair]
        yield pair[0], pair[1]
    progress(height, height)


MOST_NUMBERS = 1 << 23  # largest number of values in images whose mean is exact; larger images are sampled
MOST_SUMMED = 4096  # largest number of components that are summed for a single pixel
_MOST_RANKED = 1 << 21  # largest number of values of which bands are ranked
_MOST_LISTED = 24  # largest number of bands whose values are listed in text


def sample_pixels(pixels: NDArray[Any], most: int = MOST_NUMBERS) -> NDArray[Any]:
    """Return a copy of a representative sample of an image's pixels, (n, C), of about `most` numbers."""
    count = pixels.size // pixels.shape[-1]
    every = max(1, -(-pixels.size // most))
    # An even stride would sample the same few columns repeatedly.
    numbers = np.arange(0, count, every)
    numbers = np.minimum(numbers + numbers * 7919 % every, count - 1)
    return pixels[np.unravel_index(numbers, pixels.shape[:-1])]


def measured_pixels(pixels: NDArray[Any], most: int = MOST_NUMBERS, nodata: float | None = None) -> Doubles:
    """Return a representative sample of an image's measured pixels, float64 of shape (n, C)."""
    rows = sample_pixels(pixels, most).astype(np.float64)
    there = np.isfinite(rows).all(axis=1)
    if nodata is not None:
        there &= ~(rows == nodata).any(axis=1)
    return rows if there.all() else rows[there]


def ranked_bands(pixels: NDArray[Any], nodata: float | None = None) -> tuple[int, ...]:
    """Return the three bands, from 0, that show most of an image, highest first; none if too little varies.

    For each of the three components of largest variance, it is the band in which it is strongest and that no
    other has. Neighbouring bands look alike, and those that merely are noisy have no such component.
    """
    rows, chosen = measured_pixels(pixels, _MOST_RANKED, nodata), list[int]()
    if len(rows) < 2:
        return ()
    variances, axes = np.linalg.eigh(np.cov(rows, rowvar=False))
    if not variances[-3] > 1e-12 * variances[-1]:
        return ()
    for axis in np.abs(axes.T[:-4:-1]):
        axis[chosen] = -1
        chosen.append(int(np.argmax(axis)))
    return tuple(sorted(chosen, reverse=True))


@dataclass(frozen=True, eq=False)
class UsualSpectrum:
    """Mean and standard deviation of each band of an image."""

    mean: Doubles = field(repr=False)
    deviation: Doubles = field(repr=False)

    @classmethod
    def of(cls, pixels: NDArray[Any], nodata: float | None = None) -> UsualSpectrum:
        """Return the mean spectrum of an image, of a sample if it is large; zeros if nothing was measured."""
        rows = measured_pixels(pixels, nodata=nodata)
        if not len(rows):
            return cls(np.zeros(pixels.shape[-1]), np.zeros(pixels.shape[-1]))
        return cls(rows.mean(axis=0), rows.std(axis=0))


@dataclass(frozen=True, eq=False)
class PixelSpectrum:
    """All bands of one pixel, by its column and row, of the original, its reconstruction or both.

    If the reconstruction is not `exact`, that of the file, it is from scores that were not quantised.
    """

    x: int
    y: int
    original: Doubles | None = field(repr=False)
    reconstruction: Doubles | None = field(repr=False)
    exact: bool = True

    @property
    def difference(self) -> Doubles | None:
        """Reconstruction minus original, if both are known."""
        if self.original is None or self.reconstruction is None:
            return None
        return self.reconstruction - self.original

    @property
    def angle(self) -> float | None:
        """The spectral angle in degrees, see :func:`.spectral_angles`; None if undefined."""
        if self.original is None or self.reconstruction is None:
            return None
        found = spectral_angles(self.original[None], self.reconstruction[None])
        return float(found[0]) if found.size else None

    def summary(self, names: BandNames) -> str:
        """Return the figures as one line.

        Such as ``(57, 30) · RMS error 12.3 · largest −45 in band 12 · 640 nm · spectral angle 0.32°``.
        """
        parts, difference = [f"({self.x}, {self.y})"], self.difference
        if difference is None:
            here = "original" if self.original is not None else "reconstruction"
            return " · ".join([*parts, f"{here} of {names.count} bands"])
        about = "" if self.exact else "≈ "
        if not difference.any():
            return " · ".join([*parts, f"{about}no error in any band"])
        band = int(np.argmax(np.abs(difference)))
        parts.append(f"{about}RMS error {significant(float(np.sqrt(np.square(difference).mean())))}")
        parts.append(f"largest {_signed(float(difference[band]))} in band {names.label(band)}")
        if self.angle is not None:
            parts.append(f"spectral angle {self.angle:.2f}°")
        return " · ".join(parts)

    def describe(self, band: int, names: BandNames) -> str:
        """Return the figures of a band, from 0, such as ``band 12 · 640 nm: 1234 → 1229, error −5``."""
        values = [
            _number(float(each[band])) for each in (self.original, self.reconstruction) if each is not None
        ]
        text = f"band {names.label(band)}: " + (" → " if self.exact else " → ≈ ").join(values)
        difference = self.difference
        return text if difference is None else f"{text}, error {_signed(float(difference[band]))}"

    def table(self, names: BandNames) -> str:
        """Return the spectrum as text, for those who cannot see its plot.

        It has the summary, then a line for each band, or for some bands far apart if there are many.
        """
        shown = np.unique(np.linspace(0, names.count - 1, min(names.count, _MOST_LISTED)).round().astype(int))
        return "\n".join([self.summary(names), *(self.describe(int(band), names) for band in shown)])


def reconstruct_pixel(
    pictures: Pictures,
    at: tuple[int, int],
    original: NDArray[Any],
    k: int,
    left_out: frozenset[int] = frozenset(),
) -> Doubles | None:
    """Return a pixel (column and row) reconstructed from k components without quantisation.

    It is the original minus the contributions of all other components. None if that would take long, or if
    blocks overlap.
    """
    if isinstance(pictures.header.sampling, Lapped) or pictures.sample_size < 1:
        return None
    place = Samples.of(pictures.header).at(*at)
    scores = pictures.scores_at(place.row, place.column)
    others = sorted({*range(k + 1, len(scores) + 1), *left_out})
    if len(others) > MOST_SUMMED:
        return None
    row, column = at[1] - place.region.top, at[0] - place.region.left
    result = original.astype(np.float64)
    for number in others:
        result -= float(scores[number - 1]) * pictures.component_picture(number)[row, column]
    return result


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.5g}"


def _signed(value: float) -> str:
    text = _number(value) if abs(value) >= 100 or value == round(value) else f"{value:.3g}"
    return text.replace("-", "−") if value < 0 else f"+{text}" if value > 0 else "0"
