"""Which tiles of an image are drawn from their neighbours: those whose D + λR is smaller than in the photo.

A few parts of the image tell first whether it is worth looking at all of it: most photographs' are not. At
borders between both kinds, what is transformed loses what it would learn from, and what is drawn has no
neighbours; so tiles of one kind keep together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Effort
from pcaimage.codec.compressed import NESTED
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import quantize
from pcaimage.codec.photo.layout import PER_CHANNEL, UNIT
from pcaimage.codec.photo.picture import SCORE_BITS, Picture
from pcaimage.codec.photo.planes import Planes
from pcaimage.codec.photo.scores.costs import size_bits, square_errors
from pcaimage.codec.photo.tiles.drawn import Drawn, encode_drawn
from pcaimage.codec.photo.tiles.graphics import Floats, price, sums
from pcaimage.codec.photo.tiles.tiles import TILE, flatness, grid_of
from pcaimage.codec.step import Step
from pcaimage.machine.parallel import side_by_side
from pcaimage.sampling.blocks import BLOCK

USUAL = Step.nearest(24.0)  # step for which tiles are chosen
SIDE = 2  # tiles along the side of a part that tells about the image

PARTS = 3, 4  # rows, and columns, of parts that are looked at: of small images, and of those of megapixels
LARGE = 3 << 21  # samples from which an image is large
MOST_APART = 8  # largest distance of the rows among which parts are: it grows with the image

PROMISING, SAVED, HOPELESS = 0.84, 0.96, 0.95
"""Shares of D + λR below which it must be: in the parts, but of small images with the most effort, and in all
of the image. What is drawn has no components to choose, so it must save a tenth of the bytes, unless the
effort is the most. Of large images a few parts tell where the last is exceeded."""

LEARNT = 0.92  # share of the costs of parts that is left where models learn from all of an image

BORDER, BUSY = 30.0, 0.055
"""What a border between both kinds costs, in squared steps: so much, and a share of the transformed tile."""

INSIDE = 4.0  # what is coded of what fills a drawn tile in the photo, in squared steps
_BAND = 4  # rows of tiles that are estimated at once
ROUNDS = 16  # how often tiles may change
_LOOKED_UP, _PARTS = 64.0, 16  # largest score whose cost is looked up, in steps, and numbers for each step

Pixels = NDArray[np.uint8]
Chosen = NDArray[np.bool_]


def with_drawing(analysis: PhotoAnalysis, array: NDArray[Any], effort: Effort) -> PhotoAnalysis:
    """Return an analysed image with those of its tiles that are drawn; most photographs as they are.

    With the most effort they are chosen for each step: at coarse ones more is worth it.
    """
    eager = effort == Effort.BEST
    image = array.reshape(analysis.header.shape)
    if analysis.graphic is not None or image.dtype != np.uint8 or min(image.shape[:2]) < TILE:
        return analysis
    if not (eager and image.size < LARGE) and _share(image, analysis) > PROMISING:
        return analysis
    choose = cache(partial(_chosen, image, analysis, 1.0 if eager else SAVED))
    chosen = choose(USUAL)
    if not (eager or chosen.any()):
        return analysis
    known, levels = (image, flatness(image), chosen), np.ones(chosen.shape, np.uint8)
    graphic = Drawn(*known, levels=levels, cascade=analysis.cascade, header=analysis.header)
    graphic = replace(graphic, choose=choose) if eager else graphic
    planes = Planes(analysis.planes, partial(analysis.cascade.forward, image, UNIT))
    found = replace(analysis, found=planes, graphic=graphic)
    object.__setattr__(found, "spread", analysis.spread)
    return found


def _chosen(image: Pixels, analysis: PhotoAnalysis, most: float, step: Step) -> Chosen:
    """Choose tiles at a step: none unless D + λR becomes less than a share of that of the photo."""
    photo, drawn = transformed(analysis.planes, analysis, step), _drawn(image, analysis, step)
    model = quantize(analysis, analysis.k_for_step(float(step)), step)
    photo *= _cost(model.mean_squared_error(image) * image.size, model.segments, step) / max(photo.sum(), 1)
    chosen, cost = together(drawn, photo)
    return chosen if cost < most * photo.sum() else np.zeros_like(chosen)


def _cost(squares: float, coded: Sequence[bytes], step: Step) -> float:
    """Return D + λR in squared steps."""
    return squares / float(step) ** 2 + price(1.0) * 8 * sum(map(len, coded))


def _share(image: Pixels, analysis: PhotoAnalysis) -> float:
    """Return the share of the costs that is left if parts are drawn; 0 of an image that is hardly larger.

    Parts are as likely to be looked at as they cost much in the photo.
    """
    large, side = image.size >= LARGE, SIDE * TILE
    count, every = PARTS[large], min(1 + image.size // LARGE, MOST_APART)
    starts = np.arange(0, image.shape[0] - side + 1, side * every)
    columns = image.shape[1] // side
    if len(starts) * columns < 2 * count**2:
        return 0.0
    lines = (starts[:, np.newaxis] + np.arange(side)).ravel()
    photo = transformed(analysis.planes[:, lines[::BLOCK] // BLOCK], analysis)
    costs = sums(photo[:, : SIDE * columns], SIDE).ravel()
    if not costs.any():
        return 1.0
    places = np.searchsorted(np.cumsum(costs), costs.sum() * (np.arange(count**2) + 0.5) / count**2)
    parts = [
        image[starts[row] :, column * side :][:side, :side]
        for row, column in np.transpose(np.divmod(places, columns))
    ]

    def found(some: slice) -> float:
        chosen = parts[some]
        part = np.vstack([np.hstack(chosen[start::count]) for start in range(count)])
        drawn = sums(_drawn(part, analysis), SIDE).T.ravel()
        return float(np.minimum(LEARNT * drawn / costs[places][some], 1).mean())

    few = found(slice(1, None, count)) if large else 0.0
    return few if few > HOPELESS else found(slice(None))


def _drawn(image: Pixels, analysis: PhotoAnalysis, step: Step = USUAL) -> Floats:
    """Return what each tile costs if all are drawn and shrunk, in squared steps."""
    tiles, header = np.ones(grid_of(image.shape), np.uint8), replace(analysis.header, step=step)
    found = encode_drawn(image, tiles, analysis.cascade, header)
    costs: Floats = np.zeros(0) if found.costs is None else found.costs.astype(np.float64)
    wrong = float(np.square(found.image.astype(np.float32) - image).sum())
    costs *= _cost(wrong, [found.data], step) / max(costs.sum(), 1)
    return costs


def together(drawn: Floats, photo: Floats) -> tuple[Chosen, float]:
    """Choose tiles by their costs in both ways, and by those of borders; return them with the cost of all.

    From all that are cheaper by themselves, and from all, tiles change for the better (J. Besag, "On the
    statistical analysis of dirty pictures", J. Royal Statistical Society B 48, 1986): those of a chequerboard
    by turns, so that neighbours do not change places for ever.
    """
    border, turns = BORDER + BUSY * photo, np.indices(drawn.shape).sum(axis=0) % 2

    def improved(chosen: Chosen) -> tuple[Chosen, float]:
        for turn in range(ROUNDS):
            better = drawn + INSIDE + _around(~chosen, border) < photo + border * _around(chosen)
            chosen = np.where(turns == turn % 2, better, chosen)
        inside = 0.0 if chosen.all() else INSIDE
        return chosen, float(np.where(chosen, drawn + inside, photo + border * _around(chosen)).sum())

    return min(map(improved, (drawn < photo, np.ones(drawn.shape, np.bool_))), key=lambda each: each[1])


def _around(some: Chosen, values: Floats | float = 1.0) -> Floats:
    """Return sums of the values of those of the four tiles around that are among some."""
    padded = np.pad(np.where(some, values, 0.0), 1)
    found: Floats = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    return found


def transformed(planes: NDArray[Any], analysis: PhotoAnalysis, step: Step = USUAL) -> Floats:
    """Estimate what each tile costs as a part of the photo, in squared steps: D + λR."""
    starts = range(0, planes.shape[1], _BAND * TILE // BLOCK)
    bands = side_by_side(
        lambda n: _band_costs(planes[:, starts[n] : starts[n] + _BAND * TILE // BLOCK], analysis, step),
        len(starts),
    )
    return np.concatenate(bands)


def _band_costs(planes: NDArray[Any], analysis: PhotoAnalysis, step: Step) -> Floats:
    """Estimate costs by what is left of scores when they are predicted by the means around."""
    channels, (rows, columns) = analysis.header.shape[2], planes.shape[1:]
    shape, factor = (BLOCK * rows, BLOCK * columns, channels), np.float32(UNIT / float(step))
    tools = analysis.header.tools & ~NESTED
    header = replace(analysis.header, step=step, shape=shape, slice_rows=0, tools=tools)
    means = np.rint(planes[::PER_CHANNEL] * (2 * factor)).astype(planes.dtype)
    expected = Picture(header, analysis.cascade, [means]).coefficients(0, rows)
    sizes = np.arange(_LOOKED_UP * _PARTS, dtype=np.float32) / _PARTS
    costs = (square_errors(sizes) + price(1.0) * size_bits(sizes)).astype(np.float32)
    found = np.zeros((rows, columns), np.float32)
    for index, plane in enumerate(planes):
        if index % PER_CHANNEL:
            left = plane * factor - expected[index] * np.float32(0.5**SCORE_BITS)
        else:
            left = _unforeseen(plane * factor)
        found += costs[np.minimum(np.abs(left) * _PARTS + 0.5, len(costs) - 1).astype(np.int16)]
    return sums(found, TILE // BLOCK)


def _unforeseen(means: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what differs from the plane through the means to the left and above, within their range."""
    around = np.pad(means, ((1, 0), (1, 0)), mode="edge")
    west, north, between = around[1:, :-1], around[:-1, 1:], around[:-1, :-1]
    guess = np.clip(west + north - between, np.minimum(west, north), np.maximum(west, north))
    found: NDArray[np.float32] = means - guess
    return found
