"""Images whose pixels come in strips, so that they can be written while they are computed."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.missing import strips
from pcaimage.imaging.image.types import join_alpha
from pcaimage.quality import MOST

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from pcaimage.imaging.image.timing import Timing
    from pcaimage.imaging.image.types import Pixels


@dataclass(frozen=True, eq=False)
class ImageStream:
    """An image, or a stack of images of equal size, whose pixels can be consumed once, from the top.

    Parameters
    ----------
    shape : tuple of int
        (H, W, C) or (N, H, W, C), as in :class:`Image`.
    dtype : numpy.dtype
        uint8, uint16, int16 or float32.
    strips : generator of ndarray
        Ranges of lines, or of a stack's images, which make up the shape. They are not modified afterwards.
    alpha, icc_profile, exif, name, format, file_size, bands, labels, xmp, iptc, timing, white
        As in :class:`Image`.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strips: Generator[Pixels]
    alpha: Pixels | None = None
    icc_profile: bytes | None = None
    exif: bytes | None = None
    name: str = ""
    format: str = ""
    file_size: int | None = None
    bands: BandInfo = field(default_factory=BandInfo)
    labels: NDArray[np.int64] | None = None
    source: Pixels | None = None
    """The array that the strips are views of, which may be mapped from a file; None if there is none."""
    xmp: bytes | None = None
    iptc: bytes | None = None
    timing: Timing | None = None
    white: float | None = None

    @classmethod
    def of(cls, image: Image) -> ImageStream:
        """Return a stream of the pixels of an image; mapped ones are read from their file in parts."""
        return cls(
            image.pixels.shape,
            image.pixels.dtype,
            (part for _, part in strips(image.pixels)),
            image.alpha,
            image.icc_profile,
            image.exif,
            image.name,
            image.format,
            image.file_size,
            image.bands,
            image.labels,
            image.pixels,
            image.xmp,
            image.iptc,
            image.timing,
            image.white,
        )

    @property
    def is_stack(self) -> bool:
        """Whether there are several images of equal size."""
        return len(self.shape) == 4

    @property
    def frames(self) -> int:
        """Number of images: N for a stack, otherwise 1."""
        return self.shape[0] if self.is_stack else 1

    @property
    def width(self) -> int:
        """Width in pixels."""
        return self.shape[-2]

    @property
    def height(self) -> int:
        """Height in pixels."""
        return self.shape[-3]

    @property
    def channels(self) -> int:
        """Number of channels or bands, without alpha."""
        return self.shape[-1]

    @property
    def samples(self) -> int:
        """Number of channels or bands with alpha, if there is any."""
        return self.channels + (self.alpha is not None)

    @property
    def raw_bytes(self) -> int:
        """Bytes of the pixels and the alpha, uncompressed."""
        return math.prod(self.shape[:-1]) * self.samples * self.dtype.itemsize

    @property
    def declared(self) -> int | None:
        """The white that a file of 16 bits without sign should declare; None if all bits are used."""
        white = self.white if self.dtype == np.uint16 else None
        return int(white) if white is not None and white < MOST else None

    def joined(self) -> Generator[Pixels]:
        """Yield the strips with alpha as a last channel, if there is any."""
        done = 0
        with closing(self.strips) as parts:
            for strip in parts:
                stop = done + len(strip)
                yield join_alpha(strip, None if self.alpha is None else self.alpha[done:stop])
                done = stop

    def image(self) -> Image:
        """Collect the pixels."""
        pixels, done = np.empty(self.shape, self.dtype), 0
        with closing(self.strips) as parts:
            for strip in parts:
                pixels[done : done + len(strip)] = strip
                done += len(strip)
        return Image(
            pixels,
            self.alpha,
            self.icc_profile,
            self.exif,
            self.name,
            self.format,
            self.file_size,
            self.bands,
            self.labels,
            self.xmp,
            self.iptc,
            timing=self.timing,
            white=self.white,
        )
