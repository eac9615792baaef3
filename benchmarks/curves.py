"""Rate-distortion curves, and comparisons of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks.bdrate import bd_rate, quality_at

Axis = Literal["psnr", "ssim"]
"""Measures of quality."""

RANGE = (0.1, 3.0)
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

    @property
    def lossy(self) -> bool:
        """Whether decoding changes the image, so that its quality is finite."""
        return math.isfinite(self.psnr) and self.ssim < 1

    def on(self, axis: Axis) -> float:
        """Return the quality in decibels: the PSNR, or −10 log₁₀(1 − SSIM).

        On the latter scale, equal ratios of 1 − SSIM are equally far apart.
        """
        return self.psnr if axis == "psnr" else -10 * math.log10(1 - self.ssim)


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
        """Return the rates of the lossy files, and their qualities in decibels."""
        lossy = [point for point in self.points if point.lossy]
        return [point.bpp for point in lossy], [point.on(axis) for point in lossy]

    def at(self, bpp: float, axis: Axis) -> float | None:
        """Return the interpolated quality in decibels at some bits per pixel; None outside of the curve."""
        try:
            return quality_at(*self.by(axis), bpp)
        except ValueError:
            return None

    def rate_against(self, anchor: Curve, axis: Axis = "psnr") -> float | None:
        """Return the mean relative change of the rate at equal quality, over :data:`RANGE`.

        It is −0.1 for 10 % less; None if the curves have no quality in common.
        """
        try:
            return bd_rate(anchor.by(axis), self.by(axis), RANGE)
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
