"""What was made last, for who wants the same again. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass
class Newest(Generic[Key, Value]):
    """Holds one thing, which may be large, and what it belongs to. Several threads may ask for it."""

    _held: tuple[Key, Value] | None = None

    def get(self, key: Key) -> Value | None:
        """Return what was made last.

        Parameters
        ----------
        key : Key
            What it has to belong to, compared by ==.

        Returns
        -------
        Value or None
            None if it belongs to something else.
        """
        held = self._held
        return held[1] if held is not None and held[0] == key else None

    def put(self, key: Key, value: Value) -> None:
        """Hold something in place of what was held.

        Parameters
        ----------
        key : Key
            What it belongs to.
        value : Value
            The thing.
        """
        self._held = key, value

    def clear(self) -> None:
        """Let go of what is held."""
        self._held = None
