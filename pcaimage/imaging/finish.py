"""What decoders found, made an image."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pcaimage.imaging.image import Image
from pcaimage.imaging.orientation import orient, upright

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pcaimage.imaging.types import Decoded, Pixels


def finish(
    decoded: Decoded,
    name: str,
    image_format: str,
    size: int | None,
    labels: NDArray[np.int64] | None = None,
) -> Image:
    """Turn what a decoder found upright.

    Parameters
    ----------
    decoded : Decoded
        Pixels as they stand in the file.
    name : str
        Name of the file.
    image_format : str
        Its format.
    size : int or None
        Its bytes.
    labels : ndarray of int64 or None, shape (N,)
        What the images of a stack show.

    Returns
    -------
    Image
        The image with an EXIF orientation of 1.
    """
    turn = decoded.orientation
    alpha = None if decoded.alpha is None else _turned(decoded.alpha, turn)
    return Image(
        pixels=_turned(decoded.pixels, turn),
        alpha=alpha,
        icc_profile=decoded.icc_profile,
        exif=upright(decoded.exif),
        name=name,
        format=image_format,
        file_size=size,
        bands=decoded.bands.fitted(decoded.pixels.shape[-1]),
        labels=labels,
    )


def _turned(pixels: Pixels, orientation: int) -> Pixels:
    if orientation == 1:
        return pixels
    if pixels.ndim == 4:
        return np.moveaxis(orient(np.moveaxis(pixels, 0, -1), orientation), -1, 0)
    return orient(pixels, orientation)


def as_stack(image: Image) -> Image:
    """Return an image as a stack of one.

    Parameters
    ----------
    image : Image
        No stack.

    Returns
    -------
    Image
        The stack.
    """
    alpha = None if image.alpha is None else image.alpha[None]
    return replace(image, pixels=image.pixels[None], alpha=alpha)
