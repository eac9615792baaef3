"""A rendered part of an image, ready to be painted. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Extent = tuple[float, float, float, float]
"""Left, top, right and bottom of a rectangle in fractional image pixels; it may exceed the image."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Pixels for the screen, and the part of the image that they cover, edge to edge.

    They are grey, RGB, or RGB with straight alpha, of shape (h, w, 1, 3 or 4), C-contiguous. They are at
    about the resolution of the screen, so fewer than in the extent when the image is shown reduced.
    """

    pixels: NDArray[np.uint8]
    extent: Extent
    unmanaged: NDArray[np.uint8] | None = None  # before their conversion to the screen's colours, if any

    def __post_init__(self) -> None:
        shape = self.pixels.shape
        if len(shape) != 3 or shape[2] not in {1, 3, 4} or 0 in shape:
            raise ValueError(f"A picture has shape (height, width, 1, 3 or 4), not {shape}.")
        if self.pixels.dtype != np.uint8 or not self.pixels.flags.c_contiguous:
            raise ValueError("A picture is a C-contiguous array of uint8.")

    @property
    def values(self) -> NDArray[np.uint8]:
        """The pixels in the image's own colours, whichever the screen shows."""
        return self.pixels if self.unmanaged is None else self.unmanaged

    @property
    def has_alpha(self) -> bool:
        """Whether any pixel may be transparent."""
        return bool(self.pixels.shape[2] == 4)

    @property
    def full_resolution(self) -> bool:
        """Whether every one of its pixels is a pixel of the image, to within rounding."""
        left, top, right, bottom = self.extent
        height, width = self.pixels.shape[:2]
        return bool(abs((right - left) / width - 1) < 1e-3 and abs((bottom - top) / height - 1) < 1e-3)


@dataclass(frozen=True, eq=False)
class Titled:
    """A picture of shape (h, w, 1 or 3), or none, with a caption."""

    title: str
    pixels: NDArray[np.uint8] | None
    inner: tuple[int, int, int, int] | None = None
    """Left, top, right and bottom of the part that is outlined, in pixels; None for none."""
