"""Files of named arrays (HDF5, NetCDF, MATLAB), and the choice of the array that is the image.

The meaning of axes follows from the names of dimensions where a file has them. Wavelengths and names of
bands are taken from the arrays beside the image. Georeferencing by the conventions of CF and GDAL becomes
fields of an ENVI header. :mod:`~pcaimage.imaging.cubes.libraries` reads the files.

References
----------
CF Conventions 1.11, section 5.6 and appendix F: grid mappings; GDAL's documentation of its netCDF driver, for
the attribute GeoTransform; ENVI Header Files, NV5 Geospatial Software documentation, for ``map info``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError, ImplausibleSizeError
from pcaimage.imaging.cubes.raw import RawArray, arrange, check_values, read_raw, reading_for
from pcaimage.imaging.image.bands import BandInfo, unit_of
from pcaimage.imaging.image.contents import Contents, Offer, ReadAs, Reading
from pcaimage.imaging.image.conversion import lost_bits, narrow
from pcaimage.imaging.image.image import Image, Stored
from pcaimage.imaging.image.limits import MAX_UNBACKED_BYTES, Limits
from pcaimage.machine.folders import tables

MAX_LISTED: Final = 1000  # most arrays of a file that are looked at
COLOURS: Final = (1, 3, 4)
_MOST_BANDS: Final = 4096  # bands that spectrometers may have: a longer first axis is one of images

_READ: Final = tables("files.json")
_ROLES: Final[dict[str, str]] = {name: letter for letter, names in _READ["axes"].items() for name in names}
"""Letters of axes by their names."""
_TITLES: Final = _READ["titles"]
"""What arrays of wavelengths and names are called, and attributes of missing values."""
_LETTERS: Final = "NTZSRQ"  # axes beside rows, columns and bands
_BYTES_PER_BYTE: Final = 256  # largest plausible number of bytes of an array per byte that the file has of it

_CHOSEN: Final = re.compile(r"(.*?)\[([^\[\]]*)\]", re.DOTALL)
_PLACE: Final = re.compile(r"\s*([^=,]+?)\s*=\s*([^=,]+?)\s*")

Part: TypeAlias = tuple[int | slice, ...]  # a place or a range on each axis; the empty one is all of an array


@dataclass(frozen=True)
class Variable:
    """A named array in a file."""

    name: str  # its path in the file
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[Part], NDArray[Any]] = field(repr=False)  # returns the values of a part
    dims: tuple[str, ...] = ()  # names of its axes; empty for one without a name
    attributes: Mapping[str, Any] = field(default_factory=dict, repr=False)
    axes: str = ""  # Y, X or C for each, if the file's layout defines them
    bands: BandInfo = field(default_factory=BandInfo, repr=False)  # metadata that the layout defines
    stored: int | None = None  # bytes that the file has of it; None where readers see to that
    unit_bytes: int = 0  # of what is decompressed at once
    part: Part = ()  # what it is of the stored array
    chosen: tuple[tuple[str, str], ...] = ()  # the axes that a place was chosen of, and that place
    mapped: bool = False  # whether its values stay in the file
    kinds: tuple[ReadAs, ...] = ()  # the ways to read it, if the file's layout defines them

    @property
    def title(self) -> str:
        """The last part of the name, in lower case."""
        return self.name.rpartition("/")[2].lower()

    @property
    def member(self) -> str:
        """The name with the places that were chosen, as `member` of :func:`~pcaimage.imaging.inspect`."""
        places = ",".join(map("=".join, self.chosen))
        return f"{self.name}[{places}]" if places else self.name

    @property
    def n_bytes(self) -> int:
        """Bytes that reading it takes."""
        return math.prod(self.shape) * self.dtype.itemsize + self.unit_bytes

    @property
    def is_image(self) -> bool:
        """Whether it can be an image: numbers of two or more axes."""
        return self.dtype.kind in "biuf" and 2 <= len(self.shape) <= len(_LETTERS) and min(self.shape) > 0

    def is_backed(self, spare: int) -> bool:
        """Return whether the file has enough of it, but for some bytes, for what reading it takes."""
        return self.stored is None or self.n_bytes <= spare + _BYTES_PER_BYTE * self.stored

    def backed(self, name: str, limits: Limits) -> NDArray[Any]:
        """Return its values, unless its file, which has a name, has too little for what it claims."""
        if not self.is_backed(limits.max_unbacked_bytes):
            needed = math.ceil(self.n_bytes / 1e6)
            raise ImplausibleSizeError(
                f"{name} claims {needed:,} MB for {self.name}, of which it has {self.stored:,} bytes; "
                f"if you trust it, raise the limit (--limit {needed}MB) to open it."
            )
        return self.values()

    def values(self) -> NDArray[Any]:
        """Return its values."""
        return np.asarray(self.read(self.part))

    def taken(self, places: Mapping[int, int]) -> Variable:
        """Return what is at the places of some axes, which it then lacks."""
        if not places:
            return self
        kept = [axis for axis in range(len(self.shape)) if axis not in places]
        return replace(
            self,
            shape=tuple(self.shape[axis] for axis in kept),
            dims=tuple(self.dims[axis] for axis in kept) if self.dims else (),
            part=tuple(places.get(axis, slice(None)) for axis in range(len(self.shape))),
        )

    def single(self) -> dict[int, int]:
        """Return the places of axes of one value that an image does not need."""
        axes = [axis for axis, side in enumerate(self.shape) if side == 1 and not _role(self, axis)]
        return dict.fromkeys(axes[: max(0, len(self.shape) - 3)], 0)


@dataclass(frozen=True)
class Variables:
    """The arrays of a file, in its order, and the name of its format."""

    format: str
    all: tuple[Variable, ...]

    def images(self) -> dict[str, Variable]:
        """Return those that can be images by their names; the default, which is first, is the largest."""
        found = [each for each in self.all if not each.name]
        if self.format == "NPZ":
            found += [each for each in self.all if each.is_image and len(each.shape) < 5]
        elif not found:
            arranged = [_as_picture(each, self.all) for each in self.all]
            found = [each.taken(each.single()) for each in arranged]
            found = [each for each in found if each.is_image and math.prod(each.shape) > 3]
        found.sort(key=_rank, reverse=True)
        return {each.name: each for each in found}

    def contents(self, name: str, file_size: int | None, member: str | None) -> Contents:
        """Return the contents of the file; `member` names the image."""
        images = self.images()
        chosen = self._choose(images, member, name)
        readings, ambiguous = readings_of(chosen, name)
        asks, offers = self._offers(chosen, images, readings[0], member)
        labels = self._labels(readings[0])
        return Contents(
            name=name,
            format=self.format,
            shape=chosen.shape,
            dtype=chosen.dtype.name,
            readings=readings,
            ambiguous=ambiguous,
            bands=self.bands_of(chosen, readings[0]),
            file_size=file_size,
            members=(chosen.member, *sorted(set(images) - {chosen.name})) if chosen.name else (),
            labels=None if labels is None else labels.name,
            axes=chosen.dims if all(chosen.dims) else (),
            offers=offers,
            asks=asks and f"{name} holds {asks}",
        )

    def decoded(self, name: str, reading: Reading, limits: Limits, member: str | None) -> Image:
        """Read the image; `reading` is one of :meth:`contents`."""
        chosen = self._choose(self.images(), member, name)
        height, width, channels = reading.shape[-3:]
        frames = reading.shape[0] if reading.kind == "stack" else 1
        n_bytes = channels * chosen.dtype.itemsize
        limits.check(width, height, n_bytes, frames=frames, name=name, mapped=chosen.mapped)
        array = arrange(chosen.backed(name, limits), reading)
        pixels, bands, named = narrow(array, name), self.bands_of(chosen, reading), self._labels(reading)
        labels = None if named is None else named.values().astype(np.int64)
        return Image(pixels, bands=bands, labels=labels, stored_bits=lost_bits(array, pixels))

    def _labels(self, reading: Reading) -> Variable | None:
        """Return the array of an ``.npz`` or IDX that has a whole number for each image of a stack."""
        if self.format not in ("NPZ", "IDX") or reading.kind != "stack":
            return None
        found = (each for each in self.all if each.shape == reading.shape[:1] and each.dtype.kind in "iu")
        return next((each for each in found if each.name not in ("info", "wavelengths")), None)

    def stored(self, name: str, limits: Limits, member: str | None) -> Stored:
        """Read an array as it stands in the file, by default the one that would be the image."""
        image = next(iter(self.images()), None)
        found = [each for each in self.all if each.dtype.kind in "biufc" or not each.name]
        found.sort(key=lambda each: (each.name == image, _rank(each)), reverse=True)
        chosen = self._choose({each.name: each for each in found}, member, name)
        limits.check(math.prod(chosen.shape), 1, chosen.dtype.itemsize, name=name)
        array, bands, axis = chosen.backed(name, limits), BandInfo(), None
        with suppress(ImageError):
            reading = readings_of(chosen, name)[0][0]
            bands, axis = self.bands_of(chosen, reading), reading.axes.find("C")
        return Stored(array, format=self.format, bands=bands, axis=None if axis == -1 else axis)

    def _choose(self, images: dict[str, Variable], member: str | None, name: str) -> Variable:
        """Return the array that `member` names, ``NAME`` or ``NAME[AXIS=PLACE,…]``; the first by default."""
        if not images:
            raise ImageError(f"{name} holds no array that can be an image.")
        if "" in images:  # the only one
            if member is not None:
                raise no_arrays(name)
            return images[""]
        asked = None if member is None or member in images else _CHOSEN.fullmatch(member)
        wanted, places = (asked[1], asked[2]) if asked else (member, "")
        alike = [each for each in images if not wanted or wanted in (each, each.rpartition("/")[2])]
        if not alike or (wanted and wanted not in images and len(alike) > 1):
            names = ", ".join(images)
            raise ImageError(f"{name} has no array {wanted!r} that can be an image; it has {names}.")
        found = images[wanted if wanted in images else alike[0]]
        if asked is None:
            return found
        whole = next((each for each in self.all if each.name == found.name), found)
        return self._selected(whole, places, name)

    def _selected(self, whole: Variable, places: str, name: str) -> Variable:
        """Return the part of an array that is at some places, such as ``time=0,level=850.``."""
        taken: dict[int, int] = {}
        chosen: list[tuple[str, str]] = []
        for text in filter(None, places.split(",")):
            found = _PLACE.fullmatch(text)
            if found is None or found[1] not in whole.dims:
                dims = ", ".join(dim for dim in whole.dims if dim) or "none with a name"
                raise ImageError(f"{name} has no axis of {text!r} in {whole.name}; it has {dims}.")
            axis = whole.dims.index(found[1])
            if found[2] != ":":
                taken[axis] = self._place(whole, axis, found[2], name)
            chosen.append((found[1], str(taken.get(axis, ":"))))
        part = whole.taken(taken | {axis: 0 for axis in whole.single() if len(whole.shape) - len(taken) > 3})
        if not part.is_image:
            raise ImageError(f"{name} has no image at [{places}] of {whole.name}: too few axes are left.")
        return replace(part, chosen=tuple(chosen))

    def _place(self, whole: Variable, axis: int, text: str, name: str) -> int:
        """Return the place that a whole number counts, or where the coordinate is a number with a point."""
        dim, side = whole.dims[axis], whole.shape[axis]
        try:
            if "." not in text and "e" not in text.lower():
                return range(side)[int(text)]
            values = self._coordinates(dim, side)
            near = np.flatnonzero(np.isclose(values, float(text), rtol=1e-6))
            return int(near[0])
        except (ValueError, IndexError) as error:
            there = f"{dim} has places 0 to {side - 1}"
            listed = ", ".join(f"{value:g}" for value in self._coordinates(dim, side)[:8])
            more = f", with coordinates {listed}{' …' if side > 8 else ''}" if listed else ""
            raise ImageError(f"{name} has no {dim}={text} in {whole.name}; {there}{more}.") from error

    def _coordinates(self, dim: str, side: int) -> NDArray[np.float64]:
        """Return the coordinates of an axis; empty if it has none that are numbers."""
        found = self._found(dim)
        if found is None or found.shape != (side,) or found.dtype.kind not in "iuf":
            return np.zeros(0)
        return found.values().astype(float)

    def _offers(
        self, chosen: Variable, images: dict[str, Variable], reading: Reading, member: str | None
    ) -> tuple[str, tuple[Offer, ...]]:
        """Return the arrays, or parts of one, among which only the user can choose, and what they are."""
        places = "" if member is None else member[len(member.partition("[")[0]) :]
        alike = [each for each in images.values() if _rank(each) == _rank(images[chosen.name])]
        if (member or "") == places and len(alike) > 1:
            names = [each.name for each in alike]
            return f"{len(names)} arrays of one size", tuple(Offer(each + places, each) for each in names)
        extra = [
            (dim, side)
            for dim, side, letter in zip(chosen.dims, chosen.shape, reading.axes, strict=False)
            if letter not in "YXC" and dim and dim not in dict(chosen.chosen)
        ]
        if reading.kind == "stack" or not extra:
            return "", ()
        dim, side = extra[0]
        values = [f" ({value:g})" for value in self._coordinates(dim, side)] or [""] * side
        texts = [f": (all {side:,} as bands)", *(f"{place}{value}" for place, value in enumerate(values))]
        before = "".join(f"{key}={place}," for key, place in chosen.chosen)
        return f"{chosen.name} for {side:,} places of {dim}", tuple(
            Offer(f"{chosen.name}[{before}{dim}={text.partition(' ')[0]}]", f"{dim}={text}") for text in texts
        )

    def bands_of(self, chosen: Variable, reading: Reading) -> BandInfo:
        """Return the metadata of an image's bands, as far as the file has them."""
        bands = reading.shape[-1]
        axis = next(
            (dim for dim, letter in zip(chosen.dims, reading.axes, strict=False) if letter == "C"), ""
        )
        wavelengths, unit = self._numbers(axis, _TITLES["wavelengths"], bands)
        fill = next(
            (each for key in _TITLES["fills"] if (each := _number(chosen.attributes.get(key))) is not None),
            None,
        )
        scale, offset = (
            default if (found := _number(chosen.attributes.get(key))) is None else found
            for key, default in (("scale_factor", 1.0), ("add_offset", 0.0))
        )
        said: dict[str, Any] = {each.name: getattr(chosen.bands, each.name) for each in fields(BandInfo)}
        known = BandInfo(
            names=self._names(axis, bands),
            wavelengths=wavelengths,
            widths=self._numbers(axis, _TITLES["widths"], bands)[0],
            unit=unit or _likely_unit(wavelengths),
            nodata=fill,
            fields=georeference(chosen.dims, chosen.attributes, self._found),
            scales=(scale,) * bands if (scale, offset) != (1, 0) else (),
            offsets=(offset,) * bands if offset else (),
            value_unit=text_of(chosen.attributes.get("units", "")),
        )
        return replace(
            known, **{key: each for key, each in said.items() if each not in ((), "", None)}
        ).fitted(bands)

    def _found(self, name: str) -> Variable | None:
        """Return the array of a name; one that is deeper in the file counts if there is no other."""
        wanted, backed = name.lower(), [each for each in self.all if each.is_backed(MAX_UNBACKED_BYTES)]
        return next(
            (each for each in backed if each.name.lower() == wanted),
            next((each for each in backed if each.title == wanted), None),
        )

    def _lists(self, axis: str, titles: list[str], bands: int) -> Iterator[Variable]:
        """Yield arrays with a value for each band: of some titles, and the coordinate of the bands' axis."""
        for title in (*titles, axis.lower()):
            for each in self.all:
                long = max(each.shape, default=0) == math.prod(each.shape) == bands > 1
                if each.title == title and long and each.is_backed(MAX_UNBACKED_BYTES):
                    yield each

    def _numbers(self, axis: str, titles: list[str], bands: int) -> tuple[tuple[float, ...], str]:
        """Return a finite number for each band, and their unit; empty if there are none."""
        for each in self._lists(axis, titles, bands):
            unit = unit_of(text_of(each.attributes.get("units", "")))
            # The coordinate of an axis may also be a running number.
            if each.dtype.kind in "iuf" and (each.title in titles or unit in ("nm", "µm")):
                values = each.values().ravel().astype(float)
                if np.isfinite(values).all():
                    return tuple(values.tolist()), unit
        return (), ""

    def _names(self, axis: str, bands: int) -> tuple[str, ...]:
        found = (each for each in self._lists(axis, _TITLES["names"], bands) if each.dtype.kind in "OSU")
        return next((tuple(map(text_of, each.values().ravel())) for each in found), ())


