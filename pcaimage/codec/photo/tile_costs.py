"""Costs of coding tiles of a photo, from which those of the whole are estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.coding import PRICE
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.prediction import FRACTION_BITS, settle
from pcaimage.codec.photo.sample import Floats, Tile
from pcaimage.codec.photo.slices import PhotoSliceCoder, Wanted
from pcaimage.codec.photo.tables import Tables
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
class PhotoTile:
    """A tile of a photo, or all of one.

    Parameters
    ----------
    analysis : PhotoAnalysis
        The photo.
    tile : (slice, slice)
        Rows and columns of blocks.
    """

    analysis: PhotoAnalysis = field(repr=False)
    tile: Tile

    @property
    def blocks(self) -> tuple[int, int]:
        """Rows and columns of blocks."""
        rows, columns = self.tile
        return rows.stop - rows.start, columns.stop - columns.start

    @cached_property
    def pixels(self) -> NDArray[Any]:
        """The original."""
        planes = self.analysis.planes[:, *self.tile].astype(np.int32)
        return self.decoded(planes, _UNIT)

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
        shape = min(8 * rows, height), min(8 * columns, width), channels
        return self.analysis.cascade.reconstruct(
            shape, np.dtype(header.dtype), lambda start, stop: planes[:, start:stop], unit
        )

    def scores(self, index: int) -> NDArray[Any]:
        """Return the scores of a component.

        Returns
        -------
        ndarray of int16 or int32, shape (rows, columns)
            In the analysis's unit, whether the component is left out or not.
        """
        scores: NDArray[Any] = self.analysis.planes[self.analysis.order[index], *self.tile]
        return scores


def costs(pictures: Sequence[PhotoTile], step: Step, progress: Count) -> Costs:
    """Code pictures one after the other; each continues with the models that those before it trained.

    Parameters
    ----------
    pictures : sequence of PhotoTile
        Of one photo, and of one shape.
    """
    analysis = pictures[0].analysis
    header = replace(analysis.header, step=step)
    trained, layout = Tables.of(header.tables).for_step(header), PhotoLayout(header)
    total, before = None, None
    for picture in pictures:
        scores = np.zeros((analysis.n_components, *picture.blocks), layout.dtype)
        coder = PhotoSliceCoder(trained, scores, layout.channels)
        if before is not None:
            coder.learn_in(*before.taught)
        found = _coded(picture, coder, step, progress)
        total, before = found if total is None else total + found, coder
    assert total is not None  # noqa: S101 - there is a picture at least
    return total


def _coded(picture: PhotoTile, coder: PhotoSliceCoder, step: Step, progress: Count) -> Costs:
    factor = np.float32(UNIT / float(step))

    def wanted(index: int) -> NDArray[np.float32]:
        return picture.analysis.plane(index)[picture.tile].astype(np.float32) * factor

    def true(index: int) -> NDArray[np.float32]:
        return picture.scores(index).astype(np.float32) * factor

    _, ends = coder.encode(wanted, PRICE, progress)
    squares, decoded = _errors(picture, coder, true)
    pixels = picture.decoded(decoded, (step.mantissa, step.exponent - FRACTION_BITS))
    wrong = mean_squared_error(picture.pixels, pixels) * decoded.size
    return Costs(np.diff([0.0, *ends]), *squares, wrong, ((picture.pixels, pixels),))


def _errors(
    picture: PhotoTile, coder: PhotoSliceCoder, true: Wanted
) -> tuple[tuple[Floats, Floats, Floats], NDArray[np.int32]]:
    """Return squared errors with scores, with prediction alone and with neither; and what decodes."""
    one, order = np.float32(1 << FRACTION_BITS), picture.analysis.order
    decoded = np.zeros((len(order), *picture.blocks), np.int32)
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
            settle(coder.scores[index], result)
        squares[0, index] = _square(scores - result / one)
    return (squares[0], squares[1], squares[2]), decoded


def _square(numbers: NDArray[Any]) -> float:
    return float(np.square(numbers).sum(dtype=np.float64))
