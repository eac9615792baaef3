"""The names of the methods."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """What one sample of the PCA is."""

    PHOTO = "photo"
    BLOCKS = "blocks"
    CHANNELS = "channels"
    STACK = "stack"
    BANDS = "bands"


class BasisName(StrEnum):
    """Whose components a photo's blocks have."""

    AUTO = "auto"
    BUILTIN = "builtin"
    OWN = "own"