def only(
    raw: RawArray, axes: str, file: BinaryIO, path: Path | None, name: str, bands: BandInfo | None = None
) -> Variable:
    """Return the only array of a file, which has no name; `path`, if not None, is where it is mapped from."""
    sides = dict(zip(axes, raw.shape, strict=True))
    several: tuple[ReadAs, ...] = ("stack",) if "N" in axes else ("bands", "stack")
    return Variable(
        name="",
        shape=raw.shape,
        dtype=raw.dtype,
        read=lambda part: read_raw(file, path, raw, name)[part],
        axes=axes,
        bands=bands or BandInfo(),
        mapped=path is not None and raw.stays,
        kinds=several if "N" in axes or sides.get("C", 1) > 1 else ("image",),
    )


def no_arrays(name: str) -> ImageError:
    """Return the error of a file of which an array was to be read."""
    return ImageError(f"{name} has no arrays with names, of which one could be chosen; it is read as it is.")


def lacking(name: str, package: str, extra: str) -> ImageError:
    """Return the error for a file of a name that a package reads which is missing."""
    return ImageError(
        f"{name} is read by the package {package}, which is missing; `pip install pcaimage[{extra}]`."
    )


def readings_of(variable: Variable, name: str) -> tuple[tuple[Reading, ...], bool]:
    """Return the ways to read an array, and whether the file leaves open which is meant."""
    check_values(variable.dtype, variable.shape, name)
    axes, ambiguous = _axes(variable, name)
    sides = dict(zip(axes, variable.shape, strict=True))
    kinds: tuple[ReadAs, ...] = ("bands", "stack")
    colours = sides.get("C") in COLOURS and variable.dtype.kind in "bu"
    if variable.kinds:
        kinds = variable.kinds
    elif len(axes) == 2 or (len(axes) == 3 and colours):
        kinds = ("image",)
    elif len(axes) == 4 and (colours or not any(variable.dims)) and variable.dtype.kind != "f":
        kinds = ("stack",)
    elif ambiguous and variable.shape[0] > _MOST_BANDS and variable.shape[1] == variable.shape[2]:
        kinds = ("stack", "bands")
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
    count = len(variable.shape)
    roles = [_role(variable, axis) for axis in range(count)]
    if count == 3 and roles.count("C") == 1 and roles.count("Y") + roles.count("X") < 2:
        # Rows and columns have other names, but are in their usual order.
        lacking = iter([letter for letter in "YX" if letter not in roles])
        roles = [role or next(lacking) for role in roles]
    others = [axis for axis, role in enumerate(roles) if role not in ("Y", "X")]
    if roles.count("Y") == roles.count("X") == 1:
        band = next((axis for axis in others if roles[axis] == "C"), others[-1] if others else -1)
        for axis, letter in zip((axis for axis in others if axis != band), _LETTERS, strict=False):
            roles[axis] = letter
        return "".join("C" if axis == band else role for axis, role in enumerate(roles)), False
    return guessed_axes(variable.shape, name, variable.dtype)


