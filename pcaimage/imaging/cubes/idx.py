"""IDX files, the format of the MNIST digits, plain or gzipped.

References
----------
LeCun, Cortes, Burges: The MNIST database of handwritten digits, section "the IDX file format".
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.raw import RawArray
from pcaimage.imaging.cubes.variables import Variable, Variables, only
from pcaimage.imaging.image.source import Source, head_of, open_source

_TYPES: Final = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
PATTERNS: Final = ("*-ubyte", "*.idx", "*.gz")  # glob patterns of IDX files' names

_GZIP: Final = b"\x1f\x8b"
_AXES: Final = {2: "YX", 3: "NYX", 4: "NYXC"}
MAX_LABELS: Final = 1 << 26


def is_idx(start: bytes) -> bool:
    """Return whether a file's first four bytes may be those of an IDX or a gzipped file."""
    return start[:2] == _GZIP or (start[:2] == b"\0\0" and start[2:3] != b"" and start[2] in _TYPES)


@contextmanager
def open_idx(file: BinaryIO, path: Path | None, name: str) -> Iterator[Variables]:
    """Open a file of an image or a stack; labels are looked for beside `path`."""
    opened, raw = _layout(file, name)
    if len(raw.shape) == 1:
        raise ImageError(f"{name} holds {raw.shape[0]:,} labels; open the file of their images.")
    if len(raw.shape) not in _AXES:
        raise ImageError(
            f"{name} holds an array of {len(raw.shape)} axes; images have two, stacks three or four."
        )
    found = [only(raw, _AXES[len(raw.shape)], opened, path if opened is file else None, name)]
    if path is not None and (beside := _labels_beside(path)) is not None:
        with suppress(ImageError):  # a file beside the images need not belong to them
            labels = read_labels(beside, raw.shape[0])
            found.append(Variable(str(beside), labels.shape, labels.dtype, labels.__getitem__))
    yield Variables("IDX", tuple(found))


def _layout(file: BinaryIO, name: str) -> tuple[BinaryIO, RawArray]:
    """Return a stream of the uncompressed bytes of an IDX file, and the layout of its array."""
    if head_of(file, 2) == _GZIP:
        file = gzip.GzipFile(fileobj=file)  # type: ignore[assignment] # which is what a BinaryIO does
    start = file.read(4)
    if len(start) < 4 or not is_idx(start) or start[:2] != b"\0\0":
        raise ImageError(f"{name} is not an IDX file; other gzipped files cannot be read.")
    sides = file.read(4 * start[3])
    if not start[3] or len(sides) < 4 * start[3]:
        raise ImageError(f"{name} is cut short in its header.")
    shape = struct.unpack(f">{start[3]}I", sides)
    return file, RawArray(shape, np.dtype(_TYPES[start[2]]), 4 + 4 * start[3])


def _labels_beside(path: Path) -> Path | None:
    """Return the file of labels that belongs to a file of images, such as ``train-labels-idx1-ubyte``."""
    if "images" not in path.name:
        return None
    name = path.name.replace("images", "labels").removesuffix(".gz")
    name = name.replace("idx3", "idx1").replace("idx4", "idx1")
    places = [path.with_name(name + ending) for ending in (".gz", "")]
    return next((place for place in places if place != path and place.is_file()), None)


def read_labels(source: Source, count: int | None = None) -> NDArray[np.int64]:
    """Read the labels, whole numbers of shape (N,), of an IDX file with one axis, plain or gzipped.

    ImageError if it cannot be read, or has another number of labels than `count`.
    """
    with open_source(source) as (file, name):
        opened, raw = _layout(file, name)
        if len(raw.shape) != 1 or raw.dtype.kind == "f" or raw.shape[0] > MAX_LABELS:
            raise ImageError(f"{name} holds no labels, which are whole numbers, one for each image.")
        if count is not None and raw.shape[0] != count:
            raise ImageError(f"{name} holds {raw.shape[0]:,} labels for {count:,} images.")
        data = opened.read(raw.n_bytes)
        if len(data) < raw.n_bytes:
            raise ImageError(f"{name} is cut short: {raw.shape[0]:,} labels take {raw.n_bytes:,} bytes.")
        values: NDArray[Any] = np.frombuffer(data, raw.dtype)
        return values.astype(np.int64)
