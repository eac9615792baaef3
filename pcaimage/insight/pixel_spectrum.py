"""Spectrum of a pixel: all its bands, original and reconstructed, and the usual range in the image."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Pictures
from pcaimage.insight.bands import BandNames, spectral_angles
from pcaimage.insight.formatting import significant
from pcaimage.insight.inspection import Samples
from pcaimage.sampling import Lapped

Doubles = NDArray[np.float64]

MOST_NUMBERS = 1 << 23  # largest number of values in images whose mean is exact; larger images are sampled
MOST_SUMMED = 4096  # largest number of components that are summed for a single pixel
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
