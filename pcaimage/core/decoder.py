"""The decoder of ``pcai.h``: containers, and images while they are decoded.

Whatever is handed to the core stays alive as long as the object that was made of it.
"""

from __future__ import annotations

import ctypes
import sys
import zlib
from collections.abc import Sequence
from ctypes import POINTER, Structure, byref, c_double, c_int, c_int8, c_int64, c_size_t, c_uint64, c_void_p
from functools import cached_property, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import loaded
from pcaimage.errors import (
    FormatError,
    ImageTooLargeError,
    ImplausibleSizeError,
    ModelError,
    SettingsError,
    TruncatedError,
)
from pcaimage.machine.folders import asset

_TRUNCATED, _LARGE, _MEMORY, _MODEL, _ARGUMENT = 3, 5, 6, 8, 9
_TABLES = ("shared", "grade-0", "grade-1", "grade-2")

TableFile = NDArray[np.uint8] | None  # a file of tables of photos; None if it is not there


class Host(Structure):
    """What the library asks of a program: functions, and bounds on what a file may take."""

    _fields_ = (
        *((name, c_void_p) for name in ("own", "take", "give_back", "inflate", "tables")),
        ("most_memory", c_uint64),
        ("most_unbacked", c_uint64),
    )


class Plain(Structure):
    """Functions like malloc and free, and the tables of photos."""

    _fields_ = (
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("inflate", c_void_p),
        ("tables", c_void_p * 4),
        ("sizes", c_size_t * 4),
    )


class HeaderFields(Structure):
    """The fields of a header, as the core names them; those that a method does not have are 0."""

    _fields_ = (
        *((name, c_int64) for name in ("method", "block", "type", "has_channels", "standardized")),
        *((name, c_int64) for name in ("mantissa", "exponent", "mean_bits", "scale_bits")),
        *((name, c_int64) for name in ("slice_lines", "stated_lines", "slice_columns", "stated_columns")),
        *((name, c_int64) for name in ("images", "height", "width", "channels", "value_bits")),
        ("peak", c_double),
        *((name, c_int64) for name in ("tables", "tools", "levels", "middle", "n_weights", "n_slopes")),
        ("strengths", c_int8 * 8),
        ("weights", c_int8 * 5),
        ("slopes", c_int8 * 20),
    )


HEADER = POINTER(HeaderFields)  # such fields as an argument of the core's functions


class _Bytes(Structure):
    _fields_ = (("data", c_void_p), ("size", c_int64))


class _Component(Structure):
    _fields_ = (("precision", c_int64), ("vector", _Bytes), ("segment", _Bytes))


_PAYLOADS = ("mean", "scale", "missing", "tiles", "residual")


class _Contents(Structure):
    _fields_ = (
        ("header", HeaderFields),
        *((name, _Bytes) for name in _PAYLOADS),
        ("components", POINTER(_Component)),
        ("k", c_int64),
    )


class Info(Structure):
    """What there is in a file."""

    _fields_ = (
        *((name, c_int64) for name in ("method", "type", "images", "height", "width", "channels")),
        *((name, c_int64) for name in ("has_channels", "block", "k", "lines", "parts", "corrections")),
        *((name, c_int64) for name in ("alpha", "lent", "mantissa", "exponent")),
        ("peak", c_double),
        ("memory", c_uint64),
        ("model", c_int8 * 16),
    )


class Chunk(Structure):
    """Where a chunk stands in a file."""

    _fields_ = tuple((name, c_int64) for name in ("kind", "start", "stop", "payload", "first", "count"))


class ChunkPlace(NamedTuple):
    """A chunk as it stands in a file; its checksum is right."""

    letter: bytes
    start: int
    stop: int  # exclusive
    payload: int  # where its payload begins, which ends 4 bytes before `stop`
    first: int  # one-based number of its first component; 0 without one
    many: int  # components are in it


class StoredComponent(NamedTuple):
    """A component as it is coded."""

    precision: int
    vector: bytes
    segment: bytes


