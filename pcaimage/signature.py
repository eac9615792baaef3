"""The suffix and the first bytes by which a ``.pcai`` file is recognised."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SUFFIX: Final = ".pcai"

SIGNATURE: Final = b"\x89PCAI\r\n\x1a"
"""Starts with a byte that is not text, and is damaged by transfers in text mode."""


def is_compressed(path: Path) -> bool:
    """Return whether a file is a ``.pcai`` file, by its suffix or its first bytes; it need not exist."""
    if path.suffix.lower() == SUFFIX:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False  # reading it will raise an error with the reason
