"""Values as they are typed: shares of the variance, sizes of files, lists of components."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import typer

_SIZE = re.compile(r"([0-9][0-9_]*\.?[0-9]*|\.[0-9]+)\s*([kmg]?)(i?)(b?|bytes?)", re.IGNORECASE)
_NUMBERS = re.compile(r"([1-9][0-9]{0,4})(?:\s*-\s*([1-9][0-9]{0,4}))?")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}


def parse_share(text: str) -> float:
    """Return the share that a user typed.

    Parameters
    ----------
    text : str
        A share such as ``0.95``, or percents such as ``95%`` or, above 1, ``95``.

    Returns
    -------
    float
        The share; 0.95 for all of these.

    Raises
    ------
    typer.BadParameter
        If it is none.
    """
    digits = text.strip()
    percents = digits.endswith("%")
    try:
        number = float(digits.removesuffix("%"))
    except ValueError:
        number = math.nan
    share = number / 100 if percents or number > 1 else number
    if not 0 < share <= 1:
        raise typer.BadParameter(f"{text!r} is not a share of the variance, such as 0.95 or 95%.")
    return share


def parse_size(text: str) -> int:
    """Return the number of bytes that a user typed.

    Parameters
    ----------
    text : str
        Such as ``40000``, ``40KB``, ``1.5 MB`` (powers of 1000) or ``40KiB`` (powers of 1024).

    Returns
    -------
    int
        Whole bytes, rounded down.

    Raises
    ------
    typer.BadParameter
        If it is no size, or less than a byte.
    """
    match = _SIZE.fullmatch(text.strip())
    n_bytes = 0
    if match is not None and (match[2] or not match[3]):
        unit = 1024 if match[3] else 1000
        n_bytes = int(float(match[1].replace("_", "")) * unit ** _POWERS[match[2].lower()])
    if n_bytes < 1:
        raise typer.BadParameter(f"{text!r} is not a size in bytes, such as 40000, 40KB, 1.5MB or 40KiB.")
    return n_bytes


def parse_components(text: str) -> frozenset[int]:
    """Return the components that a user typed.

    Parameters
    ----------
    text : str
        Such as ``3,7,12-20``.

    Returns
    -------
    frozenset of int
        Their numbers, from 1.

    Raises
    ------
    typer.BadParameter
        If it is no list of components.
    """
    found = set[int]()
    for part in text.split(","):
        match = _NUMBERS.fullmatch(part.strip())
        first = int(match[1]) if match else 1
        last = int(match[2] or first) if match else 0
        if last < first:
            raise typer.BadParameter(
                f"{text!r} is no list of components, which count from 1, such as 3,7,12-20."
            )
        found.update(range(first, last + 1))
    return frozenset(found)


@dataclass(frozen=True)
class NoDataValue:
    """What a user typed for what stands where nothing was measured.

    Parameters
    ----------
    number : float or None
        The value; None where every number counts.
    """

    number: float | None


def parse_nodata(text: str) -> NoDataValue:
    """Return the value of what was not measured that a user typed.

    Parameters
    ----------
    text : str
        A number, ``nan``, or ``none``.

    Returns
    -------
    NoDataValue
        The number, or that there is none.

    Raises
    ------
    typer.BadParameter
        If it is neither.
    """
    if text.strip().lower() == "none":
        return NoDataValue(None)
    try:
        return NoDataValue(float(text))
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is no number, such as -9999, and neither nan nor none."
        ) from error


def size_text(n_bytes: int) -> str:
    """Return a size with three figures and a unit.

    Parameters
    ----------
    n_bytes : int
        Bytes.

    Returns
    -------
    str
        Such as ``"41.2 KB"``, in powers of 1000.
    """
    if n_bytes < 1000:
        return f"{n_bytes} B"
    value, units = float(n_bytes), iter(("KB", "MB", "GB"))
    unit = "B"
    while unit != "GB" and value >= 999.5:
        value, unit = value / 1000, next(units)
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"


def psnr_text(psnr: float) -> str:
    """Return a peak signal-to-noise ratio in words.

    Parameters
    ----------
    psnr : float
        Decibels.

    Returns
    -------
    str
        Such as ``"34.12 dB"``; ``"lossless"`` if infinite.
    """
    return f"{psnr:.2f} dB" if math.isfinite(psnr) else "lossless"


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    float or None
        None, which JSON calls null, for infinity: JSON has no word for that.
    """
    return value if math.isfinite(value) else None


def number_or_word(value: float | None) -> float | str | None:
    """Return the value of pixels that were not measured, as JSON can hold it.

    Parameters
    ----------
    value : float or None
        Any number.

    Returns
    -------
    float, str or None
        ``"nan"``, ``"inf"`` or ``"-inf"`` for what is no finite number.
    """
    return value if value is None or math.isfinite(value) else f"{value:g}"
