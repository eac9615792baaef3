"""Every field and every kind of chunk is read as it was written."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pcaimage
from pcaimage import Bands, Blocks, Channels, Metadata, Settings, Stack, container
from pcaimage.codec import Component, Compressed, Header, Step
from pcaimage.container import records, spec
from pcaimage.container.chunks import chunk_size, write_chunk
from pcaimage.container.spec import Chunk
from pcaimage.errors import FormatError, SettingsError, TruncatedError
from pcaimage.varint import LIMIT, read_varint, write_varint
from tests.unit.container.files import header_in

HEADER = Header((9, 7, 3), "uint8", Blocks(4), Step(2100, -9), mean_bits=3)


def compressed(header=HEADER, **others):
    return Compressed(header, b"mean", (Component(9, b"vector", b"scores"), Component(0, b"", b"")), **others)


def again(image):
    return container.read(container.write(image))


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        Header((1, 1, 1), "uint16", Blocks(2), Step(4095, 40), 16, 24, has_channel_axis=False),
        Header((5, 300, 200), "uint16", Bands(), Step(2048, -40), 0, largest=4095.0),
        Header((20, 5, 6, 1), "uint8", Stack(), Step(3000, 0), 1, None, has_channel_axis=False),
        Header((3, 5, 6, 4), "uint8", Stack(), Step(3000, 0)),
    ],
)
def test_header_comes_back(header):
    payload = records.write_header(header)
    assert header_in(payload) == header
    assert records.HeaderRecord.FORMAT.size == 9
    assert len(payload) < 9 + 6 * len(header.shape)


def test_components_come_back():
    image = again(compressed())
    assert image.mean == b"mean"
    assert image.components == compressed().components
    assert (image.k, image.scale, image.alpha, image.preview, image.spectrum.size) == (2, None, None, None, 0)
    assert image.metadata == Metadata()


def test_everything_else_comes_back():
    generator = np.random.default_rng(0)
    alpha = generator.integers(0, 255, (9, 7)).astype(np.uint8)
    preview = generator.integers(0, 255, (5, 6, 3)).astype(np.uint8)
    metadata = Metadata("naïve.tif", 1 << 40, b"icc", b"exif" * 1000)
    header = replace(HEADER, scale_bits=7)
    image = again(compressed(header, scale=b"scale", alpha=alpha, preview=preview, metadata=metadata))
    assert (image.header, image.scale, image.metadata) == (header, b"scale", metadata)
    assert image.alpha is not None
    assert image.preview is not None
    assert np.array_equal(image.alpha, alpha)
    assert np.array_equal(image.preview, preview)


@given(st.lists(st.floats(0, 2.0**31), max_size=6))
def test_spectrum_comes_back_in_order_to_a_part_in_two_thousand(values):
    header = Header((40, 40, 1), "uint8", Blocks(8), Step(2100, -9))
    spectrum = np.sort(np.array(values))[::-1]
    found = again(compressed(header, spectrum=spectrum)).spectrum
    assert found.shape == spectrum.shape
    assert np.all(np.diff(found) <= 0)
    clear = spectrum > 2.0**-31
    np.testing.assert_allclose(found[clear], spectrum[clear], rtol=4e-4)
    assert np.all(found[~clear] <= 2.0**-30.9)


@given(st.integers(0, LIMIT - 1), st.binary(max_size=3))
def test_numbers_come_back(value, tail):
    data = write_varint(value)
    assert len(data) == max(1, -(-value.bit_length() // 7))
    assert read_varint(b"?" + data + tail, 1) == (value, 1 + len(data))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", TruncatedError),
        (b"\x80", TruncatedError),
        (b"\x80" * 5, TruncatedError),
        (b"\x80" * 6, FormatError),
        (b"\x80" * 6 + b"\1", FormatError),
        (b"\x81\0", FormatError),
    ],
)
def test_numbers_that_do_not_end_or_are_too_long_are_refused(data, error):
    with pytest.raises(error):
        read_varint(data, 0)


def test_long_names_keep_their_end_and_metadata_beyond_the_limits_is_left_out():
    name = again(compressed(metadata=Metadata("é" * 5000 + ".png"))).metadata.name
    assert name.endswith("é.png")
    assert 4090 <= len(name.encode()) <= spec.MAX_TEXT
    assert again(compressed(metadata=Metadata("a\udcffb"))).metadata.name == "a?b"
    stack = Header((3, 5, 6, 4), "uint8", Stack(), Step(3000, 0))
    for header, metadata, found in (
        (HEADER, Metadata("x", LIMIT, bytes(spec.MAX_PROFILE + 1), b""), Metadata("x")),
        (HEADER, Metadata("x", LIMIT - 1, bytes(spec.MAX_PROFILE)), None),
        (stack, Metadata(timing=b"\0\3\x90\x4e", xmp=b"<x/>"), None),
        (stack, Metadata(timing=bytes(spec.MAX_TIMING + 1)), Metadata()),
    ):
        assert again(compressed(header, metadata=metadata)).metadata == (found or metadata)


def test_a_chunk_is_kind_length_content_and_checksum():
    assert write_chunk(Chunk.END, b"\2") == bytes.fromhex("45 01 02 54 c6 05 7e")
    for length in (0, 1, 127, 128, 70000):
        assert chunk_size(length) == len(write_chunk(Chunk.END, bytes(length)))


def test_chunks_stand_in_the_documented_order(full_file):
    kinds = [chunk.kind.value.decode() for chunk in container.scan(full_file) if chunk.kind]
    assert "".join(kinds) == "HnfixspMDA" + "C" * 7 + "E"


@pytest.mark.parametrize("k", [1, 3, 7])
def test_trimmed_file_is_a_prefix_and_decodes_like_the_whole_at_k(full_file, k):
    trimmed = container.trim(full_file, k)
    end = write_chunk(Chunk.END, write_varint(k))
    assert trimmed.endswith(end)
    assert full_file.startswith(trimmed[: -len(end)])
    assert container.read(trimmed).k == k
    assert np.array_equal(pcaimage.decode(trimmed), pcaimage.decode(full_file, k))
    assert container.trimmed_sizes(full_file)[k - 1] == len(trimmed)


def test_trimming_to_all_components_changes_nothing_and_to_others_is_refused(full_file):
    assert container.trim(full_file, 7) == full_file
    image = container.read(full_file)
    assert image.trimmed(2).components == image.components[:2]
    for k in (0, 8, -1):
        with pytest.raises(SettingsError, match="7 components"):
            container.trim(full_file, k)
    with pytest.raises(SettingsError, match="7 components; 8"):
        image.trimmed(8)


def test_a_file_without_components_shows_the_mean(picture):
    data = pcaimage.encode(picture, Settings(Channels(), k=1))
    empty = container.write(container.read(data).trimmed(0))
    decoded = pcaimage.decode(empty)
    assert np.array_equal(decoded, pcaimage.decode(data, 0))
    mean = picture.reshape(-1, 3).mean(axis=0)
    assert np.abs(decoded - mean).max() <= 1
