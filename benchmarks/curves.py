"""Rate-distortion curves, and comparisons of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks.bdrate import bd_rate, quality_at

Axis = Literal["psnr", "ssim", "ms-ssim", "ssimulacra2", "butteraugli"]
"""Measures of quality; the last three are measured on demand."""

Range = tuple[float, float]

RANGE: Range = (0.1, 3.0)
"""Range of bits per pixel in which codecs are compared."""


@dataclass(frozen=True)
class Point:
    """One file and its decoded image.

    Parameters
    ----------
    codec, image : str
        Names.
    quality : float
        In the codec's own terms.
    n_bytes : int
        Size of the file.
    bpp, psnr, ssim : float
        Bits per pixel, PSNR of all channels together in decibels, and SSIM.
    encode_seconds, decode_seconds : float
        Durations.
    ms_ssim, ssimulacra2, butteraugli : float, optional
        See :mod:`benchmarks.perceptual`; None if not measured.
    """

    codec: str
    image: str
    quality: float
    n_bytes: int
    bpp: float
    psnr: float
    ssim: float
    encode_seconds: float
    decode_seconds: float
    ms_ssim: float | None = None
    ssimulacra2: float | None = None
    butteraugli: float | None = None

    @property
    def lossy(self) -> bool:
        """Whether decoding changes the image, so that its quality is finite."""
        return math.isfinite(self.psnr) and self.ssim < 1

    def has(self, axis: Axis) -> bool:
        """Return whether a measure was taken."""
        return self._measured(axis) is not None

    def on(self, axis: Axis) -> float:
        """Return the quality: PSNR and SSIMULACRA 2 as they are, SSIM and MS-SSIM as −10 log₁₀(1 − SSIM).

        On the latter scale, equal ratios of 1 − SSIM are equally far apart, and so are those of Butteraugli's
        distance. Raises ValueError without it.
        """
        value = self._measured(axis)
        if value is None:
            raise ValueError(f"{axis} was not measured.")
        if axis in {"psnr", "ssimulacra2"}:
            return value
        return -10 * math.log10(max(value if axis == "butteraugli" else 1 - value, 1e-9))

    def _measured(self, axis: Axis) -> float | None:
        values = {
            "psnr": self.psnr,
            "ssim": self.ssim,
            "ms-ssim": self.ms_ssim,
            "ssimulacra2": self.ssimulacra2,
            "butteraugli": self.butteraugli,
        }
        return values[axis]


def similarity(decibels: float) -> float:
    """Return the SSIM for −10 log₁₀(1 − SSIM) as returned by :meth:`Point.on`."""
    return 1 - 10 ** (-decibels / 10)


@dataclass(frozen=True)
class Curve:
    """A codec's files for one image, one for each setting.

    Parameters
    ----------
    codec, image : str
        Names.
    points : tuple of Point
        In ascending order of rate.
    """

    codec: str
    image: str
    points: tuple[Point, ...]

    def by(self, axis: Axis) -> tuple[list[float], list[float]]:
        """Return the rates of the lossy files, and their qualities as of :meth:`Point.on`."""
        lossy = [point for point in self.points if point.lossy and point.has(axis)]
        return [point.bpp for point in lossy], [point.on(axis) for point in lossy]

    def at(self, bpp: float, axis: Axis) -> float | None:
        """Return the interpolated quality at some bits per pixel; None outside of the curve."""
        try:
            return quality_at(*self.by(axis), bpp)
        except ValueError:
            return None

    def rate_against(self, anchor: Curve, axis: Axis = "psnr", within: Range = RANGE) -> float | None:
        """Return the mean relative change of the rate at equal quality, over a range of bits per pixel.

        It is −0.1 for 10 % less; None if the curves have no quality in common.
        """
        try:
            return bd_rate(anchor.by(axis), self.by(axis), within)
        except ValueError:
            return None

    def seconds_at(self, bpp: float) -> tuple[float, float]:
        """Return seconds per megapixel for encoding and decoding at a rate in bits per pixel, interpolated.

        Outside of the curve, its nearest end counts.
        """
        rates = np.log([point.bpp for point in self.points])
        megapixels = [8e-6 * point.n_bytes / point.bpp for point in self.points]
        encoding = [point.encode_seconds for point in self.points] / np.asarray(megapixels)
        decoding = [point.decode_seconds for point in self.points] / np.asarray(megapixels)
        place = math.log(bpp)
        return float(np.interp(place, rates, encoding)), float(np.interp(place, rates, decoding))


def mean_curve(curves: Sequence[Curve], axis: Axis, n_rates: int = 60) -> list[tuple[float, float]]:
    """Return the mean quality of one codec's curves of several images at equal rates.

    Parameters
    ----------
    n_rates : int
        Number of rates in :data:`RANGE`, in logarithmic steps.

    Returns
    -------
    list of (float, float)
        Bits per pixel and decibels, at those rates that all curves have.
    """
    found = []
    for rate in np.geomspace(*RANGE, n_rates):
        values = [curve.at(float(rate), axis) for curve in curves]
        known = [value for value in values if value is not None]
        if known and len(known) == len(values):
            found.append((float(rate), sum(known) / len(known)))
    return found
