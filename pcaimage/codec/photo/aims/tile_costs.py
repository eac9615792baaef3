"""Rate and distortion of tiles of a photo, from which those of the whole are estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.aims.sample import Floats, Tile
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import UNIT, PhotoLayout
from pcaimage.codec.photo.masking import masking
from pcaimage.codec.photo.memory import Memory
from pcaimage.codec.photo.scores.prediction import FRACTION_BITS
from pcaimage.codec.photo.scores.shrinkage import Shrinkage
from pcaimage.codec.photo.slices import PhotoSliceCoder, Wanted
from pcaimage.codec.photo.strengths import ranges, shrunk
from pcaimage.codec.photo.tables import Tables
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.progress import Count
from pcaimage.quality import mean_squared_error

_UNIT = 1, -3
"""Mantissa and exponent of the scores' unit."""


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

    @cached_property
    def pixels(self) -> NDArray[Any]:
        """The original pixels."""
        return self.decoded(self.planes.astype(np.int32), _UNIT)

    def shrunk(self, header: Header, planes: NDArray[np.int32], levels: NDArray[np.int8]) -> Header:
        """Return a header with the strengths of shrinkage that suit coefficients as for :meth:`decoded`."""

        def true(start: int, stop: int, _: Memory) -> NDArray[np.int32]:
            return self.planes[:, start:stop].astype(np.int32)

        parts = ranges(0, self.blocks[0] + 1)
        cascade = self.analysis.cascade

        def coded(start: int, stop: int, _: Memory) -> NDArray[np.int32]:
            return planes[:, start:stop]

        return shrunk(header, cascade, self.shape, true, coded, levels, parts)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of the pixels."""
        header, (rows, columns) = self.analysis.header, self.blocks
        height, width, channels = header.shape
        whole = (rows, columns) == PhotoLayout(header).grid
        return (height, width, channels) if whole else (8 * rows, 8 * columns, channels)

    def decoded(
        self, planes: NDArray[np.int32], unit: tuple[int, int], shrinkage: Shrinkage | None = None
    ) -> NDArray[Any]:
        """Reconstruct the pixels from scores of shape (C * 64, rows, columns), in the cascade's order."""
        return self.analysis.cascade.reconstruct(
            self.shape,
            np.dtype(self.analysis.header.dtype),
            lambda start, stop, _: planes[:, start:stop],
            unit,
            shrinkage=shrinkage,
        )

    def pictures(self, pixels: NDArray[Any]) -> list[NDArray[Any]]:
        """Split the mosaic's pixels into its tiles."""
        return np.array_split(pixels, len(self.tiles), axis=1)


def costs(mosaic: Mosaic, step: Step, progress: Count) -> Costs:
    """Code a mosaic at a step, and return its costs."""
    analysis = mosaic.analysis
    header = replace(analysis.header, step=step)
    trained, layout = Tables.of(header.tables).for_step(header), PhotoLayout(header)
    scores = np.zeros((analysis.n_components, *mosaic.blocks), layout.dtype)
    coder = PhotoSliceCoder.of(header, trained, scores)
    factor, gone = np.float32(UNIT / float(step)), indices(analysis.left_out, analysis.n_components)

    def true(index: int) -> NDArray[np.float32]:
        scores: NDArray[Any] = mosaic.planes[analysis.order[index]]
        return scores.astype(np.float32) * factor

    def wanted(index: int) -> NDArray[np.float32]:
        return true(index) * 0 if index in gone else true(index)

    _, ends = coder.encode(wanted, coder.price, progress, masking(mosaic.planes, header, UNIT))
    squares, decoded = _errors(mosaic, coder, true)
    shrinkage = Tables.of(header.tables).shrinkage(mosaic.shrunk(header, decoded, coder.blocks), coder.blocks)
    pixels = mosaic.decoded(decoded, (step.mantissa, step.exponent - FRACTION_BITS), shrinkage)
    wrong = mean_squared_error(mosaic.pixels, pixels) * decoded.size
    pairs = zip(mosaic.pictures(mosaic.pixels), mosaic.pictures(pixels), strict=True)
    return Costs(np.diff([0.0, *ends]), *squares, wrong, tuple(pairs))


def _errors(
    mosaic: Mosaic, coder: PhotoSliceCoder, true: Wanted
) -> tuple[tuple[Floats, Floats, Floats], NDArray[np.int32]]:
    """Return squared errors of scores, of prediction alone and of neither, and the decoded coefficients."""
    one, order = np.float32(1 << FRACTION_BITS), mosaic.analysis.order
    decoded = np.zeros((len(order), *mosaic.blocks), np.int32)
    squares = np.zeros((3, len(order)))
    for index, plane in enumerate(order):
        scores, result = true(index), decoded[plane]
        squares[2, index] = _square(scores)
        if index < coder.channels:
            result[:] = coder.scores[index].astype(np.int32) << FRACTION_BITS
            squares[1, index] = squares[2, index]
        else:
            result[:] = coder.predicted(index)
            squares[1, index] = _square(scores - result / one)
            coder.settle(index, result)
        squares[0, index] = _square(scores - result / one)
    return (squares[0], squares[1], squares[2]), decoded


def _square(numbers: NDArray[Any]) -> float:
    return float(np.square(numbers).sum(dtype=np.float64))
