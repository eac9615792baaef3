"""A file that reports how far it was read, which is how far a decoder is that reads as it decodes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

from pcaimage.imaging.image.source import file_size

if TYPE_CHECKING:
    from pcaimage.progress import Progress

_PIECE = 1 << 22
"""The most bytes that are read between two reports."""


class CountingFile(io.RawIOBase):
    """Passes reads on to an open binary file, which stays open, and reports their sum in bytes.

    A progress that raises :class:`~pcaimage.errors.Cancelled` ends the decoding.
    """

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        super().__init__()
        position = file.tell()
        self._file, self._progress, self._done = file, progress, 0
        self._total = file_size(file)
        file.seek(position)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to another place, which counts nothing."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the place."""
        return self._file.tell()

    def read(self, size: int | None = -1) -> bytes:
        """Read some bytes, or all that are left."""
        if size is not None and 0 <= size <= _PIECE:
            found = self._file.read(size)
            self._count(len(found))
            return found
        return super().read(-1 if size is None else size) or b""

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # of any buffer
        """Fill a buffer as far as there are bytes."""
        view, done = memoryview(buffer).cast("B"), 0
        while done < len(view):
            part = self._file.read(min(_PIECE, len(view) - done))
            if not part:
                break
            view[done : done + len(part)] = part
            done += len(part)
            self._count(len(part))
        return done

    def _count(self, more: int) -> None:
        # Headers are read more than once, and of 16 bits everything may be.
        self._done = min(self._done + more, self._total - 1)
        self._progress(self._done, self._total)
