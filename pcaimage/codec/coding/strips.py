"""Strips of columns, for each of which the core fits the linear prediction by least squares [1]_.

References
----------
.. [1] X. Wu, E. U. Barthel and W. Zhang, "Piecewise 2D autoregression for predictive image coding", IEEE
   International Conference on Image Processing, 1998.
"""

from __future__ import annotations

from collections.abc import Iterator

BORDER = 3
"""Width of the border of planes: the largest distance of a neighbour."""

STRIP, STRIPS = 32, 1024
"""Width of a strip, and largest number of strips with equations of their own; wider lines share them."""

_AT_ONCE = 512


def fits(columns: int, width: int = STRIP) -> int:
    """Return the number of strips of a line that have equations of their own."""
    return min(-(-columns // width), STRIPS)


def sums(inputs: int) -> int:
    """Return the number of sums of products in the normal equations of a strip with so many inputs.

    They are those of the inputs and the target, in 4 × 4 blocks on and below the diagonal.
    """
    blocks = (inputs + 4) // 4
    return 8 * blocks * (blocks + 1)


def runs(rows: int, columns: int, width: int = STRIP) -> Iterator[tuple[int, int, int]]:
    """Yield all strips of a plane in raster order, a few at a time: first strip, end, number of values."""
    in_line = -(-columns // width)

    def before(strip: int) -> int:
        return strip // in_line * columns + min(strip % in_line * width, columns)

    for start in range(0, rows * in_line, _AT_ONCE):
        stop = min(start + _AT_ONCE, rows * in_line)
        yield start, stop, before(stop) - before(start)
