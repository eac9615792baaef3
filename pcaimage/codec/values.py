"""Arrays of any type and shape as images: the chunk ``V`` of a file, which docs/format.md, 4.4, defines.

Numbers that images have are those of an image. Others become whole ones in their own order, so that nothing
is lost: real numbers by their bits, or, where they are decimals of a few places, times a power of ten. Their
highest 16 bits are an image, which PCA predicts from band to band; what is below is mostly noise, and
deflated byte by byte. Where something may be lost, they are real numbers around an offset.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.method import Encoding
from pcaimage.codec.settings import Settings
from pcaimage.errors import DataError, FormatError, SettingsError, TargetError
from pcaimage.quality import differences
from pcaimage.sampling import Bands, Stack
from pcaimage.varint import read_varint, write_varint

_SAME, _NEAR, _EXACT, _BESIDE = range(4)
"""How numbers follow from those of the image: they are the same; around an offset, rounded to the type;
exactly, with the bits that are below these; or from these bits alone."""

_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
_ORDERS = "=<>"  # of bytes: the machine's, or one that the array had on a machine with the other
_HOLDERS = {
    "uint8": ("uint8", "bool"),
    "uint16": ("uint16",),
    "int16": ("int16", "int8"),
    "float32": ("float32",),
}
_MOST_AXES, _MOST_BYTES = 32, 1 << 60
_MOST_SIDE, _MOST_BANDS, _ROW = 1 << 24, 1 << 16, 4096  # of an image; of one that has no axes of its own

MOST_FILLED = 4 * _ROW  # bytes of numbers that fill the last row of an image

_BITS = 255  # in place of a scaling
_PLACES = 7  # decimal places, at most
_SCALINGS = 3 * (
    _PLACES + 1
)  # what makes decimals of whole numbers n: n / 10^p, n · 10^-p, and this in the type
_MIDDLE = 1 << 52  # stands for 0
_SAMPLE = 500  # of the numbers that a scaling is first tried with
_HEAD = struct.Struct("<BQQB")
"""Scaling, least number, unit, bits below those of the image."""
_OFFSETS, _AROUND = {"f": "<hd", "i": "<hq", "u": "<hQ"}, 10  # a unit's exponent and an offset; their bytes
_FINE = 12  # binary digits of the range of numbers, in such units
_LOSSY = ("k", "variance", "psnr", "size", "step", "ssim", "max_error", "noise")
_DAMAGED = "What the file says of its array is damaged."

Compress = Callable[[NDArray[Any], Settings], Encoding]


@dataclass(frozen=True)
class Values:
    """What a chunk ``V`` says: an array's type and shape, the axis of its bands, and how it is stored."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    axis: int  # which is the last one in the image
    way: int
    rest: bytes = b""

    @classmethod
    def of(cls, payload: bytes) -> Self:
        """Parse a chunk; FormatError if it is damaged, or no memory could hold such an array."""
        if len(payload) < 4 or payload[3] > _MOST_AXES or payload[2] >= len(_ORDERS):
            raise FormatError(_DAMAGED)
        kind, size, place, numbers = chr(payload[0]), payload[1], 4, list[int]()
        if size not in _SIZES.get(kind, ()) or (size == 1 and payload[2]):
            raise FormatError(_DAMAGED)
        for _ in range(payload[3] + 1):
            number, place = read_varint(payload, place)
            numbers.append(number)
        *shape, axis = numbers
        # Sides beside one of 0 take no memory, but NumPy has bounds for them, too.
        if axis >= max(len(shape), 1) or math.prod(max(side, 1) for side in shape) * size > _MOST_BYTES:
            raise FormatError(_DAMAGED)
        if place >= len(payload) or payload[place] > _BESIDE:
            raise FormatError(_DAMAGED)
        dtype = np.dtype(f"{_ORDERS[payload[2]]}{kind}{size}")
        return cls(dtype, tuple(shape), axis, payload[place], payload[place + 1 :])

    def to_bytes(self) -> bytes:
        """Return the chunk's payload."""
        order = _ORDERS.index(self.dtype.byteorder.replace("|", "="))
        head = bytes([ord(self.dtype.kind), self.dtype.itemsize, order, len(self.shape)])
        return b"".join([head, *map(write_varint, (*self.shape, self.axis)), bytes([self.way]), self.rest])

    @property
    def n_bytes(self) -> int:
        """Bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def sides(self) -> tuple[int, ...]:
        """The shape with the bands last."""
        return (*self.shape[: self.axis], *self.shape[self.axis + 1 :], *self.shape[self.axis :][:1])

    @property
    def planes(self) -> tuple[int, int, int]:
        """Height, width and bands of an image of as many numbers, of one at least."""
        *more, height, width, bands = (1, 1, *self.sides) if len(self.shape) > 2 else (1, 1, *self.sides, 1)
        return max(math.prod(more) * height, 1), max(width, 1), max(bands, 1)

    def places(self, shape: tuple[int, ...]) -> tuple[int, ...] | None:
        """Return the array's axes in the order of an image, each number of which tells one of the array.

        None where all of the file is needed: of other shapes, and of bits or numbers that are kept beside it.
        """
        order = [*range(self.axis), *range(self.axis + 1, len(self.shape)), self.axis]
        beside = 0
        if self.way == _NEAR:
            beside, _ = read_varint(self.rest, _AROUND)
        elif self.way != _SAME:
            beside = self.rest[_HEAD.size - 1] if len(self.rest) >= _HEAD.size and self.way == _EXACT else 1
        order = order if len(self.shape) > 2 else list(range(len(self.shape)))
        whole = self.dtype.kind != "c" and tuple(self.shape[axis] for axis in order) == shape
        return tuple(order) if whole and not beside else None

    @property
    def unit(self) -> float | None:
        """What a difference of 1 in the image is in the array; None if that says nothing of the array."""
        if self.way != _NEAR:
            return 1.0 if self.way == _SAME else None
        with np.errstate(over="ignore", under="ignore"):
            return float(np.ldexp(1.0, self._offset[0]))

    @property
    def _offset(self) -> tuple[int, Any]:
        """The exponent of the unit, and what the image's numbers are added to."""
        if len(self.rest) < _AROUND + 1 or self._part.kind == "b":
            raise FormatError(_DAMAGED)
        exponent, offset = struct.unpack_from(_OFFSETS[self._part.kind], self.rest)
        if not math.isfinite(offset):
            raise FormatError(_DAMAGED)
        return exponent, offset

    def bound(self, error: float | None) -> float | None:
        """Return the largest error of the array where that of the image is known."""
        if self.way != _NEAR or error is None:
            return error
        unit, part = self.unit or 0.0, self._part
        far = (error + 2.0 ** (_FINE - 25)) * unit  # the image has 24 binary digits
        if part.kind != "f":
            return float(math.floor(far + 0.5))
        with np.errstate(over="ignore"):
            rounding = float(np.spacing(part.type(abs(self._offset[1]) + unit * 2**_FINE)))
        return (far + rounding) * (math.sqrt(2) if self.dtype.kind == "c" else 1)

    @property
    def holder(self) -> str:
        """The type of images that has all numbers of this type; empty if there is none."""
        return next((image for image, held in _HOLDERS.items() if self.dtype.name in held), "")

    @property
    def _part(self) -> np.dtype[Any]:
        """The type of the numbers, of complex ones that of their parts."""
        return np.empty(0, self.dtype.newbyteorder("=")).real.dtype

    def restored(self, image: NDArray[Any]) -> NDArray[Any]:
        """Return the array that is stored in an image; FormatError if that does not have it."""
        flat, count = image.reshape(-1), self.n_bytes // self._part.itemsize
        if self.way != _BESIDE and flat.size < count:
            raise FormatError("The array has more numbers than the image in the file.")
        flat = flat[:count]
        if self.way == _SAME:
            if self.holder != flat.dtype or self.rest:
                raise FormatError(_DAMAGED)
            found = flat != 0 if self.dtype.kind == "b" else flat
            if self.dtype.name == "int8":
                found = np.clip(flat, -128, 127).astype(np.int8)
        elif self.way == _NEAR:
            found = self._near(flat)
        else:
            found = self._exact(flat, count)
        whole = found.view(self.dtype.newbyteorder("=")).reshape(self.sides)
        return np.asarray(np.moveaxis(whole, -1, self.axis) if self.shape else whole, self.dtype, order="C")

    def _near(self, flat: NDArray[Any]) -> NDArray[Any]:
        """Return numbers that are so far from an offset, and those that are kept."""
        if flat.dtype != np.float32:
            raise FormatError(_DAMAGED)
        (exponent, offset), part = self._offset, self._part
        n_kept, place = read_varint(self.rest, _AROUND)
        kept = np.isnan(flat)
        if n_kept != np.count_nonzero(kept):
            raise FormatError(_DAMAGED)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            away = np.ldexp(np.where(kept, 0, flat).astype(np.float64), exponent)
            found = (away + offset).astype(part) if part.kind == "f" else _around(away, offset, part)
        plane, _ = _inflated(self.rest[place:], n_kept * part.itemsize)
        found[kept] = np.frombuffer(plane, part.newbyteorder("<"))
        return found

    def _exact(self, flat: NDArray[Any], count: int) -> NDArray[Any]:
        """Return numbers by their highest bits, which the image has, and those below."""
        wrong = self.way == _EXACT and flat.dtype not in (np.uint8, np.uint16)
        if len(self.rest) < _HEAD.size or wrong:
            raise FormatError(_DAMAGED)
        scaling, least, unit, below = _HEAD.unpack_from(self.rest)
        if below > (64 if self.way == _BESIDE else 48) or (scaling >= _SCALINGS and scaling != _BITS):
            raise FormatError(_DAMAGED)
        rest, planes = self.rest[_HEAD.size :], list[bytes]()
        for _ in range(0, below, 8):  # all of them, before memory is taken for what they may not be
            plane, rest = _inflated(rest, count)
            planes.append(plane)
        high = np.zeros(count, np.uint8) if self.way == _BESIDE else flat
        whole = high.astype(np.uint64) << np.uint64(below & 63)
        for place, plane in enumerate(planes):
            whole += np.frombuffer(plane, np.uint8).astype(np.uint64) << np.uint64(8 * place)
        whole = whole * np.uint64(unit) + np.uint64(least)
        return whole != 0 if self.dtype.kind == "b" else _numbers(whole, self._part, scaling)


