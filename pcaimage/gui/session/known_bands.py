"""What a file says of its bands: their names, the no-data value, and which to show. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.api import CompressedImage
from pcaimage.imaging import BandInfo, Image
from pcaimage.insight.band_names import BandNames


@dataclass(frozen=True)
class KnownBands:
    """What a file says of its bands.

    `nodata` is the value of pixels that were not measured, `shown` the bands to show first, counted from 0.
    """

    names: BandNames
    nodata: float | None = None
    shown: tuple[int, ...] = ()


def known_of(image: Image | None, channels: int, file: CompressedImage | None = None) -> KnownBands:
    """Return what is known of the bands of an image, or of a compressed file where the original is None."""
    source = file if image is None else image
    info = BandInfo() if source is None else source.bands
    return KnownBands(BandNames(channels, info.nanometres, info.names), info.nodata, info.shown)


def missing_of(pixels: NDArray[Any], nodata: float | None) -> NDArray[np.bool_] | None:
    """Return a mask, shape (H, W), of pixels of which any band was not measured; None if there are none."""
    if nodata is None and pixels.dtype.kind != "f":
        return None
    found = np.zeros(pixels.shape[:2], bool)
    for row, line in enumerate(pixels):
        if pixels.dtype.kind == "f":
            found[row] = ~np.isfinite(line).all(axis=-1)
        if nodata is not None:
            found[row] |= (line == nodata).any(axis=-1)
    return found if found.any() else None
