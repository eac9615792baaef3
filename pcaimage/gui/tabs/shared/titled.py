"""A picture with a caption. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.insight.inspection import Bytes


@dataclass(frozen=True, eq=False)
class Titled:
    """A picture of shape (h, w, 1 or 3), or none, with a caption."""

    title: str
    pixels: Bytes | None
    inner: tuple[int, int, int, int] | None = None
    """Left, top, right and bottom of the part that is outlined, in pixels; None for none."""
