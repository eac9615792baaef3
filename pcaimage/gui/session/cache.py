"""Caches the most recent value and the key it belongs to. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass
class SingleCache(Generic[Key, Value]):
    """A cache of one value, which may be large. It may be used from several threads."""

    _entry: tuple[Key, Value] | None = None

    def get(self, key: Key) -> Value | None:
        """Return the value if it belongs to an equal key; else None."""
        entry = self._entry  # read once: another thread may replace it
        return entry[1] if entry is not None and entry[0] == key else None

    def put(self, key: Key, value: Value) -> None:
        """Replace the value."""
        self._entry = key, value

    def clear(self) -> None:
        """Drop the value."""
        self._entry = None
