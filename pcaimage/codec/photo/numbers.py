"""How large whole numbers are that are not negative."""

from __future__ import annotations

from pcaimage.codec.coding.jit import inline


@inline
def digits(value: int) -> int:
    """Return how many binary digits a number has.

    Parameters
    ----------
    value : int
        Not negative.

    Returns
    -------
    int
        0 for 0.
    """
    count = 0
    while value > 0:
        value >>= 1
        count += 1
    return count


@inline
def level(value: int, most: int) -> int:
    """Return how large a number is, in halves of an octave.

    Parameters
    ----------
    value : int
        Not negative.
    most : int
        The highest level there is.

    Returns
    -------
    int
        The number itself below 3, then two levels for each octave.
    """
    result = value
    if value > 2:
        octave = digits(value) - 1
        result = 2 * octave + ((value >> (octave - 1)) & 1)
    return min(result, most)