_FILE, _NUMBER, _PLACE, _SIZE = POINTER(c_void_p), c_int64, POINTER(c_int64), c_size_t

_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "read": (c_int, _FILE, c_void_p, _SIZE, POINTER(Host), _NUMBER),
    "assemble": (c_int, _FILE, POINTER(_Contents), POINTER(Host)),
    "reason": (ctypes.c_char_p, c_void_p, _PLACE),
    "about": (POINTER(Info), c_void_p),
    "header": (HEADER, c_void_p),
    "components": (POINTER(_Component), c_void_p),
    "header_fault": (ctypes.c_char_p, c_void_p, _SIZE, HEADER),
    "chunks": (c_int64, c_void_p, POINTER(POINTER(Chunk))),
    "decode": (c_int, c_void_p, _NUMBER, _NUMBER),
    "lines_of": (c_int, c_void_p, _NUMBER, _PLACE, _PLACE),
    "corrected": (c_int, c_void_p, _NUMBER, _PLACE, _PLACE),
    "lines": (c_int, c_void_p, *(_NUMBER,) * 4, c_void_p, _SIZE),
    "correct": (c_int, c_void_p, _NUMBER, c_void_p, _SIZE),
    "alpha": (c_int, c_void_p, c_void_p),
    "vectors": (c_int64, c_void_p),
    "numbers": (None, c_void_p, _NUMBER, _NUMBER, c_void_p),
    "missing": (None, c_void_p, c_void_p),
    "put_scores": (None, c_void_p, _NUMBER, c_void_p, c_void_p),
    "put_models": (None, c_void_p, _NUMBER, c_void_p),
    "put_tiles": (None, c_void_p, c_void_p, c_void_p),
    "close": (None, c_void_p),
    "plain_host": (None, POINTER(Host), POINTER(Plain)),
}
"""Results and parameters of the functions of ``pcai_``."""


@lru_cache(maxsize=1)
def _library() -> SimpleNamespace:
    """Return the functions, without ``pcai_``; their types are this module's own."""
    found = SimpleNamespace()
    for name, (result, *parameters) in _FUNCTIONS.items():
        function = loaded()[f"pcai_{name}"]
        function.restype, function.argtypes = result, parameters
        setattr(found, name, function)
    return found


@lru_cache(maxsize=4)
def table_files(folder: Path) -> list[NDArray[np.uint8]]:
    """Return the tables of photos in a folder: what all grades share, and of each grade."""
    return [np.memmap(folder / f"{name}.tables", np.uint8, "r") for name in _TABLES]


def inflate(data: bytes, limit: int, *, exact: bool = False) -> bytes:
    """Decompress a zlib stream of at most, or exactly, `limit` bytes, without ever allocating more."""
    inflater = zlib.decompressobj()
    try:
        result = inflater.decompress(data, limit + 1)
    except zlib.error as error:
        raise FormatError("Deflated data is damaged.") from error
    if len(result) > limit or not inflater.eof or (exact and len(result) != limit):
        raise FormatError(f"Deflated data does not give the {limit} bytes it should.")
    return result


def _inflate(_own: int, data: int, size: int, to: int, room: int) -> bool:
    try:
        ctypes.memmove(to, inflate(ctypes.string_at(data, size), room, exact=True), room)
    except FormatError:
        return False
    return True


_INFLATE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t)(_inflate)


def plain_of(tables: Sequence[TableFile]) -> tuple[Plain, Any]:
    """Return what a host is made of, with tables of photos: those of all grades, then of each."""
    plain, memory = Plain(), ctypes.pythonapi
    plain.allocate = ctypes.cast(memory.PyMem_RawMalloc, c_void_p).value
    plain.release = ctypes.cast(memory.PyMem_RawFree, c_void_p).value
    plain.inflate = ctypes.cast(_INFLATE, c_void_p).value
    for place, table in enumerate(tables):
        if table is not None:
            plain.tables[place], plain.sizes[place] = table.ctypes.data, table.size
    return plain, tables


