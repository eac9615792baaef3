"""Rendering of parts of a reconstruction in milliseconds, at about the size at which they are shown.

Reconstruction is linear, and so is averaging pixels: the average of a cell of a block's pixels is the block's
scores times *averaged components*. So a view that shows one pixel in sixteen needs a sixteenth of the
arithmetic, and no full picture is ever made. Averaged components that are negligible are skipped. Where
blocks are smaller than a screen pixel, the scores are averaged instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import view
from pcaimage.codec.coding.reduction import halved, reduced, reduction, significant
from pcaimage.codec.compressed import Header
from pcaimage.codec.linear.analysis import Analysis
from pcaimage.codec.linear.model import IntegerModel, as_reals
from pcaimage.codec.linear.quantize import PRICE
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import WIDEST_ZONE
from pcaimage.machine.parallel import in_parallel
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Blocks, Stack

Floats32 = NDArray[np.float32]
Planes = NDArray[np.int16] | NDArray[np.int32] | Floats32

NEGLIGIBLE = 0.05
"""Averaged components are skipped if together they change the picture by less than this RMS error.

It is on the scale of 255, and small enough not to change any rounded value.
"""

LEAST_CHANCE, SETTLED = 1e-5, 8
"""Smallest chance of a number other than zero, and iterations until chances and shifts agree."""

QUANTIZED_NUMBERS = 1 << 22
"""Largest number of scores in a view that shows the effect of quantisation while k moves."""

PARALLEL_NUMBERS = 1 << 19  # number of scores from which a picture is rendered on all cores


@dataclass(frozen=True, eq=False)
class Preview:
    """Renders the first k components of an image, and single ones. Methods are thread-safe."""

    header: Header
    planes: Planes = field(repr=False)  # scores in multiples of the unit, shape (n_components, n_samples)
    rows: Floats32 = field(repr=False)  # what such a unit adds to the features, (n_components, n_features)
    mean: Floats32 = field(repr=False)  # the features of a sample whose scores are zero
    variances: NDArray[np.float64] = field(repr=False)  # mean squares of the planes
    unit: float = 1.0  # of the planes, in grey levels
    frames: NDArray[np.uint8] | None = field(default=None, repr=False)  # of a stack without components
    _levels: dict[int, Planes] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @classmethod
    def of_analysis(cls, analysis: Analysis, progress: Progress = no_progress) -> Preview:
        """Return a preview of an analysed image, for every k."""
        pca, unit = analysis.pca, analysis.compact_unit
        planes: Planes = analysis.scores(None, progress, unit)
        unit = unit or 1.0
        rows = (analysis.whole_synthesis * unit).astype(np.float32)
        variances = analysis.variances / unit**2
        variances[indices(analysis.left_out, len(variances))] = 0
        return cls(analysis.header, planes, rows, pca.mean_.astype(np.float32), variances, unit)

    @classmethod
    def of_model(cls, model: IntegerModel) -> Preview:
        """Return a preview of a decoded image, for every k up to the model's."""
        header = model.header
        rows = as_reals(model.entries, model.precisions)
        rows *= float(header.step)
        if model.scale is not None and header.scale_bits is not None:
            rows *= np.ldexp(model.scale.astype(np.float64), -header.scale_bits)
        mean = np.ldexp(model.mean.astype(np.float64), -header.mean_bits)
        squares = [float(np.square(plane, dtype=np.float64).mean()) for plane in model.scores]
        variances = np.array(squares, np.float64)
        unit = float(header.step)
        entries, middle = rows.astype(np.float32), mean.astype(np.float32)
        return cls(header, model.scores, entries, middle, variances, unit, model.frames)

    def render(
        self, region: view.Region, scale: float, k: int, drawing: view.Drawing = view.PLAIN
    ) -> view.View:
        """Render part of the reconstruction; see :meth:`pcaimage.codec.view.Pictures.render`."""
        size, _, channels = self.header.sampling.feature_grid(self.header.shape)
        bands, white, screen = drawing.bands, drawing.white, drawing.screen
        shown = list(range(channels)) if bands is None else list(bands)
        gain = 255 / (self.header.peak if white is None else white) if screen is None else 1.0
        if isinstance(self.header.sampling, Stack):
            return self._render_frame(region, scale, k, shown, gain, drawing)
        cell, level = reduction(size if isinstance(self.header.sampling, Blocks) else 1, scale)
        planes, unit = self._planes(level), size << level
        top, bottom, left, right = region.cells(unit, (planes.shape[1], planes.shape[2]))
        weights, mean, kept = self.averaged_components(k, cell, shown, gain, drawing.left_out, screen)
        side, columns, numbers = size // cell, right - left, len(kept) * (bottom - top) * (right - left)
        quantised = drawing.step if level == 0 and numbers <= QUANTIZED_NUMBERS else None
        colours = len(shown) if screen is None else screen.mix.shape[1]
        pixels = np.empty(((bottom - top) * side, columns * side, colours), np.uint8)

        def show(first: int, last: int) -> None:
            part = np.empty((len(kept), last - first, columns), np.float32)
            for place, number in enumerate(kept):
                part[place] = planes[number, top + first : top + last, left:right]
            scores = part.reshape(len(kept), (last - first) * columns)
            if quantised is not None:
                scores = self._rounded(scores, kept, quantised, drawing.zone)
            blocks = _to_bytes(scores.T @ weights + mean, gain)
            strip = pixels[first * side : last * side]
            strip[...] = (
                Blocks(side).from_samples(blocks, strip.shape) if side > 1 else blocks.reshape(strip.shape)
            )

        in_parallel(show, bottom - top, worth=numbers + pixels.size > PARALLEL_NUMBERS)
        return view.View(pixels, left * unit, top * unit, right * unit, bottom * unit)

    def _render_frame(
        self,
        region: view.Region,
        scale: float,
        k: int,
        shown: list[int],
        gain: float,
        drawing: view.Drawing,
    ) -> view.View:
        """Render part of one image of a stack, all of whose pixels are features of one sample."""
        frame, screen = drawing.frame, drawing.screen
        grid = self.header.sampling.feature_grid(self.header.shape)
        skip = max(1, math.floor(1 / scale)) if scale < 1 else 1
        rows = np.arange(max(region.top, 0), min(region.bottom, grid[0]), skip)
        columns = np.arange(max(region.left, 0), min(region.right, grid[1]), skip)
        wanted = np.array(shown) if screen is None else np.arange(grid[2])
        numbers = (rows[:, None, None] * grid[1] + columns[:, None]) * grid[2] + wanted
        scores = self.kept_scores(k, frame, drawing.step, drawing.zone, drawing.left_out)
        values = (scores @ self.rows[:k, numbers.ravel()] + self.mean[numbers.ravel()]).reshape(numbers.shape)
        if self.frames is not None:
            values = self.frames[frame].ravel()[numbers].astype(np.float32)
        pixels = _to_bytes(values if screen is None else values @ screen.mix + screen.offset, gain)
        left, top = int(columns[0]), int(rows[0])
        return view.View(pixels, left, top, left + skip * len(columns), top + skip * len(rows))

    def kept_scores(
        self,
        k: int,
        which: int | slice | NDArray[np.intp],
        step: float | None,
        zone: float,
        left_out: frozenset[int],
    ) -> Floats32:
        """Return the scores from which some samples are reconstructed, (k, n) in the units of the planes."""
        scores: Floats32 = self.planes[:k, which].astype(np.float32)
        scores[indices(left_out, len(scores))] = 0
        return scores if step is None else self._rounded(scores, list(range(len(scores))), step, zone)

    def _rounded(self, scores: Floats32, numbers: list[int], step: float, zone: float) -> Floats32:
        """Round the scores of some components about as the coder does, which favours cheap numbers."""
        width = np.float32(step / self.unit)
        shifts = zone / WIDEST_ZONE * shifts_of(self.variances[numbers] / float(width) ** 2)
        scores = scores / width
        scores -= (shifts.astype(np.float32) * np.sign(scores).T).T
        return np.rint(scores, out=scores) * width

    def averaged_components(
        self,
        k: int,
        cell: int,
        shown: list[int],
        gain: float,
        left_out: frozenset[int] = frozenset(),
        screen: view.Screen | None = None,
    ) -> tuple[Floats32, Floats32, list[int]]:
        """Return the averaged components that are not negligible, the averaged mean, and their indices."""
        size, width, channels = self.header.sampling.feature_grid(self.header.shape)
        cells = (-1, size // cell, cell, width // cell, cell, channels)
        weights = self.rows[:k].reshape(cells).mean(axis=(2, 4))
        mean = self.mean.reshape(cells).mean(axis=(2, 4))
        if screen is None:
            weights, mean = weights[..., shown], mean[..., shown]
        else:
            weights, mean = weights @ screen.mix, mean @ screen.mix + screen.offset
        mean = mean.reshape(-1)
        weights = weights.reshape(len(weights), mean.size)
        effect = self.variances[:k] * np.square(weights).mean(axis=1, dtype=np.float64)
        effect *= gain * gain
        effect[indices(left_out, len(effect))] = 0
        kept = significant(effect, NEGLIGIBLE)
        return np.ascontiguousarray(weights[kept]), mean, kept.tolist()

    def _planes(self, level: int) -> Planes:
        """Return the score planes, each side halved `level` times: (n_components, rows, columns)."""
        with self._lock:
            if 0 not in self._levels:
                rows, columns = self.header.sampling.grid(self.header.shape)
                self._levels[0] = self.planes.reshape(-1, rows, columns)
            for finer in range(level):
                if finer + 1 not in self._levels:
                    self._levels[finer + 1] = halved(self._levels[finer])
            return self._levels[level]

    @property
    def sample_size(self) -> int:
        """Pixels along a sample's side; 0 where samples are images of a stack."""
        sampling = self.header.sampling
        return 0 if isinstance(sampling, Stack) else sampling.feature_grid(self.header.shape)[0]

    def component_picture(self, number: int, most: int = view.MOST_PICTURE) -> Floats32:
        """Return a component as a picture: what a unit score adds to the pixels of a sample.

        The result has shape (h, w, C), in grey levels; pixels are averaged to at most `most` along each side.
        With standardised features, it is the component times their standard deviations. Raises SettingsError
        if there is no such component.
        """
        view.check_number(number, len(self.planes))
        picture = self.rows[number - 1].reshape(self.header.sampling.feature_grid(self.header.shape))
        return reduced(picture, most) / np.float32(self.unit)

    def score_plane(self, number: int, most: int = view.MOST_PLANE) -> Floats32:
        """Return a component's scores as a picture, in grey levels.

        There is one for each sample, or averages if there are more than `most` rows or columns. For a stack
        the shape is (1, n_images), with averages of consecutive images. Raises SettingsError if there is no
        such component.
        """
        view.check_number(number, len(self.planes))
        return reduced(self.planes[number - 1].reshape(self._grid), most) * np.float32(self.unit)

    def scores_at(self, row: int, column: int) -> Floats32:
        """Return all scores of a sample in grey levels; of a stack, the place is 0 and the image's index."""
        view.check_place(row, column, self._grid)
        scores: Floats32 = self.planes[:, row * self._grid[1] + column].astype(np.float32)
        scores *= np.float32(self.unit)
        return scores

    @property
    def _grid(self) -> tuple[int, int]:
        """Number of rows and of columns of samples; images of a stack are in one row."""
        rows, columns = self.header.sampling.grid(self.header.shape)
        return (columns, rows) if isinstance(self.header.sampling, Stack) else (rows, columns)


def shifts_of(variances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far scores are shifted towards zero before rounding, given variances in squared steps.

    It is half the price of the bits by which one is dearer than zero. Scores are taken to be logistic. The
    more of them become zero, the cheaper zeros are.
    """
    deviations, shifts = np.sqrt(np.maximum(variances, 1e-9)), np.zeros(len(variances))
    for _ in range(SETTLED):
        chances = 1 - np.tanh(math.pi / math.sqrt(12) * (0.5 + shifts) / deviations)
        chances = np.maximum(chances, LEAST_CHANCE)
        shifts = PRICE / 2 * np.maximum(1 + np.log2((1 - chances) / chances), 0)
    return shifts


def _to_bytes(values: Floats32, gain: float) -> NDArray[np.uint8]:
    if gain != 1:
        values *= np.float32(gain)
    values += np.float32(0.5)
    return np.clip(values, 0, 255, out=values).astype(np.uint8)
