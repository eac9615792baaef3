"""Numbers of types that files do not have: as 16-bit images and what is below, exactly, or as others nearby.

Numbers become whole ones in their own order: real numbers by their bits, or, where they are decimals of a few
places, times a power of ten. Their highest 16 bits are an image, which PCA predicts from band to band; what
is below is mostly noise, and deflated byte by byte. Within an error, small numbers are int16, others float32.
``docs/zarr.md`` specifies the bytes.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import FormatError

KINDS = "biufc"
"""What types of numbers there are, as NumPy names them."""

_BITS = 255  # in place of a scaling
_PLACES = 7  # decimal places, at most
_SCALINGS = 3 * (
    _PLACES + 1
)  # what makes decimals of whole numbers n: n / 10^p, n · 10^-p, and this in the type
_MIDDLE = 1 << 52  # stands for 0
_SAMPLE = 500  # of the numbers that a scaling is first tried with
_HEAD = struct.Struct("<cBBQQBI")
"""Kind, bytes of a number, scaling, least number, unit, bits below the file, length of the file."""


def divided(numbers: NDArray[Any], encode: Callable[[NDArray[np.uint16]], bytes]) -> bytes:
    """Return numbers of any type exactly, in bytes; the function compresses an image of their shape."""
    parts = numbers.view(numbers.real.dtype)
    scaling, whole = _whole(parts)
    least = int(whole.min())
    whole -= np.uint64(least)
    unit = int(np.gcd.reduce(whole, axis=None)) or 1
    whole //= np.uint64(unit)
    bits = int(whole.max()).bit_length()
    below = max(bits - 16, 0)
    file = encode((whole >> np.uint64(below)).astype(np.uint16))
    low, planes = _planes(whole, 0, below), _planes(whole, below, bits)
    if len(file) >= len(planes):
        file, below, low = b"", bits, _planes(whole, 0, bits)
    kind, size = numbers.dtype.kind.encode(), numbers.dtype.itemsize
    return _HEAD.pack(kind, size, scaling, least, unit, below, len(file)) + file + low


def joined(data: bytes, n_bytes: int | None, decode: Callable[[bytes], NDArray[Any]]) -> NDArray[Any]:
    """Return the numbers that :func:`divided` was given, in one row; FormatError if the bytes are damaged."""
    dtype = _type_of(data)
    if len(data) < _HEAD.size:
        raise FormatError("The chunk is cut short.")
    _, _, scaling, least, unit, below, length = _HEAD.unpack_from(data)
    if below > (48 if length else 64) or (scaling >= _SCALINGS and scaling != _BITS):
        raise FormatError("The chunk is damaged.")
    part = np.empty(0, dtype).real.dtype
    count = None if n_bytes is None else n_bytes // part.itemsize
    rest, whole = data[_HEAD.size + length :], None
    if length:
        whole = decode(data[_HEAD.size : _HEAD.size + length]).reshape(-1).astype(np.uint64) << np.uint64(
            below
        )
    for place in range(0, below, 8):
        plane, rest = _inflated(rest, count if whole is None else whole.size)
        number = np.frombuffer(plane, np.uint8).astype(np.uint64) << np.uint64(place)
        whole = number if whole is None else whole | number
    if whole is None:
        whole = np.zeros(count or 0, np.uint64)
    if count not in (None, whole.size):
        raise FormatError("The chunk has another size than the array says.")
    return _numbers(whole * np.uint64(unit) + np.uint64(least), part, scaling).view(dtype)


def _planes(whole: NDArray[np.uint64], first: int, last: int) -> bytes:
    """Return some bits of numbers, deflated by eight, each after how many bytes that takes."""
    found = []
    for place in range(first, last, 8):
        bits = (whole >> np.uint64(place)) & np.uint64((1 << min(8, last - place)) - 1)
        packed = zlib.compress(bits.astype(np.uint8).tobytes())
        found += [struct.pack("<I", len(packed)), packed]
    return b"".join(found)


def as_near(
    numbers: NDArray[Any], max_error: float | None
) -> tuple[bytes, NDArray[Any] | None, float | None]:
    """Return the type of numbers as bytes, others near them, and what error is left for these.

    There are none if they would not be near enough.
    """
    parts = numbers.view(numbers.real.dtype)
    near = parts.astype(np.int16 if parts.dtype.itemsize == 1 else np.float32)
    kept = numbers.dtype.kind.encode() + bytes([numbers.dtype.itemsize])
    if parts.dtype.kind == "b":
        return kept, None, None
    if max_error is None:
        return kept, near, None
    measured = ~np.isnan(parts)
    away = np.max(np.abs(near.astype(np.float64) - parts), where=measured, initial=0)
    # Of a complex number both parts are wrong; rounded, a number is wrong by at most twice what it was.
    bound = max_error / math.sqrt(2) if numbers.dtype.kind == "c" else max_error
    rounds = parts.dtype.kind in "iu" and near.dtype.kind == "f"
    left = max(bound / 2, bound - 0.5) if rounds else bound / 2 if parts.dtype.itemsize == 2 else bound
    return kept, near if left - away > max_error / 4 else None, float(left - away)


def near_as(data: bytes, n_bytes: int | None, decode: Callable[[bytes], NDArray[Any]]) -> NDArray[Any]:
    """Return numbers of their own type, in one row, from what :func:`as_near` made of it and a file."""
    dtype = _type_of(data)
    part = np.empty(0, dtype).real.dtype
    near = np.ascontiguousarray(decode(data[2:])).reshape(-1)
    if n_bytes is not None and near.size * part.itemsize != n_bytes:
        raise FormatError("The chunk has another size than the array says.")
    if part.kind in "iu":
        range_ = np.iinfo(part)
        highest = float(range_.max) if int(float(range_.max)) <= range_.max else math.nextafter(range_.max, 0)
        near = np.clip(np.rint(near.astype(np.float64)), range_.min, highest)
    return near.astype(part).view(dtype)


def _type_of(data: bytes) -> np.dtype[Any]:
    """Return the type that data begin with; FormatError if there is none such."""
    try:
        dtype = np.dtype(f"{data[:1].decode()}{data[1]}")
    except (IndexError, TypeError, UnicodeDecodeError) as error:
        raise FormatError("The chunk is damaged.") from error
    if dtype.kind not in KINDS or np.empty(0, dtype).real.itemsize > 8:
        raise FormatError("The chunk is damaged.")
    return dtype


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


def _inflated(data: bytes, size: int | None) -> tuple[bytes, bytes]:
    """Return the bytes of a plane, and what is behind them."""
    length = int.from_bytes(data[:4], "little")
    inflater = zlib.decompressobj()
    try:
        plane = inflater.decompress(data[4 : 4 + length], 0 if size is None else size + 1)
    except zlib.error as error:
        raise FormatError("The chunk is damaged.") from error
    if not inflater.eof or size not in (None, len(plane)):
        raise FormatError("The chunk is cut short, or has another size than the array says.")
    return plane, data[4 + length :]
