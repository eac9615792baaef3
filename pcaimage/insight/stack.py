"""Stacks of images: the mean image, and thumbnails of many images from k components.

Each image of a stack is a sample, so components are images themselves (of faces 'eigenfaces' [1]_ [2]_), and
an image is the mean image plus its scores times them.

References
----------
.. [1] L. Sirovich and M. Kirby, "Low-dimensional procedure for the characterization of human faces", Journal
   of the Optical Society of America A 4(3), 1987, doi:10.1364/JOSAA.4.000519.
.. [2] M. Turk and A. Pentland, "Eigenfaces for recognition", Journal of Cognitive Neuroscience 3(1), 1991,
   doi:10.1162/jocn.1991.3.1.71.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Preview, Screen
from pcaimage.codec.coding.reduction import reduced
from pcaimage.codec.coding.rounding import rounded
from pcaimage.codec.spectrum import indices
from pcaimage.insight.inspection import RenderSettings

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

THUMBNAIL = 96
"""Longest side of a thumbnail in pixels."""

_MOST_NUMBERS = 1 << 24
"""Approximate largest number of values in all averaged components together."""


@dataclass(frozen=True, eq=False)
class StackPictures:
    """Thumbnails of a stack's images, by bands and white or for a screen; safe to use from threads."""

    preview: Preview
    bands: tuple[int, ...]
    white: float  # the value shown as 255
    most: int = THUMBNAIL  # longest side in pixels; larger images are averaged
    screen: Screen | None = None

    @property
    def mean(self) -> Bytes:
        """The mean of all images, which is the picture from no component: (h, w, 1 or 3)."""
        picture: Bytes = self._to_bytes(self._mean[None])[0]
        return picture

    def of_pixels(self, images: NDArray[Any], numbers: Sequence[int] | Numbers) -> Bytes:
        """Return thumbnails, (n, h, w, 1 or 3), of some images of (N, H, W, C), such as the originals."""
        height, width, count = self._shape
        small = np.empty((len(numbers), height, width, count), np.float32)
        for place, number in enumerate(numbers):
            small[place] = reduced(self._coloured(images[number]), self._side)
        return self._to_bytes(small.reshape(len(small), -1))

    def reconstructed(self, numbers: Sequence[int] | Numbers, view: RenderSettings) -> Bytes:
        """Return thumbnails of reconstructions, the mean plus quantised scores times components.

        They have the shape (n, h, w, 1 or 3); the bands of `view` are ignored.
        """
        scores = kept_scores(self.preview, np.asarray(numbers, np.intp), view)
        return self._to_bytes(scores.T @ self._rows[: len(scores)] + self._mean)

    @cached_property
    def _side(self) -> int:
        """Longest side of a thumbnail for which all averaged components together are not too large."""
        height, width, _ = self._grid
        fair = math.isqrt(max(1, _MOST_NUMBERS // (len(self.preview.rows) * self._colours)))
        return min(self.most, max(height, width)) if fair >= self.most else max(8, fair)

    @cached_property
    def _grid(self) -> tuple[int, int, int]:
        return self.preview.header.sampling.feature_grid(self.preview.header.shape)

    @cached_property
    def _shape(self) -> tuple[int, int, int]:
        height, width, _ = self._grid
        every = -(-max(height, width) // self._side)
        return -(-height // every), -(-width // every), self._colours

    @property
    def _colours(self) -> int:
        return len(self.bands) if self.screen is None else self.screen.mix.shape[1]

    def _coloured(self, pixels: NDArray[Any]) -> NDArray[Any]:
        """Return pixels in the displayed channels or colours, without the black level: (h, w, 1 or 3)."""
        if self.screen is None:
            return pixels[..., list(self.bands)]
        values = pixels.astype(np.float32) @ self.screen.mix
        return np.nan_to_num(values, copy=False) if pixels.dtype.kind == "f" else values

    @cached_property
    def _rows(self) -> Floats:
        """The components of averaged pixels, in the units of the planes."""
        rows = self.preview.rows
        plain = self.screen is None and self.bands == tuple(range(self._grid[2]))
        if plain and self._shape == self._grid:
            return rows
        small = np.empty((len(rows), math.prod(self._shape)), np.float32)
        for place, row in enumerate(rows):
            small[place] = self._small(row)
        return small

    @cached_property
    def _mean(self) -> Floats:
        return self._small(self.preview.mean)

    def _small(self, values: Floats) -> Floats:
        return reduced(self._coloured(values.reshape(self._grid)), self._side).reshape(-1)

    def _to_bytes(self, values: Floats) -> Bytes:
        values = values.reshape(len(values), *self._shape)
        if self.screen is None:
            values = values * np.float32(255 / self.white) + np.float32(0.5)
        else:
            values = values + (self.screen.offset + np.float32(0.5))
        return np.clip(values, 0, 255, out=values).astype(np.uint8)


def kept_scores(preview: Preview, which: slice | Numbers, view: RenderSettings) -> Floats:
    """Return the scores from which some images are reconstructed, (k, n) in the units of the planes."""
    scores: Floats = preview.planes[: view.k, which].astype(np.float32)
    if view.step is not None:
        width = np.float32(view.step / preview.unit)
        scores /= width
        scores = rounded(scores, view.zone)
        scores *= width
    scores[indices(view.left_out, len(scores))] = 0
    return scores
