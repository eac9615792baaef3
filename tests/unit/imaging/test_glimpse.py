"""Small pictures of photographs, which are shown while the photographs are read."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image as Pillow

from pcaimage.imaging import read_glimpse, read_image


def jpeg(height: int, width: int, mode: str = "RGB", orientation: int = 1) -> bytes:
    y, x = np.mgrid[:height, :width]
    planes = [255 * x / width, 255 * y / height, 255 - 255 * x / width, 0 * x]
    planes = planes[: {"L": 1, "RGB": 3, "CMYK": 4}[mode]]
    pixels = np.stack(planes, axis=-1).astype(np.uint8).squeeze()
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    Pillow.fromarray(pixels, mode).save(buffer, "JPEG", quality=90, exif=exif)
    return buffer.getvalue()


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("orientation", [1, 6, 8])
@pytest.mark.sweep(3)
def test_a_glimpse_looks_like_the_photograph(mode: str, orientation: int) -> None:
    data = jpeg(320, 480, mode, orientation)
    whole, small = read_image(data).pixels, read_glimpse(data, 40)
    assert small is not None
    height, width = (40, 60) if orientation == 1 else (60, 40)
    assert small.shape == (height, width, 1 if mode == "L" else 3)
    means = whole.reshape(height, 8, width, 8, -1).mean(axis=(1, 3))
    assert np.abs(means - small).max() < 12


def test_a_glimpse_is_no_smaller_than_asked_for() -> None:
    assert read_glimpse(jpeg(320, 480), 100).shape == (160, 240, 3)
    assert read_glimpse(jpeg(64, 48), 100).shape == (64, 48, 3)


def test_what_has_no_glimpse_has_none() -> None:
    png = io.BytesIO()
    Pillow.new("RGB", (40, 40)).save(png, "PNG")
    for data in (png.getvalue(), b"", b"no image", jpeg(320, 480)[:300]):
        assert read_glimpse(data) is None
