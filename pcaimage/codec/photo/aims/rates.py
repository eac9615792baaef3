"""Estimates of the size and quality of a photo for every k and step.

The actual coder codes a sample of the image at a few steps; values in between are interpolated. A component
costs the same whatever follows it, so one pass serves every k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import DEPENDENT, Header
from pcaimage.codec.estimates import (
    STEPS_PER_OCTAVE,
    Bracket,
    Estimate,
    Interpolated,
    Similarity,
    rounded_mse,
)
from pcaimage.codec.photo.aims.sample import MOST_TIMES, TILE_BLOCKS, Floats, Sample, Strips, Tile
from pcaimage.codec.photo.aims.statistics import ScoreStatistics
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import with_means
from pcaimage.codec.photo.layout import PER_CHANNEL, UNIT, PhotoLayout
from pcaimage.codec.photo.masking import masking, with_step
from pcaimage.codec.photo.picture import SCORE_BITS, Picture
from pcaimage.codec.photo.slices import PhotoSliceCoder, Wanted
from pcaimage.codec.photo.strengths import ranges, shrunk
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import MOST, mean_squared_error, psnr_of_mse

if TYPE_CHECKING:
    from pcaimage.codec.photo.tiles.graphics import TileCosts

T = TypeVar("T")

MOSAICS = 2  # number of mosaics of tiles that are coded in parallel
FILE_BYTES, COMPONENT_BYTES = 75, 0.8  # approximate overhead in bytes of the file, and of each component
LARGE_STEP = 16  # step, on a scale of 255, from which the sample grows with the step

SMALL_STEP = 1.5
"""Step, on a scale of 255, below which half the sample is as good: noise costs the same everywhere."""
SMOOTH = 0.99, 15.9
"""Steps, on a scale of 255, from and below which octaves are interpolated: to 1.6 % and 0.06 dB."""
TILE_SHARE = 0.98
"""Correction factor of the tiles' bytes: tiles have more edges than the image, and train the coder less."""

GLANCED_SCORES, NEARLY_ALL = 12 << 20, 0.75
"""Number of scores that are coded to find a size, and the share of an image from which all of it is."""

SIMPLER, DEPENDENT_SHARE = 3, 1.05
"""How many times faster scores are coded that are quantised one by one, and how many times their bytes they
take when they are quantised dependently: 1.015 to 1.09 for all photographs and steps that were tried.
"""

SAMPLED_PART, MOST_PART, LEAST_SAMPLE = 16, 8, 3 << 10
"""Size of the sample coded before a full trial: usual part, largest part, and least number of blocks.

The usual part is 1/16 of the blocks of a large image; smaller images take more, up to 1/8. Samples below the
least size predict the file's size no better than the score statistics do. For most large images the sample
saves the second trial.
"""

_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class _PrefixCosts:
    """Bytes and squared errors of the first k components at one step, at index k: shape (n_components + 1,).

    `excess` is how much the squared error of the pixels exceeds that of the scores: it is negative where
    clipping or rounding restores the original value.
    """

    n_bytes: Floats
    errors: Floats
    excess: float
    pictures: tuple[tuple[NDArray[Any], NDArray[Any]], ...] = field(repr=False)
    tiles: TileCosts | None = None


