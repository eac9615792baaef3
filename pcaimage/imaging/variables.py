"""Files of named arrays (HDF5, NetCDF, MATLAB), and the choice of the array that is the image.

The meaning of axes follows from the names of dimensions where a file has them. Wavelengths and names of
bands are taken from the arrays beside the image. :mod:`~pcaimage.imaging.hdf5` and
:mod:`~pcaimage.imaging.scipy_files` read the files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.bands import BandInfo, unit_of
from pcaimage.imaging.cf import georeference
from pcaimage.imaging.colour import narrow
from pcaimage.imaging.contents import Contents, Reading
from pcaimage.imaging.decoded import Decoded
from pcaimage.imaging.numpy_files import COLOURS, guessed_axes
from pcaimage.imaging.raw import arrange, check_values, reading_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pcaimage.imaging.contents import ReadAs
    from pcaimage.imaging.limits import Limits

MAX_LISTED: Final = 1000
"""Most arrays of a file that are looked at."""

_ROWS: Final = frozenset(
    [
        "y",
        "lat",
        "latitude",
        "line",
        "lines",
        "row",
        "rows",
        "downtrack",
        "along_track",
        "alongtrack",
        "northing",
        "nrows",
        "lin",
        "rlat",
        "yc",
        "height",
    ]
)
_COLUMNS: Final = frozenset(
    [
        "x",
        "lon",
        "longitude",
        "sample",
        "samples",
        "column",
        "columns",
        "col",
        "cols",
        "crosstrack",
        "across_track",
        "acrosstrack",
        "pixel",
        "pixels",
        "easting",
        "ncols",
        "pix",
        "rlon",
        "xc",
        "width",
    ]
)
_WAVELENGTHS: Final = ("wavelengths", "wavelength", "wl", "lambda", "centre_wavelength", "center_wavelength")
_WIDTHS: Final = ("fwhm", "widths", "bandwidth", "band_width")
_NAMES: Final = ("band_names", "names", "bands", "band")
_FILLS: Final = ("_FillValue", "missing_value", "nodata")
_LETTERS: Final = "NTZ"
"""Axes beside rows, columns and bands."""


@dataclass(frozen=True)
class Variable:
    """A named array in a file.

    Parameters
    ----------
    name : str
        Its path in the file.
    shape : tuple of int
        Its sides.
    dtype : dtype
        Type of its values.
    read : callable
        Returns all values.
    dims : tuple of str
        The names of its axes; empty for an axis without a name.
    attributes : mapping
        Its attributes in the file.
    axes : str
        A letter for each axis (``Y``, ``X``, ``C``) if the file's layout defines them; otherwise empty.
    bands : BandInfo
        Metadata of its bands that the layout defines.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[], NDArray[Any]] = field(repr=False)
    dims: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict, repr=False)
    axes: str = ""
    bands: BandInfo = field(default_factory=BandInfo, repr=False)

    @property
    def title(self) -> str:
        """The last part of the name, in lower case."""
        return self.name.rpartition("/")[2].lower()

    @property
    def is_image(self) -> bool:
        """Whether it can be an image: numbers of two to four axes, or a stack."""
        return self.dtype.kind in "biuf" and 2 <= len(self.shape) <= 4 and min(self.shape) > 0

    def squeezed(self) -> Variable:
        """Return it without axes of one value, as far as more than three axes are left."""
        kept = list(range(len(self.shape)))
        for axis in range(len(self.shape)):
            if len(kept) > 3 and self.shape[axis] == 1 and _role(self, axis) not in ("Y", "X"):
                kept.remove(axis)
        if len(kept) == len(self.shape):
            return self
        shape = tuple(self.shape[axis] for axis in kept)

        def read() -> NDArray[Any]:
            return self.read().reshape(shape)

        return replace(
            self, shape=shape, read=read, dims=tuple(self.dims[axis] for axis in kept) if self.dims else ()
        )


