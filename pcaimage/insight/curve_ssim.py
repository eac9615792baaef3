"""Structural similarity along the rate–distortion curve, estimated from parts of the image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Pictures, Rates, Region, Spectrum
from pcaimage.codec.coding.rounding import dead_zone
from pcaimage.codec.estimates import SimilarityRates
from pcaimage.imaging import ssim
from pcaimage.imaging.mosaic import Mosaic
from pcaimage.imaging.types import Pixels
from pcaimage.insight.curve import VISIBLE_DECIBELS, Curve, coarse_to_fine
from pcaimage.insight.similarity import SIMILARITY_PIXELS, to_eight_bits
from pcaimage.progress import Progress, no_progress

COUNT = 12
"""Number of k that are measured; the others are interpolated."""

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
    """Estimate the structural similarity of every k.

    A photo's estimator simulates the decoded pixels. Of other images, tiles of about half a megapixel are
    rendered for some k as on the screen, and compared with the original in eight bits.

    Parameters
    ----------
    curve : Curve
        The curve, with decibels.
    analysis : Spectrum
        Components of the image.
    rates : Rates
        Estimator of sizes and qualities.
    pictures : Pictures
        Renderer of reconstructions.
    pixels : ndarray of uint8 or uint16, shape (H, W, C)
        The original; not a stack.
    progress : Progress, optional
        Called before each picture.
    deliver : callable, optional
        Called with the curve as known so far, from the third similarity on.

    Returns
    -------
    Curve
        The curve with similarities.
    """
    look = _similarity_measure(analysis, rates, pictures, pixels)
    ks, found = ks_for_similarity(curve), dict[int, float]()
    for done, index in enumerate(coarse_to_fine(len(ks))):
        progress(done, len(ks))
        found[ks[index]] = look(ks[index])
        if deliver is not None and 3 <= len(found) < len(ks):
            deliver(_interpolated(curve, found))
    return _interpolated(curve, found)


def ks_for_similarity(curve: Curve, count: int = COUNT) -> list[int]:
    """Return at most `count` k, evenly spread over the visible decibels, with the first and the last."""
    places = np.minimum(curve.psnr, VISIBLE_DECIBELS)
    wanted = np.linspace(places.min(), places.max(), max(count - 1, 1))
    nearest = {int(np.argmin(np.abs(places - place))) + 1 for place in wanted}
    return sorted(nearest | {1, curve.n_components})


def _similarity_measure(
    analysis: Spectrum, rates: Rates, pictures: Pictures, pixels: Pixels
) -> Callable[[int], float]:
    """Return a function that measures the similarity of one k."""
    if isinstance(rates, SimilarityRates):
        known = rates
        return lambda k: known.similarity(float(analysis.step_for(k)), ssim)
    most = SIMILARITY_PIXELS * _COLOURS // max(pixels.shape[2], _COLOURS)
    mosaic = Mosaic.of(pixels.shape, most)
    original = to_eight_bits(mosaic.cut(pixels))
    return lambda k: ssim(original, _picture(mosaic, analysis, pictures, k))


def _picture(mosaic: Mosaic, analysis: Spectrum, pictures: Pictures, k: int) -> NDArray[np.uint8]:
    step = float(analysis.step_for(k))
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
    """Interpolate the logarithm of 1 − SSIM linearly over the decibels between the measured k."""
    ks: Sequence[int] = sorted(found)
    lacking = np.log(np.maximum(1 - np.array([found[k] for k in ks]), 1e-9))
    places = curve.psnr[np.array(ks) - 1]
    order = np.argsort(places, kind="stable")
    return replace(curve, ssim=1 - np.exp(np.interp(curve.psnr, places[order], lacking[order])))
