"""What the decoder in C computes by itself is what the formulas say, and its inflater what zlib does."""

import ctypes
import random
import zlib
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import compile_core
import numpy as np
import pytest

from pcaimage.codec.coding.range_coder import curves


@lru_cache(maxsize=1)
def inflater():
    """Return a library of what inflates for hosts without zlib, and is no part of the core."""
    command = compile_core.compiler() or pytest.skip("there is no C compiler here")
    own = ["-shared", "-fPIC", f"-I{compile_core.SOURCES}", str(compile_core.ROOT / "lib" / "inflate.c")]
    with TemporaryDirectory() as folder:
        compile_core.run([*command, *own], Path(folder, "inflater"))
        return ctypes.CDLL(f"{folder}/inflater")


def inflated(data, size):
    room = ctypes.create_string_buffer(size + 1)
    room.raw = b"\xa5" * (size + 1)
    whole = inflater().pcai_inflate(None, data, ctypes.c_size_t(len(data)), room, ctypes.c_size_t(size))
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


def formulas():
    """Return the tables of decisions before rounding, with a margin to halves, and those that are exact."""
    sizes = np.arange(-160, 168)
    ratios = 16 / ((1 + (sizes & 7) / 8) * 2.0 ** (sizes >> 3))
    gaps = np.where(ratios < 16, np.log(np.expm1(np.minimum(ratios, 16))), ratios)
    chances, levels = np.maximum(np.arange(65536), 1) / 65536, np.arange(168)
    widths = (8 + (levels & 7)) * 2.0 ** ((levels >> 3) - 7 - np.maximum(levels - 28, 0) // 8)
    shares = 1 / (1 + np.exp((7.5 - np.arange(16)) / np.maximum(widths, 2.0**-6)[:, None]))
    first = 65504 * (shares - shares[:, :1]) + 2 * np.arange(16)
    first[:, 0] = 1
    rounded = {
        "probabilities": np.clip(65536 / (1 + np.exp(-np.arange(-2815, 2816) / 256)), 1, 65535),
        "tails": 256 * np.log1p(np.exp(-np.arange(3072) / 256)),
        "gaps": np.clip(256 * gaps, -4096, 4096),
        "logits": 256 * np.log(chances / (1 - chances)),
        "first": first.ravel(),
    }
    scales = [(8 + size % 8) << (size // 8 + 20) for size in range(-160, 168)]
    exact = {
        "ratios": np.minimum((1 << 35) // np.array(scales), 4096),
        "inverses": (1 << 29) // ((8 + levels % 8) << (levels // 8)),
        "rates": (65536 / (np.arange(256) + 1.5)).astype(np.int32),
    }
    return rounded, exact


def test_curves_are_those_of_the_formulas():
    rounded, exact = formulas()
    names = ("probabilities", "tails", "gaps", "ratios", "inverses", "rates")
    room, place = curves(), 0
    for name in names:
        table = rounded.get(name, exact.get(name))
        found = room[place : place + 4 * len(table)].view(np.int32)
        np.testing.assert_array_equal(found, np.rint(table))
        place += 4 * len(table)
    for name, kind in (("logits", np.int16), ("first", np.uint16)):
        size = 2 * len(rounded[name])
        np.testing.assert_array_equal(room[place : place + size].view(kind), np.rint(rounded[name]))
        place += size
    assert place == len(room)
    # No table is so near to a half that machines could round it differently.
    assert min(np.abs(table % 1 - 0.5).min() for table in rounded.values()) > 1e-8