def guessed_axes(shape: tuple[int, ...], name: str, dtype: np.dtype[Any]) -> tuple[str, bool]:
    """Guess the meaning of an array's axes; the flag says whether it is no more than a guess."""
    if len(shape) == 2:
        return "YX", False
    if len(shape) == 4:
        channels_first = shape[1] in COLOURS and shape[3] not in COLOURS
        return ("NCYX" if channels_first else "NYXC"), False
    if len(shape) != 3:
        raise ImageError(
            f"{name} has the shape {shape}, which `pcaimage encode` keeps; images have two or three axes."
        )
    if shape[2] in COLOURS and dtype.kind in "bu":
        return "YXC", False
    if shape[1] == shape[2] or shape[0] < min(shape[1:]):
        return "CYX", True
    return "YXC", True


def _role(variable: Variable, axis: int) -> str:
    named = variable.dims[axis].lower().rpartition("/")[2] if axis < len(variable.dims) else ""
    return _ROLES.get(named, "")


def _rank(variable: Variable) -> tuple[bool, bool, bool, int]:
    """Return what makes an array more likely to be the image than others, such as the name in our files."""
    return variable.name == "pixels", bool(variable.axes), len(variable.shape) > 2, math.prod(variable.shape)


def _as_picture(variable: Variable, beside: tuple[Variable, ...]) -> Variable:
    """Return a MATLAB array of bands and pixels as a cube, if numbers beside it say its rows and columns."""
    if len(variable.shape) != 2 or not variable.axes:
        return variable
    numbers = {each.title: each for each in beside if math.prod(each.shape) == 1 and each.dtype.kind in "iuf"}
    for titles in _TITLES["shapes"]:
        if not all(title in numbers for title in titles):
            continue
        rows, columns = (int(numbers[title].values().ravel()[0]) for title in titles)
        axis = next((axis for axis in (1, 0) if 0 < rows * columns == variable.shape[axis]), None)
        if axis is None or rows < 0:
            continue
        bands = variable.shape[1 - axis]

        def read(
            part: Part, axis: int = axis, sides: tuple[int, ...] = (bands, columns, rows)
        ) -> NDArray[Any]:
            # Pixels are counted down the columns, as MATLAB does.
            values = variable.values()
            return np.asarray((values if axis else values.T).reshape(sides)[part])

        return replace(variable, shape=(bands, columns, rows), read=read, axes="CXY", part=())
    return variable


