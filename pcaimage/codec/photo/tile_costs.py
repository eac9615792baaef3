"""Costs of coding tiles of a photo, from which those of the whole are estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.prediction import FRACTION_BITS, settle
from pcaimage.codec.photo.sample import Floats, Tile
from pcaimage.codec.photo.slices import PhotoSliceCoder, Wanted
from pcaimage.codec.photo.tables import Tables
from pcaimage.codec.spectrum import indices
from pcaimage.codec.step import Step
from pcaimage.progress import Count
from pcaimage.quality import mean_squared_error

_UNIT = 1, -3
"""Mantissa and exponent of the scores' unit."""


@dataclass(frozen=True, eq=False)
class Costs:
    """Costs of the components of some blocks at a step; squares are sums in squared steps.

    Parameters
    ----------
    n_bytes : ndarray of float64, shape (n_components,)
        What each adds to the file.
    errors : ndarray of float64, shape (n_components,)
        What each leaves wrong where it is kept.
    left_out : ndarray of float64, shape (n_components,)
        What each leaves wrong where it is not kept, but predicted from the means.
    energies : ndarray of float64, shape (n_components,)
        What each leaves wrong where its channel's mean is not kept either.
    wrong : float
        The squared error of the pixels with all components, in squared pixel units.
    pictures : tuple of (ndarray, ndarray)
        Originals and what all components decode to.
    """

    n_bytes: Floats
    errors: Floats
    left_out: Floats
    energies: Floats
    wrong: float
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
    """Tiles of a photo side by side, which are coded together, or all of a photo.

    Each tile by itself would take several times as long, for every component of it is a call of the core.

    Parameters
    ----------
    analysis : PhotoAnalysis
        The photo.
    tiles : sequence of (slice, slice)
        Rows and columns of the blocks of each; all of one shape.
    """

    analysis: PhotoAnalysis = field(repr=False)
    tiles: Sequence[Tile]

    @property
    def blocks(self) -> tuple[int, int]:
        """Rows and columns of blocks of all tiles together."""
        rows, columns = self.tiles[0]
        return rows.stop - rows.start, (columns.stop - columns.start) * len(self.tiles)

    @cached_property
    def planes(self) -> NDArray[Any]:
        """The scores, in the cascade's order, whether a component is left out or not.

        Returns
        -------
        ndarray of int16 or int32, shape (C * 64, rows, columns)
            In the analysis's unit.
        """
        return np.concatenate([self.analysis.planes[:, *tile] for tile in self.tiles], axis=2)

    @cached_property
    def pixels(self) -> NDArray[Any]:
        """The original."""
        return self.decoded(self.planes.astype(np.int32), _UNIT)

    def decoded(self, planes: NDArray[np.int32], unit: tuple[int, int]) -> NDArray[Any]:
        """Return the pixels of some scores.

        Parameters
        ----------
        planes : ndarray of int32, shape (C * 64, rows, columns)
            In the cascade's order.
        unit : (int, int)
            Mantissa and exponent of their unit.
        """
        header, (rows, columns) = self.analysis.header, self.blocks
        height, width, channels = header.shape
        whole = (rows, columns) == PhotoLayout(header).grid
        shape = (height, width, channels) if whole else (8 * rows, 8 * columns, channels)
        return self.analysis.cascade.reconstruct(
            shape, np.dtype(header.dtype), lambda start, stop: planes[:, start:stop], unit
        )

    def pictures(self, pixels: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the tiles of all pixels, one by one."""
        return np.array_split(pixels, len(self.tiles), axis=1)


def costs(mosaic: Mosaic, step: Step, progress: Count) -> Costs:
    """Code a mosaic.

    Parameters
    ----------
    mosaic : Mosaic
        Some tiles.
    step : Step
        Δ.
    progress : Count
        Told of components done.
    """
    analysis = mosaic.analysis
    header = replace(analysis.header, step=step)
    trained, layout = Tables.of(header.tables).for_step(header), PhotoLayout(header)
    coder = PhotoSliceCoder(
        trained, np.zeros((analysis.n_components, *mosaic.blocks), layout.dtype), layout.channels
    )
    factor, gone = np.float32(UNIT / float(step)), indices(analysis.left_out, analysis.n_components)

    def true(index: int) -> NDArray[np.float32]:
        scores: NDArray[Any] = mosaic.planes[analysis.order[index]]
        return scores.astype(np.float32) * factor

    def wanted(index: int) -> NDArray[np.float32]:
        return true(index) * 0 if index in gone else true(index)

    _, ends = coder.encode(wanted, coder.price, progress)
    squares, decoded = _errors(mosaic, coder, true)
    pixels = mosaic.decoded(decoded, (step.mantissa, step.exponent - FRACTION_BITS))
    wrong = mean_squared_error(mosaic.pixels, pixels) * decoded.size
    pairs = zip(mosaic.pictures(mosaic.pixels), mosaic.pictures(pixels), strict=True)
    return Costs(np.diff([0.0, *ends]), *squares, wrong, tuple(pairs))


def _errors(
    mosaic: Mosaic, coder: PhotoSliceCoder, true: Wanted
) -> tuple[tuple[Floats, Floats, Floats], NDArray[np.int32]]:
    """Return squared errors with scores, with prediction alone and with neither; and what decodes."""
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
            settle(coder.scores[index], result, halves=coder.dependent)
        squares[0, index] = _square(scores - result / one)
    return (squares[0], squares[1], squares[2]), decoded


def _square(numbers: NDArray[Any]) -> float:
    return float(np.square(numbers).sum(dtype=np.float64))
