"""Coding of images with flat colours and sharp edges: which tiles are coded by prediction among pixels.

Each tile is coded as part of the photo or by itself, whichever has the smaller D + λR. Both are tried on the
whole image. What remains for the photo is filled in smoothly where tiles are cut out of it, which costs it
next to nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import ORDERED, TILED
from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.photo.coding import quantize
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.slices import DEPENDENT_PRICE
from pcaimage.codec.photo.tables import Tables
from pcaimage.codec.photo.tiles import FLAT, TILE, Tiles, encode_tiles, flat_shares
from pcaimage.codec.step import Step
from pcaimage.progress import Progress, no_progress, overlapping
from pcaimage.sampling.lapped import BLOCK

Floats = NDArray[np.float64]

COARSEST = 120.0
"""Step, in grey levels, from which nothing is tried: photos of such steps only prepare corrections."""

OVERHEAD = 4000
"""Approximate number of bits saved where no tile is left for the photo."""

FINEST = 2.5
"""Step below which colours are kept exactly."""


def quantize_graphic(
    analysis: PhotoAnalysis, k: int, step: Step, progress: Progress = no_progress
) -> PhotoModel:
    """Quantise and code a photo some of whose tiles may be better coded by prediction among pixels.

    Parameters
    ----------
    analysis : PhotoAnalysis
        With :attr:`.PhotoAnalysis.graphic`.
    k, step
        As for :func:`.coding.quantize`.
    """
    first, second = overlapping(progress, 0.5)
    image = analysis.graphic
    plain = quantize(replace(analysis, graphic=None), k, step, first)
    if image is None or float(step) >= COARSEST:
        second(1, 1)
        return plain
    price = DEPENDENT_PRICE * float(step) ** 2
    errors = _errors(image, plain.reconstruct().reshape(image.shape))
    as_photo = errors + price * _photo_bits(plain, errors.shape)
    possible = flat_shares(image) >= FLAT
    best, gained = None, 0.0
    for rounding, repeating in _ways(float(step), price):
        coded = encode_tiles(image, possible, rounding, repeating)
        saved = np.where(possible, as_photo - _errors(image, coded.image) - price * _bits(coded), 0)
        chosen = saved > 0
        if possible.all() and price * OVERHEAD + saved[~chosen].sum() > 0:
            chosen = possible
        if saved[chosen].sum() > gained:
            best, gained = (chosen, rounding, repeating), saved[chosen].sum()
    if best is None:
        second(1, 1)
        return plain
    return _tiled(analysis, k, step, encode_tiles(image, *best), second)


def exact_tiles(analysis: PhotoAnalysis, model: PhotoModel, progress: Progress = no_progress) -> PhotoModel:
    """Return a model for lossless coding, in which tiles that suit that are coded exactly.

    Parameters
    ----------
    analysis : PhotoAnalysis
        With :attr:`.PhotoAnalysis.graphic`.
    model : PhotoModel
        The photo, quantised without tiles.
    """
    image = analysis.graphic
    if image is None:
        return model
    coded = encode_tiles(image, np.ones_like(flat_shares(image), np.bool_))
    better = _bits(coded) < _lossless_bits(image)
    if not better.any():
        return model
    tiles = coded if better.all() else encode_tiles(image, better)
    return _tiled(analysis, model.k, model.header.step, tiles, progress)


def _tiled(analysis: PhotoAnalysis, k: int, step: Step, tiles: Tiles, progress: Progress) -> PhotoModel:
    """Quantise what tiles leave of a photo, and add them."""
    image = analysis.graphic
    if image is None:
        raise ValueError("There is no image that tiles could be from.")
    rest, cascade = filled(image, tiles.chosen), analysis.cascade
    header = replace(analysis.header, tools=analysis.header.tools | TILED)
    if tiles.whole:  # nothing is left that bases, an order or shrinkage of the image's own would be good for
        basis = Tables.of(header.tables).basis
        cascade = Cascade(cascade.mean, cascade.rotation, basis, basis)
        header = replace(header, tools=header.tools & ~ORDERED, slopes=())
    planes = cascade.forward(rest.reshape(header.output_shape), UNIT)
    without = replace(analysis, header=header, cascade=cascade, planes=planes, graphic=None)
    found = quantize(without, k, step, progress)
    return replace(found.unshrunk if tiles.whole else found, tiles=tiles)


def _ways(step: float, price: float) -> list[tuple[float, float]]:
    """Return ways to code tiles: what colours are rounded to, and what a bit is worth in repeating them."""
    return [(0.0, 0.0)] if step < FINEST else [(0.0, 0.0), (step, 0.0), (step, price)]


def _bits(tiles: Tiles) -> Floats:
    return np.zeros(tiles.chosen.shape) if tiles.costs is None else tiles.costs.astype(np.float64)


def _sums(values: NDArray[Any], side: int) -> Floats:
    """Return sums over squares with some numbers along a side."""
    rows, columns = (range(0, length, side) for length in values.shape)
    return np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1).astype(np.float64)


def _errors(image: NDArray[np.uint8], other: NDArray[Any]) -> Floats:
    """Return the squared error of each tile."""
    squares = np.zeros(image.shape[:2], np.int32)
    for channel in range(image.shape[2]):
        squares += np.square(image[..., channel].astype(np.int32) - other[..., channel])
    return _sums(squares, TILE)


def _photo_bits(model: PhotoModel, shape: tuple[int, ...]) -> Floats:
    """Return how many bits of a photo are due to each tile, by the sizes of its scores."""
    weights = np.zeros(model.layout.grid, np.float64)
    for rows, scores in zip(model.layout.slices, model.scores, strict=True):
        for plane in scores:
            sizes = np.abs(plane.astype(np.int32))
            weights[rows] += np.where(sizes > 0, 3 + 2 * np.log2(np.maximum(sizes, 1)), 0.02)
    found = _sums(weights, TILE // BLOCK).reshape(shape)
    total = 8 * sum(map(len, model.segments))
    bits: Floats = found * (total / max(found.sum(), 1e-9))
    return bits


def _lossless_bits(image: NDArray[np.uint8]) -> Floats:
    """Return about how many bits each tile takes as a photo with corrections.

    The errors of a simple prediction are taken to be geometrically distributed in each tile; the true coder
    is better by about a seventh.
    """
    total, before = np.zeros((-(-image.shape[0] // TILE), -(-image.shape[1] // TILE))), None
    counts = _sums(np.ones(image.shape[:2], np.int32), TILE)
    for channel in [1, 0, 2][: image.shape[2]] if image.shape[2] > 2 else range(image.shape[2]):
        plane = image[..., channel].astype(np.int32)
        given = plane if before is None else plane - before
        before = plane
        around = np.pad(given, ((1, 0), (1, 0)), mode="edge")
        west, north, between = around[1:, :-1], around[:-1, 1:], around[:-1, :-1]
        low, high = np.minimum(west, north), np.maximum(west, north)
        errors = np.abs(given - np.clip(west + north - between, low, high))
        mean = _sums(errors, TILE) / counts
        total += counts * (np.log2(np.e * (2 * mean + 0.25)).clip(0.02))
    return total * (6 / 7)


def filled(image: NDArray[np.uint8], cut: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return an image whose tiles are cut out and filled in smoothly from what is around them.

    Averages of ever larger squares are taken over what is known, and fill smaller squares in which nothing
    is.
    If all is cut out, it is filled with the mean of the image.
    """
    height, width, channels = image.shape
    if cut.all():
        return np.broadcast_to(np.rint(image.mean(axis=(0, 1))).astype(np.uint8), image.shape).copy()
    inside = np.repeat(np.repeat(cut, TILE, axis=0), TILE, axis=1)[:height, :width]
    result = image.copy()
    for channel in range(channels):
        known = np.where(inside, np.float32(0), image[..., channel].astype(np.float32))
        smooth = _pulled(known, (~inside).astype(np.float32))
        result[..., channel][inside] = np.clip(np.rint(smooth[inside]), 0, 255).astype(np.uint8)
    return result


def _pulled(values: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return averages of what is known, with weights of 1, where weights are 0."""
    if min(values.shape) < 2 or weights.all():
        total = weights.sum()
        return values + (1 - weights) * np.float32((values * weights).sum() / max(total, 1e-9))
    padded = [np.pad(part, ((0, part.shape[0] % 2), (0, part.shape[1] % 2))) for part in (values, weights)]
    sums, counts = (part[::2, ::2] + part[1::2, ::2] + part[::2, 1::2] + part[1::2, 1::2] for part in padded)
    coarse = _pulled(sums / np.maximum(counts, 1), (counts > 0).astype(np.float32))
    fine = np.repeat(np.repeat(coarse, 2, axis=0), 2, axis=1)[: values.shape[0], : values.shape[1]]
    around = np.pad(fine, 1, mode="edge")
    smooth = (around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] + 4 * fine) / 8
    return np.where(weights > 0, values, smooth)
