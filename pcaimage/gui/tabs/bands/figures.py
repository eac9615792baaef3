"""The figures of the bands tab: the quality of each band, as numbers and words. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.bands import BandNames, BandQuality
from pcaimage.insight.formatting import significant

EMPTY = "The quality of each band appears here once an image of many bands is reconstructed."


@dataclass(frozen=True)
class Measure:
    """A figure of every band: a field of :class:`BandQuality` or ``"band"``, and the label of its axis."""

    key: str
    title: str
    about: str
    axis: str = ""


MEASURES = (
    Measure(
        "snr",
        "SNR",
        "Signal-to-noise ratio: the band's own variance relative to the mean squared error.",
        "SNR, dB",
    ),
    Measure(
        "psnr",
        "PSNR",
        "Peak signal-to-noise ratio: how much larger the square of the image's largest value is than the "
        "mean squared error.",
        "PSNR, dB",
    ),
    Measure("rms", "RMS error", "The root mean square of the band's errors, in its own units.", "RMS error"),
    Measure(
        "largest", "Largest", "The largest error of any pixel, in the band's own units.", "largest error"
    ),
)
"""The figures that can be plotted over the bands."""
COLUMNS = (Measure("band", "Band", "Number, wavelength and name of the band."), *MEASURES)
"""The columns of the table."""


@dataclass(frozen=True, eq=False)
class BandFigures:
    """The names of the bands, and the quality of each."""

    names: BandNames
    quality: BandQuality

    def __len__(self) -> int:
        return len(self.quality)

    def values(self, key: str) -> NDArray[np.float64]:
        """Return a figure of every band, shape (C,); bands themselves by their place on the axis."""
        if key == "band":
            return self.names.places
        found = {
            "snr": self.quality.snr,
            "psnr": self.quality.psnr,
            "rms": self.quality.rms,
            "largest": self.quality.largest,
        }
        return found[key]

    def cell(self, key: str, band: int) -> str:
        """Return a figure of a band, from 0, with its unit."""
        if key == "band":
            return self.names.label(band)
        value = float(self.values(key)[band])
        if key in ("snr", "psnr"):
            return _decibels(value)
        return significant(value)

    @property
    def exact(self) -> bool:
        """Whether there is no error at all."""
        return self.quality.exact

    @property
    def summary(self) -> str:
        """The spectral angle and the worst band."""
        quality = self.quality
        worst = quality.worst
        return " · ".join(
            [
                f"spectral angle {_degrees(quality.angle)} mean, {_degrees(quality.angle_95)} at 95\u00a0%",
                f"worst band {self.names.label(worst)}: SNR {self.cell('snr', worst)}",
            ]
        )

    def describe(self, band: int) -> str:
        """Return all figures of a band, from 0, in one line.

        Such as ``band 12 · 640 nm · SNR 31.20 dB · PSNR 45.00 dB · RMS error 12.1 · largest 56``.
        """
        figures = [f"{column.title} {self.cell(column.key, band)}" for column in MEASURES]
        return " · ".join([f"band {self.names.label(band)}", *figures])

    def text(self, bands: list[int]) -> str:
        """Return tab-separated figures of bands, from 0, for a spreadsheet; numbers are exact."""
        lines = ["\t".join(column.title for column in COLUMNS)]
        for band in bands:
            numbers = [repr(float(self.values(column.key)[band])) for column in MEASURES]
            lines.append("\t".join([self.names.label(band).replace("\u00a0", " "), *numbers]))
        return "\n".join(lines) + "\n"


def _decibels(value: float) -> str:
    if np.isinf(value):
        return "no error" if value > 0 else "no signal"
    return f"{value:.2f}\u00a0dB".replace("-", "−")


def _degrees(value: float) -> str:
    return f"{value:.2f}°" if value >= 0.005 or value == 0 else "< 0.01°"