def _number(value: object) -> float | None:
    found = np.asarray(value)
    return float(found.ravel()[0]) if found.size == 1 and found.dtype.kind in "iuf" else None


def _likely_unit(wavelengths: tuple[float, ...]) -> str:
    """Return the unit of wavelengths of light and heat for which the file names none."""
    if not wavelengths or min(wavelengths) <= 0:
        return ""
    return "nm" if min(wavelengths) > 100 else "µm" if max(wavelengths) < 100 else ""


REGULAR: Final = 1e-3  # largest deviation of coordinates from a regular grid, in pixels


def georeference(
    dims: tuple[str, ...], attributes: Mapping[str, Any], find: Callable[[str], Variable | None]
) -> tuple[tuple[str, str], ...]:
    """Return the fields ``map info`` and ``coordinate system string`` of an image with a regular grid.

    `find` returns the array of a name, and of the attributes ``grid_mapping`` counts.
    """
    grid = find(text_of(attributes.get("grid_mapping", "")).split(":")[0].strip() or "spatial_ref")
    about = {} if grid is None else grid.attributes
    wkt = text_of(about.get("crs_wkt", "")) or text_of(about.get("spatial_ref", ""))
    degrees = any(dim.lower().startswith("lat") for dim in dims) or wkt.upper().startswith("GEOG")
    transform = _transform(about.get("GeoTransform", "")) or _of_axes(dims, find)
    fields = []
    if transform is not None:
        x, dx, y, dy = transform
        name = "Geographic Lat/Lon" if degrees else "Arbitrary"
        fields.append(("map info", f"{{{name}, 1, 1, {x!r}, {y!r}, {dx!r}, {dy!r}}}"))
    if wkt and not any(each in wkt for each in "{}\n"):
        fields.append(("coordinate system string", f"{{{wkt}}}"))
    return tuple(fields)


