"""Files of many bands that no encoder writes give one sentence, whatever is wrong with them."""

import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pcaimage
from pcaimage import Metadata, Settings, codec, container
from pcaimage.container.spec import Chunk
from pcaimage.errors import FormatError
from pcaimage.varint import write_varint
from tests.unit.container.files import (
    assembled,
    assert_changes_are_noticed,
    assert_truncations_are_noticed,
    header_in,
    moved,
    mutate,
    open_all,
    parts,
    replaced,
    without,
)

LIMIT = 1 << 12


def bands(shape, seed=0):
    waves = np.indices(shape).sum(axis=0) % 9 * 30
    return (waves + np.random.default_rng(seed).integers(0, 20, shape) - 100).astype(np.int16)


@pytest.fixture(scope="module")
def full_file():
    """Return a file with every kind of chunk that many bands have, but opacity."""
    array = bands((7, 9, 6))
    array[2:4, 3:5] = -9999
    array[6, 6, 2] = -9999
    metadata = Metadata("cube.tif", 4711, b"icc" * 9, b"II*\0" + bytes(9), b"bands")
    return pcaimage.encode(array, Settings(k=4, step=9.0, max_error=3, nodata=-9999), metadata=metadata)


@pytest.fixture(scope="module")
def files(full_file):
    array = bands((6, 8, 5), 1)
    real = (array / np.float32(64)).astype(np.float32)
    real[1, 2] = np.nan
    words = (array + 200).astype(np.uint16)
    opaque = np.full((6, 8), 65535, np.uint16)
    return [
        full_file,
        pcaimage.encode(real, Settings(max_error=0.5)),
        pcaimage.encode(words, Settings(k=3), alpha=opaque),
        pcaimage.encode(words, Settings(lossless=True)),
    ]


def test_metadata_and_what_was_not_measured_come_back(full_file):
    found = container.read(full_file)
    assert found.metadata.bands == b"bands"
    assert found.metadata.name == "cube.tif"
    assert int((pcaimage.decode(full_file) == -9999).sum()) == 4 * 6 + 1


def test_truncation_at_every_byte_is_noticed(full_file):
    assert_truncations_are_noticed(full_file)


def test_salvage_returns_all_whole_components_with_the_same_values(full_file):
    stops = [c.stop for c in container.scan(full_file) if c.kind is Chunk.COMPONENT]
    for k, stop in enumerate(stops, start=1):
        image = container.read(full_file[:stop], salvage=True)
        assert image.k == k
        expected = pcaimage.decode(container.trim(full_file, k)) if k < len(stops) else None
        if expected is not None:
            assert np.array_equal(codec.decompress(image), expected)


def test_every_changed_byte_is_noticed(full_file):
    assert_changes_are_noticed(full_file)


def test_trimming_keeps_the_first_components_and_drops_corrections(full_file):
    shorter = container.read(container.trim(full_file, 2))
    assert (shorter.k, shorter.residual) == (2, None)
    assert shorter.missing is not None
    assert container.trim(full_file, 4) == full_file
    assert np.array_equal(codec.decompress(shorter), pcaimage.decode(full_file, 2))


