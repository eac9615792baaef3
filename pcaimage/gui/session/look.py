"""The display of an image of many bands: the bands shown as colours, and their stretch. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.session.display import Display
from pcaimage.insight.band_names import INFRARED, TRUE_COLOUR, BandNames
from pcaimage.insight.pixel_spectrum import measured_pixels, sample_pixels
from pcaimage.pca import PCA

LookPreset = Literal["spread", "true-colour", "infrared", "components", "own"]
"""The source of the colours: spread bands, bands by wavelength, scores, or bands chosen one by one."""

LOOK_PRESETS: tuple[LookPreset, ...] = get_args(LookPreset)
STRETCHES = ((0.0, 100.0), (0.1, 99.9), (1.0, 99.0), (2.0, 98.0), (5.0, 95.0))
"""Percentiles on offer that become black and white; the first is the full range."""
MANY = 5
"""The number of channels from which on they are called bands, and can be chosen."""

_SAMPLE, _FITTED = 1 << 18, 1 << 22
"""The largest number of values that percentiles of a band, and components, are computed from."""


@dataclass(frozen=True)
class Look:
    """The bands that are shown as colours, and their stretch."""

    preset: LookPreset = "spread"
    bands: tuple[int, int, int] = (0, 0, 0)
    """Red, green and blue, from 0, where the preset is ``"own"``."""
    percentiles: tuple[float, float] = (1.0, 99.0)
    """Percentiles of the original, band by band, that are shown as black and as white."""

    def bands_of(self, names: BandNames) -> tuple[int, int, int]:
        """Return the bands that are shown as red, green and blue, from 0.

        For principal components they are bands spread over the range.
        """
        if self.preset == "own":
            return self.bands
        wavelengths = {"true-colour": TRUE_COLOUR, "infrared": INFRARED}.get(self.preset)
        return (names.like(wavelengths) if wavelengths else None) or names.spread

    def fits(self, names: BandNames) -> bool:
        """Return whether an image with these bands can be shown like this."""
        return self.preset in offered(names) and max(self.bands_of(names)) < names.count


def offered(names: BandNames) -> tuple[LookPreset, ...]:
    """Return the presets that an image allows; by wavelength only if it has bands near enough."""
    missing = {
        preset
        for preset, wavelengths in (("true-colour", TRUE_COLOUR), ("infrared", INFRARED))
        if names.like(wavelengths) is None
    }
    return tuple(preset for preset in LOOK_PRESETS if preset not in missing)


def first_look(names: BandNames, wanted: tuple[int, ...] = ()) -> Look:
    """Return the initial look: the `wanted` bands of the file, else true colour, else spread bands."""
    if len(wanted) == 3:
        return Look("own", (wanted[0], wanted[1], wanted[2]))
    return Look("true-colour" if "true-colour" in offered(names) else "spread")


def display_of(look: Look, names: BandNames, pixels: NDArray[Any], nodata: float | None = None) -> Display:
    """Find the values shown as black and white, for the original and all that is compared with it."""
    bands, whole = look.bands_of(names), pixels.dtype.kind in "iu"
    plain = replace(Display.of(sample_pixels(pixels, _FITTED)), bands=bands)
    mixes: tuple[tuple[float, ...], ...] = ()
    if look.preset == "components":
        sample = measured_pixels(pixels, _FITTED, nodata)
        sample = sample if len(sample) else np.zeros((1, names.count))
        axes = PCA(n_components=min(3, names.count)).fit(sample).components_
        mixes, columns = tuple(tuple(axis) for axis in axes.tolist()), list(axes @ sample.T)
    else:
        columns = [measured_pixels(pixels[..., band : band + 1], _SAMPLE, nodata)[:, 0] for band in bands]
    ranges = tuple(_range(column, look.percentiles, whole=whole) for column in columns)
    return replace(plain, ranges=ranges, mixes=mixes)


def _range(
    values: NDArray[np.float64], percentiles: tuple[float, float], *, whole: bool
) -> tuple[float, float]:
    if not values.size:
        return 0.0, 1.0
    black, white = (float(value) for value in np.percentile(values, percentiles))
    least = 1.0 if whole else max(abs(white), 1e-6) * 1e-6
    return black, max(white, black + least)
