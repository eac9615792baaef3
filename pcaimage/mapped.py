"""Memory-mapped arrays, and the release of their pages from memory.

Pages of a mapped file that were touched count towards the process's memory until the system reclaims them, so
a pass through a large file looks as if all of it had been read into memory. Releasing them leaves them in the
system's cache as long as nothing else needs the memory.
"""

from __future__ import annotations

import mmap
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT_BYTES = 1 << 27
"""Bytes of a mapped file that are read before its pages are released."""

_COPY_ON_WRITE = "c"


def mapping_of(array: NDArray[Any]) -> np.memmap[Any, Any] | None:
    """Return the memmap that an array is or is a view of; None for an array in memory."""
    base: object = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap) and getattr(base, "_mmap", None) is not None:
            return base
        base = base.base
    return None


def is_mapped(array: NDArray[Any]) -> bool:
    """Return whether an array is a ``numpy.memmap`` or a view of one."""
    return mapping_of(array) is not None


class Footprint:
    """Bounds the memory that a pass through memory-mapped arrays occupies; arrays in memory are ignored.

    Safe to use from several threads. Pages that other threads are reading are at worst fetched from the
    system's cache again.
    """

    def __init__(self, *arrays: NDArray[Any]) -> None:
        found = [mapping for array in arrays if (mapping := mapping_of(array)) is not None]
        # Releasing the pages of a private copy would lose changes to them.
        self._mappings = [each for each in found if each.mode != _COPY_ON_WRITE]
        self._lock, self._bytes = Lock(), 0

    def walked(self, n_bytes: int) -> None:
        """Count bytes that were read, and release the pages from time to time."""
        if not self._mappings:
            return
        with self._lock:
            self._bytes += n_bytes
            full = self._bytes >= KEPT_BYTES
            if full:
                self._bytes = 0
        if full:
            self.let_go()

    def let_go(self) -> None:
        """Release the pages that were read."""
        for mapping in self._mappings:
            pages: Any = mapping._mmap  # type: ignore[attr-defined]  # noqa: SLF001 - NumPy has no other way
            if hasattr(pages, "madvise"):
                pages.madvise(mmap.MADV_DONTNEED)
