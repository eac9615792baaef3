"""Files taken apart into their chunks, put together from any, and damaged."""

import contextlib
import zlib

import pytest
from hypothesis import strategies as st

from pcaimage import codec, container
from pcaimage.errors import FormatError, TruncatedError
from pcaimage.signature import SIGNATURE
from pcaimage.varint import read_varint, write_varint

Parts = list[tuple[bytes, bytes]]


def chunk(kind, payload):
    body = kind + write_varint(len(payload)) + payload
    return body + zlib.crc32(body).to_bytes(4, "little")


def parts(data):
    """Take a file apart, whatever stands in its chunks; FormatError if a checksum is wrong."""
    found, place = [], len(SIGNATURE) + 1
    while not found or found[-1][0] != b"E":
        length, start = read_varint(data, place + 1)
        stop = start + length
        if zlib.crc32(data[place:stop]) != int.from_bytes(data[stop : stop + 4], "little"):
            raise FormatError("A checksum is wrong.", place)
        found.append((data[place : place + 1], data[start:stop]))
        place = stop + 4
    return found


def assembled(found):
    return SIGNATURE + b"\x10" + b"".join(chunk(kind, payload) for kind, payload in found)


def header_in(payload, limit=container.MAX_NUMBERS):
    """Return the header of a file that has nothing else."""
    opened = container.Opened(assembled([(b"H", payload)]))
    with contextlib.suppress(TruncatedError):
        opened.compressed(limit)
    return opened.header


def without(found, kind):
    return [part for part in found if part[0] != kind]


def moved(found, kind, place):
    part = next(part for part in found if part[0] == kind)
    rest = without(found, kind)
    rest.insert(place if place >= 0 else len(rest) + place, part)
    return rest


def replaced(found, kind, payload):
    return [(other, payload if other == kind else content) for other, content in found]


def mutate(found, data, first=None):
    """Replace up to four bytes of a payload by up to six others, among the `first` bytes or anywhere."""
    place = data.draw(st.integers(0, len(found) - 1))
    kind, payload = found[place]
    mutated = bytearray(payload)
    at = data.draw(st.integers(0, len(mutated) if first is None else min(len(mutated), first)))
    mutated[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    found[place] = (kind, bytes(mutated))


def open_all(data, limit=1 << 14):
    """Read and decode within a limit of numbers; only FormatError may come of it."""
    for salvage in (False, True):
        with contextlib.suppress(FormatError):
            codec.decompress(container.read(data, max_numbers=limit, salvage=salvage))


def assert_truncations_are_noticed(data):
    for length in range(len(data)):
        with pytest.raises(FormatError) as caught:
            container.read(data[:length])
        assert isinstance(caught.value, TruncatedError) == (length > 0)


def assert_changes_are_noticed(data):
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x41
        with pytest.raises(FormatError):
            container.read(bytes(damaged))
