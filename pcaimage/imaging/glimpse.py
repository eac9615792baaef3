"""A small preview of a JPEG, decoded much faster than the photograph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import JpegImagePlugin

from pcaimage.errors import ImageError
from pcaimage.imaging.orientation import orient
from pcaimage.imaging.pillow import arrays_of, open_pillow, orientation_of
from pcaimage.imaging.source import Source, open_source

if TYPE_CHECKING:
    from pcaimage.imaging.types import Pixels

REDUCTION, LARGEST = 8, 1 << 24
"""Largest reduction of the decoded size, and largest number of pixels of a preview."""


def read_glimpse(source: Source, side: int = 320) -> Pixels | None:
    """Read a small preview of a JPEG from its lowest frequencies.

    Parameters
    ----------
    source : path, bytes or binary file
        The image.
    side : int, default 320
        Least width and height, unless an eighth of the image's is larger.

    Returns
    -------
    ndarray of uint8, shape (h, w, 1 or 3), or None
        The preview, upright; None for files that cannot be read, and for other formats, which would have to
        be decoded in full.
    """
    try:
        with open_source(source) as (file, name):
            image = open_pillow(file, name)
            width, height = image.size
            if not isinstance(image, JpegImagePlugin.JpegImageFile):
                return None
            if width * height > LARGEST * REDUCTION**2:
                return None
            orientation, _ = orientation_of(image)
            image.draft(None, (side, side))
            image.load()
            pixels, _ = arrays_of(image, name)
    except ImageError:
        return None
    return np.ascontiguousarray(orient(pixels, orientation))
