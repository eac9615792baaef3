"""What a user types into the settings panel, as numbers. No Qt here."""

from __future__ import annotations

import math

from pcaimage.insight.formatting import Units, units_in_use

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}


def parse_number(text: str) -> float | None:
    """Return the number that a user typed, with or without its unit.

    Parameters
    ----------
    text : str
        Such as ``97.31 %`` or ``97,31``.

    Returns
    -------
    float or None
        None if it is no finite number.
    """
    kept = text.replace("\u00a0", " ").replace("≈", "").strip().replace(",", ".")
    for unit in ("%", "db"):
        kept = kept.lower().removesuffix(unit).strip()
    try:
        value = float(kept)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_size(text: str, original: int | None = None) -> float | None:
    """Return the number of bytes that a user typed.

    Parameters
    ----------
    text : str
        Such as ``41.2 KB``, ``40 KiB``, ``300k``, ``1,5 MB``, ``41200`` or, of the original, ``25 %``.
    original : int, optional
        Bytes of the original.

    Returns
    -------
    float or None
        None if it is no size.
    """
    kept = text.replace("\u00a0", " ").strip().lower()
    if kept.endswith("%"):
        share = parse_number(kept)
        return None if share is None or original is None else round(share / 100 * original)
    digits = kept.rstrip("bikmg ")
    number, unit = parse_number(digits), kept[len(digits) :].strip()
    binary = unit.endswith("ib") or (len(unit) == 1 and unit != "b" and units_in_use() is Units.BINARY)
    letter = unit.removesuffix("ib") if unit.endswith("ib") else unit.removesuffix("b")
    if number is None or letter not in _POWERS or (unit == "ib"):
        return None
    kilo = 1024.0 if binary else 1000.0
    return round(number * math.pow(kilo, _POWERS[letter]))


def parse_similarity(text: str) -> float | None:
    """Return the structural similarity that a user typed.

    Parameters
    ----------
    text : str
        Such as ``0.95``, ``.95`` or ``95 %``.

    Returns
    -------
    float or None
        Above 0 and at most 1; None if it is none.
    """
    number = parse_number(text)
    if number is None:
        return None
    share = number / 100 if "%" in text or number > 1 else number
    return share if 0 < share <= 1 else None
