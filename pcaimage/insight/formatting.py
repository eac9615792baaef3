"""Numbers as text and text as numbers, the same in the window, on the command line and in reports."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from enum import StrEnum
from typing import Any


class Units(StrEnum):
    """Units of file sizes."""

    DECIMAL = "decimal"  # 1 KB is 1000 bytes
    BINARY = "binary"  # 1 KiB is 1024 bytes


_KILO = {Units.DECIMAL: 1000, Units.BINARY: 1024}
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIZE = re.compile(r"([0-9][0-9_]*[.,]?[0-9]*|[.,][0-9]+)\s*([kmg]?)(i?)(b?|o|bytes?)", re.IGNORECASE)
_in_use = [Units.DECIMAL]  # global like a locale: it applies wherever sizes are formatted


def use_units(units: Units) -> None:
    """Set the units of all sizes that the process shows from now on."""
    _in_use[0] = units


def units_in_use() -> Units:
    """Return the units of sizes; decimal unless set otherwise."""
    return _in_use[0]


def change_words(before: int | None, after: int | None) -> str:
    """Return by how much a file became smaller or larger, such as ``−63 %``; empty if that is not known."""
    if not before or after is None:
        return ""
    change = 100 * (after / before - 1)
    # What is left is not to look like nothing.
    number = f"{min(abs(change), 99.9):.{int(change < -99.5)}f}"
    return f"−{number}\u00a0%" if change < 0.5 else f"+{change:.0f}\u00a0%"


def percent(value: float) -> str:
    """Format a percentage, 0 to 100, with two decimals: ``97.31 %``.

    It is rounded, but never up to a whole number: a share of 94.998 is not shown as the 95 % that was asked
    for, nor 99.9999 as 100 %.
    """
    hundredths = math.floor(value * 100 + 0.5)
    if hundredths % 100 == 0 and hundredths > value * 100 + 1e-7:
        hundredths -= 1
    return f"{hundredths / 100:.2f}\u00a0%"


def share_percent(value: float) -> str:
    """Format one component's percentage like :func:`percent`, but as ``< 0.01 %`` if it rounds to zero."""
    return "< 0.01\u00a0%" if 0 < value < 0.005 else percent(value)


def decibels(value: float) -> str:
    """Format a PSNR in dB, such as ``34.12 dB``; ``lossless`` if infinite."""
    return "lossless" if math.isinf(value) else f"{value:.2f}\u00a0dB"


def file_size(value: float, units: Units | None = None) -> str:
    """Format a number of bytes with three significant digits: ``41.2 KB``, in binary units ``40.2 KiB``."""
    chosen = units_in_use() if units is None else units
    infix = "i" if chosen is Units.BINARY else ""
    for unit in ("B", f"K{infix}B", f"M{infix}B"):
        if round(value, 1) < _KILO[chosen]:
            return f"{value:.{0 if unit == 'B' or value >= 99.95 else 1}f}\u00a0{unit}"
        value /= _KILO[chosen]
    return f"{value:.1f}\u00a0G{infix}B"


def superscript(number: int) -> str:
    """Format a whole number in superscript digits."""
    return str(number).translate(_RAISED)


def short_figure(value: float) -> str:
    """Format a non-negative error with at most three significant digits below 1000.

    For example ``"312"``, ``"3.1"`` or ``"0.012"``.
    """
    if value >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2g}"


def levels(value: float) -> str:
    """Format a non-negative error in levels of pixel values with its unit, such as ``"3.1 levels"``."""
    return f"{short_figure(value)} levels"


def significant(value: float) -> str:
    """Format a non-negative number with three significant digits, such as ``34.5``.

    It is whole from 100 to a million; larger and very small numbers have a power of ten.
    """
    if value == 0:
        return "0"
    if 0.00995 <= value < 999_999.5:
        shown = f"{value:#.3g}" if value < 99.95 else f"{value:,.0f}"
        return shown.replace(",", "\u202f")
    digits, power = f"{value:.2e}".split("e")
    return f"{digits}\u00a0×\u00a010{superscript(int(power))}"


def image_words(number: int, count: int, labels: Any = None) -> str:
    """Format a zero-based image number of a stack, such as ``image 17 of 10,000 · label 3``."""
    words = f"image {number + 1:,} of {count:,}"
    return words if labels is None else f"{words} · label {labels[number]}"


def error_words(rms: float, peak: float, *, as_psnr: bool) -> str:
    """Format an image's RMS error in levels, such as ``error 12.3``, or as its PSNR.

    `peak` is the largest value that a pixel can have.
    """
    if not as_psnr:
        return f"error {rms:.1f}" if rms < 99.95 else f"error {rms:.0f}"
    return decibels(math.inf if rms == 0 else 20 * math.log10(peak / float(rms)))


def kept_words(count: int, k: int, left_out: Collection[int], total: int = 0) -> str:
    """Format the numbers of components kept and left out; `total` is how many the image had."""
    out = sum(number <= k for number in left_out)
    words = f"{k} of {count} components are kept" + (f", {out} of them left out" if out else "")
    return words + (f" · {total - count} more are not in the file" if total > count else "")


def parse_number(text: str) -> float | None:
    """Parse a finite number with or without a unit, such as ``97.31 %`` or ``97,31``; else None."""
    kept = text.replace("\u00a0", " ").replace("≈", "").strip().replace(",", ".")
    for unit in ("%", "db"):
        kept = kept.lower().removesuffix(unit).strip()
    try:
        value = float(kept)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_share(text: str) -> float | None:
    """Parse a share such as ``0.95``, ``,95`` or ``95 %``; None unless it is above 0 and at most 1."""
    number = parse_number(text)
    if number is None:
        return None
    share = number / 100 if "%" in text or number > 1 else number
    return share if 0 < share <= 1 else None


def parse_size(text: str, original: int | None = None) -> int | None:
    """Parse a file size in bytes, rounded down; None if it is not one, or none of at least 1.

    Examples are ``41.2 KB``, ``40 KiB``, ``300k``, ``1,5 MB``, ``41_200`` and, of the `original` size in
    bytes, ``25 %``. A letter alone is of the units in use.
    """
    kept = text.replace("\u00a0", " ").replace("≈", "").strip()
    if kept.endswith("%"):
        share = parse_number(kept)
        return None if share is None or original is None else round(share / 100 * original)
    match = _SIZE.fullmatch(kept)
    if match is None or (match[3] and not match[2]):
        return None
    binary = match[3] or (not match[4] and units_in_use() is Units.BINARY)
    power = " kmg".index(match[2].lower() or " ")
    number = float(match[1].replace("_", "").replace(",", "."))
    return int(number * (1024 if binary else 1000) ** power) or None
