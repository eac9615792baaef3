"""From pixels to scores: the cascade's analysis.

Nothing here need be exact; the encoder's arithmetic is its own business.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import LONG, STRUCT, Array, Held, function

AnyArray = NDArray[Any]
Floats = NDArray[np.float64]


class Analysis(NamedTuple):
    """The maps of an image, as the core's struct of the same name.

    Parameters
    ----------
    rotation : ndarray of float64, shape (C, C)
        Maps channels to their principal components.
    offset : ndarray of float64, shape (C,)
        The principal components of the mean, which are subtracted.
    vertical, horizontal : ndarray of float64, shape (3, 16, 8)
        As of :func:`pcaimage.codec.photo.axes.analysis`.
    factor : float
        By which scores are multiplied.
    limit : float
        The magnitude to which whole scores are limited.
    height, width, channels : int
        The image's shape.
    """

    rotation: Floats
    offset: Floats
    vertical: Floats
    horizontal: Floats
    factor: float
    limit: float
    height: int
    width: int
    channels: int


def _declared(name: str, pixels: type[np.generic], scores: type[np.generic]) -> Any:
    return function(name, None, STRUCT, Array(pixels), LONG, LONG, LONG, LONG, Array(scores, writable=True))


_ANALYSE = {
    (np.dtype(np.uint8), np.dtype(np.float32)): _declared("pcai_analyse_8", np.uint8, np.float32),
    (np.dtype(np.uint16), np.dtype(np.float32)): _declared("pcai_analyse_16", np.uint16, np.float32),
    (np.dtype(np.uint8), np.dtype(np.int16)): _declared("pcai_analyse_8_whole", np.uint8, np.int16),
    (np.dtype(np.uint16), np.dtype(np.int32)): _declared("pcai_analyse_16_whole", np.uint16, np.int32),
}


def analyse(
    image: AnyArray, analysis: Held[Analysis], start: int, stop: int, planes: AnyArray, top: int
) -> None:
    """Find the scores of some rows of blocks.

    Parameters
    ----------
    image : ndarray of uint8 or uint16, shape (H, W, C)
        All of the image.
    start, stop : int
        The rows of blocks.
    planes : ndarray of float32, or of int16 or int32, shape (C*64, rows, columns)
        Where the scores are written; whole ones are rounded half to even. Of an image of 8 bits they are
        int16, of one of 16 bits int32.
    top : int
        The row of the planes that takes the first of these rows.
    """
    rows = planes.shape[1]
    if not (0 <= top <= rows - (stop - start) and planes.shape[0] == image.shape[2] * 64):
        raise ValueError(
            f"Rows {start} to {stop} of blocks do not fit into {planes.shape} from row {top} on."
        )
    _ANALYSE[image.dtype, planes.dtype](analysis, image, start, stop, rows, top, planes)
