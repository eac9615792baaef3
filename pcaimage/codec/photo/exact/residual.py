"""Lossless coding of the residual: the difference between the original and its reconstruction.

Slices of lines are coded independently, channel by channel; each channel's contexts include the slice's whole
reconstruction and the channels before it. Decisions are coded by :mod:`~pcaimage.codec.coding.deciding`.

A pixel's residual is predicted as a weighted sum of its neighbours' residuals, in its own channel and in
those coded before, and of differences in the reconstruction. The weights minimise the squared error over the
causal neighbourhood: the same strip of columns in the lines above, and the strips beside it. The integer
normal equations are solved exactly, by Gaussian elimination.

The prediction error is a series of binary decisions: is the pixel above the prediction? How far, in steps
adapted to the neighbourhood? Where within the last step? Their probabilities are modelled from the errors
around the pixel, in its own channel and in those before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import deciding, strips
from pcaimage.codec.coding.deciding import DENSITIES, SIZES, STEPS, Learned
from pcaimage.codec.coding.range_coder import RangeWriter
from pcaimage.codec.coding.strips import BORDER, runs
from pcaimage.core.library import LONG, STRUCT, Array, Held, function, held
from pcaimage.errors import DataError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Count, Progress, counted, no_progress

AnyArray = NDArray[Any]
Ints = NDArray[np.int32]

SLICE_PIXELS = 1 << 20
"""Approximate upper bound on the pixels of a slice."""


def encode_residual(original: AnyArray, reconstruction: AnyArray, progress: Progress = no_progress) -> bytes:
    """Code the residual of a reconstruction of one to four channels."""
    _check(original)
    _check(reconstruction)
    if (original.shape, original.dtype) != (reconstruction.shape, reconstruction.dtype):
        raise DataError("An image and its reconstruction must be of the same type and shape.")
    slices = slices_of(reconstruction.shape)
    tick = counted(progress, reconstruction.size)

    def work(number: int) -> bytes:
        part = _Slice(reconstruction[slices[number]])
        return part.encode(original[slices[number]], tick)

    coded = side_by_side(work, len(slices))
    sizes = np.array([len(part) for part in coded], "<u4")
    return sizes.tobytes() + b"".join(coded)


def _check(array: AnyArray) -> None:
    if array.dtype not in {np.dtype(np.uint8), np.dtype(np.uint16)} or array.ndim != 3 or array.size == 0:
        raise DataError("Only images of 8 or 16 bits have residuals.")
    if array.shape[2] > 4:
        raise DataError(f"Residuals have up to four channels, not {array.shape[2]}.")


def slices_of(shape: tuple[int, ...]) -> list[slice]:
    """Return the ranges of lines of the slices, as even as possible."""
    height, width = shape[:2]
    count = min(height, -(-height * width // SLICE_PIXELS))
    return [slice(height * i // count, height * (i + 1) // count) for i in range(count)]


class _Slice:
    """The residual coder of one slice."""

    def __init__(self, reconstruction: AnyArray) -> None:
        height, width, channels = reconstruction.shape
        self.shape, self.type = reconstruction.shape, reconstruction.dtype
        self.order = [1, 0, *range(2, channels)] if channels > 2 else list(range(channels))
        stride = width + 2 * BORDER
        area = (height + 2 * BORDER) * stride
        planes = np.zeros((2 * channels, height + 2 * BORDER, stride), np.int32)
        for plane, channel in zip(planes[channels:], self.order, strict=True):
            plane[:] = np.pad(reconstruction[..., channel], BORDER, mode="edge")
        errors, peak = np.zeros(channels * area, np.int32), int(np.iinfo(self.type).max)
        self.known = held(KnownPixels(planes.ravel(), errors, area, stride, channels, peak))

    def encode(self, original: AnyArray, tick: Count) -> bytes:
        """Encode the slice of the original."""
        writer, learned = RangeWriter(), held(nothing_learned())
        for index, channel in enumerate(self.order):
            values = original[..., channel].astype(np.int32).ravel()
            for count in self._code(index, values, learned, writer):
                tick(count)
        # Fixed by the first version of the format.
        return writer.finish(keep_certain=True)

    def _code(self, index: int, values: Ints, learned: Held[Learned], writer: RangeWriter) -> Iterator[int]:
        """Code one channel, and yield the number of pixels done after each step."""
        known, (rows, width) = self.known, self.shape[:2]
        record = known.record
        fit = held(fit_of(index, record.channels, record.area, record.stride, width))
        for start, stop, count in runs(rows, width, STRIP):
            writer.reserve(BITS * count)
            write_strips(index, start, stop, values, width, known, fit, learned, writer.coder)
            writer.keep()
            yield count


STRIP = 16
"""Width of a strip."""

_CAUSAL = (
    (0, -1),
    (-1, 0),
    (-1, -1),
    (-1, 1),
    (0, -2),
    (-2, 0),
    (-2, 1),
    (-2, -1),
    (-1, 2),
    (-1, -2),
    (-2, 2),
    (-2, -2),
    (0, -3),
    (-3, 0),
)
_BEFORE = ((0, 0), (0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
_AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Equations(NamedTuple):
    """Normal equations of one channel and their solutions.

    `places` are offsets of the n inputs in the planes of
    :class:`KnownPixels`, relative to the pixel. The first, `own`, are
    residuals, the others differences to the pixel's reconstruction. For each strip there are the sums of
    products of inputs with each other and, in row n, with the target, in 4 × 4 blocks; and the solutions.
    """

    places: NDArray[np.int64]
    own: int
    others: int
    inputs: int
    strips: int
    sums: NDArray[np.int32]  # shape (strips, m)
    weights: NDArray[np.int32]  # shape (strips, n)


def fit_of(channel: int, channels: int, area: int, stride: int, columns: int) -> Equations:
    """Return the initial equations of a channel, counted in coding order, which the core updates in place.

    A plane has `area` values, and a line of it `stride`; `columns` is the image's width.
    """

    def at(plane: int, neighbours: tuple[tuple[int, int], ...]) -> list[int]:
        return [plane * area + down * stride + right for down, right in neighbours]

    places = at(channel, _CAUSAL[:6] if channel else _CAUSAL)
    for before in range(channel - 1, max(channel - 3, -1), -1):
        places += at(before, _BEFORE)
    own = len(places)
    places += at(channels + channel, _AROUND[:4] if channel else _AROUND)
    n, count = len(places), strips.fits(columns, STRIP)
    return Equations(
        np.array(places, np.int64),
        own,
        n - own,
        n,
        count,
        np.zeros((count, strips.sums(n)), np.int32),
        np.zeros((count, n), np.int32),
    )


CHANNELS = 4
"""Largest number of channels."""

_KINDS, _VALUES, _TILTS = 17, 512, 3
_WIDTHS, _BIASES, _MODELS = 32 * 24 + 24 * 32 + SIZES, 24 * 9 + 41, DENSITIES * 16 + 2560 + 640
_FIRST_WIDTH = 46 * 64
_PAIRS = 64


class KnownPixels(NamedTuple):
    """The known pixels of a slice, in planes with a border and in coding order.

    Planes are the residual of each channel, as far as it is coded, followed by the reconstruction of each
    channel.
    """

    planes: Ints  # shape (2 * C * area,)
    errors: Ints  # prediction errors, in 1/16, shape (C * area,)
    area: int  # values in a plane
    stride: int  # values in a line
    channels: int  # their number C
    peak: int  # the largest value of a pixel


def nothing_learned() -> Learned:
    """Return the adaptive models at the start of a slice."""
    return deciding.nothing_learned(
        CHANNELS * DENSITIES,
        CHANNELS * _MODELS,
        _TILTS * CHANNELS * _KINDS * _VALUES,
        CHANNELS * _WIDTHS,
        CHANNELS * _BIASES,
        _FIRST_WIDTH,
        CHANNELS * _PAIRS,
    )


BITS = STEPS + 57
"""Upper bound on the binary decisions of one channel of a pixel."""

_PARAMETERS = (LONG, LONG, LONG, Array(np.int32, writable=True), LONG, STRUCT, STRUCT, STRUCT, STRUCT)

write_strips = function("pcai_residual_write", None, *_PARAMETERS)
"""Code one channel of some strips.

The channel is counted in coding order, and strips in raster order; `values` are the channel's pixels (int32),
and `columns` those of a line. Contexts, equations and models are updated in place.
"""
