"""The words about an export: its choices, and what is said of its size. No Qt here."""

from __future__ import annotations

from pcaimage.insight.formatting import file_size

RESIZES = (("Keep the size", "off"), ("Longest edge", "edge"), ("Width", "width"), ("Per cent", "percent"))
COLOURS = (("Keep the profile", False), ("Convert to sRGB", True))
METADATA = (("Keep all", "nothing"), ("Remove the location", "place"), ("Remove all", "all"))
"""The choices, each with its value in a plan."""


def saving(n_bytes: int, original: int | None) -> str:
    """Format how much smaller or larger a file is, such as ``31 % smaller than the original``."""
    if not original:
        return ""
    change = 100 * (n_bytes - original) / original
    if abs(change) < 0.5:
        return "as large as the original"
    if change >= 100:
        return f"{n_bytes / original:.1f} times as large as the original"
    if change <= -99.5:
        return "more than 99\u00a0% smaller than the original"
    return f"{abs(change):.0f}\u00a0% {'smaller' if change < 0 else 'larger'} than the original"


def size_words(n_bytes: int, original: int | None, *, exact: bool) -> tuple[str, str]:
    """Return the size, with ≈ if it is an estimate, and how it compares with the original."""
    return ("" if exact else "≈\u00a0") + file_size(n_bytes), saving(n_bytes, original)


def exported(name: str, n_bytes: int, original: int | None) -> str:
    """Return the notice about a file that was written."""
    compared = saving(n_bytes, original)
    return f"Exported {name}: {file_size(n_bytes)}" + (f", {compared}." if compared else ".")
