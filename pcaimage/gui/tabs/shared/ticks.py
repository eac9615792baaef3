"""Labels of axes: round values, sizes of files, and powers of ten. No Qt here."""

from __future__ import annotations

import math

from pcaimage.insight.formatting import superscript

Ticks = list[tuple[float, str]]  # places on an axis, and their labels


def round_ticks(low: float, high: float, most: int) -> Ticks:
    """Return at most about `most` round values between the ends of an axis."""
    rough = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(number * step, f"{number * step:.{digits}f}") for number in numbers]


def size_ticks(low: float, high: float) -> tuple[Ticks, Ticks]:
    """Return labelled and unlabelled ticks between two sizes of files, all as decimal logarithms of bytes."""
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


def decades(low: float, high: float, most: int = 6) -> Ticks:
    """Return at most `most` powers of ten between two values, all as decimal logarithms."""
    first, last = math.ceil(low), math.floor(high)
    every = max(1, math.ceil((last - first + 1) / most))
    return [(float(power), _power(power)) for power in range(first, last + 1) if power % every == 0]


def _round_size(digit: int, power: int) -> str:
    unit = min(max(power, 0) // 3, 3)
    return f"{digit * 10.0 ** (power - 3 * unit):g}\u00a0{('B', 'KB', 'MB', 'GB')[unit]}"


def _power(power: int) -> str:
    if -2 <= power <= 3:
        return f"{10.0**power:g}"
    return "10" + superscript(power)