@dataclass(frozen=True)
class Variables:
    """The arrays of a file.

    Parameters
    ----------
    format : str
        Name of the file's format.
    all : tuple of Variable
        In the order of the file.
    """

    format: str
    all: tuple[Variable, ...]

    def images(self) -> dict[str, Variable]:
        """Return those that can be images by their names; the default, which is first, is the largest."""
        found = [
            each for given in self.all if (each := given.squeezed()).is_image and math.prod(each.shape) > 3
        ]
        found.sort(
            key=lambda each: (bool(each.axes), len(each.shape) > 2, math.prod(each.shape)), reverse=True
        )
        return {each.name: each for each in found}

    def contents(self, name: str, file_size: int, member: str | None) -> Contents:
        """Return the contents of the file; `member` names the image."""
        images = self.images()
        chosen = _choose(images, member, name)
        readings, ambiguous = readings_of(chosen, name)
        return Contents(
            name=name,
            format=self.format,
            shape=chosen.shape,
            dtype=chosen.dtype.name,
            readings=readings,
            ambiguous=ambiguous,
            bands=self.bands_of(chosen, readings[0]),
            file_size=file_size,
            members=(chosen.name, *sorted(set(images) - {chosen.name})),
        )

    def decoded(self, name: str, reading: Reading, limits: Limits, member: str | None) -> Decoded:
        """Read the image; `reading` is one of :meth:`contents`."""
        chosen = _choose(self.images(), member, name)
        height, width, channels = reading.shape[-3:]
        frames = reading.shape[0] if reading.kind == "stack" else 1
        limits.check(width, height, channels * chosen.dtype.itemsize, frames=frames, name=name)
        pixels = narrow(arrange(chosen.read(), reading), name)
        return Decoded(pixels, bands=self.bands_of(chosen, reading))

    def bands_of(self, chosen: Variable, reading: Reading) -> BandInfo:
        """Return the metadata of an image's bands, as far as the file has them."""
        bands = reading.shape[-1]
        if chosen.bands:
            return chosen.bands.fitted(bands)
        wavelengths, unit = self._numbers(chosen, _WAVELENGTHS, bands)
        fill = next(
            (each for key in _FILLS if (each := _number(chosen.attributes.get(key))) is not None), None
        )
        return BandInfo(
            names=self._names(chosen, bands),
            wavelengths=wavelengths,
            widths=self._numbers(chosen, _WIDTHS, bands)[0],
            unit=unit or _likely_unit(wavelengths),
            nodata=fill,
            fields=georeference(chosen.dims, chosen.attributes, self._found),
        ).fitted(bands)

    def _found(self, name: str) -> Variable | None:
        """Return the array of a name; one that is deeper in the file counts if there is no other."""
        wanted = name.lower()
        return next(
            (each for each in self.all if each.name.lower() == wanted),
            next((each for each in self.all if each.title == wanted), None),
        )

    def _lists(self, chosen: Variable, titles: tuple[str, ...], bands: int) -> Iterator[Variable]:
        """Yield arrays with a value for each band: of some titles, and the coordinate of the image's axis."""
        dims = [
            dim.lower() for dim, side in zip(chosen.dims, chosen.shape, strict=False) if side == bands and dim
        ]
        for title in (*titles, *dims):
            for each in self.all:
                if (
                    each.title == title
                    and bands > 1
                    and max(each.shape, default=0) == math.prod(each.shape) == bands
                ):
                    yield each

    def _numbers(
        self, chosen: Variable, titles: tuple[str, ...], bands: int
    ) -> tuple[tuple[float, ...], str]:
        """Return a finite number for each band, and their unit; empty if there are none."""
        for each in self._lists(chosen, titles, bands):
            unit = unit_of(text_of(each.attributes.get("units", "")))
            # The coordinate of an axis may also be a running number.
            if each.dtype.kind in "iuf" and (each.title in titles or unit in ("nm", "µm")):
                values = each.read().ravel().astype(float)
                if np.isfinite(values).all():
                    return tuple(values.tolist()), unit
        return (), ""

    def _names(self, chosen: Variable, bands: int) -> tuple[str, ...]:
        for each in self._lists(chosen, _NAMES, bands):
            if each.dtype.kind in "OSU":
                return tuple(text_of(value) for value in each.read().ravel())
        return ()


def readings_of(variable: Variable, name: str) -> tuple[tuple[Reading, ...], bool]:
    """Return the ways to read an array, and whether the file leaves open which is meant."""
    check_values(variable.dtype, variable.shape, name)
    axes, ambiguous = _axes(variable, name)
    sides = dict(zip(axes, variable.shape, strict=True))
    kinds: tuple[ReadAs, ...] = ("bands", "stack")
    if len(axes) == 2 or (len(axes) == 3 and sides.get("C") in COLOURS and variable.dtype.kind in "bu"):
        kinds = ("image",)
    elif len(axes) == 4:
        kinds = ("stack",)
    return tuple(reading_for(variable.shape, axes, kind) for kind in kinds), ambiguous


def text_of(value: object) -> str:
    """Return an attribute or a value of an array as text."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip("\0 ")
    return value.strip("\0 ") if isinstance(value, str) else ""


def _axes(variable: Variable, name: str) -> tuple[str, bool]:
    """Return a letter for each axis; the flag says whether it is no more than a guess."""
    if variable.axes:
        return variable.axes, False
    roles = [_role(variable, axis) for axis in range(len(variable.shape))]
    others = [axis for axis, role in enumerate(roles) if role not in ("Y", "X")]
    if roles.count("Y") == roles.count("X") == 1:
        letters = ["C"] if len(others) == 1 else ["N", "C"]
        for axis, letter in zip(others, letters, strict=False):
            roles[axis] = letter
        return "".join(roles), False
    return guessed_axes(variable.shape, name, variable.dtype)


def _role(variable: Variable, axis: int) -> str:
    named = variable.dims[axis].lower().rpartition("/")[2] if axis < len(variable.dims) else ""
    return "Y" if named in _ROWS else "X" if named in _COLUMNS else ""


def _choose(images: dict[str, Variable], member: str | None, name: str) -> Variable:
    if not images:
        raise ImageError(f"{name} holds no array that can be an image.")
    if member is None:
        return next(iter(images.values()))
    if member not in images:
        raise ImageError(f"{name} has no array {member!r} that can be an image; it has {', '.join(images)}.")
    return images[member]


def _number(value: object) -> float | None:
    found = np.asarray(value)
    return float(found.ravel()[0]) if found.size == 1 and found.dtype.kind in "iuf" else None


def _likely_unit(wavelengths: tuple[float, ...]) -> str:
    """Return the unit of wavelengths of light and heat for which the file names none."""
    if not wavelengths or min(wavelengths) <= 0:
        return ""
    return "nm" if min(wavelengths) > 100 else "µm" if max(wavelengths) < 100 else ""
