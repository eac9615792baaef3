"""Rate–distortion curve: estimated size, PSNR and SSIM at every operating point, without encoding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Drawing, Pictures, Rates, Region, Spectrum
from pcaimage.codec.estimates import SimilarityRates, rounded_mse
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.codec.step import dead_zone
from pcaimage.imaging import ssim
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.measures.mosaic import Mosaic
from pcaimage.insight.component_table import PLAIN
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import psnr_of_mse

Floats = NDArray[np.float64]
Deliver = Callable[["Curve"], None]

MOST_ESTIMATES = 320  # largest number of points that are estimated; the others are interpolated
DELIVER_EVERY = 0.2  # seconds between two intermediate curves

DOUBT = 0.05, 0.3
"""Differences between adjacent corrections of the theory above which the curve between them is rough.

In logarithms of bytes, and in decibels.
"""

FAR = 1.0, 6.0
"""Differences between adjacent estimates above which it is rough as well: corrections may agree by chance."""

VISIBLE_DECIBELS = 50.0  # PSNR above which differences are invisible; it limits the search for the elbow


@dataclass(frozen=True, eq=False)
class Curve:
    """Size and quality of the file at every operating point; a quality is empty if it is unknown.

    Estimates are not reliable, `rough`, beyond the last of them so far, or between two that are far apart or
    whose corrections of the theory differ.
    """

    points: OperatingPoints
    n_bytes: Floats
    psnr: Floats = field(default_factory=lambda: np.zeros(0))  # in decibels
    share: Floats = field(default_factory=lambda: np.zeros(0))  # explained variance, in percent
    ssim: Floats = field(default_factory=lambda: np.zeros(0))
    exact: bool = False  # whether the sizes are those of a file
    progress: float = 1.0  # share of the estimates that are known
    of: str = PLAIN.of  # the quantity that `share` refers to
    rough: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    def __len__(self) -> int:
        return len(self.n_bytes)

    @cached_property
    def elbow(self) -> int | None:
        """The index from which each further byte buys less than the average so far; None for few points.

        It is the point of the curve that is farthest above its chord, with sizes and decibels both scaled to
        0 to 1: 'Kneedle' (V. Satopaa et al., "Finding a 'Kneedle' in a Haystack", ICDCS Workshops 2011,
        doi:10.1109/ICDCSW.2011.20). Only the part below :data:`VISIBLE_DECIBELS` counts, since the curve of
        an image without noise continues to where no eye sees a difference.
        """
        sizes, gains = self.n_bytes, self.psnr if self.psnr.size else self.share
        visible = gains <= VISIBLE_DECIBELS if self.psnr.size else np.ones(len(gains), bool)
        count = int(np.count_nonzero(np.logical_and.accumulate(visible)))
        if count < 4 or sizes[count - 1] <= sizes[0] or gains[count - 1] <= gains[0]:
            return None
        above = _normalized(gains[:count]) - _normalized(sizes[:count])
        return int(np.argmax(above))

    def crossing(self, n_bytes: float) -> int | None:
        """Return the first index from which all files are larger than `n_bytes`; None if the last is not."""
        smaller = np.flatnonzero(self.n_bytes <= n_bytes)
        first = int(smaller[-1]) + 1 if smaller.size else 0
        return first if first < len(self) else None


def curve_of_file(sizes: Sequence[int], ratios: Floats) -> Curve:
    """Return the curve of a compressed file whose original is unknown, with explained variance for quality.

    `sizes` are those of the file cut after each component; `ratios[k]` is the share that the first k explain.
    """
    count = len(sizes)
    points, share = OperatingPoints.of_components(count), 100 * np.asarray(ratios)[1 : count + 1]
    return Curve(points, np.array(sizes, np.float64), share=share, exact=True)


def trace_curve(
    analysis: Spectrum,
    rates: Rates,
    *,
    extra_bytes: int = 0,
    first: int | None = None,
    progress: Progress = no_progress,
    deliver: Deliver | None = None,
) -> Curve:
    """Estimate the curve of an image, first from a few estimates, then from more and more.

    Between them, sizes and errors follow the rate–distortion theory of Gaussian sources, shifted to meet the
    estimates. There is one for every point in the end, or :data:`MOST_ESTIMATES` if there are more. The point
    `first`, by default the middle, comes first, and then the coarsest. The curve as known so far is delivered
    several times a second. `extra_bytes` are those that alpha and metadata add to every file.
    """
    points = OperatingPoints.of(analysis)
    tried = chosen_points(len(points), MOST_ESTIMATES)
    theory = _theory(analysis, points, tried)
    known = dict[int, tuple[float, float]]()
    last = -math.inf
    # The coarsest point comes next: it takes little time, and without it files of few bytes seem worse than
    # other codecs' until the finest are known, which take the longest.
    begin = [] if first is None else [int(np.argmin(np.abs(tried - first))), 0]
    for index in dict.fromkeys([*begin, *coarse_to_fine(len(tried))]):
        progress(len(known), len(tried))
        at = int(tried[index])
        estimate = rates.estimate(int(points.ks[at]), points.step(at))
        known[index] = math.log(max(estimate.n_bytes, 1)), estimate.psnr
        if deliver is not None and monotonic() - last >= DELIVER_EVERY and len(known) < len(tried):
            deliver(_through_estimates(analysis, points, tried, theory, known, extra_bytes))
            last = monotonic()
    return _through_estimates(analysis, points, tried, theory, known, extra_bytes)


def chosen_points(count: int, most: int) -> NDArray[np.intp]:
    """Return about `most` of the indices below `count` in ascending order, small ones more densely."""
    if count <= most:
        return np.arange(count)
    spread = [np.geomspace(1, count, most // 2), np.linspace(1, count, most // 2)]
    return np.unique(np.round(np.concatenate(spread)).astype(np.intp)) - 1


def coarse_to_fine(count: int) -> list[int]:
    """Return the numbers below `count`: the middle, the last, the first, then by halving the gaps."""
    order, gaps = [count // 2, count - 1, 0], [(0, count // 2), (count // 2, count - 1)]
    while gaps:
        following = []
        for low, high in gaps:
            middle = (low + high) // 2
            if low < middle < high:
                order.append(middle)
                following += [(low, middle), (middle, high)]
        gaps = following
    return list(dict.fromkeys(order))


def _normalized(values: Floats) -> Floats:
    scaled: Floats = (values - values[0]) / (values[-1] - values[0])
    return scaled


def _theory(analysis: Spectrum, points: OperatingPoints, tried: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return logarithms of bytes, and decibels, of Gaussian sources at high rates.

    A component of variance λ costs ½ log₂(1 + λ / θ) bits a sample at the water level θ = Δ² / 12.
    """
    variances, header = analysis.variances, analysis.header
    total = max(analysis.total_variance, float(variances.sum()))
    sizes, decibels = np.zeros(len(tried)), np.zeros(len(tried))
    for place, index in enumerate(tried.tolist()):
        k, step = int(points.ks[index]), points.step(index)
        level = (float(analysis.step_for(k)) if step is None else step) ** 2 / 12
        kept = np.maximum(variances[:k], 0)
        bits = 0.5 * float(np.log2(1 + kept / level).sum())
        wrong = max(total - float(kept.sum()), 0.0) + float((kept * level / (kept + level)).sum())
        sizes[place] = math.log(100 + k + header.n_samples * bits / 8)
        mse = max(rounded_mse(wrong / header.n_features), 1e-10)
        decibels[place] = psnr_of_mse(mse, header.peak)
    return sizes, decibels


