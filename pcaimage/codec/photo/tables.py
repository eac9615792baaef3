"""Trained tables, and the plan that follows from them for a photo: its components and their steps.

Files name the version of the tables that they were made with; every version ever shipped is kept. What they
hold, the core reads.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.codec.compressed import DEPENDENT, DRAWN, NESTED, ORDERED, SHRUNK, TILED, Header
from pcaimage.codec.decoding import fields_of
from pcaimage.codec.step import Step
from pcaimage.core.decoder import HEADER, table_files
from pcaimage.core.library import LONG, Array, function, size_of
from pcaimage.errors import CoreError, FormatError, SettingsError
from pcaimage.machine.folders import asset
from pcaimage.sampling import Lapped
from pcaimage.sampling.blocks import BLOCK

Arrays = dict[str, NDArray[np.generic]]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

NEWEST = 1  # version used for new files
MOST_LEVELS = 16  # levels that tables of factors have, whether or not an image has so many
WEIGHT_BITS = 11  # weights by which scores are predicted from means are in units of 2^-11, and at most 1

_FACTOR_BITS = 20
_TOO_FINE = -4  # what the core returns if a step is too small, in place of a grade

_BYTES = Array(np.uint8)
_ROOM = Array(np.uint8, writable=True)
_LONGS, _INTS = (Array(kind, writable=True) for kind in (np.int64, np.int32))
_MAKE = function("pcai_make_plan", LONG, _ROOM, HEADER, _BYTES, LONG, _LONGS, _INTS, _INTS, _LONGS)
_MODELS = function("pcai_take_models", LONG, _BYTES, _BYTES, LONG, _ROOM)


def parsed(data: bytes) -> Arrays:
    """Return the arrays of a file by their names."""
    place, arrays = 0, Arrays()
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


def flat(arrays: Arrays) -> bytes:
    """Return arrays as they follow on each other in a file."""
    parts = list[bytes]()
    for name, array in sorted(arrays.items()):
        head = name.encode("ascii")
        parts.append(bytes([len(head)]) + head + array.dtype.str[1:].encode() + bytes([array.ndim]))
        parts.append(struct.pack(f"<{array.ndim}I", *array.shape))
        parts.append(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return b"".join(parts)


@dataclass(frozen=True, eq=False)
class Plan:
    """The components of a photo in the order of the file, and their steps; shared by all of its slices."""

    tables: Tables
    memory: Bytes = field(repr=False)  # the core's own plan
    planes: NDArray[np.int64]  # of each component in the cascade, constant ones first
    prediction: NDArray[np.int32]  # weights of differences of means for the others, (63 C, 8), in 2^-11
    factors: NDArray[np.int32]  # of the step, by plane and level, in 2^-20; zeros for levels above
    grade: int  # of the tables by whose models it is coded
    dtype: np.dtype[np.signedinteger]  # the smallest type that holds every valid score
    levels: int  # number of levels of steps by region, at least 1
    local: bool  # whether steps differ by region or by component
    dependent: bool  # whether scores are quantised dependently
    nested: bool  # whether constant components are a picture of their own
    mean_parts: int  # of a step, in which constant components are

    @property
    def relative(self) -> Floats | None:
        """The factors as floats, shape (C * 64, levels); None if all steps are the same."""
        factors = self.factors[:, : self.levels]
        return factors.astype(np.float32) / np.float32(1 << _FACTOR_BITS) if self.local else None

    def inverse(self, plane: int) -> Floats:
        """Return the factors of a component's scores in regions of each level."""
        factors = self.factors[plane, : self.levels]
        found: Floats = (float(1 << _FACTOR_BITS) / factors).astype(np.float32)
        return found

    def take_models(self, room: Bytes) -> None:
        """Start models from the tables of the plan's grade."""
        data = self.tables.graded(self.grade)
        if not _MODELS(self.memory, data, data.size, room):
            raise CoreError("The tables of photos are damaged: install the program again.")


@dataclass(frozen=True, eq=False)
class Tables:
    """One version of the trained tables: files of what all grades share, and of each grade."""

    shared: Bytes = field(repr=False)
    graded: Callable[[int], Bytes] = field(repr=False)

    @classmethod
    def of(cls, version: int) -> Tables:
        """Return the tables of a version."""
        if version != NEWEST:
            raise FormatError(
                f"The photo was made with tables {version}, which this version of the program does not have."
            )
        return _load(asset("resources", f"photo-{version}"))

    @cached_property
    def arrays(self) -> Arrays:
        """The arrays that all grades share."""
        return parsed(self.shared.tobytes())

    @cached_property
    def basis(self) -> NDArray[np.int64]:
        """Trained components of eight lapped samples, in units of 2^-14, shape (8, 8)."""
        return self.arrays["basis"].astype(np.int64)

    def components(self, channels: int, slopes: tuple[int, ...] = ()) -> Plan:
        """Return the components of one to four channels, in an image's own order if it has slopes."""
        tools = DEPENDENT | (ORDERED if slopes else 0)
        usual = Header((1, 1, channels), "uint8", Lapped(), Step.nearest(16.0), tools=tools, slopes=slopes)
        return _plan(self, usual)

    def plan(self, header: Header) -> Plan:
        """Return the plan of a photo; SettingsError if its step is too small for the range of its values."""
        # Neither sides nor what is done after decoding matter.
        shape, tools = (1, 1, header.shape[-1]), header.tools & ~(SHRUNK | TILED | DRAWN)
        return _plan(self, replace(header, shape=shape, tools=tools, strengths=(), slice_rows=0))


def plan_of(header: Header) -> Plan:
    """Return the plan of a photo by the tables that its header names."""
    return Tables.of(header.tables).plan(header)


@lru_cache(maxsize=16)
def _plan(tables: Tables, header: Header) -> Plan:
    channels = header.shape[-1]
    memory = Memory().array("plan", (size_of("PhotoPlan"),), np.uint8)
    planes, wide = np.empty(BLOCK**2 * channels, np.int64), np.zeros(1, np.int64)
    prediction = np.empty((len(planes) - channels, 8), np.int32)
    factors = np.empty((len(planes), MOST_LEVELS), np.int32)
    found = planes, prediction, factors, wide
    grade = _MAKE(memory, fields_of(header), tables.shared, tables.shared.size, *found)
    if grade == _TOO_FINE:
        raise SettingsError(
            f"A step of {float(header.step):g} is too small for the range of the image's values."
        )
    if grade < 0:
        raise CoreError("The tables of photos are damaged: install the program again.")
    return Plan(
        tables,
        memory,
        planes,
        prediction,
        factors,
        int(grade),
        np.dtype(np.int32 if wide[0] else np.int16),
        max(header.levels, 1),
        bool(header.levels or header.weights),
        header.dependent,
        bool(header.tools & NESTED),
        16 if header.tools & NESTED else 2,
    )


@lru_cache(maxsize=4)
def _load(folder: Path) -> Tables:
    shared, *grades = table_files(folder)
    return Tables(shared, grades.__getitem__)
