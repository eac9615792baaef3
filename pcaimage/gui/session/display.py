"""From an image's numbers to those of a screen. No Qt here."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Screen
from pcaimage.imaging import Pyramid

_SAMPLE = 1 << 18
_LEAST = 1e-6
_DIM = 0.5
"""Images whose brightest numbers are below this share of their type's range are brightened."""


@dataclass(frozen=True)
class Display:
    """Which channels are shown, and how dark and bright.

    Parameters
    ----------
    bands : tuple of int
        One channel for grey, three for red, green and blue.
    white : float
        The value that is shown as 255, where there are no ranges.
    ranges : tuple of (float, float)
        For each colour that is shown the value that is black and the one that is white; none for 0 and
        `white`.
    mixes : tuple of tuple of float
        For each colour by how much every channel counts; none for `bands` as they are.
    """

    bands: tuple[int, ...]
    white: float
    ranges: tuple[tuple[float, float], ...] = ()
    mixes: tuple[tuple[float, ...], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, pixels: NDArray[Any]) -> Display:
        """Choose how to show an image.

        Parameters
        ----------
        pixels : ndarray, shape (..., C)
            Its numbers, or a fair sample of them.

        Returns
        -------
        Display
            Colour where there are three channels, three bands far apart where there are more. Images that use
            little of the range of their type, as cameras of many bands do, are brightened.
        """
        channels = pixels.shape[-1]
        bands: tuple[int, ...] = (0,)
        if channels == 3:
            bands = (0, 1, 2)
        elif channels > 3:
            bands = (channels * 3 // 4, channels // 2, channels // 4)
        whole = pixels.dtype.kind in "iu"
        peak = float(np.iinfo(pixels.dtype).max) if whole else math.inf
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
        """By how much values differ on average whose colours differ by one of 255."""
        if not self.ranges:
            return self.white / 255
        return sum(white - black for black, white in self.ranges) / len(self.ranges) / 255

    @cached_property
    def screen(self) -> Screen | None:
        """The map to a screen's values; None where :attr:`bands` and :attr:`white` say all."""
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
        """Return :attr:`screen` with an entry for every channel of an image.

        Parameters
        ----------
        channels : int
            How many it has.

        Returns
        -------
        Screen or None
            Of that many channels.
        """
        screen = self.screen
        if screen is None or len(screen.mix) == channels:
            return screen
        mix = np.zeros((channels, screen.mix.shape[1]), np.float32)
        mix[: len(screen.mix)] = screen.mix
        return Screen(mix, screen.offset)

    def to_bytes(self, pixels: NDArray[Any]) -> NDArray[np.uint8]:
        """Return numbers as a screen's.

        Parameters
        ----------
        pixels : ndarray, shape (H, W, C)
            Numbers.

        Returns
        -------
        ndarray of uint8, shape (H, W, 1 or 3)
            C-contiguous. What is no number is black.
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
        for row, line in enumerate(pixels):  # all bands of all pixels as float32 would take much memory
            values[row] = line.astype(np.float32) @ screen.mix
        return values


@dataclass(frozen=True, eq=False)
class Shown:
    """Pixels for a screen, and the part of the image that they show.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (h, w, 1, 3 or 4)
        Grey, RGB, or RGB with opacity.
    region : (int, int, int, int)
        Left, top, right and bottom, in pixels of the image; it may reach over the edge.
    """

    pixels: NDArray[np.uint8]
    region: tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class Layers:
    """An image in all sizes, for any zoom.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        The image.
    display : Display
        How it is shown.
    alpha : ndarray, shape (H, W), optional
        Its opacity.
    """

    pixels: NDArray[Any]
    display: Display
    alpha: NDArray[Any] | None = None
    _colour: Pyramid = field(init=False, repr=False)
    _opacity: Pyramid | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_colour", Pyramid(self.pixels))
        opacity = None if self.alpha is None else Pyramid(self.alpha[..., None])
        object.__setattr__(self, "_opacity", opacity)

    def shown(self, display: Display) -> Self:
        """Return the same image, shown in another way.

        Parameters
        ----------
        display : Display
            How.

        Returns
        -------
        Layers
            It shares the smaller copies that were made.
        """
        other = copy(self)
        object.__setattr__(other, "display", display)
        return other

    def render(self, region: tuple[int, int, int, int], scale: float) -> Shown:
        """Return a part of the image at about the size at which it is shown.

        Parameters
        ----------
        region : (int, int, int, int)
            Left, top, right and bottom, in pixels.
        scale : float
            Screen pixels to an image pixel.

        Returns
        -------
        Shown
            At least as many pixels as the screen has, unless the image has fewer.
        """
        level = min(max(0, math.floor(math.log2(1 / scale))), self._colour.levels - 1) if scale < 1 else 0
        left, top, right, bottom = region
        pixels = self.display.to_bytes(self._colour.region(left, top, right, bottom, level))
        if self._opacity is not None:
            opacity = self._opacity.region(left, top, right, bottom, level)
            pixels = with_opacity(pixels, opacity)
        side = 1 << level
        first_row, first_column = top // side, left // side
        height, width = pixels.shape[:2]
        covered = (first_column, first_row, first_column + width, first_row + height)
        return Shown(pixels, tuple(side * edge for edge in covered))  # type: ignore[arg-type]


def with_opacity(pixels: NDArray[np.uint8], opacity: NDArray[Any]) -> NDArray[np.uint8]:
    """Add opacity to a picture.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (h, w, 1 or 3)
        The picture.
    opacity : ndarray of uint8 or uint16, shape (h, w, 1)
        Of all of its range.

    Returns
    -------
    ndarray of uint8, shape (h, w, 4)
        RGB with opacity.
    """
    result = np.empty((*pixels.shape[:2], 4), np.uint8)
    result[..., :3] = pixels
    result[..., 3:] = opacity >> 8 if opacity.dtype == np.uint16 else opacity
    return result


def resized_opacity(
    opacity: NDArray[Any], shape: tuple[int, int], region: tuple[int, int, int, int]
) -> NDArray[Any]:
    """Sample opacity where the pixels of a picture are.

    Parameters
    ----------
    opacity : ndarray, shape (H, W)
        Of the whole image.
    shape : (int, int)
        Rows and columns of the picture.
    region : (int, int, int, int)
        Left, top, right and bottom of the picture in the image; it may reach over the edge.

    Returns
    -------
    ndarray, shape (h, w, 1)
        The nearest values.
    """
    left, top, right, bottom = region
    rows = top + (np.arange(shape[0]) + 0.5) * (bottom - top) / shape[0]
    columns = left + (np.arange(shape[1]) + 0.5) * (right - left) / shape[1]
    inside_rows = np.minimum(rows.astype(int), opacity.shape[0] - 1)
    inside_columns = np.minimum(columns.astype(int), opacity.shape[1] - 1)
    return opacity[np.ix_(inside_rows, inside_columns)][..., None]
