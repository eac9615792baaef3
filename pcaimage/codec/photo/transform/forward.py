"""The analysis transform: from pixels to scores.

It need not be exact, as only the encoder uses it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import LONG, STRUCT, Array, Held, function

AnyArray = NDArray[Any]
Floats = NDArray[np.float64]


class Analysis(NamedTuple):
    """The analysis maps of an image; mirrors the struct of the same name in the core.

    Parameters
    ----------
    rotation : ndarray of float64, shape (C, C)
        Maps channels to their principal components.
    offset : ndarray of float64, shape (C,)
        The principal components of the mean; subtracted.
    vertical, horizontal : ndarray of float64, shape (3, 16, 8)
        As of :func:`pcaimage.codec.photo.transform.axes.analysis`.
    factor : float
        Multiplies the scores.
    limit : float
        Magnitude to which rounded scores are clipped.
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
    """Compute the scores of some rows of blocks.

    Parameters
    ----------
    image : ndarray of uint8 or uint16, shape (H, W, C)
        The whole image.
    planes : ndarray of float32, or of int16 or int32, shape (C*64, rows, columns)
        Receives the scores. Integer scores are rounded half to even; they are int16 for 8-bit images and
        int32 for 16-bit ones.
    top : int
        Row of the planes that receives the first of these rows.
    """
    rows = planes.shape[1]
    if not (0 <= top <= rows - (stop - start) and planes.shape[0] == image.shape[2] * 64):
        raise ValueError(
            f"Rows {start} to {stop} of blocks do not fit into {planes.shape} from row {top} on."
        )
    _ANALYSE[image.dtype, planes.dtype](analysis, image, start, stop, rows, top, planes)
