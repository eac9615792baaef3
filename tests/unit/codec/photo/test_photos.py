"""Photos come back as they were quantised; damaged ones are refused or look wrong, and nothing else."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pcaimage
from pcaimage import container
from pcaimage.codec import Component, Compressed, Step
from pcaimage.codec.coding.segments import join_streams, split_segments
from pcaimage.codec.photo import coding
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.errors import FormatError, SettingsError
from pcaimage.quality import psnr_of_mse


def picture(*shape, kind=np.uint8, noise=0.04):
    peak = np.iinfo(kind).max
    y, x = np.indices(shape[:2])
    wave = 0.25 * np.sin(x / 6) * np.cos(y / 9) + 0.3 * ((x + y) // 13 % 2) + 0.2
    wave = wave[..., None] * np.linspace(1, 0.6, shape[2]) if len(shape) == 3 else wave
    grain = np.random.default_rng(sum(shape)).normal(size=shape) * noise
    return np.clip((wave + grain) * peak, 0, peak).astype(kind)


def psnr(array, other):
    return psnr_of_mse(float(np.mean((array.astype(float) - other) ** 2)), 255)


def quantised(array, k, step, slice_rows=0):
    analysis = PhotoAnalysis.fit(array)
    analysis = replace(analysis, header=replace(analysis.header, slice_rows=slice_rows))
    return coding.quantize(analysis, k, Step.nearest(step))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(1, 1), (7, 9), (33, 40)])
@pytest.mark.sweep(12)
def test_photos_come_back(size, channels, kind):
    array = picture(*size, channels, kind=kind)
    step = 8.0 if kind is np.uint8 else 2000.0
    model = quantised(array, 64 * channels, step)
    back = coding.unpack(container.read(container.write(coding.pack(model))))
    assert back.same_as(model)
    found = back.reconstruct()
    assert (found.shape, found.dtype) == (array.shape, array.dtype)
    error = np.sqrt(np.mean((found.astype(float) - array) ** 2))
    assert error < 0.5 * step


@pytest.mark.slow
@pytest.mark.parametrize("slice_rows", [1, 2, 3, 6, 7, 1 << 24])
def test_slices_are_decoded_each_by_itself(slice_rows):
    array = picture(47, 30, 3)
    model = quantised(array, 120, 10.0, slice_rows)
    assert len(model.scores) == -(-6 // slice_rows)
    compressed = coding.pack(model)
    assert coding.unpack(compressed).same_as(model)
    alone = quantised(array, 120, 10.0)
    assert psnr(array, model.reconstruct()) == pytest.approx(psnr(array, alone.reconstruct()), abs=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("slice_rows", [0, 2])
def test_the_first_components_of_a_file_are_those_of_all(slice_rows):
    model = quantised(picture(40, 33, 3), 192, 6.0, slice_rows)
    data = container.write(coding.pack(model))
    for k in (1, 2, 3, 4, 17, 100, 191, 192):
        trimmed = coding.unpack(container.read(container.trim(data, k)))
        assert trimmed.same_as(model.trimmed(k))
        assert np.array_equal(trimmed.reconstruct(), pcaimage.decode(data, k))


def test_pieces_of_any_length_come_back():
    random = np.random.default_rng(3)
    ends = [[3, 3, 200, 20_000], [0, 0, 0, 0], [90, 130, 17_000, 17_001]]
    streams = [random.bytes(each[-1]) for each in ends]
    segments = join_streams(streams, ends)
    assert split_segments(segments, 3) == streams
    for stream, part, each in zip(streams, split_segments(segments[:3], 3), ends, strict=True):
        assert stream.startswith(part)
        assert len(part) >= each[2]


def test_a_slice_of_a_tall_photo_has_neighbours_of_its_own_alone():
    top, below = picture(16, 24), picture(24, 24, noise=0.2)
    one = quantised(np.vstack([top, below]), 64, 9.0, 2)
    other = quantised(np.vstack([top, below[::-1]]), 64, 9.0, 2)
    assert not np.array_equal(one.scores[1], other.scores[1])
    # What lies further below changes nothing but the borders between blocks.
    rows = one.picture.coefficients(0, 1), other.picture.coefficients(0, 1)
    assert np.mean(rows[0] != rows[1]) < 0.3


def test_tables_of_another_version_and_steps_too_small_for_the_image_are_refused_in_a_sentence():
    array = picture(9, 9, kind=np.uint16)
    with pytest.raises(SettingsError, match="too small for the range"):
        quantised(array, 5, 0.1)
    compressed = coding.pack(quantised(array, 5, 9.0))
    for wrong, message in (
        ({"step": Step.nearest(0.1)}, "too small for the range"),
        ({"tables": 4}, "no tables of the version that the photo was made with"),
    ):
        with pytest.raises(FormatError, match=message):
            coding.unpack(replace(compressed, header=replace(compressed.header, **wrong)))


def test_too_many_slices_are_refused():
    header = replace(quantised(picture(8, 8), 1, 9.0).header, shape=(8200, 1, 1), slice_rows=1)
    with pytest.raises(SettingsError, match="at most 1024 slices"):
        container.write(Compressed(header, b"", ()))
    fewer = replace(header, shape=(8192, 1, 1))
    assert container.read(container.write(Compressed(fewer, b"", ()))).header == fewer


@pytest.mark.parametrize("place", [0, 1, 3, 6, -1])
def test_damaged_channels_and_bases_are_refused(place):
    compressed = coding.pack(quantised(picture(8, 8, 3), 3, 9.0))
    mean = bytearray(compressed.mean)
    for damaged in (mean[:place], mean + b"\0", b"\2" + mean[1:], b"\1" + mean[1:], b""):
        with pytest.raises(FormatError, match="damaged"):
            coding.unpack(replace(compressed, mean=bytes(damaged)))
    for entries in (b"\1" + mean[1:] + b"\0\x41" * 128, b"\1" + mean[1:] + b"\0\x40" * 128):
        with pytest.raises(FormatError, match="damaged"):
            coding.unpack(replace(compressed, mean=bytes(entries)))


@pytest.fixture(scope="module")
def sliced():
    return coding.pack(quantised(picture(21, 18, 3), 50, 20.0, 1))


def with_segments(compressed, segments):
    return replace(compressed, components=tuple(Component(0, b"", segment) for segment in segments))


def shown(compressed):
    """Decode what may be damaged."""
    with contextlib.suppress(FormatError):
        found = coding.unpack(compressed).reconstruct()
        assert found.shape == compressed.header.output_shape


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(st.binary(max_size=20), min_size=1, max_size=64), st.integers(0, 4), st.data())
def test_random_bytes_are_refused_or_look_wrong(sliced, segments, slice_rows, data):
    step = data.draw(st.sampled_from([0.001, 0.05, 1.0, 5000.0]))
    header = replace(sliced.header, slice_rows=slice_rows, step=Step.nearest(step))
    shown(with_segments(replace(sliced, header=header), segments))


@pytest.mark.slow
def test_every_truncation_and_flipped_bit_is_refused_or_looks_wrong(sliced):
    segments = [component.scores for component in sliced.components]
    for number in range(0, len(segments), 9):
        for place in range(0, len(segments[number]), 3):
            cut = [*segments[:number], segments[number][:place]]
            flipped = bytearray(segments[number])
            flipped[place] ^= 1 << place % 8
            shown(with_segments(sliced, cut))
            shown(with_segments(sliced, [*segments[:number], bytes(flipped), *segments[number + 1 :]]))


def test_lengths_of_pieces_that_do_not_fit_are_refused(sliced):
    segments = [component.scores for component in sliced.components]
    for lengths in (b"\x7f", b"\0\x7f", b"\xff\xff\xff\xff\xff\xff\0", b"\xff" * 10):
        with pytest.raises(FormatError, match="A component is damaged"):
            coding.unpack(with_segments(sliced, [lengths, *segments[1:]]))
