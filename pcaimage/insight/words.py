"""Figures as text, the same in the window, in reports and in tables."""

from __future__ import annotations

import math
from collections.abc import Collection
from enum import StrEnum
from typing import Any

from numpy.typing import NDArray


class Units(StrEnum):
    """What sizes are told in."""

    DECIMAL = "decimal"
    """1 KB is 1000 bytes."""
    BINARY = "binary"
    """1 KiB is 1024 bytes."""


_KILO = {Units.DECIMAL: 1000, Units.BINARY: 1024}
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_in_use = [Units.DECIMAL]  # like a locale it holds for all that is shown, wherever it is put into words


def use_units(units: Units) -> None:
    """Choose what sizes are told in from now on.

    Parameters
    ----------
    units : Units
        For all sizes that the process shows.
    """
    _in_use[0] = units


def units_in_use() -> Units:
    """Return what sizes are told in.

    Returns
    -------
    Units
        Decimal unless something else was chosen.
    """
    return _in_use[0]


def percent(value: float) -> str:
    """Return a share as text, never rounded up to one that is not reached.

    Parameters
    ----------
    value : float
        0 to 100.

    Returns
    -------
    str
        With two decimals, such as ``97.31 %``.
    """
    return f"{math.floor(value * 100 + 1e-7) / 100:.2f}\u00a0%"


def decibels(value: float) -> str:
    """Return a PSNR as text.

    Parameters
    ----------
    value : float
        In dB.

    Returns
    -------
    str
        Such as ``34.12 dB``; ``lossless`` if infinite.
    """
    return "lossless" if math.isinf(value) else f"{value:.2f}\u00a0dB"


def file_size(value: float, units: Units | None = None) -> str:
    """Return a size as text, with three significant figures.

    Parameters
    ----------
    value : float
        Bytes.
    units : Units, optional
        What to tell it in; by default what was chosen by :func:`use_units`.

    Returns
    -------
    str
        Such as ``41.2 KB``, or ``40.2 KiB`` in binary units.
    """
    chosen = units_in_use() if units is None else units
    infix = "i" if chosen is Units.BINARY else ""
    for unit in ("B", f"K{infix}B", f"M{infix}B"):
        if round(value, 1) < _KILO[chosen]:
            return f"{value:.{0 if unit == 'B' or value >= 99.95 else 1}f}\u00a0{unit}"
        value /= _KILO[chosen]
    return f"{value:.1f}\u00a0G{infix}B"


def significant(value: float) -> str:
    """Return a number with three significant figures.

    Parameters
    ----------
    value : float
        Any number that is not negative.

    Returns
    -------
    str
        Such as ``"34.5"``; whole from 100 to a million, with a power of ten where it is larger or very small.
    """
    if value == 0:
        return "0"
    if 0.00995 <= value < 999_999.5:
        shown = f"{value:#.3g}" if value < 99.95 else f"{value:,.0f}"
        return shown.replace(",", "\u202f")
    digits, power = f"{value:.2e}".split("e")
    return f"{digits}\u00a0×\u00a010{str(int(power)).translate(_RAISED)}"


def image_words(number: int, count: int, labels: NDArray[Any] | None = None) -> str:
    """Return which image of a stack is meant.

    Parameters
    ----------
    number : int
        The image, counted from 0.
    count : int
        The number of images.
    labels : ndarray, shape (count,), optional
        A label for each image.

    Returns
    -------
    str
        Such as ``image 17 of 10,000 · label 3``, counted from 1.
    """
    words = f"image {number + 1:,} of {count:,}"
    return words if labels is None else f"{words} · label {labels[number]}"


def error_words(rms: float, peak: float, *, as_psnr: bool) -> str:
    """Return the error of an image as text.

    Parameters
    ----------
    rms : float
        Its root mean square, in levels.
    peak : float
        The largest value that a pixel can have.
    as_psnr : bool
        Whether to return the peak signal-to-noise ratio instead.

    Returns
    -------
    str
        Such as ``error 12.3`` or ``28.10 dB``.
    """
    if not as_psnr:
        return f"error {rms:.1f}" if rms < 99.95 else f"error {rms:.0f}"
    return decibels(math.inf if rms == 0 else 20 * math.log10(peak / float(rms)))


def kept_words(count: int, k: int, left_out: Collection[int], total: int = 0) -> str:
    """Return how many components are kept and left out.

    Parameters
    ----------
    count : int
        The number of components.
    k : int
        How many of them are kept, the first ones.
    left_out : collection of int
        Those that are left out by hand, counted from 1.
    total : int, optional
        The number of components that the image had, where a file holds fewer.

    Returns
    -------
    str
        Such as ``9 of 48 components are kept, 1 of them left out``.
    """
    out = sum(number <= k for number in left_out)
    words = f"{k} of {count} components are kept" + (f", {out} of them left out" if out else "")
    return words + (f" · {total - count} more are not in the file" if total > count else "")