def check_type(dtype: np.dtype[Any]) -> None:
    """Raise DataError for types that are no numbers of up to 64 bits, or pairs of them."""
    if dtype.itemsize in _SIZES.get(dtype.kind, ()):
        return
    way = "; convert them to float64 or complex128" if dtype.kind in "fc" else ""
    if dtype.names is not None:
        way = f"; compress its fields {', '.join(dtype.names)} one by one"
    elif dtype.kind in "OMm":
        way = "; give them a type of numbers" if dtype.kind == "O" else "; view them as int64"
    raise DataError(f"Values of type {dtype} are no numbers that can be compressed{way}.")


def is_image(array: NDArray[Any], settings: Settings, axis: int | None) -> bool:
    """Return whether an array is an image as it is, so that its file needs no chunk ``V``."""
    full = 4 if isinstance(settings.sampling, Stack) else 3
    sides, bands = (array.shape, 1) if array.ndim < full else (array.shape[:-1], array.shape[-1])
    return (
        array.dtype.isnative
        and array.dtype.name in _HOLDERS
        and not (settings.lossless and array.dtype.kind == "f")
        and array.ndim in {full - 1, full}
        and (axis is None or array.ndim < full or axis % array.ndim == array.ndim - 1)
        and all(0 < side <= _MOST_SIDE for side in sides)
        and 0 < bands <= _MOST_BANDS
    )


