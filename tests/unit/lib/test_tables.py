"""What the decoder in C computes by itself is what the formulas say, and its inflater what zlib does."""

import ctypes
import random
import zlib

import numpy as np

from pcaimage.codec.coding.deciding import curves
from tests.unit.lib.decoding import library


def inflated(data, size):
    room = ctypes.create_string_buffer(size + 1)
    room.raw = b"\xa5" * (size + 1)
    whole = library().pcai_inflate(None, data, len(data), room, size)
    assert room.raw[size:] == b"\xa5"
    return room.raw[:size] if whole else None


def streams():
    chance = np.random.default_rng(1)
    contents = [
        b"",
        b"a",
        bytes(100_000),
        chance.bytes(70_000),
        b"repeated, " * 3000,
        np.cumsum(chance.integers(-2, 3, 50_000)).astype(np.uint8).tobytes(),
    ]
    for content in contents:
        for level in (0, 1, 6, 9):
            yield content, zlib.compress(content, level)
        fixed = zlib.compressobj(6, zlib.DEFLATED, 15, 9, zlib.Z_FIXED)
        yield content, fixed.compress(content) + fixed.flush()


def test_streams_inflate_to_what_they_were():
    for content, stream in streams():
        assert inflated(stream, len(content)) == content
        assert inflated(stream + b"more", len(content)) == content
        assert inflated(stream, len(content) + 1) is None
        assert inflated(stream[:-1], len(content)) is None
        if content:
            assert inflated(stream, len(content) - 1) is None


def test_damaged_streams_are_refused_as_zlib_refuses_them():
    chance, sound = random.Random(1), 0  # noqa: S311 - nothing is secret
    originals = [each for each in streams() if 0 < len(each[1]) < 4000]
    for _ in range(3000):
        content, stream = chance.choice(originals)
        changed = bytearray(stream)
        for _ in range(chance.choice((1, 1, 2, 5))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        inflater = zlib.decompressobj()
        try:
            expected = inflater.decompress(bytes(changed), len(content) + 1)
            whole = inflater.eof and len(expected) == len(content)
        except zlib.error:
            whole = False
        found = inflated(bytes(changed), len(content))
        assert (found == expected) if whole else (found is None)
        sound += whole
    assert sound


def test_curves_are_those_of_the_formulas():
    expected, tables = curves(), {}
    room = np.zeros(1 << 16, np.int32)
    library().pcai_make_curves(room.ctypes.data_as(ctypes.c_void_p))
    place = 0
    for name, count in (
        ("probabilities", 5631),
        ("tails", 3072),
        ("gaps", 328),
        ("ratios", 328),
        ("inverses", 168),
        ("rates", 256),
    ):
        tables[name] = room[place : place + count]
        place += count
    logits = room[place : place + 32768].view(np.int16)
    for name in ("probabilities", "tails", "gaps", "ratios", "inverses"):
        np.testing.assert_array_equal(tables[name], getattr(expected, name))
    np.testing.assert_array_equal(logits, expected.logits)
    np.testing.assert_array_equal(tables["rates"], (65536 / (np.arange(256) + 1.5)).astype(np.int32))
