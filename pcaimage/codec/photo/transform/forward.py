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
    """The analysis maps of an image; mirrors the struct of the same name in the core."""

    rotation: Floats  # maps channels to their principal components, shape (C, C)
    offset: Floats  # the principal components of the mean, subtracted: shape (C,)
    vertical: Floats  # of photo.transform.axes.analysis, shape (3, 16, 8)
    horizontal: Floats
    factor: float  # multiplies the scores
    limit: float  # magnitude to which rounded scores are clipped
    height: int
    width: int
    channels: int


_BYTES, _ROOM = Array(np.uint8), Array(np.uint8, writable=True)
_ANALYSE = function("pcai_analyse", None, STRUCT, _BYTES, *(LONG,) * 5, _ROOM, LONG)


def analyse(
    image: AnyArray, analysis: Held[Analysis], start: int, stop: int, planes: AnyArray, top: int
) -> None:
    """Compute the scores of some rows of blocks of an image, and put them into planes from row `top` on.

    Planes have the shape (C*64, rows, columns), and are float32, or int16 for 8-bit images and int32 for
    16-bit ones: integer scores are rounded half to even.
    """
    rows = planes.shape[1]
    if not (0 <= top <= rows - (stop - start) and planes.shape[0] == image.shape[2] * 64):
        raise ValueError(
            f"Rows {start} to {stop} of blocks do not fit into {planes.shape} from row {top} on."
        )
    given = image.view(np.uint8), image.dtype == np.uint16, start, stop, rows, top
    _ANALYSE(analysis, *given, planes.view(np.uint8), planes.dtype != np.float32)
