"""Figures as text, the same in the window, in reports and in tables."""

from __future__ import annotations

import math
from enum import StrEnum


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


def short_figure(value: float) -> str:
    """Return an error in as few figures as a comparison needs.

    Parameters
    ----------
    value : float
        Any number that is not negative.

    Returns
    -------
    str
        Such as ``"312"``, ``"3.1"`` or ``"0.012"``: at most three significant figures below 1000.
    """
    if value >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2g}"


def levels(value: float) -> str:
    """Return an error with its unit.

    Parameters
    ----------
    value : float
        In levels of pixel values; not negative.

    Returns
    -------
    str
        Such as ``"3.1 levels"``.
    """
    return f"{short_figure(value)} levels"


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
