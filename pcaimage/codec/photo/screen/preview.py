"""Rendering of parts of a photo in milliseconds, at about the size at which they are shown.

As in :class:`pcaimage.codec.Preview`, averages of pixels are computed from averaged components, and
components whose averages are negligible are skipped. Scores are quantised and predicted strip by strip, so
that the picture has about the error of what the file will show. Tiles that are coded among pixels cover it.
Shrinkage after decoding is left out, of analyses and of files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import view
from pcaimage.codec.coding.reduction import halved, reduced, reduction, significant
from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import PER_CHANNEL
from pcaimage.codec.photo.masking import with_step
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.screen import screen
from pcaimage.codec.photo.screen.strips import Chosen, Rounding, Strips
from pcaimage.codec.photo.tables import plan_of
from pcaimage.codec.photo.tiles.tiles import Tiles
from pcaimage.codec.photo.transform import axes
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.photo.transform.channels import ONE
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.machine.parallel import in_parallel
from pcaimage.sampling.blocks import BLOCK

Floats = NDArray[np.float32]
IntArray = NDArray[np.int64]

NEGLIGIBLE = 0.15
"""Averaged components are skipped if together they change the picture by less than this RMS error.

It is on the scale of 255, where rounding to whole values has an RMS error of 0.29.
"""

ZERO_ZONE = 2.1  # width of the dead zone in steps: the rate–distortion optimising encoder favours zeros

SAME_ERROR = 1 / 1.1
"""Step, relative to that of dependent quantisation and shrinkage, at which rounding has about the same error.

