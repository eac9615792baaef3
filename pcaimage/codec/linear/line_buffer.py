"""A buffer for a reconstruction: in memory, or for large ones in a temporary file."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from threading import Lock
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

IN_MEMORY = 1 << 30  # size in bytes from which a buffer is a temporary file


class LineBuffer:
    """Collects a reconstruction line by line.

    A large one is written to a file, which is mapped when it is complete: lines written to a mapped file
    would stay in memory, and take several times as long.
    """

    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._lock = Lock()
        n_bytes = math.prod(shape) * self._dtype.itemsize
        self._file = _file_of(n_bytes) if n_bytes > IN_MEMORY else None
        self._lines = np.empty(shape if self._file is None else (0,), self._dtype)

    @property
    def lines(self) -> NDArray[Any] | None:
        """The array to be filled; None if it is a file."""
        return self._lines if self._file is None else None

    def put(self, start: int, lines: NDArray[Any], column: int = 0) -> None:
        """Store lines from line `start` on, or parts of lines from a column on; thread-safe."""
        count, width = lines.shape[:2]
        if self._file is None:
            self._lines[start : start + count, column : column + width] = lines
            return
        if width == self._shape[1]:
            lines = lines[None]
        whole, part = (math.prod(self._shape[axis:]) * self._dtype.itemsize for axis in (1, 2))
        with self._lock:
            for line, values in enumerate(lines, start):
                data = np.ascontiguousarray(values, self._dtype).reshape(-1).view(np.uint8).data
                _write(self._file, line * whole + column * part, data)

    def array(self) -> NDArray[Any]:
        """Return the complete array; a large one is a view of a ``numpy.memmap``."""
        if self._file is None:
            return self._lines
        with self._file:
            return np.memmap(self._file, self._dtype, "r+", shape=self._shape).view(np.ndarray)


def _file_of(n_bytes: int) -> IO[bytes]:
    """Return an unnamed temporary file with `n_bytes` allocated; raise DataError if the disk is full."""
    folder = tempfile.gettempdir()
    # Running out of disk space in a mapped file would crash the program.
    if shutil.disk_usage(folder).free >= n_bytes:
        file: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it is used until all is put
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
        except OSError:
            file.close()
        else:
            return file
    raise DataError(
        f"The image takes {n_bytes / 1e9:.1f} GB, and there is not as much room in {folder}; TMPDIR names "
        "another folder."
    )


def _write(file: IO[bytes], place: int, data: memoryview) -> None:
    """Write bytes at an offset of an unbuffered file."""
    try:
        file.seek(place)
        while data:
            data = data[file.write(data) :]
    except OSError as error:
        raise DataError(f"There is no more room in {tempfile.gettempdir()} for the image.") from error