MASK = b"\0" + struct.pack("<d", -9999.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: without(f, b"M"), "no mean"),
        (lambda f: moved(f, b"N", -1), "wrong order"),
        (lambda f: [*f[:-1], next(x for x in f if x[0] == b"N"), f[-1]], "two chunks of a kind"),
        (lambda f: replaced(f, b"N", b""), "mask of what was not measured"),
        (lambda f: replaced(f, b"N", b"\2" + MASK[1:] + zlib.compress(bytes(8))), "mask of what"),
        (lambda f: replaced(f, b"N", MASK + zlib.compress(bytes(7))), "does not inflate to what"),
        (
            lambda f: replaced(f, b"N", MASK + zlib.compress(bytes(1 << 20))),
            "does not inflate to what",
        ),
        (
            lambda f: replaced(f, b"N", b"\0" + struct.pack("<d", 0.5) + zlib.compress(bytes(8))),
            "none of the image's type",
        ),
        (
            lambda f: replaced(f, b"N", b"\0" + struct.pack("<d", np.nan) + zlib.compress(bytes(8))),
            "none of the image's type",
        ),
        (lambda f: [*f[:-1], (b"D", b""), f[-1]], "its method does not have"),
        (lambda f: [*f[:-1], (b"G", b""), f[-1]], "its method does not have"),
        (lambda f: replaced(f, b"R", b"\3"), "as many components"),
        (lambda f: replaced(f, b"R", b"\4\3"), "2? ?5? ?bytes|announced"),
        (lambda f: replaced(f, b"R", b"\4" + write_varint(1 << 17) + bytes(4)), "out of range"),
        (lambda f: replaced(f, b"R", b"\4\3\1\0\0\0"), "7 bytes|announced"),
        (lambda f: [*f[:-2], f[-1]], None),
    ],
)
def test_what_contradicts_the_specification_is_refused(full_file, change, message):
    data = assembled(change(parts(full_file)))
    if message is None:
        pcaimage.decode(data)  # without corrections, but right
        return
    with pytest.raises(FormatError, match=message) as caught:
        pcaimage.decode(data)
    assert type(caught.value) is FormatError


HEADER = bytes([1, 0, 3, 1, 0x34, 0x08, 0xF7, 5, 0, 2, 0]) + struct.pack("<d", 900.0) + b"\5\7\6"


@pytest.mark.parametrize(
    ("place", "values", "message"),
    [
        (0, b"\3", "no such method"),
        (0, b"\5", "unknown method"),
        (1, b"\1", "no such method"),
        (2, b"\5", "numbers of an unknown type"),
        (3, b"\3", "no deviations"),
        (7, b"\x29", "denominators"),
        (8, b"\1", "denominators"),
        (10, b"\1", "fractional bits of the values"),
        (11, struct.pack("<d", np.nan), "peak"),
        (11, struct.pack("<d", 0.0), "peak"),
        (11, struct.pack("<d", np.inf), "peak"),
        (19, b"\0", "out of range"),
        (20, b"\x80\x80\x04", "more numbers than the limit"),
    ],
)
def test_header_out_of_range_is_refused(place, values, message):
    payload = bytearray(HEADER)
    assert header_in(bytes(payload), LIMIT).shape == (5, 7, 6)
    payload[place : place + (1 if place == 20 else len(values))] = values
    with pytest.raises(FormatError, match=message):
        header_in(bytes(payload), LIMIT)


def test_too_many_slices_are_refused():
    tall = HEADER[:9] + b"\1" + HEADER[10:19] + write_varint(1025) + b"\1\1"
    with pytest.raises(FormatError, match="at most 1024 slices"):
        header_in(tall, LIMIT)


def test_short_header_is_refused():
    for length in range(len(HEADER)):
        with pytest.raises(FormatError):
            header_in(HEADER[:length], LIMIT)


def test_opacity_stands_beside_whole_numbers_without_sign_only(full_file):
    found = parts(full_file)
    data = assembled([*found[:1], (b"A", b"\0" + zlib.compress(bytes(126))), *found[1:]])
    with pytest.raises(FormatError, match="without sign"):
        container.read(data)


def test_hostile_masks_take_no_memory():
    large = HEADER[:9] + b"\0" + HEADER[10:19] + write_varint(1 << 12) * 2 + b"\1"
    bomb = b"\0" + struct.pack("<d", 1.0) + zlib.compress(bytes(1 << 24), 9)
    data = assembled([(b"H", large), (b"M", b""), (b"N", bomb), (b"E", b"\0")])
    tracemalloc.start()
    container.read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    with pytest.raises(FormatError, match="does not inflate to what"):
        pcaimage.decode(data)


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_mutations_with_right_checksums_give_format_errors_only(files, data):
    found = parts(data.draw(st.sampled_from(files)))
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(found, data)
    open_all(assembled(found), LIMIT)


def test_what_is_known_of_bands_is_carried_beside_other_methods(picture):
    for method in (None, pcaimage.Channels()):
        data = pcaimage.encode(picture, Settings(method), metadata=Metadata(bands=b"red, green, blue"))
        assert container.read(data).metadata.bands == b"red, green, blue"
