"""Small JPEGs, whole files or previews inside other files."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np
from PIL import JpegImagePlugin

from pcaimage.imaging.image.orientation import orient
from pcaimage.imaging.still.pillow import arrays_of, open_pillow

if TYPE_CHECKING:
    from pcaimage.imaging.image.types import Pixels

REDUCTION, LARGEST = 8, 1 << 24
"""Largest factor by which JPEGs are decoded smaller, and most pixels of a small picture."""


def upright_jpeg(image: JpegImagePlugin.JpegImageFile, name: str, side: int, orientation: int) -> Pixels:
    """Decode an opened JPEG at up to an eighth of its size, with at least `side` pixels on each side."""
    image.draft(None, (side, side))
    image.load()
    pixels, _ = arrays_of(image, name)
    return np.ascontiguousarray(orient(pixels, orientation))


def embedded_jpeg(data: bytes, name: str, side: int, orientation: int) -> Pixels | None:
    """Decode a small JPEG inside another file, turned like its image; None if it is none, or is not small."""
    image = open_pillow(io.BytesIO(data), name)
    if math.prod(image.size) > LARGEST or not isinstance(image, JpegImagePlugin.JpegImageFile):
        return None
    return upright_jpeg(image, name, side, orientation)
