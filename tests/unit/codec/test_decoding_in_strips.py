"""Decoding line by line gives what decoding as a whole gives, and stops when it is told to."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pcaimage import api, codec
from pcaimage.codec import Settings
from pcaimage.codec.photo import layout
from pcaimage.errors import Cancelled, FormatError

GOLDEN = sorted((Path(__file__).resolve().parents[2] / "golden").glob("*.pcai"))
OWN = [path for path in GOLDEN if not path.name.startswith("lent-")]


@pytest.fixture
def photo(monkeypatch):
    """Return a photo of seven slices."""
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 60)
    monkeypatch.setattr("pcaimage.codec.decoding.STRIP", 4000)
    y, x = np.mgrid[0:333, 0:83].astype(float)
    picture = np.stack([128 + 90 * np.sin(x / 9 + y / (11 + c)) for c in range(3)], axis=-1)
    encoding = api.compress_array(picture.astype(np.uint8), Settings(lossless=True))
    assert len(layout.PhotoLayout(encoding.compressed.header).slices) == 7
    return encoding.compressed


@pytest.mark.parametrize("path", OWN, ids=[path.stem for path in OWN])
@pytest.mark.sweep(28)
def test_strips_make_the_same_image(path):
    compressed = api.open_file(path).compressed
    for k in {None, compressed.k, compressed.k // 2, 0}:
        whole = codec.decompress(compressed, k).reshape(compressed.header.shape)
        strips = list(codec.decode_strips(compressed, k))
        assert {strip.dtype for strip in strips} == {whole.dtype}
        np.testing.assert_array_equal(np.concatenate(strips), whole)


@pytest.mark.parametrize("height", range(1, 34))
@pytest.mark.slow
def test_photos_of_every_height_make_the_same_image(monkeypatch, height):
    monkeypatch.setattr(layout, "SLICE_BLOCKS", 2)
    monkeypatch.setattr(layout, "LOWEST", 1)  # as other programs may write them
    rng = np.random.default_rng(height)
    picture = rng.integers(0, 256, (height, 11, 1), np.uint8)
    compressed = api.compress_array(picture, Settings(k=20, step=9.0)).compressed
    strips = np.concatenate(list(codec.decode_strips(compressed)))
    np.testing.assert_array_equal(strips, codec.decompress(compressed))


@pytest.mark.slow
def test_lines_come_before_the_last_slices_are_decoded(photo):
    k, reported = 12, list[float]()
    strips = codec.decode_strips(photo, k, lambda done, total: reported.append(done / total))
    found = [next(strips)]
    # Some slices are decoded ahead; those at the end cannot have been, or all would be in memory at once.
    assert max(reported) < 1
    found += strips
    assert reported[-1] == 1
    assert reported == sorted(reported)
    np.testing.assert_array_equal(np.concatenate(found), codec.decompress(photo, k))


@pytest.mark.slow
@pytest.mark.parametrize("k", [None, 12], ids=["residual", "components"])
def test_who_has_had_enough_stops_the_threads(photo, k):
    def stop(done, total):
        if done > total // 2:
            raise Cancelled("Interrupted.")

    before = threading.active_count()
    strips = codec.decode_strips(photo, k)
    next(strips)
    strips.close()
    assert threading.active_count() == before
    with pytest.raises(Cancelled):
        list(codec.decode_strips(photo, k, stop))
    assert threading.active_count() == before
    damaged = replace(photo, residual=photo.residual[:-1])
    with pytest.raises(FormatError, match="corrections are damaged"):
        list(codec.decode_strips(damaged))
