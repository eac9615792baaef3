"""The display maps an image's values to the 8 bits of a screen, at any zoom; a look says how. No Qt here."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Drawing, Pictures, Region, Screen
from pcaimage.gui.screen.picture import Extent, Picture
from pcaimage.imaging.measures.pyramid import Pyramid
from pcaimage.insight.bands import INFRARED, TRUE_COLOUR, BandNames, measured_pixels, sample_pixels
from pcaimage.pca import PCA

_SAMPLE = 1 << 18
_LEAST = 1e-6
_DIM = 0.5  # images whose brightest numbers are below this share of their type's range are brightened


@dataclass(frozen=True)
class Display:
    """The channels that are shown, and the values that are black and white, for each displayed colour.

    The ranges are the values shown as black and as white; empty for 0 and `white`. The mixes are the weights
    of all channels; empty to show `bands` as they are.
    """

    bands: tuple[int, ...]  # one for grey, three for red, green and blue
    white: float  # shown as 255, where there are no ranges
    ranges: tuple[tuple[float, float], ...] = ()
    mixes: tuple[tuple[float, ...], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, pixels: NDArray[Any], white: float | None = None) -> Display:
        """Choose how to show an image, given its pixels, shape (..., C), or a fair sample of them.

        Three channels are shown as colour; of more, three bands far apart. Images that stay far below their
        white, by default the largest value of their type, are brightened.
        """
        channels = pixels.shape[-1]
        bands: tuple[int, ...] = (0,)
        if channels == 3:
            bands = (0, 1, 2)
        elif channels > 3:
            bands = (channels * 3 // 4, channels // 2, channels // 4)
        whole = pixels.dtype.kind in "iu"
        peak = float(np.iinfo(pixels.dtype).max) if whole else math.inf
        peak = peak if white is None or pixels.dtype.kind != "u" else white
        if pixels.dtype == np.uint8:
            return cls(bands, peak)
        rows = pixels.reshape(-1, channels)
        some = rows[:: max(1, len(rows) // _SAMPLE)][:, bands]
        some = some if whole else some[np.isfinite(some)]
        brightest = float(np.percentile(some, 99.8)) if some.size else 1.0
        least = 1.0 if whole else _LEAST
        return cls(bands, max(brightest, least) if brightest < _DIM * peak else peak)

    @property
    def unit(self) -> float:
        """The difference of values shown one of 255 levels apart, averaged over the colours."""
        if not self.ranges:
            return self.white / 255
        return sum(white - black for black, white in self.ranges) / len(self.ranges) / 255

    @cached_property
    def screen(self) -> Screen | None:
        """The affine map to the screen's values; None where :attr:`bands` and :attr:`white` suffice."""
        if not self.ranges:
            return None
        blacks, whites = np.array(self.ranges, np.float64).T
        gains = 255 / (whites - blacks)
        if self.mixes:
            mix = np.array(self.mixes, np.float64).T
        else:
            mix = np.zeros((max(self.bands) + 1, len(self.bands)))
            mix[list(self.bands), range(len(self.bands))] = 1
        return Screen((mix * gains).astype(np.float32), (-blacks * gains).astype(np.float32))

    def screen_of(self, channels: int) -> Screen | None:
        """Return :attr:`screen` padded to an image's number of channels."""
        screen = self.screen
        if screen is None or len(screen.mix) == channels:
            return screen
        mix = np.zeros((channels, screen.mix.shape[1]), np.float32)
        mix[: len(screen.mix)] = screen.mix
        return Screen(mix, screen.offset)

    def to_bytes(self, pixels: NDArray[Any]) -> NDArray[np.uint8]:
        """Map pixels, shape (H, W, C), to a C-contiguous array for the screen, shape (H, W, 1 or 3).

        NaNs become black.
        """
        screen = self.screen
        if screen is not None:
            values = self._mixed(pixels, screen)
            values += screen.offset + np.float32(0.5)
        else:
            shown = pixels if self.bands == tuple(range(pixels.shape[-1])) else pixels[..., self.bands]
            if pixels.dtype == np.uint8 and self.white == 255:
                return np.ascontiguousarray(shown)
            values = shown * np.float32(255 / self.white) + np.float32(0.5)
        if pixels.dtype.kind == "f":
            np.nan_to_num(values, copy=False)
        return np.clip(values, 0, 255, out=values).astype(np.uint8, order="C")

    def _mixed(self, pixels: NDArray[Any], screen: Screen) -> NDArray[np.float32]:
        if not self.mixes:
            gains = screen.mix[list(self.bands), range(len(self.bands))]
            picked: NDArray[np.float32] = pixels[..., self.bands] * gains
            return picked
        values = np.empty((*pixels.shape[:2], len(self.ranges)), np.float32)
        for row, line in enumerate(pixels):  # row by row: all bands of all pixels as float32 take much memory
            values[row] = line.astype(np.float32) @ screen.mix
        return values


