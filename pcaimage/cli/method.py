"""The names of the methods."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """What one sample of the PCA is."""

    BLOCKS = "blocks"
    CHANNELS = "channels"
    STACK = "stack"
