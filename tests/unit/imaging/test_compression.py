"""Compression levels of PNG and TIFF."""

import io

import numpy as np
import pytest
from PIL import Image as PillowImage

from pcaimage.errors import SettingsError
from pcaimage.imaging import Image, encode_image, read_image
from pcaimage.imaging.still import deflate


@pytest.fixture
def drawing():
    """Return letters, as on a screen: the same strings of pixels again and again."""
    letters = np.random.default_rng(3).integers(0, 2, (8, 12, 7), np.uint8) * 200 + 20
    text = np.random.default_rng(4).integers(0, 8, (30, 40))
    lines = [np.concatenate([letters[letter] for letter in line], axis=1) for line in text]
    return Image(np.repeat(np.concatenate(lines)[..., None], 3, axis=2))


@pytest.fixture
def photograph(smooth, noise):
    height, width = 300, 400
    rows, columns = np.linspace(0, len(smooth) - 1, height), np.linspace(0, smooth.shape[1] - 1, width)
    large = smooth[rows.astype(int)][:, columns.astype(int)] // 2
    return Image((large + noise(height, width, 3) // 32).astype(np.uint8))


@pytest.mark.parametrize("level", [None, *range(10)])
@pytest.mark.parametrize("name", ["PNG", "TIFF"])
@pytest.mark.sweep(12)
def test_every_effort_keeps_the_pixels(photograph, drawing, name, level):
    for image in (photograph, drawing):
        again = read_image(encode_image(image, name, compression=level))
        np.testing.assert_array_equal(again.pixels, image.pixels)


@pytest.mark.parametrize("name", ["PNG", "TIFF"])
@pytest.mark.slow
def test_a_greater_effort_makes_no_larger_file(photograph, drawing, name):
    for image in (photograph, drawing):
        sizes = [len(encode_image(image, name, compression=level)) for level in (0, 1, 9)]
        assert sizes == sorted(sizes, reverse=True)


def test_photographs_are_as_small_as_pillow_makes_them_by_levels_that_there_are(photograph):
    buffer = io.BytesIO()
    PillowImage.fromarray(photograph.pixels).save(buffer, "PNG")
    assert len(encode_image(photograph, "PNG")) < 1.1 * len(buffer.getvalue())
    assert len(encode_image(photograph, "PNG", compression=9)) <= 1.02 * len(buffer.getvalue())
    for level in (-1, 10):
        with pytest.raises(SettingsError, match="from 0 to 9"):
            encode_image(photograph, "PNG", compression=level)


@pytest.mark.slow
@pytest.mark.parametrize("strip", [1, 4096, 1 << 20])
def test_a_file_of_many_strips_is_read(photograph, monkeypatch, strip):
    monkeypatch.setattr(deflate, "STRIP_BYTES", strip)
    monkeypatch.setattr("pcaimage.imaging.tiff.write.STRIP_BYTES", strip)
    small = Image(photograph.pixels[:90], photograph.pixels[:90, :, 0])
    for name in ("PNG", "TIFF"):
        again = read_image(encode_image(small, name))
        np.testing.assert_array_equal(again.pixels, small.pixels)
        np.testing.assert_array_equal(again.alpha, small.alpha)
        # Pillow's decoders are libpng-like and libtiff: they check every sum.
        back = np.asarray(PillowImage.open(io.BytesIO(encode_image(small, name))))
        np.testing.assert_array_equal(back[..., :3], small.pixels)


def test_large_tiffs_have_offsets_of_64_bits(photograph, monkeypatch):
    monkeypatch.setattr("pcaimage.imaging.tiff.write.BIG_TIFF", 1000)
    data = encode_image(photograph, "TIFF")
    assert data[:4] == b"II+\0"
    np.testing.assert_array_equal(read_image(data).pixels, photograph.pixels)
    stack = Image(np.stack([photograph.pixels] * 3))
    np.testing.assert_array_equal(read_image(encode_image(stack, "TIFF"), as_="stack").pixels, stack.pixels)