def compress(array: NDArray[Any], settings: Settings, axis: int | None, encode: Compress) -> Encoding:
    """Compress an array of any type and shape by a function that compresses images.

    Types that images have are compressed as settings say. Others, and what was nowhere measured, lose nothing
    unless settings say how much. DataError if there are no numbers.
    """
    image, values = laid(array, axis)
    holder, lossy = values.holder, any(getattr(settings, name) is not None for name in _LOSSY)
    truth, rounded = values.dtype.kind == "b", not (settings.lossless and image.dtype.kind == "f")
    if image.size and holder and rounded and (truth or lossy or holder == image.dtype):
        try:
            chosen = Settings(lossless=True) if truth else settings
            return _with(encode(_filled(image.astype(holder, copy=False)), chosen), values)
        except DataError:
            pass  # infinite values, or none that was measured
        except TargetError:
            if settings.psnr is None:
                raise
    found = _nearly(image, settings, values, encode) if image.size and lossy and not truth else None
    return _exactly(image, values, encode) if found is None else found


def laid(array: NDArray[Any], axis: int | None) -> tuple[NDArray[Any], Values]:
    """Return an array's numbers, of complex ones the parts, in the order of an image, and what says so.

    Of three axes or more the result is (H, W, C). DataError if there are no numbers, SettingsError if there
    is no such axis.
    """
    check_type(array.dtype)
    if axis is not None and not -max(array.ndim, 1) <= axis < max(array.ndim, 1):
        raise SettingsError(f"An array of {array.ndim} axes has no axis {axis}.")
    # The bands are last, unless the first axis is the shortest of several.
    first = array.ndim > 2 and array.shape[0] < min(array.shape[1:])
    place = (-(not first) if axis is None else axis) % max(array.ndim, 1)
    moved = np.moveaxis(array, place, -1) if array.ndim else array
    native = np.array(moved, array.dtype.newbyteorder("="), order="C", copy=None)
    shape = native.shape
    if native.dtype.kind == "c":
        shape = (*shape, 2) if len(shape) < 3 else (*shape[:-1], 2 * shape[-1])
    if len(shape) > 3:
        shape = (math.prod(shape[:-2]), *shape[-2:])
    parts = native.reshape(-1).view(native.real.dtype)
    return parts.reshape(shape), Values(array.dtype, array.shape, place, _SAME)