def _host(tables: Sequence[TableFile] = (), most_unbacked: int = sys.maxsize) -> Host:
    host, plain = Host(), plain_of(tables)
    _library().plain_host(byref(host), byref(plain[0]))
    host.kept = plain  # as long as the file, for it has no reference that Python knows
    host.most_memory, host.most_unbacked = sys.maxsize, min(most_unbacked, sys.maxsize >> 1)
    return host


def _address(data: bytes) -> int | None:
    return ctypes.cast(ctypes.c_char_p(data), c_void_p).value


def _held(data: bytes | None) -> _Bytes:
    return _Bytes(None, 0) if data is None else _Bytes(_address(data), len(data))


def header_in(payload: bytes) -> HeaderFields:
    """Return the header of a payload; FormatError if no file can have it."""
    header = HeaderFields()
    reason = _library().header_fault(payload, len(payload), byref(header))
    if reason is not None:
        raise FormatError(reason.decode())
    return header


class _Opened:
    """A file that the core has opened, or could not open."""

    has_places = True  # whether offsets are those of a file

    def __init__(self) -> None:
        self._file = c_void_p()

    def check(self, fault: int) -> None:
        """Raise what went wrong as an error."""
        if fault:
            self._fail(fault)

    def _fail(self, fault: int) -> NoReturn:
        place = c_int64(-1)
        reason = _library().reason(self._file, byref(place)).decode() if self._file.value else ""
        offset = place.value if self.has_places and place.value >= 0 else None
        if fault == _MEMORY:
            raise MemoryError(reason)
        if fault == _LARGE:
            raise ImageTooLargeError(reason) if offset is None else ImplausibleSizeError(reason, offset)
        if fault == _ARGUMENT:
            raise SettingsError(reason)
        kinds = {_TRUNCATED: TruncatedError, _MODEL: ModelError}
        raise kinds.get(fault, FormatError)(reason, offset)

    @property
    def info(self) -> Any:
        """What pcai.h tells of an image."""
        return _library().about(self._file).contents

    def close(self) -> None:
        """Give back all memory; the file must not be used any more."""
        _library().close(self._file)
        self._file = c_void_p()

    def __del__(self) -> None:
        if self._file.value:
            self.close()


class Container(_Opened):
    """The container of a file, as far as it can be read; `fault` is the error where that ends.

    With `salvage` damage behind a component is none. A file may claim `most_unbacked` bytes beyond what its
    length makes plausible.
    """

    def __init__(self, data: bytes, *, salvage: bool = False, most_unbacked: int = sys.maxsize) -> None:
        super().__init__()
        self._data, self._host = data, _host(most_unbacked=most_unbacked)
        self.fault: Exception | None = None
        try:
            self.check(_library().read(byref(self._file), data, len(data), byref(self._host), salvage))
        except (FormatError, ImageTooLargeError) as error:
            self.fault = error

    @cached_property
    def chunks(self) -> list[ChunkPlace]:
        """The chunks up to the fault."""
        found = POINTER(Chunk)()
        count = _library().chunks(self._file, byref(found))
        return [
            ChunkPlace(bytes([each.kind]), each.start, each.stop, each.payload, each.first, each.count)
            for each in found[:count]
        ]

    @property
    def header(self) -> HeaderFields | None:
        """The fields of the header; None if there is none that is valid."""
        known = self.chunks or isinstance(self.fault, ImageTooLargeError)
        return _library().header(self._file).contents if known else None

    @property
    def components(self) -> list[StoredComponent]:
        """The components up to the fault."""
        found = _library().components(self._file)
        return [
            StoredComponent(each.precision, self._part(each.vector), self._part(each.segment))
            for each in found[: self.info.k]
        ]

    def _part(self, part: Any) -> bytes:
        start = (part.data or 0) - (_address(self._data) or 0)
        return self._data[start : start + part.size] if part.size else b""

    def alpha(self, to: NDArray[Any]) -> None:
        """Decode the opacity into an array in C order."""
        self.check(_library().alpha(self._file, to.ctypes.data))


