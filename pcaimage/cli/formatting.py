"""Numbers as text for people, and as values that JSON can hold."""

from __future__ import annotations

import math

from pcaimage.quality import MOST


def size_text(n_bytes: int) -> str:
    """Format a size with three figures and a unit in powers of 1000, such as ``"41.2 KB"``."""
    if n_bytes < 1000:
        return f"{n_bytes} B"
    value, units = float(n_bytes), iter(("KB", "MB", "GB"))
    unit = "B"
    while unit != "GB" and value >= 999.5:
        value, unit = value / 1000, next(units)
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"


def psnr_text(psnr: float) -> str:
    """Format a PSNR in decibels, such as ``"34.12 dB"``; an infinite one is ``"lossless"``."""
    return f"{psnr:.2f} dB" if math.isfinite(psnr) else "lossless"


def relative_text(peak: float) -> str:
    """Return what a PSNR is relative to, such as ``" relative to 4095"``; nothing for 8 bits."""
    return "" if peak == 255 else f" relative to {peak:.6g}"


def used_text(white: float) -> str:
    """Return how much of 16 bits is used, such as ``"12 bits are used"``; nothing if all are."""
    bits = int(white).bit_length()
    what = f"{bits} bits" if white == (1 << bits) - 1 else f"values up to {white:g}"
    return "" if white >= MOST else f"{what} are used"


def finite_or_none(value: float) -> float | None:
    """Return a number for JSON, which cannot represent infinity: that becomes null."""
    return value if math.isfinite(value) else None


def finite_or_name(value: float | None) -> float | str | None:
    """Return a no-data value for JSON: ``"nan"``, ``"inf"`` or ``"-inf"`` if it is not finite."""
    return value if value is None or math.isfinite(value) else f"{value:g}"


def within_text(error: float | None, scale: float, unit: str) -> str:
    """Return a greatest error as part of a sentence, also in what numbers stand for; empty without one."""
    if not error:
        return ""
    meant = f" ({error * scale:g} {unit})".replace(" )", ")") if unit or scale != 1 else ""
    return f", every value within ±{error:g}{meant}"


def rate_text(bits: float, channels: int) -> str:
    """Return bits per pixel as text; those of many bands per value, as no pixel of a picture has so many."""
    return f"{bits:.3g} bits per pixel" if channels <= 4 else f"{bits / channels:.3g} bits per value"
