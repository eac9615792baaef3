"""Image sources: opening them, the errors of reading them, and how far they are read."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from pcaimage.errors import Cancelled, ImageError, ImageTooLargeError
from pcaimage.imaging.disk.urls import is_url, opened_at
from pcaimage.progress import Progress

Source: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
"""A path or URL, the bytes of a file, or a seekable binary file."""


ZARR = b"a folder of Zarr"  # stands for what a file would begin with


def source_name(source: Source) -> str:
    """Return a source's file name without its folder; empty if it has none."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name or str(source)
    name = getattr(source, "name", "")
    return Path(name).name if isinstance(name, str) else ""


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder of images, and no array of Zarr, even if it may not be read."""
    zarr = any(os.path.isfile(path / each) for each in (".zgroup", ".zarray", "zarr.json"))  # noqa: PTH113
    return os.path.isdir(path) and not zarr  # noqa: PTH112


@contextmanager
def open_source(source: Source) -> Iterator[tuple[BinaryIO, str]]:
    """Open a source as a seekable file with a name for messages; any failure becomes an ImageError.

    Decoders raise almost anything for a damaged file (OSError, SyntaxError, IndexError …): all of it
    means that the file cannot be read. A file that is passed open stays open.
    """
    name = source_name(source) or "The image"
    try:
        if isinstance(source, str | os.PathLike):
            url = isinstance(source, str) and is_url(source)
            with opened_at(str(source)) if url else _opened(Path(source)) as file:
                yield _not_empty(file, name), name
        elif isinstance(source, bytes | bytearray | memoryview):
            yield _not_empty(io.BytesIO(source), name), name
        else:
            yield _not_empty(source if source.seekable() else io.BytesIO(source.read()), name), name
    except (ImageError, Cancelled):
        raise
    except FileNotFoundError as error:
        raise ImageError(f"{name} does not exist.") from error
    except IsADirectoryError as error:
        raise ImageError(f"{name} is a folder, not an image.") from error
    except PermissionError as error:
        raise ImageError(f"{name} may not be read: permission denied.") from error
    except Exception as error:
        pillow = sys.modules.get("PIL.Image")  # if that reads the file at all
        too_large = (MemoryError, *(() if pillow is None else (pillow.DecompressionBombError,)))
        if isinstance(error, too_large):
            raise ImageTooLargeError(f"{name} is too large to be read into memory.") from error
        loop = getattr(error, "errno", None) == errno.ELOOP
        what = "a link that leads back to itself" if loop else "damaged, cut short, or not an image"
        raise ImageError(f"{name} is {what}.") from error


def _opened(path: Path) -> BinaryIO:
    return io.BytesIO(ZARR) if path.is_dir() and not is_folder(path) else path.open("rb")


def _not_empty(file: BinaryIO, name: str) -> BinaryIO:
    if not file.seek(0, io.SEEK_END):
        raise ImageError(f"{name} is empty.")
    file.seek(0)
    return file


def file_size(file: BinaryIO) -> int:
    """Return a file's length in bytes, leaving it at its beginning."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


def head_of(file: BinaryIO, count: int) -> bytes:
    """Return a file's first bytes, leaving it at its beginning."""
    file.seek(0)
    start = file.read(count)
    file.seek(0)
    return start


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key for natural order, in which 2 comes before 10."""
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)]


_PIECE = 1 << 22  # the most bytes that are read between two reports


class CountingFile(io.RawIOBase):
    """Passes reads on to an open binary file, which stays open, and reports their sum in bytes.

    A progress that raises :class:`~pcaimage.errors.Cancelled` ends the decoding.
    """

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        super().__init__()
        self._file, self._progress, self._done = file, progress, 0
        self._total = file_size(file)

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