@dataclass(frozen=True, eq=False)
class PhotoRates(Interpolated[_PrefixCosts]):
    """Estimates of size and quality for every k and step. Methods are thread-safe."""

    analysis: PhotoAnalysis
    _samples: dict[int, Sample] = field(default_factory=dict, init=False, repr=False)
    _similarities: dict[int, float] = field(default_factory=dict, init=False, repr=False)
    _known_sizes: dict[float, Floats] = field(default_factory=dict, init=False, repr=False)
    _glances: dict[float, _PrefixCosts] = field(default_factory=dict, init=False, repr=False)
    """The costs at steps that are none of the grid."""

    def rough(self, k: int, step: float) -> Estimate:
        """Estimate size and quality from the score statistics, and from tiles coded at other steps."""
        graphic = self.analysis.graphic
        return self._by_statistics(k, step, None if graphic is None else graphic.rough_costs(step))

    def _by_statistics(self, k: int, step: float, tiles: TileCosts | None) -> Estimate:
        n_bytes, mse = self._statistics.n_bytes(k, step), self._statistics.mse(k, step)
        return self._estimate(k, step, *self._with_tiles(n_bytes, mse, tiles))

    def _with_tiles(self, n_bytes: float, mse: float, tiles: TileCosts | None) -> tuple[float, float]:
        """Return the size and the error with those of tiles; of an image that is all tiles, theirs alone."""
        graphic, header = self.analysis.graphic, self.analysis.header
        if tiles is None or graphic is None:
            return n_bytes, mse
        wrong = tiles.squares / (header.n_samples * header.n_features)
        return n_bytes + tiles.n_bytes, wrong if graphic.whole else mse + wrong

    @cached_property
    def _rest(self) -> PhotoAnalysis:
        return self.analysis.rest

    def sampled(self, k: int, step: float) -> Estimate:
        """Estimate size and quality from a sample coded at this very step, if that is worth its time."""
        if self.knows(step):
            return self.estimate(k, step)
        if self._trial_sample.limit == LEAST_SAMPLE:
            graphic = self.analysis.graphic
            return self._by_statistics(k, step, None if graphic is None else graphic.costs(step))
        return self._by_costs(self._coded(self._trial_sample, step), k, step)

    def estimate(self, k: int, step: float | None = None) -> Estimate:
        """Estimate size and quality from samples at the steps around this one, or at this very step."""
        if step is None or step not in self._glances:
            return super().estimate(k, step)
        return self._by_costs(self._glances[step], k, step)

    def glanced(self, k: int, step: float, progress: Progress = no_progress) -> Estimate:
        """Estimate size and quality from a sample coded at this very step, which is coded once."""
        with self._lock:
            if step not in self._glances:
                sizes, found = (
                    self._glanced_sizes(step, progress),
                    self._coded(self._sample(step), step, progress),
                )
                self._glances[step] = replace(found, n_bytes=sizes, pictures=())  # they are large
        return self._by_costs(self._glances[step], k, step)

    def glanced_size(self, k: int, step: float, progress: Progress = no_progress) -> int:
        """Estimate the size alone from more of the image, coded at this very step in a simpler way."""
        n_bytes, graphic = float(self._glanced_sizes(step, progress)[k]), self.analysis.graphic
        tiles = None if graphic is None else graphic.costs(float(Step.nearest(step)))
        return self._estimate(k, step, *self._with_tiles(n_bytes, 0.0, tiles)).n_bytes

    def _glanced_sizes(self, step: float, progress: Progress) -> Floats:
        """Return the bytes of the first k components at a step at index k; they are found once."""
        if step in self._known_sizes:
            return self._known_sizes[step]
        tried, photo = Step.nearest(step), self._rest
        header, count = header_at(photo, tried), coded_components(photo, tried)
        blocks, share = math.prod(PhotoLayout(header).grid), 1.0
        if header.dependent and SIMPLER * blocks * count > GLANCED_SCORES:
            header, share = replace(header, tools=header.tools & ~DEPENDENT), DEPENDENT_SHARE
        most = GLANCED_SCORES // count
        sample = Strips(photo, blocks if NEARLY_ALL * blocks < most else most, count)

        def sizes(number: int) -> Floats:
            return _encoded(Mosaic(photo, sample.by_slice[number]), header, count, progress)[1]

        n_bytes = np.sum(side_by_side(sizes, len(sample.by_slice)), axis=0)
        n_bytes[:count] *= share * sample.weight * sample.size_ratios(float(tried))
        self._known_sizes[step] = np.concatenate([[0.0], np.cumsum(n_bytes)])
        return self._known_sizes[step]

    def _by_costs(self, costs: _PrefixCosts, k: int, step: float) -> Estimate:
        mse = max(rounded_mse(float(costs.errors[k])) + costs.excess, 0.0)
        return self._estimate(k, step, *self._with_tiles(float(costs.n_bytes[k]), mse, costs.tiles))

    def _estimate(self, k: int, step: float, n_bytes: float, mse: float) -> Estimate:
        n_bytes += FILE_BYTES + k * COMPONENT_BYTES
        psnr = psnr_of_mse(max(mse, _LEAST), self.analysis.header.peak)
        return Estimate(k, step, round(n_bytes), mse, psnr)

    @cached_property
    def _statistics(self) -> ScoreStatistics:
        return ScoreStatistics(self._rest)

    def sampled_similarity(self, step: float, measure: Similarity) -> float:
        """Estimate the similarity from a sample coded at this very step."""
        if self.knows(step):
            return self.similarity(step, measure)
        return _mean_similarity(self._coded(self._trial_sample, step), measure)

    @cached_property
    def _trial_sample(self) -> Sample:
        """The sample that is coded before a full trial at the same step."""
        rows, columns = PhotoLayout(self.analysis.header).grid
        most = max(LEAST_SAMPLE, rows * columns // MOST_PART)
        return Sample(self._rest, max(rows * columns // SAMPLED_PART, min(most, TILE_BLOCKS)))

    def _between(self, k: int, at: Bracket[_PrefixCosts]) -> tuple[float, float]:
        below, above, share = at.below, at.above, at.share

        def between(low: float, high: float) -> float:
            return math.exp((1 - share) * math.log(_LEAST + low) + share * math.log(_LEAST + high))

        excess = (1 - share) * below.excess + share * above.excess
        mse = max(rounded_mse(between(below.errors[k], above.errors[k])) + excess, 0.0)
        n_bytes = between(below.n_bytes[k], above.n_bytes[k]) + FILE_BYTES + k * COMPONENT_BYTES
        if below.tiles is None or above.tiles is None:
            return n_bytes, mse
        size = between(below.tiles.n_bytes, above.tiles.n_bytes)
        wrong = (1 - share) * below.tiles.squares + share * above.tiles.squares
        return self._with_tiles(n_bytes, mse, above.tiles._replace(n_bytes=size, squares=wrong))

    def similarity(self, step: float, measure: Similarity) -> float:
        """Estimate how similar the reconstruction from all components is to the image."""
        low, high, share = self._around(step)
        logs = [math.log(_LEAST + 1 - self._similar(index, measure)) for index in (low, high)]
        return 1 + _LEAST - math.exp((1 - share) * logs[0] + share * logs[1])

    def _similar(self, index: int, measure: Similarity) -> float:
        if index not in self._similarities:
            self._similarities[index] = _mean_similarity(self._point(index), measure)
        return self._similarities[index]

    def _sample(self, step: float) -> Sample:
        """Return a sample whose coding takes about the same time at all steps."""
        scale = step * 255 / self.analysis.header.peak / LARGE_STEP
        times = min(1 << max(0, math.ceil(math.log2(scale))), MOST_TIMES)
        limit = TILE_BLOCKS // 2 if scale * LARGE_STEP < SMALL_STEP else times * TILE_BLOCKS
        return self._samples.setdefault(limit, Sample(self._rest, limit))

    def _around(self, step: float) -> tuple[int, int, float]:
        """Return places around a step, and the share: whole octaves apart where costs follow it smoothly."""
        octaves, scale = math.log2(step), 255 / self.analysis.header.peak
        if SMOOTH[0] <= 2 ** math.floor(octaves) * scale < SMOOTH[1]:
            below, above = math.floor(octaves), math.ceil(octaves)
            return STEPS_PER_OCTAVE * below, STEPS_PER_OCTAVE * above, octaves % 1
        return super()._around(step)

    def _measure(self, step: float) -> _PrefixCosts:
        return self._coded(self._sample(step), step)

    def _coded(self, sample: Sample, step: float, progress: Progress = no_progress) -> _PrefixCosts:
        """Code a sample at a step."""
        tried = Step.nearest(step)
        step = float(tried)
        found = reduce(add, _in_mosaics(sample, lambda mosaic: costs(mosaic, tried, progress)))
        square = step**2 / (sample.blocks * self.analysis.header.n_features)
        pixels = found.wrong / (sample.blocks * self.analysis.header.n_features)
        excess = pixels - rounded_mse(square * float(found.errors.sum()))
        graphic = self.analysis.graphic
        return _PrefixCosts(
            _sizes(sample, found.n_bytes, step),
            square * _wrong(sample, found, step),
            excess,
            found.pictures,
            None if graphic is None else graphic.costs(step),
        )


def _in_mosaics(sample: Sample, work: Callable[[Mosaic], T]) -> list[T]:
    """Return what work finds in a sample's tiles, joined into mosaics that are worked on in parallel."""
    count = min(MOSAICS, len(sample.tiles))
    return side_by_side(lambda n: work(Mosaic(sample.analysis, sample.tiles[n::count])), count)


def _mean_similarity(costs: _PrefixCosts, measure: Similarity) -> float:
    found = [min(measure(*pair), 1.0) for pair in costs.pictures]
    lost = 0.0 if costs.tiles is None else 1 - min(measure(*costs.tiles.pictures), 1.0)
    return sum(found) / len(found) - lost


def _sizes(sample: Sample, n_bytes: Floats, step: float) -> Floats:
    """Return the bytes of the first k components at index k, given those of each in the sample."""
    weight = 1.0 if sample.is_whole else TILE_SHARE * sample.weight
    return np.concatenate([[0.0], np.cumsum(weight * n_bytes * sample.size_ratios(step))])


def _wrong(sample: Sample, found: Costs, step: float) -> Floats:
    """Return the squared error of the tiles with the first k components at index k."""
    header = sample.analysis.header
    channels = header.shape[-1]
    ratios, gone = sample.error_ratios(step), indices(sample.analysis.left_out, len(found.errors))
    ratios[gone] = sample.energy_ratios[gone]
    errors = found.errors * ratios
    left_out, energies = found.left_out * sample.energy_ratios, found.energies * sample.energy_ratios
    channel = sample.analysis.order // PER_CHANNEL
    # A component is not predicted unless its channel's mean is coded.
    unknown = [energies[(channel >= k) & (np.arange(len(channel)) >= k)].sum() for k in range(channels)]
    for k in range(channels):
        unknown[k] += left_out[(channel < k) & (np.arange(len(channel)) >= k)].sum()
    behind = np.concatenate([np.cumsum(left_out[::-1])[::-1], [0.0]])
    behind[:channels] = unknown
    wrong: Floats = np.concatenate([[0.0], np.cumsum(errors)]) + behind
    return wrong


_UNIT = 1, -3  # mantissa and exponent of the scores' unit


@dataclass(frozen=True, eq=False)
class Costs:
    """Rate and distortion of some blocks' components at one step; squared errors are in squared steps."""

    n_bytes: Floats  # of each component
    errors: Floats  # if it is kept, before shrinkage
    left_out: Floats  # if it is not kept, but predicted from the means
    energies: Floats  # if its channel's mean is not kept either
    wrong: float  # of the pixels with all components, after shrinkage, in squared grey levels
    pictures: tuple[tuple[NDArray[Any], NDArray[Any]], ...] = field(repr=False)

    def __add__(self, other: Costs) -> Costs:
        return Costs(
            self.n_bytes + other.n_bytes,
            self.errors + other.errors,
            self.left_out + other.left_out,
            self.energies + other.energies,
            self.wrong + other.wrong,
            self.pictures + other.pictures,
        )


@dataclass(frozen=True, eq=False)
class Mosaic:
    """Tiles of a photo, all of one shape, joined into one image to be coded together, or all of a photo.

    Coding each tile by itself would take several times as long, as every component is a call of the core.
    """

    analysis: PhotoAnalysis = field(repr=False)
    tiles: Sequence[Tile]

    @property
    def blocks(self) -> tuple[int, int]:
        """Number of rows and of columns of blocks of all tiles together."""
        rows, columns = self.tiles[0]
        return rows.stop - rows.start, (columns.stop - columns.start) * len(self.tiles)

    @cached_property
    def planes(self) -> NDArray[Any]:
        """All scores in the unit of the analysis and the cascade's order, including left-out components."""
        return np.concatenate([self.analysis.planes[:, *tile] for tile in self.tiles], axis=2)

    def true(self, index: int, step: Step) -> NDArray[np.float32]:
        """Return the scores of a component in steps, not quantised."""
        scores: NDArray[Any] = self.planes[self.analysis.order[index]]
        return scores.astype(np.float32) * np.float32(UNIT / float(step))

    def picture(self, header: Header, scores: NDArray[Any], levels: NDArray[np.int8]) -> Picture:
        """Return a picture of some scores, in the order of the file, and of the levels of their blocks."""
        alone = replace(header, shape=self.shape, slice_rows=0)
        return Picture(alone, self.analysis.cascade, [scores], levels, white=MOST)

    @cached_property
    def pixels(self) -> NDArray[Any]:
        """The original pixels."""
        picture = self.picture(self.analysis.header, self.planes[:0], np.zeros(self.blocks, np.int8))
        return picture.pixels_of(self.planes, _UNIT)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of the pixels."""
        header, (rows, columns) = self.analysis.header, self.blocks
        height, width, channels = header.shape
        whole = (rows, columns) == PhotoLayout(header).grid
        return (height, width, channels) if whole else (8 * rows, 8 * columns, channels)

    def pictures(self, pixels: NDArray[Any]) -> list[NDArray[Any]]:
        """Split the mosaic's pixels into its tiles."""
        return np.array_split(pixels, len(self.tiles), axis=1)


def coded_components(analysis: PhotoAnalysis, step: Step) -> int:
    """Return how many components are worth coding: the means, and those that a step leaves something of."""
    return max(analysis.k_for_step(float(step)), analysis.header.shape[-1])


def header_at(analysis: PhotoAnalysis, step: Step) -> Header:
    """Return the header of a photo that is coded at a step."""
    return with_means(analysis, with_step(analysis.header, step))


def _encoded(
    mosaic: Mosaic, header: Header, count: int, progress: Progress
) -> tuple[PhotoSliceCoder, Floats]:
    """Code the first `count` components of a mosaic; return its coder, and the bytes of each component."""
    analysis = mosaic.analysis
    scores = np.zeros((count, *mosaic.blocks), PhotoLayout(header).dtype)
    coder = PhotoSliceCoder.of(header, scores)
    gone = indices(analysis.left_out, analysis.n_components)

    def wanted(index: int) -> NDArray[np.float32]:
        return mosaic.true(index, header.step) * (index not in gone)

    seen = masking(mosaic.planes, header, UNIT) if header.levels else None
    _, ends = coder.encode(wanted, coder.price, lambda _: progress(0, 1), seen)
    return coder, np.diff([0.0, *ends, *[float(ends[-1])] * (analysis.n_components - count)])


def costs(mosaic: Mosaic, step: Step, progress: Progress) -> Costs:
    """Code a mosaic at a step, and return its costs."""
    header, count = header_at(mosaic.analysis, step), coded_components(mosaic.analysis, step)
    coder, n_bytes = _encoded(mosaic, header, count, progress)

    def coded(header: Header) -> Picture:
        return mosaic.picture(header, coder.scores, coder.blocks)

    squares = _errors(mosaic, coded(header), lambda index: mosaic.true(index, step))
    parts = ranges(0, mosaic.blocks[0] + 1)
    pixels = coded(shrunk(header, coded, mosaic.planes, parts)).some(0, mosaic.shape[0])
    wrong = mean_squared_error(mosaic.pixels, pixels) * mosaic.planes.size
    pairs = zip(mosaic.pictures(mosaic.pixels), mosaic.pictures(pixels), strict=True)
    return Costs(n_bytes, *squares, wrong, tuple(pairs))


def _errors(mosaic: Mosaic, picture: Picture, true: Wanted) -> tuple[Floats, Floats, Floats]:
    """Return squared errors of scores, of prediction alone and of neither."""
    one, order = np.float32(1 << SCORE_BITS), mosaic.analysis.order
    rows, channels = mosaic.blocks[0], mosaic.shape[2]
    decoded, predicted = picture.coefficients(0, rows), picture.coefficients(0, rows, channels)
    squares = np.zeros((3, len(order)))
    for index, plane in enumerate(order):
        scores = true(index)
        squares[0, index] = _square(scores - decoded[plane] / one)
        squares[2, index] = _square(scores)
        squares[1, index] = (
            squares[2, index] if index < channels else _square(scores - predicted[plane] / one)
        )
    return squares[0], squares[1], squares[2]


def _square(numbers: NDArray[Any]) -> float:
    return float(np.square(numbers).sum(dtype=np.float64))
