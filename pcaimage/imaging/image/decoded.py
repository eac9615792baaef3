"""The result of a decoder, and the upright image that is made of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.orientation import orient, upright

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pcaimage.imaging.image.types import Pixels


@dataclass(frozen=True, eq=False)
class Decoded:
    """The result of a decoder, before the EXIF orientation is applied."""

    pixels: Pixels  # shape (H, W, C) or (N, H, W, C), as stored in the file
    alpha: Pixels | None = None  # not premultiplied
    icc_profile: bytes | None = None
    exif: bytes | None = None  # from its byte-order mark on
    orientation: int = 1  # of EXIF, 1 to 8
    bands: BandInfo = field(default_factory=BandInfo)
    xmp: bytes | None = None
    iptc: bytes | None = None
    stored_bits: int | None = None  # bits of a value in the file, where the pixels have fewer
    white: float | None = None  # the largest value that the data may have, as the file says

    def image(
        self, name: str, image_format: str, file_size: int | None, labels: NDArray[np.int64] | None = None
    ) -> Image:
        """Return the upright image; its EXIF block says orientation 1."""
        return Image(
            pixels=_turned(self.pixels, self.orientation),
            alpha=None if self.alpha is None else _turned(self.alpha, self.orientation),
            icc_profile=self.icc_profile,
            exif=upright(self.exif),
            name=name,
            format=image_format,
            file_size=file_size,
            bands=self.bands.fitted(self.pixels.shape[-1]),
            labels=labels,
            xmp=self.xmp,
            iptc=self.iptc,
            stored_bits=self.stored_bits,
            white=self.white,
        )


def as_stack(image: Image) -> Image:
    """Return an image as a stack of one."""
    alpha = None if image.alpha is None else image.alpha[None]
    return replace(image, pixels=image.pixels[None], alpha=alpha)


def _turned(pixels: Pixels, orientation: int) -> Pixels:
    if orientation == 1:
        return pixels
    if pixels.ndim == 4:
        return np.moveaxis(orient(np.moveaxis(pixels, 0, -1), orientation), -1, 0)
    return orient(pixels, orientation)
