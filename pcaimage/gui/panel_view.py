"""What the settings panel shows, as data. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass

METHODS = {"photo": "Photo", "blocks": "Blocks", "channels": "Channels", "stack": "Stack"}
"""The ways to sample an image, and what they are called in the window."""
BLOCKS = (2, 4, 8, 16, 32, 64)
"""Block sizes on offer."""
_KILO = 1000
_UNITS = {
    "b": 1,
    "": 1,
    "k": _KILO,
    "kb": _KILO,
    "m": _KILO**2,
    "mb": _KILO**2,
    "g": _KILO**3,
    "gb": _KILO**3,
}


@dataclass(frozen=True, slots=True)
class PanelView:
    """Everything that the settings panel shows.

    Parameters
    ----------
    enabled : bool
        Whether there is something to compress; False greys all out.
    settings_enabled : bool
        Whether the method may change; not without the original.
    methods : tuple of str
        The methods that the image allows, of :data:`METHODS`.
    method, block, standardize
        How the image is sampled.
    k, k_max : int
        How many components are kept, of how many.
    variance : float or None
        Percent of the variance that is kept, 0 to 100; None while unknown.
    psnr : float or None
        In dB; infinite if nothing is lost; None while unknown.
    size : int or None
        Bytes; None while unknown.
    size_estimated : bool
        Whether the size is an estimate, and shown with ≈.
    step : float or None
        The quantiser's step; None while unknown.
    step_auto : bool
        Whether the step follows from k.
    targets_enabled : bool
        Whether variance, PSNR and size can be asked for.
    psnr_enabled : bool
        Whether PSNR can be asked for; not without the original.
    step_enabled : bool
        Whether the step can be changed; a compressed file's cannot.
    hint, error : str
        A sentence worth knowing, and one that says why a target is not reached.
    """

    enabled: bool = False
    settings_enabled: bool = True
    methods: tuple[str, ...] = ("photo", "blocks", "channels", "stack")
    method: str = "photo"
    block: int = 8
    standardize: bool = False
    k: int = 0
    k_max: int = 0
    variance: float | None = None
    psnr: float | None = None
    size: int | None = None
    size_estimated: bool = True
    step: float | None = None
    step_auto: bool = True
    targets_enabled: bool = True
    psnr_enabled: bool = True
    step_enabled: bool = True
    hint: str = ""
    error: str = ""


def k_at(fraction: float, k_max: int, *, even: bool = False) -> int:
    """Return the k at a place of the slider, whose scale is mostly finer where k is small.

    Equal ways multiply k by equal factors: from 4 to 8 components changes a picture about as much as
    from 64 to 128. Not so with photos: there the next few components always change about as much.

    Parameters
    ----------
    fraction : float
        0 at the left end to 1 at the right end.
    k_max : int
        The k at the right end, at least 1.
    even : bool, default False
        Whether equal ways add equally many components.

    Returns
    -------
    int
        Between 1 and ``k_max``.
    """
    if even:
        return max(1, min(1 + round((k_max - 1) * fraction), k_max))
    return max(1, min(round(math.pow(k_max, fraction)), k_max))


def place_of(k: int, k_max: int, *, even: bool = False) -> float:
    """Return the place of k on the slider; the inverse of :func:`k_at`.

    Parameters
    ----------
    k, k_max : int
        The k wanted, and that at the right end.
    even : bool, default False
        As for :func:`k_at`.

    Returns
    -------
    float
        Between 0 and 1.
    """
    if even:
        return (max(k, 1) - 1) / max(k_max - 1, 1)
    return math.log(max(k, 1)) / math.log(k_max) if k_max > 1 else 0.0


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


def file_size(value: float) -> str:
    """Return a size as text, in decimal units with three significant figures.

    Parameters
    ----------
    value : float
        Bytes.

    Returns
    -------
    str
        Such as ``41.2 KB``.
    """
    for unit in ("B", "KB", "MB"):
        if round(value, 1) < _KILO:
            return f"{value:.{0 if unit == 'B' or value >= 99.95 else 1}f}\u00a0{unit}"
        value /= _KILO
    return f"{value:.1f}\u00a0GB"


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


def parse_size(text: str) -> float | None:
    """Return the number of bytes that a user typed.

    Parameters
    ----------
    text : str
        Such as ``41.2 KB``, ``300k``, ``1,5 MB`` or ``41200``.

    Returns
    -------
    float or None
        None if it is no size.
    """
    kept = text.replace("\u00a0", " ").strip().lower()
    digits = kept.rstrip("bkmg ")
    number = parse_number(digits)
    factor = _UNITS.get(kept[len(digits) :].strip())
    return None if number is None or factor is None else round(number * factor)
