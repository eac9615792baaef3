"""What an image is to pcaimage: its pixels, and what must travel with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pcaimage.errors import DataError

if TYPE_CHECKING:
    from pcaimage.imaging.types import Pixels


@dataclass(frozen=True, eq=False)
class Image:
    """An image, or a stack of images of equal size.

    Images are compared by identity, so that they can be keys of a cache without hashing their pixels.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16, shape (H, W, C) or (N, H, W, C)
        C-contiguous; C = 1 is grey, 3 is RGB, any other number is bands. Four axes are a stack.
    alpha : ndarray, shape (H, W) or (N, H, W), optional
        Opacity, of the dtype of `pixels`, not premultiplied; kept exactly by everything in pcaimage.
    icc_profile : bytes, optional
        The colour profile that `pixels` are to be read with.
    exif : bytes, optional
        An EXIF block as it stands in the file, from its byte-order mark on; its orientation is 1.
    name : str
        Name of the original file, without its folder.
    format : str
        Format of the original file, as Pillow names it, such as ``"PNG"``.
    file_size : int, optional
        Bytes of the original file.

    Raises
    ------
    DataError
        When shapes or dtypes are none of the above.
    """

    pixels: Pixels
    alpha: Pixels | None = None
    icc_profile: bytes | None = None
    exif: bytes | None = None
    name: str = ""
    format: str = ""
    file_size: int | None = None

    def __post_init__(self) -> None:
        pixels = self.pixels
        if pixels.dtype not in (np.uint8, np.uint16):
            raise DataError(f"Pixels must be uint8 or uint16, not {pixels.dtype}.")
        if pixels.ndim not in (3, 4):
            raise DataError(f"Pixels must have the shape (H, W, C) or (N, H, W, C), not {pixels.shape}.")
        if not pixels.size:
            raise DataError(f"An image must have at least one pixel and one channel, not {pixels.shape}.")
        object.__setattr__(self, "pixels", np.ascontiguousarray(pixels))
        if self.alpha is None:
            return
        if self.alpha.shape != pixels.shape[:-1]:
            raise DataError(
                f"Alpha of shape {self.alpha.shape} does not fit pixels of shape {pixels.shape}; "
                f"it must be {pixels.shape[:-1]}."
            )
        if self.alpha.dtype != pixels.dtype:
            raise DataError(f"Alpha is {self.alpha.dtype}, but the pixels are {pixels.dtype}.")
        object.__setattr__(self, "alpha", np.ascontiguousarray(self.alpha))

    @property
    def is_stack(self) -> bool:
        """Whether there are several images of equal size."""
        return self.pixels.ndim == 4

    @property
    def frames(self) -> int:
        """Number of images: N for a stack, otherwise 1."""
        return int(self.pixels.shape[0]) if self.is_stack else 1

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.pixels.shape[-2])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.pixels.shape[-3])

    @property
    def channels(self) -> int:
        """Number of channels or bands, without alpha."""
        return int(self.pixels.shape[-1])

    @property
    def peak(self) -> int:
        """The largest value a pixel can have: 255 or 65535."""
        return int(np.iinfo(self.pixels.dtype).max)

    @property
    def raw_bytes(self) -> int:
        """Bytes of the pixels and the alpha, uncompressed."""
        return self.pixels.nbytes + (0 if self.alpha is None else self.alpha.nbytes)