class Decoder(_Opened):
    """An image that is decoded, of a header's fields, payloads by the core's names, and components.

    Parts may be decoded on several threads. FormatError if it is damaged. `tables` of photos stand for the
    program's own.
    """

    has_places = False

    def __init__(
        self,
        header: HeaderFields,
        components: Sequence[StoredComponent],
        *,
        mean: bytes,
        tables: Sequence[TableFile] | None = None,
        **payloads: bytes | None,
    ) -> None:
        super().__init__()
        self._kept = components, mean, payloads
        stored = (_Component * max(len(components), 1))(
            *(_Component(each.precision, _held(each.vector), _held(each.segment)) for each in components)
        )
        contents = _Contents(header=header, mean=_held(mean), components=stored, k=len(components))
        for name, payload in payloads.items():
            setattr(contents, name, _held(payload))
        if tables is None:
            tables = table_files(asset("resources", "photo-1")) if header.tables else ()
        self._host = _host(tables)
        self.check(_library().assemble(byref(self._file), byref(contents), byref(self._host)))
        self._apart = header.width * header.channels * {1: 1, 2: 2, 3: 2, 4: 4}[header.type]

    def decode(self, part: int, k: int) -> None:
        """Decode a part up to component k."""
        self.check(_library().decode(self._file, part, k))

    def lines_of(self, part: int) -> tuple[int, int]:
        """Return the first line that a part takes part in, and the last one (exclusive)."""
        return self._range(_library().lines_of, part)

    def corrected_by(self, part: int) -> tuple[int, int]:
        """Return the lines that a part of the corrections is about."""
        return self._range(_library().corrected, part)

    def _range(self, function: Any, part: int) -> tuple[int, int]:
        start, stop = c_int64(), c_int64()
        self.check(function(self._file, part, byref(start), byref(stop)))
        return start.value, stop.value

    def put_lines(self, k: int, start: int, to: NDArray[Any]) -> None:
        """Reconstruct lines from the first k components, from `start` on, into an array in C order."""
        stop = start + len(to)
        self.check(_library().lines(self._file, k, start, stop, 1, to.ctypes.data, self._apart))

    def correct(self, part: int, lines: NDArray[Any]) -> None:
        """Correct lines that were made of all components."""
        self.check(_library().correct(self._file, part, lines.ctypes.data, self._apart))

    # Of blocks, bands and stacks.

    @property
    def vectors(self) -> int:
        """How many of the parts, the first, are of vectors."""
        return int(_library().vectors(self._file))

    def put_numbers(self, kind: int, component: int, to: NDArray[np.int32]) -> None:
        """Copy numbers whose parts are decoded: of mean (0), deviations (1), entries (2) or scores (3)."""
        _library().numbers(self._file, kind, component, to.ctypes.data)

    def put_missing(self, to: NDArray[np.bool_]) -> None:
        """Tell of each pixel, or of each sample if the file has a flag for each, whether it is missing."""
        _library().missing(self._file, to.ctypes.data)

    # Of photos.

    def put_scores(self, part: int, to: NDArray[Any], levels: NDArray[np.int8] | None) -> None:
        """Have a slice, as which the first parts are, decoded into arrays: scores, levels of its regions."""
        _library().put_scores(
            self._file, part, to.ctypes.data, None if levels is None else levels.ctypes.data
        )

    def put_models(self, part: int, to: NDArray[np.uint8]) -> None:
        """Have what a slice learns copied when all of it is decoded."""
        _library().put_models(self._file, part, to.ctypes.data)

    def put_tiles(self, chosen: NDArray[np.bool_], pixels: NDArray[np.uint8]) -> None:
        """Copy which tiles are coded, and the pixels of the photo, which are meaningless elsewhere."""
        _library().put_tiles(self._file, chosen.ctypes.data, pixels.ctypes.data)
