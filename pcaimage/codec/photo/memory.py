"""Memory that is used again: clearing each new piece takes the system as long as some of the work on it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Memory:
    """Arrays by name, for one thread at a time."""

    def __init__(self) -> None:
        self._held: dict[str, NDArray[np.uint8]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
        """Return an array of any contents; the next one of this name overwrites it."""
        needed = math.prod(shape) * np.dtype(dtype).itemsize
        if name not in self._held or self._held[name].size < needed:
            self._held[name] = np.empty(needed, np.uint8)
        return self._held[name][:needed].view(dtype).reshape(shape)


class Memories:
    """The memories of several threads, each of which takes one and gives it back."""

    def __init__(self) -> None:
        self._free: list[Memory] = []

    def take(self) -> Memory:
        """Return a memory that nobody uses."""
        try:
            return self._free.pop()
        except IndexError:
            return Memory()

    def give_back(self, memory: Memory) -> None:
        """Let another thread use a memory."""
        self._free.append(memory)
