"""Keys as they are written in files."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence

Key = str | QKeySequence.StandardKey


def key_of(written: str) -> Key:
    """Return a key as it is written in a file, where those that depend on the platform begin with @."""
    return QKeySequence.StandardKey[written[1:]] if written.startswith("@") else written
