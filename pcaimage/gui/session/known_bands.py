"""What is known of a document's bands: the one place that asks for it. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.api import CompressedImage
from pcaimage.imaging import BandInfo, Image
from pcaimage.insight.band_names import BandNames


@dataclass(frozen=True)
class Known:
    """What a file says of its bands.

    Parameters
    ----------
    names : BandNames
        What they are called.
    nodata : float or None
        The value of pixels that were not measured.
    shown : tuple of int
        The bands that the file wants to be shown, from 0.
    """

    names: BandNames
    nodata: float | None = None
    shown: tuple[int, ...] = ()


def known_of(image: Image | None, channels: int, file: CompressedImage | None = None) -> Known:
    """Return what is known of an image's bands.

    Parameters
    ----------
    image : Image or None
        The original; None for a compressed file.
    channels : int
        How many bands there are.
    file : CompressedImage, optional
        The compressed file, which carries what was known of the original.

    Returns
    -------
    Known
        What is not known is empty.
    """
    source = file if image is None else image
    info = BandInfo() if source is None else source.bands
    return Known(BandNames(channels, info.nanometres, info.names), info.nodata, info.shown)


def missing_of(pixels: NDArray[Any], nodata: float | None) -> NDArray[np.bool_] | None:
    """Find the pixels that were not measured.

    Parameters
    ----------
    pixels : ndarray, shape (H, W, C)
        The image.
    nodata : float or None
        The value of pixels that were not measured.

    Returns
    -------
    ndarray of bool, shape (H, W), or None
        Where any band has that value or no number; None if no pixel has.
    """
    if nodata is None and pixels.dtype.kind != "f":
        return None
    found = np.zeros(pixels.shape[:2], bool)
    for row, line in enumerate(pixels):
        if pixels.dtype.kind == "f":
            found[row] = ~np.isfinite(line).all(axis=-1)
        if nodata is not None:
            found[row] |= (line == nodata).any(axis=-1)
    return found if found.any() else None
