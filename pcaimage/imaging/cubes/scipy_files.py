"""Arrays in files that SciPy reads: MATLAB up to version 7.2, and the classic format of NetCDF.

References
----------
MathWorks: MAT-File Format (level 5); Unidata: NetCDF classic format specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.variables import MAX_LISTED, Part, Variable, Variables

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATLAB: Final = b"MATLAB 5.0"
NETCDF: Final = (b"CDF\x01", b"CDF\x02")

_CLASSES: Final = {"double": "float64", "single": "float32", "logical": "bool"}
_WHOLE: Final = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


def is_of_scipy(start: bytes) -> bool:
    """Return whether a file begins as one of these formats."""
    return start.startswith((MATLAB, *NETCDF))


@contextmanager
def open_by_scipy(file: BinaryIO, name: str) -> Iterator[Variables]:
    """Open a file; arrays are read within the context."""
    try:
        from scipy import io  # noqa: PLC0415 - it is optional
    except ImportError as error:
        raise ImageError(
            f"{name} is read by the package scipy, which is missing; `pip install pcaimage[science]`."
        ) from error
    file.seek(0)
    start = file.read(len(MATLAB))
    file.seek(0)
    if start == MATLAB:
        yield Variables("MATLAB", tuple(_of_matlab(io, file)))
        return
    opened: Any = io.netcdf_file(cast("BinaryIO", _KeptOpen(file)), "r", mmap=False)
    yield Variables("NetCDF", tuple(_of_netcdf(opened)))


class _KeptOpen:
    """A file for a reader that closes its file when it is deleted itself, unless that is closed."""

    closed = True

    def __init__(self, file: BinaryIO) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


def _of_matlab(io: Any, file: BinaryIO) -> Iterator[Variable]:
    for name, shape, kind in io.whosmat(file)[:MAX_LISTED]:
        dtype = _CLASSES.get(kind, kind if kind in _WHOLE else "")
        if dtype:
            yield _matlab_variable(io, file, name, tuple(shape), np.dtype(dtype))


def _matlab_variable(
    io: Any, file: BinaryIO, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Variable:
    def read(part: Part) -> NDArray[Any]:
        file.seek(0)
        found = np.asarray(io.loadmat(file, variable_names=[name], mat_dtype=True)[name])
        if found.shape != shape:
            raise ImageError(f"The array {name} is not of the size that its file says.")
        return found.astype(dtype, copy=False)[part]

    return Variable(name, shape, dtype, read, axes={2: "YX", 3: "YXC"}.get(len(shape), ""))


def _of_netcdf(opened: Any) -> Iterator[Variable]:
    for name, each in list(opened.variables.items())[:MAX_LISTED]:
        yield Variable(
            name=name,
            shape=tuple(each.shape),
            dtype=each.data.dtype,
            read=each.data.__getitem__,
            dims=tuple(each.dimensions),
            attributes=dict(vars(each).get("_attributes", {})),
        )
