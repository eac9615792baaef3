"""Structural similarity along the rate–distortion curve, estimated from parts of the image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Pictures, Rates, Region, Spectrum
from pcaimage.codec.coding.rounding import dead_zone
from pcaimage.codec.estimates import SimilarityRates
from pcaimage.codec.operating_points import OperatingPoints
from pcaimage.imaging import ssim
from pcaimage.imaging.image.types import Pixels
from pcaimage.imaging.measures.mosaic import Mosaic
from pcaimage.insight.curve import VISIBLE_DECIBELS, Curve, coarse_to_fine
from pcaimage.progress import Progress, no_progress

COUNT = 12
"""Number of points that are measured; the others are interpolated."""

_COLOURS = 3


def with_similarity(
    curve: Curve,
    analysis: Spectrum,
    rates: Rates,
    pictures: Pictures,
    pixels: Pixels,
    *,
    progress: Progress = no_progress,
    deliver: Callable[[Curve], None] | None = None,
) -> Curve:
    """Estimate the structural similarity at every operating point of a curve with decibels.

    A photo's estimator simulates the decoded pixels. Of other images, tiles of about half a megapixel are
    rendered at some points as on the screen, and compared with the original in eight bits. From the third
    similarity on, the curve as known so far is delivered.
    """
    look = _similarity_measure(curve.points, analysis, rates, pictures, pixels)
    tried, found = points_for_similarity(curve), dict[int, float]()
    for done, number in enumerate(coarse_to_fine(len(tried))):
        progress(done, len(tried))
        found[tried[number]] = look(tried[number])
        if deliver is not None and 3 <= len(found) < len(tried):
            deliver(_interpolated(curve, found))
    return _interpolated(curve, found)


def points_for_similarity(curve: Curve) -> list[int]:
    """Return at most :data:`COUNT` indices, evenly spread over the visible decibels, with both ends."""
    places = np.minimum(curve.psnr, VISIBLE_DECIBELS)
    wanted = np.linspace(places.min(), places.max(), COUNT - 1)
    nearest = {int(np.argmin(np.abs(places - place))) for place in wanted}
    return sorted(nearest | {0, len(curve) - 1})


def _similarity_measure(
    points: OperatingPoints, analysis: Spectrum, rates: Rates, pictures: Pictures, pixels: Pixels
) -> Callable[[int], float]:
    """Return a function that measures the similarity at a point."""

    def at(index: int) -> tuple[int, float]:
        k, step = int(points.ks[index]), points.step(index)
        return k, float(analysis.step_for(k)) if step is None else step

    if isinstance(rates, SimilarityRates):
        known = rates
        measure = partial(ssim, peak=analysis.header.peak)
        return lambda index: known.similarity(at(index)[1], measure)
    most = SIMILARITY_PIXELS * _COLOURS // max(pixels.shape[2], _COLOURS)
    mosaic = Mosaic.of(pixels.shape, most)
    original = to_eight_bits(mosaic.cut(pixels), analysis.header.peak)
    return lambda index: ssim(original, _picture(mosaic, analysis, pictures, *at(index)))


def _picture(
    mosaic: Mosaic, analysis: Spectrum, pictures: Pictures, k: int, step: float
) -> NDArray[np.uint8]:
    zone = dead_zone(step, analysis.finest_step)
    tiles = list[Pixels]()
    for top, left in mosaic.corners:
        region = Region(left, top, left + mosaic.width, top + mosaic.height)
        view = pictures.render(region, 1.0, k, step=step, zone=zone)
        rows, columns = top - view.top, left - view.left
        tiles.append(view.pixels[rows : rows + mosaic.height, columns : columns + mosaic.width])
    joined = mosaic.join(tiles)
    return joined.astype(np.uint8, copy=False)


def _interpolated(curve: Curve, found: dict[int, float]) -> Curve:
    """Interpolate the logarithm of 1 − SSIM linearly over the decibels between the measured points."""
    tried: Sequence[int] = sorted(found)
    lacking = np.log(np.maximum(1 - np.array([found[index] for index in tried]), 1e-9))
    places = curve.psnr[np.array(tried)]
    order = np.argsort(places, kind="stable")
    return replace(curve, ssim=1 - np.exp(np.interp(curve.psnr, places[order], lacking[order])))


SIMILARITY_PIXELS = 1 << 19
"""Approximate number of pixels sampled from a large image to estimate structural similarity."""


def to_eight_bits(pixels: Pixels, white: float) -> NDArray[np.uint8]:
    """Return pixels in eight bits (the white becomes 255); those that are uint8 already are not copied."""
    if pixels.dtype == np.uint8:
        return pixels.astype(np.uint8, copy=False)
    scaled = (pixels.astype(np.uint32) * 255 + int(white) // 2) // int(white)
    return np.minimum(scaled, 255).astype(np.uint8)
