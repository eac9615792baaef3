"""Numbers as text for people, and as values that JSON can hold."""

from __future__ import annotations

import math


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


def finite_or_none(value: float) -> float | None:
    """Return a number for JSON, which cannot represent infinity: that becomes null."""
    return value if math.isfinite(value) else None


def finite_or_name(value: float | None) -> float | str | None:
    """Return a no-data value for JSON: ``"nan"``, ``"inf"`` or ``"-inf"`` if it is not finite."""
    return value if value is None or math.isfinite(value) else f"{value:g}"
