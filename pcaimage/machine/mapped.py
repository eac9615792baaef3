"""Memory-mapped arrays: releasing their pages from memory, and detecting changes of their files.

Touched pages of a mapped file count as memory of the process until the system reclaims them, so a pass
through a large file looks as if all of it had been read into memory. Released pages stay in the system's
cache as long as nothing else needs the memory.

Another program may truncate a mapped file while it is read, which would crash the process. In a watched file,
zeros are read instead, and the caller that walks its pixels gets a :class:`ChangedError`.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ChangedError

KEPT_BYTES = 1 << 26  # number of bytes of a mapped file that are read before its pages are released

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


def watch(array: NDArray[Any]) -> None:
    """Protect against truncation of a memory-mapped array's file, and note the file's current state.

    Other arrays are ignored. An array may be watched again, from its state at that time.
    """
    mapping = mapping_of(array)
    if mapping is None:
        return
    pages, path = _pages_of(mapping), getattr(mapping, "filename", None)
    known = _watched.get(pages)
    place = _begin(pages) if known is None else known.place
    # A writable mapping may change the file itself.
    state = _state_of(path) if mapping.mode == "r" else None
    _watched[pages] = _Watched(place, None if path is None else Path(path), state)


def _begin(pages: mmap.mmap) -> int:
    """Let the core watch a mapping as long as it exists; return its index."""
    memory = np.frombuffer(pages, np.uint8)
    begin, end, _ = _core()
    place: int = begin(memory.__array_interface__["data"][0], memory.nbytes)
    if place >= 0:
        weakref.finalize(pages, end, place).atexit = False
    return place


def check_unchanged(*arrays: NDArray[Any]) -> None:
    """Raise ChangedError if a memory-mapped array's file was truncated or written to since it was watched.

    Other arrays are ignored. A file that was replaced by another with its name counts as unchanged, as the
    mapping still has the old contents.
    """
    for mapping in filter(None, map(_watched_of, arrays)):
        mapping.check_uncut()
        mapping.check_state()


def cut_files() -> frozenset[int]:
    """Return the indices of watched files that have been truncated, for :func:`check_watched`."""
    return frozenset(each.place for each in list(_watched.values()) if each.is_cut)


def check_watched(known: frozenset[int] = frozenset()) -> None:
    """Raise ChangedError if a watched file has been truncated, except for those in `known`.

    These are the result of :func:`cut_files` before some work, which is not affected by them.
    """
    for each in list(_watched.values()):
        if each.place not in known:
            each.check_uncut()


class _Watched(NamedTuple):
    """A mapped file: its index in the core, its path, and its initial state."""

    place: int
    path: Path | None
    state: tuple[int, ...] | None

    @property
    def is_cut(self) -> bool:
        """Whether zeros were read in place of the file."""
        return self.place >= 0 and bool(_core()[2](self.place))

    def check_uncut(self) -> None:
        """Raise ChangedError if zeros were read in place of the file."""
        if self.is_cut:
            raise self._error()

    def check_state(self) -> None:
        """Raise ChangedError if the file was written to."""
        now = _state_of(self.path)
        if now is None or self.state is None or now == self.state:
            return
        same_file = now[:2] == self.state[:2]
        if same_file:
            raise self._error()

    def _error(self) -> ChangedError:
        name = "The image's file" if self.path is None else self.path.name
        return ChangedError(
            f"{name} was changed by another program while it was being read; try again when that is finished."
        )


_watched = weakref.WeakKeyDictionary[mmap.mmap, _Watched]()


@cache
def _core() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return the core's functions that start, stop and query the watching of a mapping."""
    # Imported here, as few images are mapped.
    from pcaimage.core.library import LONG, function  # noqa: PLC0415

    return (
        function("pcai_watch", LONG, LONG, LONG),
        function("pcai_unwatch", None, LONG),
        function("pcai_was_cut", LONG, LONG),
    )


def _pages_of(mapping: np.memmap[Any, Any]) -> mmap.mmap:
    pages: mmap.mmap = mapping._mmap  # type: ignore[attr-defined]  # noqa: SLF001 - NumPy has no other way
    return pages


def _watched_of(array: NDArray[Any]) -> _Watched | None:
    mapping = mapping_of(array)
    return None if mapping is None else _watched.get(_pages_of(mapping))


def _state_of(path: str | os.PathLike[str] | None) -> tuple[int, ...] | None:
    """Return a file's device, inode, length and modification time; None if it is gone."""
    if path is not None:
        with suppress(OSError):
            found = Path(path).stat()
            return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
    return None


class Footprint:
    """Bounds the memory that a pass through memory-mapped arrays occupies, and detects their changes.

    Arrays in memory are ignored. Safe to use from several threads. Pages that other threads are reading are
    at worst fetched from the system's cache again. If a watched array has changed, :meth:`walked` and
    :meth:`let_go` raise :class:`ChangedError`.
    """

    def __init__(self, *arrays: NDArray[Any]) -> None:
        found = [mapping for array in arrays if (mapping := mapping_of(array)) is not None]
        self._watched = [each for mapping in found if (each := _watched_of(mapping)) is not None]
        # Releasing the pages of a private copy would lose changes to them.
        self._mappings = [each for each in found if each.mode != _COPY_ON_WRITE]
        self._lock, self._bytes = Lock(), 0

    def walked(self, n_bytes: int) -> None:
        """Count bytes that were read, and release the pages from time to time."""
        for each in self._watched:
            each.check_uncut()
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
        for each in self._watched:
            each.check_uncut()
            each.check_state()
        for mapping in self._mappings:
            pages: Any = _pages_of(mapping)
            if hasattr(pages, "madvise"):
                pages.madvise(mmap.MADV_DONTNEED)
