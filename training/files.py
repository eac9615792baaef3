"""Writes trained tables as :mod:`pcaimage.codec.photo.tables` reads them: a folder of flat files."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

from pcaimage.codec.photo.tables import GRADES, LEARNED, Arrays


def write_tables(folder: Path, tables: Arrays) -> None:
    """Write what all grades share, and a file for each grade, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    shared = {name: array for name, array in tables.items() if name not in LEARNED}
    (folder / "shared.tables").write_bytes(_deflated(shared))
    for grade in range(len(GRADES) + 1):
        own = {name: tables[name][grade] for name in LEARNED}
        (folder / f"grade-{grade}.tables").write_bytes(_deflated(own))


def _deflated(arrays: Arrays) -> bytes:
    parts = list[bytes]()
    for name, array in sorted(arrays.items()):
        head = name.encode("ascii")
        parts.append(bytes([len(head)]) + head + array.dtype.str[1:].encode() + bytes([array.ndim]))
        parts.append(struct.pack(f"<{array.ndim}I", *array.shape))
        parts.append(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return zlib.compress(b"".join(parts), 9)
