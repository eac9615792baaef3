"""A part of an image, ready to be put on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Pixels, and which part of the image they show.

    Parameters
    ----------
    array : ndarray of uint8, shape (height, width, 1 or 3 or 4)
        Grey, RGB or RGB with straight alpha; C-contiguous. At about the resolution of the screen, so
        with fewer pixels than the region when the image is shown reduced.
    region : tuple of float
        ``x0, y0, x1, y1`` in image pixels: what the array covers, edge to edge.
    """

    array: NDArray[np.uint8]
    region: tuple[float, float, float, float]

    def __post_init__(self) -> None:
        shape = self.array.shape
        if len(shape) != 3 or shape[2] not in {1, 3, 4} or 0 in shape:
            raise ValueError(f"A picture has shape (height, width, 1, 3 or 4), not {shape}.")
        if self.array.dtype != np.uint8 or not self.array.flags.c_contiguous:
            raise ValueError("A picture is a C-contiguous array of uint8.")

    @property
    def has_alpha(self) -> bool:
        """Whether anything can show through."""
        return bool(self.array.shape[2] == 4)

    @property
    def full_resolution(self) -> bool:
        """Whether every pixel of the array is a pixel of the image, to within rounding."""
        x0, y0, x1, y1 = self.region
        height, width = self.array.shape[:2]
        return bool(abs((x1 - x0) / width - 1) < 1e-3 and abs((y1 - y0) / height - 1) < 1e-3)
