"""Files of trained tables: arrays as flat little-endian numbers, deflated as a whole.

:mod:`training` writes them; ``docs/format.md`` says how (P2).
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.generic]]


def read_arrays(path: Path) -> Arrays:
    """Return the arrays of a file by their names."""
    data, place, arrays = zlib.decompress(path.read_bytes()), 0, Arrays()
    while place < len(data):
        stop = place + 1 + data[place]
        name, kind, axes = (
            data[place + 1 : stop].decode("ascii"),
            data[stop : stop + 2].decode(),
            data[stop + 2],
        )
        shape = np.frombuffer(data, "<u4", axes, stop + 3).tolist()
        place, dtype = stop + 3 + 4 * axes, np.dtype(f"<{kind}")
        values = np.frombuffer(data, dtype, math.prod(shape), place)
        arrays[name] = values.astype(dtype.newbyteorder("="), copy=False).reshape(shape)
        place += values.nbytes
    return arrays
