"""What the bands tab says. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.band_names import BandNames
from pcaimage.insight.bands import BandQuality
from pcaimage.insight.formatting import significant

Measure = Literal["snr", "psnr", "rms", "largest"]


@dataclass(frozen=True)
class Column:
    """A figure of every band.

    Parameters
    ----------
    key : str
        A field of :class:`BandQuality`, or ``"band"``.
    title, about : str
        What it is called, and what it means in one sentence.
    axis : str
        What stands along its axis.
    """

    key: str
    title: str
    about: str
    axis: str = ""


MEASURES = (
    Column(
        "snr",
        "SNR",
        "Signal-to-noise ratio: how much larger the band's own variance is than the mean squared error.",
        "SNR, dB",
    ),
    Column(
        "psnr",
        "PSNR",
        "Peak signal-to-noise ratio: how much larger the square of the image's largest value is than the "
        "mean squared error.",
        "PSNR, dB",
    ),
    Column("rms", "RMS error", "The root mean square of the band's errors, in its own units.", "RMS error"),
    Column("largest", "Largest", "The largest error of any pixel, in the band's own units.", "largest error"),
)
"""What can be plotted over the bands."""
COLUMNS = (Column("band", "Band", "Number, wavelength and name of the band."), *MEASURES)
"""The columns of the table."""


@dataclass(frozen=True, eq=False)
class QualityFigures:
    """The quality of each band, ready to be shown.

    Parameters
    ----------
    names : BandNames
        What the bands are called.
    quality : BandQuality
        Their figures.
    """

    names: BandNames
    quality: BandQuality

    def __len__(self) -> int:
        return len(self.quality)

    def values(self, key: str) -> NDArray[np.float64]:
        """Return a figure of every band.

        Parameters
        ----------
        key : str
            Of :data:`COLUMNS`.

        Returns
        -------
        ndarray of float64, shape (C,)
            Bands by their place on the axis.
        """
        if key == "band":
            return self.names.places
        found = {
            "snr": self.quality.snr,
            "psnr": self.quality.psnr,
            "rms": self.quality.rms,
            "largest": self.quality.largest,
        }
        return found[key]

    def shown(self, key: str, band: int) -> str:
        """Return a figure as text.

        Parameters
        ----------
        key : str
            Of :data:`COLUMNS`.
        band : int
            From 0.

        Returns
        -------
        str
            With its unit.
        """
        if key == "band":
            return self.names.label(band)
        value = float(self.values(key)[band])
        if key in ("snr", "psnr"):
            return _decibels(value)
        return significant(value)

    @property
    def summary(self) -> str:
        """All bands in one line."""
        quality = self.quality
        worst = quality.worst
        return " · ".join(
            [
                f"spectral angle {_degrees(quality.angle)} mean, {_degrees(quality.angle_95)} at 95\u00a0%",
                f"worst band {self.names.label(worst)}: SNR {self.shown('snr', worst)}",
            ]
        )

    def describe(self, band: int) -> str:
        """Return all figures of a band as one line.

        Parameters
        ----------
        band : int
            From 0.

        Returns
        -------
        str
            Such as ``band 12 · 640 nm · SNR 31.20 dB · PSNR 45.00 dB · RMS error 12.1 · largest 56``.
        """
        figures = [f"{column.title} {self.shown(column.key, band)}" for column in MEASURES]
        return " · ".join([f"band {self.names.label(band)}", *figures])

    def text(self, bands: list[int]) -> str:
        """Return figures for a spreadsheet.

        Parameters
        ----------
        bands : list of int
            Which bands, from 0, in this order.

        Returns
        -------
        str
            A line of titles and one for each band; cells are parted by tabs, numbers are exact.
        """
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