def _transform(value: object) -> tuple[float, float, float, float] | None:
    """Return the corner and the sides of pixels by an attribute GeoTransform; None if it is rotated."""
    numbers = value.ravel() if isinstance(value, np.ndarray) and value.size > 1 else text_of(value).split()
    try:
        x, dx, turned, y, sheared, dy = map(float, numbers)
    except ValueError:
        return None
    return (x, dx, y, -dy) if turned == sheared == 0 and dx > 0 and dy < 0 else None


def _of_axes(
    dims: tuple[str, ...], find: Callable[[str], Variable | None]
) -> tuple[float, float, float, float] | None:
    """Return corner and sides by the coordinates of the axes, which are those of the pixels' centres."""
    across = down = None
    for dim in dims:
        name, values = dim.lower(), _steps(find(dim)) if dim else None
        if name in {"x", "lon", "longitude", "easting"}:
            across = values
        elif name in {"y", "lat", "latitude", "northing"}:
            down = values
    if across is None or down is None or across[1] <= 0 or down[1] >= 0:
        return None
    (x, dx), (y, dy) = across, down
    return x - dx / 2, dx, y - dy / 2, -dy


def _steps(axis: Variable | None) -> tuple[float, float] | None:
    """Return the first coordinate and the step of a regular axis."""
    if axis is None or len(axis.shape) != 1 or axis.shape[0] < 2:
        return None
    values = axis.values()
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        return None
    first, last = float(values[0]), float(values[-1])
    step = (last - first) / (len(values) - 1)
    even = first + step * np.arange(len(values))
    rounding = 1e-7 * np.abs(values).max()
    regular = step != 0 and np.abs(values - even).max() <= REGULAR * abs(step) + rounding
    return (first, step) if regular else None
