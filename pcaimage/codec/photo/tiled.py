"""Quantisation of photos some of whose tiles are coded by prediction among pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import DRAWN, ORDERED, TILED
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.planes import Planes
from pcaimage.codec.photo.tables import Tables
from pcaimage.codec.photo.tiles.graphics import OVERHEAD, Floats, filled, has_few_colours, sums
from pcaimage.codec.photo.tiles.tiles import TILE, Tiles, encode_tiles, grid_of
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.step import Step
from pcaimage.progress import Progress, no_progress, overlapping, part

Quantize = Callable[[PhotoAnalysis, int, Step, Progress], PhotoModel]
"""Quantises and codes a photo without tiles."""

MOSTLY, WORTHWHILE = 0.9, 0.97  # a lossless file may be all tiles: least share of flat ones, most of bytes

EXACTLY = 0.4
"""Share of coding the tiles in the work of finding those of a lossless file; then the rest is quantised."""

PREDICTED = 0.514
"""Share of the bits of a simple prediction that corrections of a tile are taken to need.

Against 0.86, three screenshots are smaller by 0.6 %, a page of text beside a photograph is larger by 0.3 %.
With 0.43 these figures are 2.2 and 0.9 %.
"""


def quantize_tiled(
    quantize: Quantize, analysis: PhotoAnalysis, k: int, step: Step, progress: Progress = no_progress
) -> PhotoModel:
    """Quantise and code a photo with a graphic, some of whose tiles are coded by prediction among pixels."""
    graphic = analysis.graphic and analysis.graphic.at(float(step))
    if graphic is None or not graphic.chosen.any():
        return quantize(replace(analysis, graphic=None), k, step, progress)
    first, second = overlapping(progress, 0.9 if graphic.whole else 0.4)
    tiles = graphic.coded(float(step), first, quick=not analysis.header.dependent)
    analysis.found.release()
    rest = graphic.rest(analysis.cascade)
    found = _tiled(quantize, analysis, rest, k, step, tiles, second)
    rest.release()  # what checking needs takes its place
    return found


def exact_tiles(
    quantize: Quantize, analysis: PhotoAnalysis, model: PhotoModel, progress: Progress = no_progress
) -> PhotoModel:
    """Return a model for lossless coding, in which tiles that suit that are coded exactly.

    Of the model, quantised as :func:`quantize_tiled` does, only step and k matter.
    """
    graphic = analysis.graphic
    if graphic is None:
        return model
    image, possible = graphic.image, graphic.flatness.flat
    if possible.mean() > MOSTLY:
        possible = np.ones_like(possible)
    coding, resting = part(progress, 0.0, EXACTLY), part(progress, EXACTLY, 1.0)

    def encoded(chosen: NDArray[np.bool_], start: float, stop: float) -> Tiles:
        return encode_tiles(image, chosen, progress=part(coding, start, stop))

    coded = graphic.exact if np.array_equal(possible, graphic.chosen) else encoded(possible, 0.0, 0.5)
    better = kept_exact(_bits(coded), _lossless_bits(image), possible)
    if not better.any():
        return quantize(replace(analysis, graphic=None), model.k, model.header.step, resting)
    tiles = coded if np.array_equal(better, possible) else encoded(better, 0.5, 1.0)
    rest = Planes(analysis.cascade.forward(filled(image, tiles.chosen), UNIT))
    return _tiled(quantize, analysis, rest, model.k, model.header.step, tiles, resting)


def whole_tiles(
    quantize: Quantize, analysis: PhotoAnalysis, model: PhotoModel, image: NDArray[Any], size: int
) -> PhotoModel | None:
    """Return a lossless model all of whose image is in tiles; None if that saves too little of a size."""
    if image.dtype != np.uint8 or not has_few_colours(image):
        return None
    tiles = encode_tiles(image, np.ones(grid_of(image.shape), np.bool_))
    if len(tiles.data) >= WORTHWHILE * size:
        return None
    rest = Planes(analysis.cascade.forward(filled(image, tiles.chosen), UNIT))
    return _tiled(quantize, analysis, rest, model.k, model.header.step, tiles, no_progress)


def _tiled(
    quantize: Quantize,
    analysis: PhotoAnalysis,
    rest: Planes,
    k: int,
    step: Step,
    tiles: Tiles,
    progress: Progress,
) -> PhotoModel:
    """Quantise what tiles leave of a photo, whose scores are given, and add them."""
    header, cascade = analysis.header, analysis.cascade
    header = replace(header, tools=header.tools | TILED | (DRAWN if tiles.drawn else 0))
    if tiles.whole:  # nothing is left that bases, an order or shrinkage of the image's own would be good for
        basis = Tables.of(header.tables).basis
        cascade = Cascade(cascade.mean, cascade.rotation, basis, basis)
        header = replace(header, tools=header.tools & ~ORDERED, slopes=())
    without = replace(analysis, header=header, cascade=cascade, found=rest, graphic=None)
    found = quantize(without, k, step, progress)
    return replace(found.unshrunk if tiles.whole else found, tiles=tiles)


def kept_exact(bits: Floats, others: Floats, possible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which tiles of a lossless file are coded exactly, by their bits so and as parts of the photo.

    An image that may be all tiles stays so unless the others save more than a photo has besides its scores.
    """
    better = possible & (bits < others)
    saved = float(np.where(better, 0.0, bits - others).sum())
    return possible if possible.all() and saved < OVERHEAD else better


def _bits(tiles: Tiles) -> Floats:
    return np.zeros(tiles.chosen.shape) if tiles.costs is None else tiles.costs.astype(np.float64)


def _lossless_bits(image: NDArray[np.uint8]) -> Floats:
    """Return about how many bits each tile takes as a photo with corrections.

    The errors of a simple prediction are taken to be geometrically distributed in each tile, at the share of
    bits that :data:`PREDICTED` says.
    """
    total, before = np.zeros((-(-image.shape[0] // TILE), -(-image.shape[1] // TILE))), None
    counts = sums(np.ones(image.shape[:2], np.int32), TILE)
    for channel in [1, 0, 2][: image.shape[2]] if image.shape[2] > 2 else range(image.shape[2]):
        plane = image[..., channel].astype(np.int32)
        given = plane if before is None else plane - before
        before = plane
        around = np.pad(given, ((1, 0), (1, 0)), mode="edge")
        west, north, between = around[1:, :-1], around[:-1, 1:], around[:-1, :-1]
        low, high = np.minimum(west, north), np.maximum(west, north)
        errors = np.abs(given - np.clip(west + north - between, low, high))
        mean = sums(errors, TILE) / counts
        total += counts * (np.log2(np.e * (2 * mean + 0.25)).clip(0.02))
    return total * PREDICTED
