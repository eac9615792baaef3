"""Lossless coding of the residual: the difference between the original and its reconstruction.

Slices of lines are coded independently, channel by channel; each channel's contexts include the slice's whole
reconstruction and the channels before it.

A pixel's residual is predicted as a weighted sum of its neighbours' residuals, in its own channel and in
those coded before, and of differences in the reconstruction. The weights minimise the squared error over the
causal neighbourhood: the same strip of columns in the lines above, and the strips beside it. The integer
normal equations are solved exactly, by Gaussian elimination.

The prediction error is a series of binary decisions: is the pixel above the prediction? How far, in steps
adapted to the neighbourhood? Where within the last step? Their probabilities are modelled from the errors
around the pixel, in its own channel and in those before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.codec.coding.range_coder import RangeWriter, curves
from pcaimage.core.library import LONG, STRUCT, Array, function
from pcaimage.errors import DataError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Count, Progress, counted, no_progress

AnyArray = NDArray[Any]

SLICE_PIXELS = 1 << 20  # approximate upper bound on the pixels of a slice
_DECISIONS = 80  # upper bound on the decisions of one channel of a pixel
_AT_ONCE = 1 << 14  # approximate number of pixels between two reports of progress

_BYTES, _ROOM = Array(np.uint8), Array(np.uint8, writable=True)
_SIZE = function("pcai_corrections_size", LONG, *(LONG,) * 3)
_BEGIN = function("pcai_corrections_begin", None, _ROOM, _BYTES, *(LONG,) * 4, _BYTES)
_WRITE = function("pcai_corrections_write", None, _ROOM, STRUCT, *(LONG,) * 3, _BYTES)


def encode_residual(original: AnyArray, reconstruction: AnyArray, progress: Progress = no_progress) -> bytes:
    """Code the residual of a reconstruction of one to four channels."""
    _check(original)
    _check(reconstruction)
    if (original.shape, original.dtype) != (reconstruction.shape, reconstruction.dtype):
        raise DataError("An image and its reconstruction must be of the same type and shape.")
    slices = slices_of(reconstruction.shape)
    tick = counted(progress, reconstruction.size)

    def work(number: int) -> bytes:
        return _encode(original[slices[number]], reconstruction[slices[number]], tick)

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


def _encode(original: AnyArray, reconstruction: AnyArray, tick: Count) -> bytes:
    """Encode a slice."""
    height, width, channels = original.shape
    given, found = (
        np.ascontiguousarray(part).reshape(-1).view(np.uint8) for part in (reconstruction, original)
    )
    room, writer = Memory().array("slice", (_SIZE(height, width, channels),), np.uint8), RangeWriter()
    _BEGIN(room, curves(), height, width, channels, original.itemsize == 2, given)
    lines = -(-_AT_ONCE // width)
    for index in range(channels):
        for start in range(0, height, lines):
            stop = min(start + lines, height)
            writer.reserve(_DECISIONS * (stop - start) * width)
            _WRITE(room, writer.coder, index, start, stop, found)
            writer.keep()
            tick((stop - start) * width)
    # Fixed by the first version of the format.
    return writer.finish(keep_certain=True)
