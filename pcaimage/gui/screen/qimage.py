"""Converts pixels to Qt's images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

_FORMATS = {
    1: (QImage.Format.Format_Grayscale8, QImage.Format.Format_RGB32),
    3: (QImage.Format.Format_RGB888, QImage.Format.Format_RGB32),
    4: (QImage.Format.Format_RGBA8888, QImage.Format.Format_ARGB32_Premultiplied),
}
"""The format of the array, and the one that Qt paints fastest, by the number of channels."""


def to_qimage(pixels: NDArray[np.uint8]) -> QImage:
    """Return a copy of pixels of shape (h, w, 1, 3 or 4) in the format that Qt paints fastest.

    Qt gets only the visible part: its own readers and pixmaps have limits that large images exceed.
    """
    height, width, channels = pixels.shape
    given, painted = _FORMATS[channels]
    rows = np.ascontiguousarray(pixels)
    return QImage(rows.data, width, height, width * channels, given).convertToFormat(painted)