@dataclass(frozen=True, eq=False)
class Layers:
    """An image, reduced to all sizes, as it is displayed at any zoom."""

    pixels: NDArray[Any]
    display: Display
    alpha: NDArray[Any] | None = None
    pyramid: Pyramid = field(init=False, repr=False)
    _opacity: Pyramid | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pyramid", Pyramid(self.pixels))
        opacity = None if self.alpha is None else Pyramid(self.alpha[..., None])
        object.__setattr__(self, "_opacity", opacity)

    def shown(self, display: Display) -> Self:
        """Return the same image with another display; the two share their reduced copies."""
        other = copy(self)
        object.__setattr__(other, "display", display)
        return other

    def render(self, region: Region, scale: float) -> Picture:
        """Return a part of the image at a scale of so many screen pixels per image pixel.

        The picture has at least as many pixels as the screen, unless the image has fewer.
        """
        level = min(max(0, math.floor(math.log2(1 / scale))), self.pyramid.levels - 1) if scale < 1 else 0
        pixels = self.display.to_bytes(self.pyramid.region(*region.edges, level))
        if self._opacity is not None:
            pixels = with_opacity(pixels, self._opacity.region(*region.edges, level))
        side = 1 << level
        left, top = region.left // side * side, region.top // side * side
        height, width = pixels.shape[:2]
        return Picture(pixels, (left, top, left + side * width, top + side * height))


@dataclass(frozen=True, eq=False)
class Rendering:
    """All that pictures of a reconstruction are made from, so that a worker thread looks up nothing."""

    preview: Pictures
    k: int
    drawing: Drawing
    opacity: NDArray[Any] | None

    def render(self, region: Region, scale: float) -> Picture:
        """Return a part of the reconstruction at a scale of so many screen pixels per image pixel."""
        view = self.preview.render(region, scale, self.k, self.drawing)
        covered, pixels = (view.left, view.top, view.right, view.bottom), view.pixels
        if self.opacity is not None:
            rows, columns = pixels.shape[:2]
            pixels = with_opacity(pixels, resized_opacity(self.opacity, (rows, columns), covered))
        return Picture(pixels, covered)


def with_opacity(pixels: NDArray[np.uint8], opacity: NDArray[Any]) -> NDArray[np.uint8]:
    """Add opacity, uint8 or uint16 of shape (h, w, 1), to grey or RGB pixels; RGBA of shape (h, w, 4)."""
    result = np.empty((*pixels.shape[:2], 4), np.uint8)
    result[..., :3] = pixels
    result[..., 3:] = opacity >> 8 if opacity.dtype == np.uint16 else opacity
    return result


def resized_opacity(opacity: NDArray[Any], shape: tuple[int, int], extent: Extent) -> NDArray[Any]:
    """Sample an image's opacity, shape (H, W), at the pixels of a picture of a given shape and extent.

    Nearest neighbours, in an array of shape (h, w, 1).
    """
    left, top, right, bottom = extent
    rows = top + (np.arange(shape[0]) + 0.5) * (bottom - top) / shape[0]
    columns = left + (np.arange(shape[1]) + 0.5) * (right - left) / shape[1]
    inside_rows = np.minimum(rows.astype(int), opacity.shape[0] - 1)
    inside_columns = np.minimum(columns.astype(int), opacity.shape[1] - 1)
    return opacity[np.ix_(inside_rows, inside_columns)][..., None]


LookPreset = Literal["usual", "true-colour", "infrared", "components", "own"]
"""The source of the colours: bands that vary most, those of wavelengths, scores, or any chosen ones."""

LOOK_PRESETS: tuple[LookPreset, ...] = get_args(LookPreset)
STRETCHES = ((0.0, 100.0), (0.1, 99.9), (1.0, 99.0), (2.0, 98.0), (5.0, 95.0))
"""Percentiles on offer that become black and white; the first is the full range."""
MANY = 5  # the number of channels from which on they are called bands, and can be chosen

_FITTED = 1 << 22
"""The largest number of values that percentiles of a band, and components, are computed from."""


@dataclass(frozen=True)
class Look:
    """The bands that are shown as colours, and their stretch."""

    preset: LookPreset = "usual"
    bands: tuple[int, int, int] = (0, 0, 0)  # red, green and blue, from 0, where the preset is ``"own"``
    percentiles: tuple[float, float] = (1.0, 99.0)
    """Percentiles of the original, band by band, that are shown as black and as white."""

    def bands_of(self, names: BandNames) -> tuple[int, int, int]:
        """Return the bands that are shown as red, green and blue, from 0.

        For principal components they are the usual bands.
        """
        if self.preset == "own":
            return self.bands
        wavelengths = {"true-colour": TRUE_COLOUR, "infrared": INFRARED}.get(self.preset)
        return (names.like(wavelengths) if wavelengths else None) or names.usual

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
    """Return the initial look: the `wanted` bands of the file, else true colour, else the usual bands."""
    if len(wanted) == 3:
        return Look("own", (wanted[0], wanted[1], wanted[2]))
    return Look("true-colour" if "true-colour" in offered(names) else "usual")


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
