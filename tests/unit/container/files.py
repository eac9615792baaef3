"""Files taken apart into their chunks, put together from any, and damaged."""

import contextlib
import zlib

import numpy as np
from hypothesis import strategies as st

from pcaimage import codec, container
from pcaimage.codec import Component, Compressed, Header, Step
from pcaimage.errors import FormatError, TruncatedError
from pcaimage.sampling import Lapped
from pcaimage.signature import SIGNATURE
from pcaimage.varint import read_varint, write_varint

HEADER = Header((21, 18, 3), "uint8", Lapped(), Step(2100, -9), tables=1, slice_rows=2)


def scene(*shape, peak=255, seed=0):
    noise = np.random.default_rng(seed).integers(0, 1 + peak // 30, shape)
    waves = sum((i + 2 + seed) * axis * axis for i, axis in enumerate(np.indices(shape))) * (1 + peak // 900)
    return ((waves + noise) % (peak + 1)).astype(np.uint8 if peak < 256 else np.uint16)


def waves(*shape, peak=255, noise=0.08):
    """Return waves, squares and noise."""
    y, x = np.indices(shape[:2])
    found = np.sin(y / 5) + np.cos(x / 7) + (y // 9 + x // 11) % 2
    found = found[..., None] * np.linspace(0.5, 1, shape[2]) if len(shape) == 3 else found
    found = found * 0.15 + np.random.default_rng(shape[1]).normal(size=shape) * noise + 0.4
    return np.clip(found * peak, 0, peak).astype(np.uint8 if peak < 256 else np.uint16)


def photo(*lengths, header=HEADER, **others):
    """Return a photo of random bytes, whose components have these lengths."""
    noise = np.random.default_rng(len(lengths))
    components = tuple(Component(0, b"", noise.bytes(length)) for length in lengths)
    return Compressed(header, b"mean, rotation", components, **others)


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


def mutate(found, data):
    """Replace up to four bytes of a payload by up to six others, most often near its beginning."""
    place = data.draw(st.integers(0, len(found) - 1))
    kind, payload = found[place]
    mutated = bytearray(payload)
    at = data.draw(st.integers(0, min(len(mutated), 12)) | st.integers(0, len(mutated)))
    mutated[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=6))
    found[place] = (kind, bytes(mutated))


def open_all(data, limit=1 << 14):
    """Read and decode within a limit of numbers; only FormatError may come of it."""
    for salvage in (False, True):
        with contextlib.suppress(FormatError):
            codec.decompress(container.read(data, max_numbers=limit, salvage=salvage))