def _through_estimates(
    analysis: Spectrum,
    points: OperatingPoints,
    tried: NDArray[np.intp],
    theory: tuple[Floats, Floats],
    known: dict[int, tuple[float, float]],
    extra_bytes: int,
) -> Curve:
    """Return the theoretical curve, shifted to pass through the estimates."""
    places = np.array(sorted(known))
    found = np.array([known[place] for place in places])
    rough = np.zeros(len(points), bool)
    indices = np.arange(len(points))
    lines = []
    for column, guess in enumerate(theory):
        here = np.arange(len(tried))
        corrections = found[:, column] - guess[places]
        moved = guess + np.interp(here, places, corrections)
        # More components and finer steps never make a file smaller or worse: estimates bound those between.
        after = np.searchsorted(places, here)
        low = np.where(after > 0, found[after - 1, column], -np.inf)
        high = np.where(after < len(places), found[np.minimum(after, len(places) - 1), column], np.inf)
        moved = np.where(np.isin(here, places), moved, np.clip(moved, np.minimum(low, high), high))
        lines.append(np.interp(indices, tried, moved))
        before = np.where(after > 0, corrections[after - 1], np.nan)
        behind = np.where(after < len(places), corrections[np.minimum(after, len(places) - 1)], np.nan)
        doubtful = ~(np.abs(behind - before) <= DOUBT[column]) | (high - low > FAR[column])
        doubtful &= ~np.isin(here, places)
        rough |= np.interp(indices, tried, doubtful.astype(np.float64)) > 0
    return Curve(
        points,
        np.exp(lines[0]) + extra_bytes,
        psnr=lines[1],
        share=100 * analysis.ratios[points.ks],
        progress=len(known) / len(tried),
        rough=rough,
    )


COUNT = 12  # number of points that are measured; the others are interpolated

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
        view = pictures.render(region, 1.0, k, Drawing(step, zone))
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
