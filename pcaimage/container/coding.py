"""What the headers of photos and of many bands have besides, and what each method allows."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import ClassVar, Final

from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.varint import read_varint, write_varint
from pcaimage.container.spec import MAX_SIDE, MAX_TABLES, MAX_VALUE_BITS, PHOTO_CHANNELS
from pcaimage.errors import FormatError, SettingsError

PHOTO: Final = 3
BANDS: Final = 4
"""Numbers of the methods."""


@dataclass(frozen=True)
class Coding:
    """What the headers of photos and of many bands have besides.

    Parameters
    ----------
    tables, slice_rows, value_bits, largest
        As of :class:`~pcaimage.codec.compressed.Header`.
    """

    BANDS: ClassVar[struct.Struct] = struct.Struct("<bd")

    tables: int = 0
    slice_rows: int = 0
    value_bits: int = 0
    largest: float | None = None

    @classmethod
    def read(cls, method: int, payload: bytes, place: int) -> tuple[Coding, int]:
        """Return what a header's bytes say.

        Parameters
        ----------
        method : int
            The image's.
        payload : bytes
            The header chunk's bytes.
        place : int
            Where in them it begins.

        Returns
        -------
        (Coding, int)
            What they say, and the place after it.

        Raises
        ------
        FormatError
            If they are too few.
        """
        if method == PHOTO:
            rows, stop = read_varint(payload, place + 1)
            return cls(payload[place], rows), stop
        if method != BANDS:
            return cls(), place
        rows, stop = read_varint(payload, place)
        if len(payload) < stop + cls.BANDS.size:
            raise FormatError("The header is too short.")
        bits, largest = cls.BANDS.unpack_from(payload, stop)
        return cls(0, rows, bits, largest), stop + cls.BANDS.size

    @classmethod
    def to_bytes(cls, header: Header) -> bytes:
        """Return the bytes of a header's.

        Parameters
        ----------
        header : Header
            The image's.

        Returns
        -------
        bytes
            For :meth:`read`; none for most methods.
        """
        if header.is_photo:
            return bytes([header.tables]) + write_varint(header.slice_rows)
        if header.is_bands:
            return write_varint(header.slice_rows) + cls.BANDS.pack(header.value_bits, header.peak)
        return b""


def check_method(header: Header) -> None:
    """Check what one method allows and others do not.

    Parameters
    ----------
    header : Header
        The image's.

    Raises
    ------
    SettingsError
        If an image of its method cannot have it.
    """
    if header.is_photo:
        plain = header.mean_bits == 0 and header.scale_bits is None
        if not plain or header.shape[-1] not in PHOTO_CHANNELS:
            raise SettingsError("A photo has one to four channels, and neither denominators nor deviations.")
        if not (0 <= header.tables <= MAX_TABLES and 0 <= header.slice_rows <= MAX_SIDE):
            raise SettingsError(
                f"Tables {header.tables} or slices of {header.slice_rows} rows are out of range."
            )
        if header.slice_rows and -(-header.sampling.grid(header.shape)[0] // header.slice_rows) > MAX_SLICES:
            raise SettingsError(
                f"A photo has at most {MAX_SLICES} slices; slices of {header.slice_rows} rows are more."
            )
    elif header.is_bands:
        _check_bands(header)
    elif header.tables or header.slice_rows:
        raise SettingsError("Only a photo has trained tables and slices.")


def _check_bands(header: Header) -> None:
    """Check what the headers of many bands allow."""
    if header.scale_bits is not None:
        raise SettingsError("Many bands have no deviations: their components have them in them.")
    if not 0 <= header.slice_rows <= MAX_SIDE:
        raise SettingsError(f"Slices of {header.slice_rows} lines are out of range.")
    if header.slice_rows and -(-header.shape[0] // header.slice_rows) > MAX_SLICES:
        raise SettingsError(
            f"There are at most {MAX_SLICES} slices; {header.slice_rows} lines each are more."
        )
    least, most = (-MAX_VALUE_BITS, MAX_VALUE_BITS) if header.dtype == "float32" else (0, 0)
    if not least <= header.value_bits <= most:
        raise SettingsError(f"Values with {header.value_bits} fractional bits are out of range.")
    if not (math.isfinite(header.peak) and header.peak > 0):
        raise SettingsError(f"A peak of {header.peak} is out of range.")