The path through the quantisers takes as long as coding; rounding a little finer looks the same.
"""

STRIP = 1 << 19
"""Approximate number of coefficients computed before they are painted: as many as fit into the cache."""

PARALLEL_NUMBERS = 1 << 19  # number of coefficients from which a picture is rendered on all cores

_REDUCTIONS = (1, 2, 4, 8)


class _Look(NamedTuple):
    """Maps from coefficients to pixels, for :func:`.screen.paint`."""

    vertical: Floats
    horizontal: Floats
    rotation: Floats
    offset: Floats


@dataclass(frozen=True, eq=False)
class PhotoPreview:
    """Renders the first k components of a photo, and single ones. Methods are thread-safe."""

    header: Header
    cascade: Cascade = field(repr=False)
    strips: Strips = field(repr=False)
    tiles: Callable[[float | None], Tiles | None] = field(repr=False)
    _levels: dict[int, Floats] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @classmethod
    def of(cls, source: PhotoAnalysis | PhotoModel) -> PhotoPreview:
        """Return a preview of an analysed or a decoded photo, which shares its memory."""
        if isinstance(source, PhotoModel):
            known = source.tiles
            return cls(source.header, source.cascade, Strips.of(source), lambda _step: known)
        return cls(source.header, source.cascade, Strips.of(source), partial(_tiles_at, source))

    def render(
        self, region: view.Region, scale: float, k: int, drawing: view.Drawing = view.PLAIN
    ) -> view.View:
        """Render part of the reconstruction; see :meth:`pcaimage.codec.view.Pictures.render`.

        Scores are quantised where each block is shown by at least one pixel. Components after k, which a file
        does not store, remain as predicted from the means.
        """
        step, bands, white = drawing.step, drawing.bands, drawing.white
        shown = list(range(self.strips.channels)) if bands is None else list(bands)
        gain = 255 / (self.header.peak if white is None else white)
        cell, level = reduction(BLOCK, scale)
        unit = BLOCK << level
        rows, columns = (-(-count // (1 << level)) for count in self.strips.grid)
        part = region.cells(unit, (rows, columns))
        rounding, worth = self._rounding(None if level else step, drawing.zone)
        look = self._look(cell, level, shown, gain, worth)
        side = BLOCK // cell
        shape = ((part.bottom - part.top) * side, (part.right - part.left) * side, len(shown))
        pixels = np.empty(shape, np.uint8)
        if level:
            self._paint_level(level, k, drawing.left_out, part, look, pixels)
        else:
            chosen = self.strips.chosen(self.visible_components(k, cell, shown, gain), k, drawing.left_out)
            self._paint(chosen, rounding, part, look, pixels)
        tiles = self.tiles(step)
        if tiles is not None:
            tiles.show(pixels, (part.top * unit, part.left * unit), unit // side, shown, gain)
        return view.View(pixels, part.left * unit, part.top * unit, part.right * unit, part.bottom * unit)

    def _rounding(self, step: float | None, zone: float) -> tuple[Rounding, float]:
        """Return the rounding of scores to coefficients, and the coefficients' unit in grey levels."""
        if step is None or self.strips.stored:
            return self.strips.exact, self.strips.unit
        weighted = with_step(self.header, Step.nearest(step))  # factors depend on the few weights alone
        factors = plan_of(replace(weighted, step=Step.nearest(self.header.peak))).relative
        step *= SAME_ERROR if self.header.dependent else 1.0
        zones = np.float32(0.5 + ZERO_ZONE * zone), np.float32(0.5 - zone)
        return Rounding(screen.ROUNDED, np.float32(self.strips.unit / step), zones, factors), step

    @cached_property
    def _maps(self) -> dict[int, tuple[Floats, Floats]]:
        return {cell: self.cascade.synthesis(cell) for cell in _REDUCTIONS}

    @cached_property
    def _strengths(self) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Mean squares of the components in pixels of some size, down and along."""
        order, found = self.strips.order, {}
        for cell, maps in self._maps.items():
            down, along = (
                np.square(each[0]).mean(axis=0, dtype=np.float64).reshape(3, BLOCK).sum(axis=0)
                for each in maps
            )
            found[cell] = down[order // BLOCK % BLOCK], along[order % BLOCK]
        return found

    def _look(self, cell: int, level: int, shown: list[int], gain: float, worth: float) -> _Look:
        vertical, horizontal = (_of_groups(maps, level) for maps in self._maps[cell])
        rotation = np.zeros((MOST_PHOTO_CHANNELS, len(shown)), np.float32)
        rotation[: self.strips.channels] = self.cascade.rotation[:, shown] * (gain / ONE)
        offset = (self.cascade.mean[shown] * gain + 0.5).astype(np.float32)
        scaled = np.ascontiguousarray(vertical * worth, np.float32)
        return _Look(scaled, np.ascontiguousarray(horizontal), rotation, offset)

    def visible_components(self, k: int, cell: int, shown: list[int], gain: float) -> IntArray:
        """Return the components that contribute to a picture, coded or merely predicted."""
        strips, order = self.strips, self.strips.order
        known = min(k, len(strips.places))
        variances = np.where(order // PER_CHANNEL < known, strips.predicted, 0.0)
        variances[:known] = strips.variances[:known]
        down, along = self._strengths[cell]
        colour = np.square(self.cascade.rotation[:, shown] / ONE).mean(axis=1)
        effect = variances * down * along * colour[order // PER_CHANNEL] * (gain * strips.unit) ** 2
        effect[: min(known, strips.channels)] = np.inf
        return significant(effect, NEGLIGIBLE)

    def _paint(
        self,
        chosen: Chosen,
        rounding: Rounding,
        part: view.Cells,
        look: _Look,
        pixels: NDArray[np.uint8],
    ) -> None:
        rows, columns = self.strips.grid
        left, right = max(part.left - 1, 0), min(part.right + 1, columns)
        height = min(max(1, STRIP // ((right - left) * max(1, len(chosen.numbers)))), part.bottom - part.top)
        side = len(pixels) // (part.bottom - part.top)

        def paint(first: int, last: int) -> None:
            room = np.empty((len(chosen.numbers) * (height + 2) * (right - left)), np.float32)
            for start in range(first, last, height):
                stop = min(start + height, last)
                top, bottom = max(part.top + start - 1, 0), min(part.top + stop + 1, rows)
                values = self.strips.coefficients(chosen, rounding, (top, bottom), (left, right), room)
                halo = part.top + start - top, bottom - part.top - stop, part.left - left, right - part.right
                screen.paint(values, chosen.lines, halo, *look, pixels[start * side : stop * side])

        numbers = (part.bottom - part.top) * (right - left) * len(chosen.numbers)
        in_parallel(paint, part.bottom - part.top, worth=numbers + pixels.size > PARALLEL_NUMBERS)

    def _paint_level(
        self,
        level: int,
        k: int,
        left_out: frozenset[int],
        part: view.Cells,
        look: _Look,
        pixels: NDArray[np.uint8],
    ) -> None:
        """Paint averages of blocks."""
        averages, chosen = self._level(level), self._lowest
        rows, columns = averages.shape[1:]
        top, bottom = max(part.top - 1, 0), min(part.bottom + 1, rows)
        left, right = max(part.left - 1, 0), min(part.right + 1, columns)
        known = (chosen.numbers < k) & ~np.isin(chosen.numbers, indices(left_out, k))
        values = np.ascontiguousarray(averages[known, top:bottom, left:right])
        halo = part.top - top, bottom - part.bottom, part.left - left, right - part.right
        screen.paint(values, chosen.lines[known], halo, *look, pixels)

    @cached_property
    def _lowest(self) -> Chosen:
        """The components that contribute where a block is shown by one pixel or less."""
        k = len(self.strips.places)
        kept = self.visible_components(k, BLOCK, list(range(self.strips.channels)), 255 / self.header.peak)
        return self.strips.chosen(kept[kept < k], k)

    def _level(self, level: int) -> Floats:
        """Return the lowest components' coefficients, averaged over groups of 2^level by 2^level blocks."""
        with self._lock:
            if 1 not in self._levels:
                self._levels[1] = self._first_level()
            for finer in range(1, level):
                if finer + 1 not in self._levels:
                    self._levels[finer + 1] = halved(self._levels[finer])
            return self._levels[level]

    def _first_level(self) -> Floats:
        strips, chosen = self.strips, self._lowest
        rows, columns = strips.grid
        result = np.empty((len(chosen.numbers), (rows + 1) // 2, (columns + 1) // 2), np.float32)
        height = max(1, STRIP // (2 * columns * max(1, len(chosen.numbers))))
        for start in range(0, len(result[0]), height):
            stop = min(start + height, len(result[0]))
            bounds = 2 * start, min(2 * stop, rows)
            values = strips.coefficients(chosen, strips.exact, bounds, (0, columns))
            result[:, start:stop] = halved(values)
        return result

    @property
    def variances(self) -> NDArray[np.float64]:
        """Variances of the coefficients, in squared units of the scores."""
        return self.strips.variances

    @property
    def sample_size(self) -> int:
        """Pixels along a block's side."""
        return BLOCK

    def component_picture(self, number: int, most: int = view.MOST_PICTURE) -> Floats:
        """Return a component's basis function: what a unit score adds to a block and its surroundings.

        Of shape (16, 16, C), in grey levels, it begins four pixels above and to the left of the block. (At
        the image's borders, where there is no lapping, basis functions end with their block.)
        """
        view.check_number(number, len(self.strips.places))
        place = int(self.strips.order[number - 1])
        channel, u, v = place // PER_CHANNEL, place // BLOCK % BLOCK, place % BLOCK
        down, along = self._supports
        picture = down[u][:, None, None] * along[v][:, None] * (self.cascade.rotation[channel] / ONE)
        return reduced(picture, most)

    @cached_property
    def _supports(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return axes.support(self.cascade.vertical), axes.support(self.cascade.horizontal)

    def score_plane(self, number: int, most: int = view.MOST_PLANE) -> Floats:
        """Return a component's scores as a picture, in grey levels, of blocks or `most` averages of them."""
        view.check_number(number, len(self.strips.places))
        rows, columns = self.strips.grid
        return reduced(self._scores([number - 1], (0, rows), (0, columns))[0], most)

    def scores_at(self, row: int, column: int) -> Floats:
        """Return all scores of a block in grey levels, shape (n_components,)."""
        view.check_place(row, column, self.strips.grid)
        numbers = range(len(self.strips.places))
        return self._scores(numbers, (row, row + 1), (column, column + 1))[:, 0, 0]

    def _scores(self, numbers: Sequence[int], rows: tuple[int, int], columns: tuple[int, int]) -> Floats:
        """Return coefficients of some components; a decoded file's scores are added to their predictions."""
        wanted = np.array(numbers, np.int64)
        chosen = self.strips.chosen(wanted, len(self.strips.places))
        found = self.strips.coefficients(chosen, self.strips.exact, rows, columns)
        scores = np.zeros((len(wanted), *found.shape[1:]), np.float32)
        scores[np.searchsorted(wanted, chosen.numbers)] = found * np.float32(self.strips.unit)
        return scores


def _tiles_at(analysis: PhotoAnalysis, step: float | None) -> Tiles | None:
    """Return the tiles of an analysed photo as they look at a step; None if components alone are shown."""
    return None if step is None or analysis.graphic is None else analysis.graphic.shown(step)


def _of_groups(maps: Floats, level: int) -> Floats:
    """Return the maps for averages over groups of 2^level blocks along an axis.

    Only the first and the last block of a group depend on blocks outside of it.
    """
    if not level:
        return maps
    outside = np.float32(2.0**-level)
    before, here, behind = (maps[..., start : start + BLOCK] for start in range(0, 3 * BLOCK, BLOCK))
    inside = here + (before + behind) * (1 - outside)
    return np.concatenate([before * outside, inside, behind * outside], axis=-1)
