"""Memory that is used again: clearing each new piece takes the system as long as some of the work on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 64  # bytes of a cache line


class Memory:
    """Arrays by name, for one thread at a time, which begin cache lines and are followed by one more."""

    def __init__(self) -> None:
        self._held: dict[str, NDArray[np.uint8]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
        """Return an array of any contents; the next one of this name overwrites it."""
        needed = math.prod(shape) * np.dtype(dtype).itemsize
        if name not in self._held or self._held[name].size < needed + LINE:
            self._held[name] = _aligned(np.empty(needed + 2 * LINE, np.uint8))
        return self._held[name][:needed].view(dtype).reshape(shape)


def _aligned(room: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return what follows the first border between cache lines, up to a line less than all."""
    start = -room.__array_interface__["data"][0] % LINE
    return room[start : start + len(room) - LINE]


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

    @contextmanager
    def taken(self) -> Iterator[Memory]:
        """Return a memory that nobody uses, for what is done within a block."""
        memory = self.take()
        yield memory
        self.give_back(memory)

    def clear(self) -> None:
        """Give all memory that no thread uses back to the system."""
        self._free.clear()
