"""Images whose pixels come in strips, so that they can be written while they are computed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, fields
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.image import Image, Sides
from pcaimage.imaging.image.missing import strips
from pcaimage.imaging.image.types import join_alpha
from pcaimage.quality import MOST
from pcaimage.strips import recut

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from pcaimage.imaging.image.timing import Timing
    from pcaimage.imaging.image.types import Pixels


@dataclass(frozen=True, eq=False)
class ImageStream(Sides):
    """An image, or a stack of images of equal size, whose pixels can be consumed once, from the top.

    What is beside the pixels is as in :class:`Image`.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strips: Generator[Pixels]
    """Ranges of lines, or of a stack's images, which make up the shape; they are not modified afterwards."""
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
        parts = (part for _, part in strips(image.pixels))
        return cls(image.shape, image.dtype, parts, source=image.pixels, **_beside(image))

    @property
    def samples(self) -> int:
        """Number of channels or bands with alpha, if there is any."""
        return self.channels + (self.alpha is not None)

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

    def images(self) -> Generator[Pixels]:
        """Yield the images of a stack with alpha as a last channel, if there is any."""
        with closing(self.joined()) as joined:
            for each in recut(joined, repeat(1, self.frames)):
                yield each[0]

    def image(self) -> Image:
        """Collect the pixels."""
        pixels, done = np.empty(self.shape, self.dtype), 0
        with closing(self.strips) as parts:
            for strip in parts:
                pixels[done : done + len(strip)] = strip
                done += len(strip)
        return Image(pixels, **_beside(self))


def _beside(image: Image | ImageStream) -> dict[str, Any]:
    """Return what an image and a stream have alike beside the pixels."""
    return {name: getattr(image, name) for name in _BESIDE}


_BESIDE = {each.name for each in fields(Image)} & {each.name for each in fields(ImageStream)}
