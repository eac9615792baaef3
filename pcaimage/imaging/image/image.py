"""The image: pixels, whole or in strips, and the metadata that accompany them."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import repeat
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.pixels import Pixels, join_alpha, missing_pixels, recut, strips
from pcaimage.imaging.image.timing import Timing
from pcaimage.machine.mapped import is_mapped, watch
from pcaimage.quality import MOST, TYPES, believed, white_of

RAW = "RAW"  # the format of pictures that a camera put into its raws


class _Array(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def alpha(self) -> Pixels | None: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Described:
    """What is beside the pixels, and what the shape says, (H, W, C), of a stack (N, H, W, C)."""

    icc_profile: bytes | None = None
    exif: bytes | None = None
    name: str = ""
    format: str = ""
    file_size: int | None = None
    bands: BandInfo = field(default_factory=BandInfo)
    labels: NDArray[np.int64] | None = None
    xmp: bytes | None = None
    iptc: bytes | None = None
    timing: Timing | None = None
    white: float | None = None

    @property
    def is_stack(self: _Array) -> bool:
        """Whether there are several images of equal size."""
        return len(self.shape) == 4

    @property
    def frames(self: _Array) -> int:
        """Number of images: N for a stack, otherwise 1."""
        return self.shape[0] if len(self.shape) == 4 else 1

    @property
    def width(self: _Array) -> int:
        """Width in pixels."""
        return self.shape[-2]

    @property
    def height(self: _Array) -> int:
        """Height in pixels."""
        return self.shape[-3]

    @property
    def channels(self: _Array) -> int:
        """Number of channels or bands, without alpha."""
        return self.shape[-1]

    @property
    def raw_bytes(self: _Array) -> int:
        """Bytes of the pixels and the alpha, uncompressed."""
        samples = math.prod(self.shape) + (0 if self.alpha is None else math.prod(self.shape[:-1]))
        return samples * self.dtype.itemsize


@dataclass(frozen=True, eq=False)
class Image(Described):
    """An image, or a stack of images of equal size.

    Images compare by identity, so that they can be cache keys without hashing their pixels.

    Parameters
    ----------
    pixels : ndarray of uint8, uint16, int16 or float32, shape (H, W, C) or (N, H, W, C)
        C = 1 is grey, 3 is RGB, any other number is bands. Four axes are a stack. C-contiguous, except for
        views of a ``numpy.memmap``, whose axes may be in any order in memory.
    alpha : ndarray, shape (H, W) or (N, H, W), optional
        Opacity, not premultiplied, of the dtype of `pixels`, which must be uint8 or uint16. It is always
        preserved exactly.
    icc_profile : bytes, optional
        Colour profile of `pixels`.
    exif : bytes, optional
        EXIF block from its byte-order mark on; its orientation is 1.
    name : str
        Name of the original file, without its folder.
    format : str
        Format of the original file, by Pillow's name, such as ``"PNG"``.
    file_size : int, optional
        Bytes of the original file.
    bands : BandInfo
        Wavelengths and names of bands, nodata value, georeferencing.
    labels : ndarray of int64, shape (N,), optional
        Class of each image of a stack, such as the digit.
    xmp : bytes, optional
        XMP packet: title, keywords, rights and the like, as RDF.
    iptc : bytes, optional
        IPTC-IIM records: the same in the older form.
    stored_bits : int, optional
        Bits of a value in the original file, where fewer were read: of real numbers that 32 bits do not hold,
        and of AVIF with 10 or 12, unless the package imagecodecs (``pcaimage[avif]``) is installed.
    timing : Timing, optional
        Durations of a stack's images, if it is an animation.
    white : float, optional
        What the file says errors are relative to: with 16 bits without sign the largest value that the data
        may have. It is not believed where values are larger.

    Raises
    ------
    DataError
        If shapes or dtypes are none of the above.
    """

    pixels: Pixels
    alpha: Pixels | None = None
    stored_bits: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        pixels = self.pixels
        if pixels.dtype.name not in TYPES or not pixels.dtype.isnative:
            raise DataError(f"Pixels must be uint8, uint16, int16 or float32, not {pixels.dtype}.")
        if pixels.ndim not in (3, 4):
            raise DataError(f"Pixels must have the shape (H, W, C) or (N, H, W, C), not {pixels.shape}.")
        if not pixels.size:
            raise DataError(f"An image must have at least one pixel and one channel, not {pixels.shape}.")
        if is_mapped(pixels):
            watch(pixels)
        else:
            object.__setattr__(self, "pixels", np.ascontiguousarray(pixels))
        self.bands.check(self.channels)
        if self.labels is not None and self.labels.shape != (self.frames,):
            raise DataError(f"There are {self.frames} images, but labels of shape {self.labels.shape}.")
        if self.timing is not None and (len(self.timing.durations) != self.frames or not self.is_stack):
            count = len(self.timing.durations)
            raise DataError(f"There are {self.frames} images, but the durations of {count}.")
        if self.alpha is not None:
            self._check_alpha(self.alpha)

    def _check_alpha(self, alpha: Pixels) -> None:
        pixels = self.pixels
        if alpha.shape != pixels.shape[:-1]:
            raise DataError(
                f"Alpha of shape {alpha.shape} does not fit pixels of shape {pixels.shape}; "
                f"it must be {pixels.shape[:-1]}."
            )
        if alpha.dtype != pixels.dtype:
            raise DataError(f"Alpha is {alpha.dtype}, but the pixels are {pixels.dtype}.")
        if alpha.dtype.kind != "u":
            raise DataError(f"Images of {pixels.dtype} have no alpha; it can be one of their bands.")
        object.__setattr__(self, "alpha", np.ascontiguousarray(alpha))

    @property
    def caveat(self) -> str:
        """The sentence that tells a user what was not read of the file; empty if all was."""
        if self.format == RAW:
            return (
                f"{self.name} is a camera raw; this is the JPEG that the camera put into it, of "
                f"{self.width:,} × {self.height:,} pixels."
            )
        if not self.stored_bits:
            return ""
        text = (
            f"{self.name} has {self.stored_bits} bits a channel, of which {8 * self.dtype.itemsize} are read"
        )
        if self.dtype.kind == "f":
            return f"{text}; `pcaimage encode` keeps all of them."
        avif = self.name.lower().endswith(".avif")
        return f"{text}; install imagecodecs (pcaimage[avif]) to read all of them." if avif else f"{text}."

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the pixels."""
        return self.pixels.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the pixels."""
        return self.pixels.dtype

    @property
    def is_mapped(self) -> bool:
        """Whether the pixels stay in their file and are read from it as they are used."""
        return is_mapped(self.pixels)

    @cached_property
    def peak(self) -> float:
        """What errors are relative to: see :func:`pcaimage.quality.white_of`."""
        pixels, nodata, said = self.pixels, self.bands.nodata, self.white
        if said is not None and pixels.dtype.kind != "u":
            return said
        return white_of(pixels, believed(pixels, said, nodata), nodata)

    def frame(self, index: int) -> Image:
        """Return one image of a stack, by its zero-based index.

        Parameters
        ----------
        index : int
            From 0 to :attr:`frames` - 1.

        Returns
        -------
        Image
            A view of its pixels, with the stack's metadata but labels and timing.
        """
        alpha = None if self.alpha is None else self.alpha[index]
        return replace(self, pixels=self.pixels[index], alpha=alpha, labels=None, timing=None)

    def missing(self) -> NDArray[np.bool_] | None:
        """Find the pixels that were not measured: NaN, infinite, or the nodata value, in any of their bands.

        Returns
        -------
        ndarray of bool, shape (H, W) or (N, H, W), or None
            True where a pixel was not measured; None if all were. Each call reads all pixels.
        """
        return missing_pixels(self.pixels, self.bands.nodata)


@dataclass(frozen=True, eq=False)
class Stored(Image):
    """An array of any type and shape as it stands in its file, and the axis of its bands if that is known."""

    axis: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Accept what is no image."""

    @property
    def is_stack(self) -> bool:
        """False, whatever its axes are."""
        return False


@dataclass(frozen=True, eq=False)
class ImageStream(Described):
    """An image, or a stack of images of equal size, whose pixels can be consumed once, from the top.

    What is beside the pixels is as in :class:`Image`.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strips: Generator[Pixels]
    """Ranges of lines, or of a stack's images, which make up the shape; they are not modified afterwards."""
    alpha: Pixels | None = None
    source: Pixels | None = None
    """The array that the strips are views of, which may be mapped from a file; None if there is none."""

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
    return {"alpha": image.alpha} | {each.name: getattr(image, each.name) for each in fields(Described)}
