"""From an image's numbers to those of a screen. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging import Pyramid

_SAMPLE = 1 << 18
_DIM = 0.5
"""Images whose brightest numbers are below this share of their type's range are brightened."""


@dataclass(frozen=True)
class Display:
    """Which channels are shown, and which value is white.

    Parameters
    ----------
    bands : tuple of int
        One channel for grey, three for red, green and blue.
    white : float
        The value that is shown as 255.
    """

    bands: tuple[int, ...]
    white: float

    @classmethod
    def of(cls, pixels: NDArray[Any]) -> Display:
        """Choose how to show an image.

        Parameters
        ----------
        pixels : ndarray of uint8 or uint16, shape (..., C)
            Its numbers, or a fair sample of them.

        Returns
        -------
        Display
            Colour where there are three channels, three bands far apart where there are more. 16-bit
            images that use little of their range, as cameras of many bands do, are brightened.
        """
        channels = pixels.shape[-1]
        bands: tuple[int, ...] = (0,)
        if channels == 3:
            bands = (0, 1, 2)
        elif channels > 3:
            bands = (channels * 3 // 4, channels // 2, channels // 4)
        peak = float(np.iinfo(pixels.dtype).max)
        if pixels.dtype == np.uint8:
            return cls(bands, peak)
        rows = pixels.reshape(-1, channels)
        brightest = float(np.percentile(rows[:: max(1, len(rows) // _SAMPLE)][:, bands], 99.8))
        return cls(bands, max(brightest, 1.0) if brightest < _DIM * peak else peak)

    def to_bytes(self, pixels: NDArray[Any]) -> NDArray[np.uint8]:
        """Return numbers as a screen's.

        Parameters
        ----------
        pixels : ndarray of uint8 or uint16, shape (H, W, C)
            Numbers.

        Returns
        -------
        ndarray of uint8, shape (H, W, 1 or 3)
            C-contiguous.
        """
        shown = pixels if self.bands == tuple(range(pixels.shape[-1])) else pixels[..., self.bands]
        if pixels.dtype == np.uint8 and self.white == 255:
            return np.ascontiguousarray(shown)
        scaled = shown * np.float32(255 / self.white) + np.float32(0.5)
        return np.clip(scaled, 0, 255, out=scaled).astype(np.uint8, order="C")


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
