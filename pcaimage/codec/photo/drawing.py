"""Whether an image is drawn from its neighbours: parts of it are coded both ways, and D + λR decides."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import quantize
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.planes import Planes
from pcaimage.codec.photo.tiles.drawn import Drawn, encode_drawn
from pcaimage.codec.photo.tiles.graphics import price
from pcaimage.codec.photo.tiles.tiles import TILE, flatness, grid_of
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.step import Step
from pcaimage.quality import squared_error
from pcaimage.sampling.lapped import BLOCK

Pixels = NDArray[np.uint8]

USUAL = Step.nearest(24.0)
"""Step at which parts are coded."""

LEAST, MOST = 256, 512
"""Lines and columns from which an image may be drawn, and that its parts have together at most."""

COHERENT = 0.62
"""Coherence from which both ways are tried. Kodak's have 0.44 to 0.67, clean edges 0.63 to 0.92."""

BUSY = 64.0
"""Squared slope, in grey levels, of blocks in which there is an edge."""

SHARE = 0.92
"""Share of a transform's D + λR below which an image is drawn: it has no components then."""


def with_drawing(analysis: PhotoAnalysis, array: NDArray[Any]) -> PhotoAnalysis:
    """Return an analysed image as one that is drawn, if that is worth it; most photographs as they are."""
    image = array.reshape(analysis.header.shape)
    if analysis.graphic is not None or image.dtype != np.uint8 or min(image.shape[:2]) < LEAST:
        return analysis
    sample, cascade = _sample(image), analysis.cascade
    if coherence(sample[..., min(1, image.shape[2] - 1)]) < COHERENT:
        return analysis
    if _drawn_cost(sample, cascade) >= SHARE * _cost(sample):
        return analysis
    found = flatness(image)
    graphic = Drawn(image, found, found.sizes > 0, cascade=cascade)
    planes = Planes(analysis.planes, partial(cascade.forward, image, UNIT))
    drawn = replace(analysis, found=planes, graphic=graphic)
    object.__setattr__(drawn, "spread", analysis.spread)
    return drawn


def _sample(image: Pixels) -> Pixels:
    """Return four parts of an image, side by side, or all of it."""
    lines, columns = (
        np.concatenate([np.arange(half) + side * quarter // 4 - half // 2 for quarter in (1, 3)])
        for side in image.shape[:2]
        for half in (min(side, MOST) // (2 * TILE) * TILE,)
    )
    return np.ascontiguousarray(image[np.ix_(lines, columns)])


def coherence(plane: Pixels) -> float:
    """Return how much edges of blocks run in one direction, from 0 to 1; 0 if there are none.

    It is the difference of the eigenvalues of each block's structure tensor, as a share of their sum [1]_.

    References
    ----------
    .. [1] J. Bigün, G. H. Granlund, "Optimal orientation detection of linear symmetry", ICCV 1987.
    """
    down, along = (
        np.diff(plane.astype(np.float32), axis=axis, append=plane.take([-1], axis)) for axis in (0, 1)
    )
    rows, columns = (side // BLOCK for side in plane.shape)

    def sums(values: NDArray[np.float32]) -> NDArray[np.float32]:
        blocks = values[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK)
        found: NDArray[np.float32] = blocks.sum(axis=(1, 3))
        return found

    first, second, both = sums(along * along), sums(down * down), sums(down * along)
    busy = first + second > BUSY * BLOCK
    if not busy.any():
        return 0.0
    return float((np.hypot(first - second, 2 * both)[busy] / (first + second)[busy]).mean())


def _drawn_cost(sample: Pixels, cascade: Cascade) -> float:
    """Return D + λR of an image that is drawn."""
    tiles = np.ones(grid_of(sample.shape), np.bool_)
    found = encode_drawn(sample, tiles, cascade, float(USUAL), price(1.0))
    return squared_error(sample, found.image) + 8 * price(float(USUAL)) * len(found.data)


def _cost(sample: Pixels) -> float:
    """Return D + λR of an image that is transformed."""
    analysis = replace(PhotoAnalysis.fit(sample), graphic=None)
    model = quantize(analysis, analysis.k_for_step(float(USUAL)), USUAL)
    return squared_error(sample, model.reconstruct()) + 8 * price(float(USUAL)) * sum(
        map(len, model.segments)
    )
