"""Fitting of the gains of shrinkage to photographs that were coded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.photo.inverse import FRACTION_BITS
from pcaimage.codec.photo.prediction import FRACTION_BITS as SCORE_BITS
from pcaimage.codec.photo.prediction import settle
from pcaimage.codec.photo.shrinkage import BANDS, SIZES, Shrinkage
from pcaimage.codec.photo.slices import PhotoSliceCoder
from pcaimage.codec.photo.tables import Tables
from pcaimage.codec.step import Step

LENGTHS = np.array([40, 16, 40, 100, 40, 100, 16, 40, 100])
"""The squared length of each band's vectors."""

EDGES = np.array(
    [[np.ceil(8 * np.sqrt(n) * 2 ** ((size - 6.5) / 2)) for size in range(1, SIZES)] for n in (16, 40, 100)],
    np.int16,
)
"""The least size of all classes but the first: half an octave apart."""

GAIN_BITS = 12


class Moments(NamedTuple):
    """Normal equations of a channel's gains: products of its cells' corrections with errors and each other.

    Parameters
    ----------
    products : ndarray of float64, shape (90, 90)
        Of the cells' corrections by whole gains with each other.
    right : ndarray of float64, shape (90,)
        Of the cells' corrections with what is missing.
    squares : float
        Of what is missing.
    """

    products: NDArray[np.float64]
    right: NDArray[np.float64]
    squares: float


def decoded(planes: NDArray[np.float32], trained: Tables) -> NDArray[np.int32]:
    """Code scores with dependent quantisation; return the coefficients that a decoder finds, in Δ/256.

    `planes` are (192, rows, columns) in units of the step.
    """
    places = trained.components(3).planes.tolist()
    scores = np.zeros(planes.shape, np.int32)
    coder = PhotoSliceCoder(trained, scores, 3)
    coder.encode(lambda index: planes[places[index]], coder.price, lambda _: None)
    found = np.zeros(planes.shape, np.int32)
    for index, plane in enumerate(places):
        if index < 3:
            found[plane] = scores[index] << SCORE_BITS
        else:
            found[plane] = coder.predicted(index)
            settle(scores[index], found[plane], halves=True)
    return found


def moments(pixels: NDArray[np.uint8], trained: Tables, step: Step) -> list[Moments]:
    """Code an image, of shape (H, W, 3), and return the equations of each channel."""
    cascade = Cascade.of_image(pixels, trained.basis, trained.basis)
    dtype, bits = pixels.dtype, FRACTION_BITS[pixels.dtype]
    true = cascade.forward(pixels, 1 / 8)
    coded = decoded(true.astype(np.float32) / np.float32(8 * float(step)), trained)
    groups, exponent = (0, true.shape[1] + 1), step.exponent - SCORE_BITS

    def channels(planes: NDArray[np.int32], unit: tuple[int, int]) -> NDArray[np.float64]:
        return cascade.channel_planes(
            pixels.shape, dtype, lambda first, last: planes[:, first:last], unit, groups
        )

    wanted = channels(true.astype(np.int32), (1, -3))
    before = channels(coded, (step.mantissa, exponent))
    found = []
    for channel in range(3):
        cells = np.stack(
            [
                _change(before[channel], np.arange(SIZES) == size, band, step, bits)
                for band in range(BANDS)
                for size in range(SIZES)
            ]
        )
        missing = np.ldexp(wanted[channel] - before[channel], -bits).astype(np.float32).ravel()
        found.append(
            Moments(
                *((cells @ other).astype(np.float64) for other in (cells.T, missing)),
                float(missing @ missing),
            )
        )
    return found


def _change(
    plane: NDArray[np.float64], which: NDArray[np.bool_], band: int, step: Step, bits: int
) -> NDArray[np.float32]:
    gains = np.zeros((1, BANDS, SIZES), np.int32)
    gains[0, band, which] = round(2**GAIN_BITS / LENGTHS[band])
    after = plane[None].copy()
    Shrinkage(EDGES.astype(np.int32), gains, (8,), step).apply(after, 0, len(plane), bits)
    change: NDArray[np.float32] = np.ldexp(after[0] - plane, -bits).astype(np.float32).ravel()
    return change
