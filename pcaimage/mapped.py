"""Arrays that stay in their file: what was read of them need not stay in memory.

Pages of a mapped file that were touched count as the program's until the system wants them back, so a walk
through a large file looks as if all of it had been read into memory. The system is told of what is done with;
it keeps the pages in its cache as long as nothing else needs the room.
"""

from __future__ import annotations

import mmap
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT_BYTES = 1 << 27
"""So much is read of a mapped file before its pages are let go of."""

_COPY_ON_WRITE = "c"


def mapping_of(array: NDArray[Any]) -> np.memmap[Any, Any] | None:
    """Find the mapped file in which an array's values are.

    Parameters
    ----------
    array : ndarray
        Any array.

    Returns
    -------
    numpy.memmap or None
        The array that maps the file, which it or what it is a view of is; None for an array in memory.
    """
    base: object = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap) and getattr(base, "_mmap", None) is not None:
            return base
        base = base.base
    return None


def is_mapped(array: NDArray[Any]) -> bool:
    """Tell whether an array's values stay in a file.

    Parameters
    ----------
    array : ndarray
        Any array.

    Returns
    -------
    bool
        Whether it is a ``numpy.memmap`` or a view of one.
    """
    return mapping_of(array) is not None


class Footprint:
    """Keeps small what a walk through arrays leaves in memory; of mapped ones, others are no concern of it.

    It may be told from several threads. What others read at the same time stays as it is, and is at worst
    fetched from the system's cache once more.

    Parameters
    ----------
    *arrays : ndarray
        What is walked through.
    """

    def __init__(self, *arrays: NDArray[Any]) -> None:
        found = [mapping for array in arrays if (mapping := mapping_of(array)) is not None]
        # What was changed in a private copy of pages would be lost with them.
        self._mappings = [each for each in found if each.mode != _COPY_ON_WRITE]
        self._lock, self._bytes = Lock(), 0

    def walked(self, n_bytes: int) -> None:
        """Take note of a part that was read.

        Parameters
        ----------
        n_bytes : int
            How large it was.
        """
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
        """Give back the pages that were read."""
        for mapping in self._mappings:
            pages: Any = mapping._mmap  # type: ignore[attr-defined]  # noqa: SLF001 - NumPy has no other way
            if hasattr(pages, "madvise"):
                pages.madvise(mmap.MADV_DONTNEED)
