"""What the bands of an image are called, and where they lie on an axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

TRUE_COLOUR = (640.0, 550.0, 460.0)
"""Wavelengths in nanometres that are shown as red, green and blue, as the eye sees them."""
INFRARED = (860.0, 650.0, 550.0)
"""Those of colour infrared: plants, which reflect what is just beyond red, are shown red."""
NEAR = 50.0
"""A band that is further from a wavelength than so many nanometres does not stand for it."""


def default_bands(count: int) -> tuple[int, ...]:
    """Return the bands that are shown by default: one as grey, or three as red, green and blue."""
    if count < 3:
        return (0,)
    return (0, 1, 2) if count == 3 else _spread(count)


def _spread(count: int) -> tuple[int, int, int]:
    return count * 3 // 4, count // 2, count // 4


@dataclass(frozen=True)
class BandNames:
    """Names and wavelengths of bands, as far as they are known.

    Parameters
    ----------
    count : int
        How many bands there are.
    nanometres : tuple of float
        The middle of each band; empty where they are not known.
    names : tuple of str
        What each is called; empty where that is not known.

    Raises
    ------
    DataError
        If there are not as many wavelengths or names as bands.
    """

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
        """What stands along the axis on which bands lie."""
        return "wavelength, nm" if self.spectral else "band"

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Where each band lies on that axis: its wavelength, or its number from 1."""
        if self.spectral:
            return np.array(self.nanometres, np.float64)
        return np.arange(1, self.count + 1, dtype=np.float64)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The bands, from 0, in the order in which they lie on the axis; sensors overlap."""
        found: NDArray[np.intp] = np.argsort(self.places, kind="stable")
        return found

    def at(self, place: float) -> int:
        """Return the band that lies nearest to a place on the axis.

        Parameters
        ----------
        place : float
            On the axis of :attr:`places`.

        Returns
        -------
        int
            From 0.
        """
        return int(np.argmin(np.abs(self.places - place)))

    def like(self, wavelengths: tuple[float, float, float]) -> tuple[int, int, int] | None:
        """Return the bands that stand for three wavelengths.

        Parameters
        ----------
        wavelengths : (float, float, float)
            In nanometres.

        Returns
        -------
        (int, int, int) or None
            The nearest, from 0; None where wavelengths are not known, or no band lies within :data:`NEAR`.
        """
        if not self.spectral:
            return None
        first, second, third = (self.at(wavelength) for wavelength in wavelengths)
        found = first, second, third
        near = all(abs(self.nanometres[b] - w) <= NEAR for b, w in zip(found, wavelengths, strict=True))
        return found if near else None

    @property
    def spread(self) -> tuple[int, int, int]:
        """Three bands far apart, the last of them as red, as if they were by wavelength."""
        return _spread(self.count)

    def label(self, band: int) -> str:
        """Return what a band is called.

        Parameters
        ----------
        band : int
            From 0.

        Returns
        -------
        str
            Its number from 1, with its wavelength and its name where they are known: ``12 · 640 nm``.
        """
        parts = [str(band + 1)]
        if self.spectral:
            parts.append(f"{self.nanometres[band]:.4g}\u00a0nm")
        name = self.names[band].strip() if self.names else ""
        if name and name != parts[0]:
            parts.append(name)
        return " · ".join(parts)
