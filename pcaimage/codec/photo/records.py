"""The bytes of a photo's channels and bases, and of its slices' streams, component by component."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.varint import write_varint
from pcaimage.errors import FormatError

BUILTIN, OWN = 0, 1
"""Whose the bases are: the tables', or the image's own."""

TABLE_BITS = 9
"""Ends of components are rounded up so that they take about so many bits: then their table is short."""

_ENTRY = np.dtype("<i2")
_MEAN = np.dtype("<u2")


def cascade_to_bytes(cascade: Cascade, builtin: NDArray[np.int64]) -> bytes:
    """Return the bytes of a cascade.

    Parameters
    ----------
    cascade : Cascade
        The cascade.
    builtin : ndarray of int64, shape (8, 8)
        The bases that need not be stored.

    Returns
    -------
    bytes
        Whose the bases are, the channels' mean and axes, and own bases if so.
    """
    own = not (np.array_equal(cascade.vertical, builtin) and np.array_equal(cascade.horizontal, builtin))
    parts = [bytes([OWN if own else BUILTIN]), cascade.mean.astype(_MEAN).tobytes()]
    arrays = [cascade.rotation] if len(cascade.mean) > 1 else []
    arrays += [cascade.vertical, cascade.horizontal] if own else []
    return b"".join(parts + [array.astype(_ENTRY).tobytes() for array in arrays])


def cascade_from_bytes(data: bytes, channels: int, builtin: NDArray[np.int64]) -> Cascade:
    """Return the cascade of some bytes.

    Parameters
    ----------
    data : bytes
        From :func:`cascade_to_bytes`.
    channels : int
        Channels of the image.
    builtin : ndarray of int64, shape (8, 8)
        The bases that are not stored.

    Returns
    -------
    Cascade
        The cascade.

    Raises
    ------
    FormatError
        If the bytes are too few or too many.
    SettingsError
        If the numbers make no cascade.
    """
    turned = channels * channels if channels > 1 else 0
    own = data[:1] == bytes([OWN])
    size = 1 + 2 * (channels + turned + (128 if own else 0))
    if len(data) != size or data[0] not in {BUILTIN, OWN}:
        raise FormatError("The photo's channels and bases are damaged.")
    mean = np.frombuffer(data, _MEAN, channels, 1).astype(np.int64)
    entries = np.frombuffer(data, _ENTRY, offset=1 + 2 * channels).astype(np.int64)
    rotation = entries[:turned].reshape(channels, channels) if turned else np.array([[1 << 14]])
    vertical = horizontal = builtin
    if own:
        vertical, horizontal = entries[turned:].reshape(2, 8, 8)
    return Cascade(mean, rotation, vertical, horizontal)


def joined(streams: Sequence[bytes], certain: Sequence[Sequence[int]]) -> tuple[bytes, ...]:
    """Return what each component adds to the streams of all slices.

    Parameters
    ----------
    streams : sequence of bytes
        Each slice's stream.
    certain : sequence of sequence of int
        For each slice, how many bytes the first components need.

    Returns
    -------
    tuple of bytes
        For each component: of several slices, the lengths of all pieces but the last, seven bits to a byte,
        low ones first; then the pieces.
    """
    cuts = [_cuts(len(stream), ends) for stream, ends in zip(streams, certain, strict=True)]
    components = []
    for index in range(len(certain[0])):
        pieces = [stream[ends[index] : ends[index + 1]] for stream, ends in zip(streams, cuts, strict=True)]
        lengths = b"".join(write_varint(len(piece)) for piece in pieces[:-1])
        components.append(lengths + b"".join(pieces))
    return tuple(components)


def _cuts(length: int, ends: Sequence[int]) -> list[int]:
    """Return where a stream is cut: at multiples of a power of two behind each end, and at its own end."""
    unit = 1 << max(0, length.bit_length() - TABLE_BITS)
    cuts = [0, *(min(-(-end // unit) * unit, length) for end in ends)]
    cuts[-1] = length
    return cuts


def split(segments: Sequence[bytes], slices: int) -> list[bytes]:
    """Return the streams of the slices.

    Parameters
    ----------
    segments : sequence of bytes
        From :func:`joined`, or the first of them.
    slices : int
        How many slices there are.

    Returns
    -------
    list of bytes
        As much of each as is there.

    Raises
    ------
    FormatError
        If the lengths do not fit.
    """
    streams: list[list[bytes]] = [[] for _ in range(slices)]
    for number, segment in enumerate(segments, start=1):
        lengths, place = _from_bytes(segment, slices - 1)
        lengths.append(len(segment) - place - sum(lengths))
        if lengths[-1] < 0:
            raise FormatError(f"Component {number} is damaged.")
        for stream, length in zip(streams, lengths, strict=True):
            stream.append(segment[place : place + length])
            place += length
    return [b"".join(stream) for stream in streams]


def _from_bytes(data: bytes, count: int) -> tuple[list[int], int]:
    """Return numbers of up to five bytes, and where they end; what is missing counts as zero."""
    numbers, place = [], 0
    for _ in range(count):
        number, shift = 0, 0
        while place < len(data) and shift < 35:
            byte = data[place]
            number |= (byte & 127) << shift
            place, shift = place + 1, shift + 7
            if byte < 128:
                break
        numbers.append(number)
    return numbers, place
