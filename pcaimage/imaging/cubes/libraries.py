"""Arrays in files that libraries read: HDF5, NetCDF, MATLAB, and the products of imaging spectrometers.

h5py reads NetCDF 4 and MATLAB 7.3, SciPy the classic format of NetCDF and MATLAB up to version 7.2.

References
----------
HDF5 File Format Specification 3.0; NASA-JPL EMIT L1B and L2A product user guides (NetCDF 4, dimensions
downtrack, crosstrack, bands); ASI PRISMA Products Specification 2.3 (HDF-EOS 5, cubes of lines, bands,
samples, wavelengths in attributes of the file); MathWorks: MAT-File Format (level 5); Unidata: NetCDF classic
format specification.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.variables import MAX_LISTED, Part, Variable, Variables, lacking, text_of
from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.source import head_of

PATTERNS: Final = ("*.h5", "*.hdf5", "*.he5", "*.nc", "*.nc4", "*.mat")
"""Glob patterns of the names of these files, and of those that SciPy reads."""

SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"
MATLAB_73: Final = b"MATLAB 7.3"
_BLOCK: Final = 512
"""Size of the block after which, or after a power of two times which, the signature may also be."""

_NO_VALUES: Final = "This is a netCDF dimension but not a netCDF variable"
"""How the name of a scale begins that is a dimension without coordinates (NetCDF-4 format, appendix C)."""

_PRISMA: Final = (("VNIR_Cube", "Vnir"), ("SWIR_Cube", "Swir"))
"""The cubes of a PRISMA product, and how their attributes end."""


def is_hdf5(file: BinaryIO) -> bool:
    """Return whether a file is HDF5; it is left at its beginning."""
    found = False
    for start in (0, _BLOCK, 2 * _BLOCK, 4 * _BLOCK):
        file.seek(start)
        found = found or file.read(len(SIGNATURE)) == SIGNATURE
    file.seek(0)
    return found


@contextmanager
def open_hdf5(file: BinaryIO, path: Path | None, name: str) -> Iterator[Variables]:
    """Open a file; arrays are read within the context."""
    try:
        import h5py  # noqa: PLC0415 - it is optional
    except ImportError as error:
        raise lacking(name, "h5py", "science") from error
    reversed_axes = head_of(file, len(MATLAB_73)) == MATLAB_73
    with h5py.File(file if path is None else path, "r") as opened:
        dims = any("_Netcdf4Dimid" in each.attrs for each in opened.values())
        netcdf = dims or "_NCProperties" in opened.attrs
        kind = "MATLAB" if reversed_axes else "NetCDF" if netcdf else "HDF5"
        listed = [_variable(h5py, each, reversed_axes=reversed_axes) for each in _datasets(h5py, opened)]
        prisma = _prisma(listed, opened.attrs)
        yield Variables(kind, (*prisma, *listed))


def _datasets(h5py: Any, opened: Any) -> list[Any]:
    """Return the arrays of a file, without those whose values are in other files.

    A file of unknown origin could name any file of the user as the place of its values.
    """
    found: list[Any] = []

    def take(_name: str, each: Any) -> bool | None:
        if (
            isinstance(each, h5py.Dataset)
            and each.shape is not None
            and not (each.external or each.is_virtual)
            and not text_of(_Attributes(each.attrs).get("NAME", "")).startswith(_NO_VALUES)
        ):
            found.append(each)
        return True if len(found) >= MAX_LISTED else None

    opened.visititems(take)
    return found


def _variable(h5py: Any, dataset: Any, *, reversed_axes: bool) -> Variable:
    name = dataset.name.lstrip("/")
    is_text = h5py.check_string_dtype(dataset.dtype) is not None

    def read(part: Part) -> NDArray[Any]:
        return np.asarray(dataset.asstr()[part] if is_text else dataset[part])

    # MATLAB has the first axis vary fastest, HDF5 the last one.
    axes = {2: "XY", 3: "CXY"}.get(len(dataset.shape), "") if reversed_axes else ""
    return Variable(
        name=name,
        shape=tuple(dataset.shape),
        dtype=np.dtype(object) if is_text else dataset.dtype,
        read=read,
        dims=_dims(dataset),
        attributes=_Attributes(dataset.attrs),
        axes=axes,
        stored=dataset.id.get_storage_size(),
        unit_bytes=math.prod(dataset.chunks or ()) * dataset.dtype.itemsize,
    )


def _dims(dataset: Any) -> tuple[str, ...]:
    """Return the names of axes: labels, or those of the arrays that are attached as scales.

    The name that a scale itself has is not that of the dimension if this has no coordinates.
    """
    names = []
    for axis in dataset.dims:
        try:
            names.append(axis.label or next((each.name for each in axis.values()), ""))
        except (RuntimeError, KeyError, ValueError):  # a scale that is not there
            names.append("")
    if not any(names) and "DIMENSION_LIST" not in dataset.attrs and len(dataset.shape) == 1:
        return (dataset.name.lstrip("/"),)
    return tuple(each.rpartition("/")[2] for each in names)


class _Attributes(Mapping[str, Any]):
    """Attributes, of which those that cannot be read are missing."""

    def __init__(self, attributes: Any) -> None:
        self._attributes = attributes

    def __getitem__(self, key: str) -> Any:
        try:
            return self._attributes[key]
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            raise KeyError(key) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)


def _prisma(listed: list[Variable], attributes: Any) -> list[Variable]:
    """Return the cubes of a PRISMA product by their layout: both sensors in one, and each."""
    found = []
    for title, sensor in _PRISMA:
        cube = next((each for each in listed if each.name.endswith(title) and len(each.shape) == 3), None)
        if cube is None or f"List_Cw_{sensor}" not in attributes:
            return []
        centres, widths = (
            np.asarray(attributes.get(f"List_{what}_{sensor}", ()), np.float64) for what in ("Cw", "Fwhm")
        )
        if centres.shape != (cube.shape[1],) or widths.shape != centres.shape:
            return []
        found.append((cube, centres, widths))
        listed.remove(cube)
    if len({(cube.shape[0], cube.shape[2], cube.dtype) for cube, *_ in found}) > 1:
        return [_spectrometer((each,), each[0].name) for each in found]
    both = "+".join(cube.name.rpartition("/")[2] for cube, *_ in found)
    return [_spectrometer(tuple(found), both), *(_spectrometer((each,), each[0].name) for each in found)]


def _spectrometer(parts: tuple[tuple[Variable, NDArray[Any], NDArray[Any]], ...], name: str) -> Variable:
    """Return cubes of lines, bands and samples as one, by wavelength; bands without one hold nothing."""
    centres, widths = (np.concatenate([part[which] for part in parts]) for which in (1, 2))
    order = np.argsort(centres, kind="stable")
    order = order[centres[order] > 0]
    lines, _, samples = parts[0][0].shape

    def read(part: Part) -> NDArray[Any]:
        return np.concatenate([cube.values() for cube, *_ in parts], axis=1)[:, order][part]

    return Variable(
        name=name,
        shape=(lines, len(order), samples),
        dtype=parts[0][0].dtype,
        read=read,
        axes="YCX",
        stored=sum(cube.stored or 0 for cube, *_ in parts),
        bands=BandInfo(
            wavelengths=tuple(centres[order].tolist()),
            widths=tuple(widths[order].tolist()),
            unit="nm",
            nodata=0.0,
        ),
    )


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
        raise lacking(name, "scipy", "science") from error
    if head_of(file, len(MATLAB)) == MATLAB:
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
        found = np.asarray(io.loadmat(file, variable_names=[name])[name])
        if found.shape != shape:
            raise ImageError(f"The array {name} is not of the size that its file says.")
        # The list of arrays does not tell which are complex.
        kind = np.result_type(dtype, np.complex64) if found.dtype.kind == "c" else dtype
        return found.astype(kind, copy=False)[part]

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
