"""Room for a reconstruction: in memory, or for large ones in a temporary file."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

IN_MEMORY = 1 << 30
"""Bytes of an image from which it is kept in a file."""


def room_for(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Return an array to be filled.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    dtype : str
        Its type's name.

    Returns
    -------
    ndarray
        Of more than :data:`IN_MEMORY` bytes it is a view of a ``numpy.memmap``, whose file goes when it does.

    Raises
    ------
    DataError
        If there is not enough memory, or room on the disk.
    """
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    if n_bytes <= IN_MEMORY:
        return np.empty(shape, dtype)
    folder = tempfile.gettempdir()
    # A mapped file that outgrew its disk would end the program.
    room = shutil.disk_usage(folder).free >= n_bytes
    try:
        with tempfile.TemporaryFile() as file:
            if room and hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            if room:
                return np.memmap(file, dtype, "w+", shape=shape).view(np.ndarray)
    except OSError:
        pass
    raise DataError(
        f"The image takes {n_bytes / 1e9:.1f} GB, and there is not as much room in {folder}; TMPDIR names "
        "another folder."
    )
