"""Where the axes of size and quality are labelled, and how. No Qt here."""

from __future__ import annotations

import math

Ticks = list[tuple[float, str]]


def size_ticks(low: float, high: float) -> tuple[Ticks, Ticks]:
    """Return ticks of a logarithmic axis of bytes.

    Parameters
    ----------
    low, high : float
        Decimal logarithms of its ends.

    Returns
    -------
    (list, list)
        Places and texts of ticks with a label, and places of ticks without.
    """
    few = high - low < 2.2
    large, small = list[tuple[float, str]](), list[tuple[float, str]]()
    for power in range(math.floor(low), math.ceil(high) + 1):
        for digit in range(1, 10):
            place = power + math.log10(digit)
            if not low <= place <= high:
                continue
            if digit == 1 or (few and digit in (2, 5)):
                large.append((place, _round_size(digit, power)))
            else:
                small.append((place, ""))
    return large, small


def round_ticks(low: float, high: float, most: int) -> Ticks:
    """Return round values between two.

    Parameters
    ----------
    low, high : float
        Ends of an axis.
    most : int
        How many there may be.

    Returns
    -------
    list of (float, str)
        Values and their texts.
    """
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(number * step, f"{number * step:.{digits}f}") for number in numbers]


def _round_size(digit: int, power: int) -> str:
    unit = min(max(power, 0) // 3, 3)
    return f"{digit * 10.0 ** (power - 3 * unit):g}\u00a0{('B', 'KB', 'MB', 'GB')[unit]}"
