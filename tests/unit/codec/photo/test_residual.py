"""From a reconstruction back to every bit of the original."""

from itertools import pairwise

import numpy as np
import pytest

from pcaimage.codec.photo.exact import residual
from pcaimage.codec.photo.exact.residual import encode_residual
from pcaimage.errors import Cancelled, DataError, FormatError
from tests.stop import stop
from tests.unit.codec.photo.corrections import decode_residual

TYPES = [np.uint8, np.uint16]


def noise(shape, kind=np.uint8, seed=0):
    return np.random.default_rng(seed).integers(0, np.iinfo(kind).max, shape, kind, endpoint=True)


def scene(height, width, channels=3, kind=np.uint8):
    """Waves, an edge and a little noise."""
    y, x = np.mgrid[:height, :width]
    wave = np.sin(x / 9)[..., None] * np.linspace(1, 0.6, channels) + np.cos(y / 13)[..., None]
    wave += (x + y > (height + width) // 2)[..., None]
    wave += np.random.default_rng(1).normal(0, 0.02, (height, width, channels))
    peak = np.iinfo(kind).max
    return np.clip((wave + 2) / 5 * peak, 0, peak).astype(kind)


def coarse(array, step):
    return (array // step * step + step // 2).astype(array.dtype)


@pytest.mark.parametrize("kind", TYPES)
def test_long_lines_come_back(kind):
    long = np.zeros((2, 16 * 1024 + 50, 1), kind)
    long[:, -60:] = noise((2, 60, 1), kind)
    assert np.array_equal(
        decode_residual(encode_residual(long, long * 0), long * 0), long
    )  # it shares strips


def test_a_scene_takes_little_more_than_its_noise_and_what_is_known_next_to_nothing():
    original = scene(96, 128)
    size = len(encode_residual(original, coarse(original, 16)))
    ideal = np.log2(0.02 / 5 * 255 * np.sqrt(2 * np.pi * np.e)) * original.size / 8
    assert ideal < size < 1.4 * ideal
    assert len(encode_residual(original, original)) < 200
    grey = noise((48, 48, 1))
    alone = len(encode_residual(grey, np.zeros_like(grey)))
    same = np.repeat(grey, 3, axis=2)
    assert len(encode_residual(same, np.zeros_like(same))) < 1.5 * alone


def test_slices_are_coded_each_for_itself(monkeypatch):
    monkeypatch.setattr(residual, "SLICE_PIXELS", 300)
    original = scene(31, 40)
    reconstruction = coarse(original, 8)
    data = encode_residual(original, reconstruction)
    heights = [part.stop - part.start for part in residual.slices_of(original.shape)]
    sizes = np.frombuffer(data, "<u4", len(heights))
    assert heights == [6, 6, 6, 6, 7]
    assert len(data) == 4 * len(heights) + sizes.sum()
    assert np.array_equal(decode_residual(data, reconstruction), original)
    lower = encode_residual(original[24:], reconstruction[24:])
    assert data.endswith(lower[4:])


def test_slices_cover_every_line_once():
    for shape in [(1, 1, 1), (4000, 6000, 3), (3, 1 << 24, 1), (1 << 24, 1, 1), (1025, 1024, 4)]:
        parts = residual.slices_of(shape)
        assert parts[0].start == 0
        assert parts[-1].stop == shape[0]
        assert all(one.stop == other.start for one, other in pairwise(parts))
        assert all(part.stop > part.start for part in parts)


def test_progress_counts_every_channel_of_every_pixel_and_can_stop_the_work():
    original, told = scene(40, 500), []
    encode_residual(original, original, lambda done, total: told.append((done, total)))
    assert told[-1] == (original.size, original.size)
    with pytest.raises(Cancelled):
        encode_residual(original, original, stop)


@pytest.mark.parametrize(
    ("shape", "kind", "other", "message"),
    [
        ((4, 4), "u1", "u1", "8 or 16 bits"),
        ((4, 4, 5), "u1", "u1", "up to four channels, not 5"),
        ((0, 4, 1), "u1", "u1", "8 or 16 bits"),
        ((4, 4, 1), "f8", "f8", "8 or 16 bits"),
        ((4, 4, 1), "u1", "u2", "same type and shape"),
    ],
)
def test_other_arrays_are_refused(shape, kind, other, message):
    with pytest.raises(DataError, match=message):
        encode_residual(np.zeros(shape, kind), np.zeros(shape, other))


def test_every_cut_is_noticed():
    original = scene(12, 12)
    data = encode_residual(original, coarse(original, 8))
    for size in range(len(data)):
        with pytest.raises(FormatError, match="corrections are damaged"):
            decode_residual(data[:size], original)
    with pytest.raises(FormatError, match="corrections are damaged"):
        decode_residual(data + b"\0", original)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.sweep(2)
def test_any_bytes_decode_to_some_pixels(kind):
    random = np.random.default_rng(3)
    reconstruction = scene(21, 67, 4, kind)
    good = encode_residual(noise(reconstruction.shape, kind), reconstruction)
    streams = [b"", b"\0" * 300, b"\xff" * 3000, *(random.bytes(3000) for _ in range(8))]
    streams += [good[4 : 4 + size] + random.bytes(2000) for size in range(0, len(good), 500)]
    for stream in streams:
        back = decode_residual(len(stream).to_bytes(4, "little") + stream, reconstruction)
        assert (back.shape, back.dtype) == (reconstruction.shape, reconstruction.dtype)
