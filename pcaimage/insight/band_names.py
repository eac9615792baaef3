"""Names of bands, and their positions on an axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

TRUE_COLOUR = (640.0, 550.0, 460.0)
"""Wavelengths in nanometres of red, green and blue as the eye sees them."""
INFRARED = (860.0, 650.0, 550.0)
"""Wavelengths of colour infrared, in which plants appear red, as they reflect near infrared."""
NEAR = 50.0
"""Largest distance in nanometres at which a band represents a wavelength."""


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
    def spread(self) -> tuple[int, int, int]:
        """Three bands far apart as red, green and blue; the highest is red, as if ordered by wavelength."""
        return _spread(self.count)

    def label(self, band: int) -> str:
        """Return a band's label, its number from 1 with its wavelength and name, such as ``12 · 640 nm``."""
        parts = [str(band + 1)]
        if self.spectral:
            parts.append(f"{self.nanometres[band]:.4g}\u00a0nm")
        name = self.names[band].strip() if self.names else ""
        if name and name != parts[0]:
            parts.append(name)
        return " · ".join(parts)