def _filled(image: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as an image: in rows, the last of which is filled, if no image has such sides."""
    sides, bands = (image.shape[:2], image.shape[2]) if image.ndim > 2 else (image.shape, 1)
    if image.ndim > 1 and min(sides) > 0 and max(sides) <= _MOST_SIDE and 0 < bands <= _MOST_BANDS:
        return image
    flat = image.reshape(-1)
    columns = min(flat.size, _ROW)
    return np.concatenate([flat, np.repeat(flat[-1:], -flat.size % columns)]).reshape(-1, columns)


def _with(encoding: Encoding, values: Values) -> Encoding:
    stored = replace(encoding.compressed, values=values.to_bytes())
    return replace(encoding, compressed=stored, restore=values.restored)


def _exactly(image: NDArray[Any], values: Values, encode: Compress) -> Encoding:
    """Compress numbers so that nothing is lost."""
    scaling, whole = _whole(image) if image.size else (_BITS, np.zeros(image.shape, np.uint64))
    least = int(whole.min()) if image.size else 0
    whole -= np.uint64(least)
    unit = int(np.gcd.reduce(whole, axis=None)) or 1
    whole //= np.uint64(unit)
    bits = int(whole.max(initial=0)).bit_length()
    below = max(bits - 16, 0)
    if bits:
        high = (whole >> np.uint64(below)).astype(np.uint8 if bits <= 8 else np.uint16)
        found = encode(_filled(high), Settings(lossless=True))
        made = found.compressed
        if len(made.residual or b"") + len(made.tiles or b"") < len(_planes(whole, below, bits)):
            rest = _HEAD.pack(scaling, least, unit, below) + _planes(whole, 0, below)
            return _with(found, replace(values, way=_EXACT, rest=rest))
    nothing = encode(np.zeros((1, 1), np.uint8), Settings(lossless=True))
    rest = _HEAD.pack(scaling, least, unit, bits) + _planes(whole, 0, bits)
    return _with(nothing, replace(values, way=_BESIDE, rest=rest))


def _nearly(parts: NDArray[Any], settings: Settings, values: Values, encode: Compress) -> Encoding | None:
    """Compress numbers as real ones around an offset; None if they are then not as near as they are to be."""
    real = parts.dtype.kind == "f"
    kept = ~np.isfinite(parts) if real else np.zeros(parts.shape, bool)
    if settings.nodata is not None and not settings.all_measured:
        kept |= parts == settings.nodata
    known = parts[~kept]
    if not known.size:
        return None
    low, high = known.min().item(), known.max().item()
    offset = low / 2 + high / 2 if real else (low + high) // 2
    with np.errstate(over="ignore"):
        if real:
            near = parts.astype(np.float64) - offset
        else:  # differences of 64 bits wrap, and are right as signed ones
            wrapped = parts.astype(np.uint64) - np.uint64(offset % (1 << 64))
            near = wrapped.astype(np.int64).astype(np.float64)
        exponent = max(math.frexp(float(np.max(np.abs(near), where=~kept, initial=0)))[1] - _FINE, -1000)
        image = np.where(kept, np.nan, np.ldexp(near, -exponent)).astype(np.float32)
    bound, step = settings.max_error, settings.step
    if step is not None:
        settings = replace(settings, step=math.ldexp(step, -exponent))
    if bound is not None:
        # Of a complex number both parts are wrong. Whole numbers are rounded to the nearest.
        share = bound / math.sqrt(2) if values.dtype.kind == "c" else bound
        rounding = float(np.spacing(parts.dtype.type(max(abs(low), abs(high))))) if real else 0.0
        stored = np.ldexp(image.astype(np.float64), exponent)
        away = float(np.max(np.abs(stored - near), where=~kept, initial=0))
        share = share - rounding if real else math.floor(share) + 0.499 if share >= 1 else 0.0
        if not share - away > bound / 4:
            return None
        settings = replace(settings, max_error=math.ldexp(share - away, -exponent))
    plain = replace(settings, nodata=None, white=None, sampling=settings.sampling or Bands())
    try:
        encoding = encode(_filled(image), plain)
    except (DataError, SettingsError) as error:
        if isinstance(error, SettingsError) and bound is None and settings.psnr is None:
            raise
        return None
    packed = zlib.compress(parts[kept].astype(parts.dtype.newbyteorder("<")).tobytes())
    head = struct.pack(_OFFSETS[parts.dtype.kind], exponent, offset) + write_varint(int(kept.sum()))
    rest = head + struct.pack("<I", len(packed)) + packed
    found = _with(encoding, replace(values, way=_NEAR, rest=rest))
    # What decimals of two bases, and two roundings, make of the bound is known only from the result.
    kept_to = bound is None or _within(laid(found.decoded(), values.axis)[0], parts, values, bound)
    return found if kept_to else None


def _within(found: NDArray[Any], parts: NDArray[Any], values: Values, bound: float) -> bool:
    """Return whether all finite numbers are within an error."""
    apart = differences(found, parts).reshape(-1)
    if parts.dtype.kind == "f":
        apart = np.where(np.isfinite(parts.reshape(-1)), np.abs(apart), 0)
    if values.dtype.kind == "c":
        apart = np.hypot(apart[::2], apart[1::2])
    return bool(apart.max() <= bound)


def _around(away: NDArray[np.float64], offset: int, part: np.dtype[Any]) -> NDArray[Any]:
    """Return whole numbers that are so far from an offset, rounded, within their type."""
    ends, most = np.iinfo(part), (1 << 63) - 1
    if not ends.min <= offset <= ends.max:
        raise FormatError(_DAMAGED)
    rounded = np.clip(np.rint(away), -(2.0**63), math.nextafter(2.0**63, 0)).astype(np.int64)
    inside = np.clip(rounded, max(int(ends.min) - offset, -most - 1), min(int(ends.max) - offset, most))
    return (inside.astype(np.uint64) + np.uint64(offset % (1 << 64))).astype(part)


def _planes(whole: NDArray[np.uint64], first: int, last: int) -> bytes:
    """Return some bits of numbers, deflated by eight, each after how many bytes that takes."""
    found = []
    for place in range(first, last, 8):
        bits = (whole >> np.uint64(place)) & np.uint64((1 << min(8, last - place)) - 1)
        packed = zlib.compress(bits.astype(np.uint8).tobytes())
        found += [struct.pack("<I", len(packed)), packed]
    return b"".join(found)


def _whole(parts: NDArray[Any]) -> tuple[int, NDArray[np.uint64]]:
    """Return numbers as whole ones that are in the same order, from 0 on, and by what scaling."""
    size = parts.dtype.itemsize
    unsigned = parts.view(f"u{size}").astype(np.uint64)
    sign = np.uint64(1 << (8 * size - 1))
    if parts.dtype.kind in "bu":
        return _BITS, unsigned
    if parts.dtype.kind == "i":
        return _BITS, (unsigned + sign) & np.uint64((1 << (8 * size)) - 1)
    sample = parts.reshape(-1)[:: max(parts.size // _SAMPLE, 1)]
    for scaling in range(_SCALINGS):
        if _of_decimals(sample, scaling) is not None and (found := _of_decimals(parts, scaling)) is not None:
            return scaling, found
    return _BITS, np.where(unsigned & sign, ~unsigned & np.uint64((1 << (8 * size)) - 1), unsigned | sign)


def _of_decimals(parts: NDArray[Any], scaling: int) -> NDArray[np.uint64] | None:
    """Return whole numbers of which a scaling makes these to the bit, if there are such."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.rint(parts.astype(np.float64) * 10.0 ** (scaling // 3))
    if not np.all(np.abs(scaled) < _MIDDLE):
        return None
    whole = (scaled.astype(np.int64) + _MIDDLE).astype(np.uint64)
    bits = f"u{parts.dtype.itemsize}"
    return (
        whole if np.array_equal(_numbers(whole, parts.dtype, scaling).view(bits), parts.view(bits)) else None
    )


def _numbers(whole: NDArray[np.uint64], dtype: np.dtype[Any], scaling: int) -> NDArray[Any]:
    """Return the numbers that :func:`_whole` made whole."""
    size, sign = dtype.itemsize, np.uint64(1 << (8 * dtype.itemsize - 1))
    if scaling != _BITS:
        places, way = divmod(scaling, 3)
        decimals, share = whole.astype(np.int64) - _MIDDLE, float(f"1e-{places}")
        with np.errstate(over="ignore"):
            if way == 2:
                return np.multiply(decimals, share, dtype=dtype)
            return (decimals * share if way else decimals / 10.0**places).astype(dtype)
    if dtype.kind == "i":
        whole = whole - sign
    elif dtype.kind == "f":
        whole = np.where(whole & sign, whole ^ sign, ~whole)
    return whole.astype(f"u{size}").view(dtype)


def _inflated(data: bytes, size: int) -> tuple[bytes, bytes]:
    """Return the bytes of a plane, and what is behind them."""
    length = int.from_bytes(data[:4], "little")
    inflater = zlib.decompressobj()
    try:
        plane = inflater.decompress(data[4 : 4 + length], size + 1)
    except zlib.error as error:
        raise FormatError(_DAMAGED) from error
    if not inflater.eof or size != len(plane):
        raise FormatError(_DAMAGED)
    return plane, data[4 + length :]
