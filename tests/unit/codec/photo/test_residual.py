"""From a reconstruction back to every bit of the original."""

from itertools import pairwise

import numpy as np
import pytest

from pcaimage.codec.photo.exact import residual
from pcaimage.codec.photo.exact.residual import encode_residual
from pcaimage.errors import Cancelled, DataError, FormatError
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
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(1, 1), (1, 70), (70, 1), (2, 3), (13, 33)])
@pytest.mark.sweep(14)
def test_every_pixel_comes_back(size, channels, kind):
    original = noise((*size, channels), kind)
    for reconstruction in (original, np.zeros_like(original), noise(original.shape, kind, seed=1)):
        data = encode_residual(original, reconstruction)
        back = decode_residual(data, reconstruction)
        assert back.dtype == original.dtype
        assert np.array_equal(back, original)


@pytest.mark.parametrize("kind", TYPES)
def test_extremes_come_back(kind):
    peak = np.iinfo(kind).max
    board = (np.indices((20, 40)).sum(axis=0) % 2 * peak).astype(kind)[..., None]
    for original, reconstruction in ((board, peak - board), (board * 0, board * 0 + peak), (board, board)):
        found = decode_residual(encode_residual(original, reconstruction), reconstruction)
        assert np.array_equal(found, original)


def test_a_scene_takes_less_than_its_noise_and_a_little():
    original = scene(96, 128)
    size = len(encode_residual(original, coarse(original, 16)))
    ideal = np.log2(0.02 / 5 * 255 * np.sqrt(2 * np.pi * np.e)) * original.size / 8
    assert ideal < size < 1.4 * ideal


def test_an_exact_reconstruction_takes_next_to_nothing():
    original = scene(96, 128)
    assert len(encode_residual(original, original)) < 200


def test_what_one_channel_tells_of_the_others_is_used():
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


def test_long_lines_share_strips():
    original = np.zeros((2, 16 * 1024 + 50, 1), np.uint8)
    original[:, -60:] = noise((2, 60, 1))
    found = decode_residual(encode_residual(original, original * 0), original * 0)
    assert np.array_equal(found, original)


def test_progress_counts_every_channel_of_every_pixel():
    original, told = scene(40, 500), []
    encode_residual(original, original, lambda done, total: told.append((done, total)))
    assert told[-1] == (original.size, original.size)


def test_work_can_be_stopped():
    def stop(*_):
        raise Cancelled

    with pytest.raises(Cancelled):
        encode_residual(scene(9, 9), scene(9, 9), stop)


@pytest.mark.parametrize(
    ("shape", "kind"), [((4, 4), "u1"), ((4, 4, 5), "u1"), ((0, 4, 1), "u1"), ((4, 4, 1), "f8")]
)
def test_other_arrays_are_refused(shape, kind):
    array = np.zeros(shape, kind)
    with pytest.raises(DataError):
        encode_residual(array, array)


def test_a_reconstruction_of_another_kind_is_refused():
    with pytest.raises(DataError, match="same type and shape"):
        encode_residual(np.zeros((4, 4, 1), np.uint8), np.zeros((4, 4, 1), np.uint16))


def test_every_cut_is_noticed():
    original = scene(12, 12)
    data = encode_residual(original, coarse(original, 8))
    for size in range(len(data)):
        with pytest.raises(FormatError, match="corrections are damaged"):
            decode_residual(data[:size], original)
    with pytest.raises(FormatError, match="corrections are damaged"):
        decode_residual(data + b"\0", original)


def announced(stream):
    return len(stream).to_bytes(4, "little") + stream


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.sweep(2)
def test_any_bytes_decode_to_some_pixels(kind):
    random = np.random.default_rng(3)
    reconstruction = scene(21, 67, 4, kind)
    good = encode_residual(noise(reconstruction.shape, kind), reconstruction)
    streams = [b"", b"\0" * 300, b"\xff" * 3000, *(random.bytes(3000) for _ in range(8))]
    streams += [good[4 : 4 + size] + random.bytes(2000) for size in range(0, len(good), 500)]
    for stream in streams:
        back = decode_residual(announced(stream), reconstruction)
        assert (back.shape, back.dtype) == (reconstruction.shape, reconstruction.dtype)
