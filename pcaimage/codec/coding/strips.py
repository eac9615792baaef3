"""Strips of lines, for which the core fits the equations that predict numbers.

References
----------
.. [1] X. Wu, E. U. Barthel and W. Zhang, "Piecewise 2D autoregression for predictive image coding", IEEE
   International Conference on Image Processing, 1998.
"""

from __future__ import annotations

from collections.abc import Iterator

BORDER = 2
"""Neighbours are at most so far away: planes have a border."""

STRIP, STRIPS = 32, 1024
"""For so many numbers of a line the weights stay. Beyond so many strips, those far apart share theirs."""

HEAVIEST = 1 << 19
"""Weights are in units of 2^-16, and not above 8."""

_AT_ONCE = 512


def fits(columns: int) -> int:
    """Return how many strips of a line have equations of their own.

    Parameters
    ----------
    columns : int
        Numbers in a line.
    """
    return min(-(-columns // STRIP), STRIPS)


def sums(inputs: int) -> int:
    """Return how many sums of products the equations of a strip are.

    Parameters
    ----------
    inputs : int
        How many inputs predict a number.

    Returns
    -------
    int
        Of inputs and of the target, in blocks of 4 × 4 on and below the diagonal.
    """
    blocks = (inputs + 4) // 4
    return 8 * blocks * (blocks + 1)


def runs(rows: int, columns: int) -> Iterator[tuple[int, int, int]]:
    """Yield all strips of a plane in reading order, some at a time.

    Parameters
    ----------
    rows, columns : int
        The plane's shape.

    Yields
    ------
    (int, int, int)
        The first strip, that behind the last, and how many numbers there are in all of these.
    """
    in_line = -(-columns // STRIP)

    def before(strip: int) -> int:
        return strip // in_line * columns + min(strip % in_line * STRIP, columns)

    for start in range(0, rows * in_line, _AT_ONCE):
        stop = min(start + _AT_ONCE, rows * in_line)
        yield start, stop, before(stop) - before(start)
