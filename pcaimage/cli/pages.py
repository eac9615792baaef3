"""What the pages of a file are, as it is typed."""

from __future__ import annotations

from enum import StrEnum


class Pages(StrEnum):
    """Whether a file's planes are bands of one image, or images."""

    BANDS = "bands"
    IMAGES = "images"
