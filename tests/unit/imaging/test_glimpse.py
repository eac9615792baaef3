"""Small pictures of photographs, which are shown while the photographs are read."""

import io
import struct

import numpy as np
import pytest
import tifffile
from PIL import Image as Pillow

from pcaimage.imaging import read_image
from pcaimage.imaging.reading.glimpse import read_glimpse


def jpeg(height, width, mode="RGB", orientation=1):
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
def test_a_glimpse_looks_like_the_photograph_and_is_no_smaller_than_asked_for(mode, orientation):
    data = jpeg(320, 480, mode, orientation)
    whole, small = read_image(data).pixels, read_glimpse(data, 40)
    height, width = (40, 60) if orientation == 1 else (60, 40)
    assert small.shape == (height, width, 1 if mode == "L" else 3)
    means = whole.reshape(height, 8, width, 8, -1).mean(axis=(1, 3))
    assert np.abs(means - small).max() < 12
    assert read_glimpse(data, 100).shape == (4 * height, 4 * width, small.shape[2])
    assert read_glimpse(jpeg(64, 48), 100).shape == (64, 48, 3)


def test_what_has_no_glimpse_or_a_damaged_one_has_none():
    whole, pngs = described(jpeg(30, 40)), []
    for exif in (b"", whole[:60], whole[:36], whole[:56] + b"no JPEG at all" * 30):
        buffer = io.BytesIO()
        Pillow.new("RGB", (400, 300), "white").save(buffer, "PNG", exif=exif)
        pngs.append(buffer.getvalue())
    for data in (*pngs, b"", b"no image", jpeg(320, 480)[:300]):
        assert read_glimpse(data) is None


def described(preview, orientation=1):
    """Return EXIF entries with a small JPEG in the second directory; 1 is not written as an orientation."""
    tag = 0x0128 if orientation == 1 else 0x0112
    first = struct.pack("<HHHIHHI", 1, tag, 3, 1, orientation, 0, 26)
    second = struct.pack("<HHHIIHHIII", 2, 513, 4, 1, 26 + 30, 514, 4, 1, len(preview), 0)
    return b"II*\0" + struct.pack("<I", 8) + first + second + preview


@pytest.mark.parametrize(("name", "orientation"), [("PNG", 6), ("WEBP", 8), ("AVIF", 1)])
def test_a_small_jpeg_among_exif_entries_is_a_glimpse(name, orientation):
    buffer = io.BytesIO()
    Pillow.new("RGB", (400, 300), "white").save(buffer, name, exif=described(jpeg(30, 40), orientation))
    small = read_glimpse(buffer.getvalue())
    assert small.shape == ((30, 40, 3) if orientation == 1 else (40, 30, 3))  # turned like the image
    assert np.ptp(small) > 200


def test_a_reduced_page_of_a_tiff_is_a_glimpse():
    sides = {400: 10, 200: 60, 100: 120, 50: 180}
    buffer = io.BytesIO()
    with tifffile.TiffWriter(buffer) as tif:
        for number, (side, value) in enumerate(sides.items()):
            pixels = np.full((side, side + 10, 3), value, np.uint8)
            beside = {"subifds": 3} if not number else {"subfiletype": 1}
            tif.write(pixels, photometric="rgb", **beside)
    for wanted, side in ((20, 50), (80, 100), (150, 200), (300, 200)):
        small = read_glimpse(buffer.getvalue(), wanted)
        assert small.shape == (side, side + 10, 3)
        assert (small == sides[side]).all()


def test_a_preview_in_a_tiff_is_a_glimpse():
    preview, pixels = jpeg(30, 40), np.zeros((300, 400, 3), np.uint8)

    def tiff(place):
        buffer = io.BytesIO()
        # tifffile leaves these two tags to itself, so others are written and renamed.
        tags = [(60513, 4, 1, place, True), (60514, 4, 1, len(preview), True), (274, 3, 1, 8, True)]
        tifffile.imwrite(buffer, pixels, photometric="rgb", extratags=tags, metadata=None)
        found = buffer.getvalue()
        for written, wanted in ((60513, 513), (60514, 514)):
            found = found.replace(struct.pack("<HHI", written, 4, 1), struct.pack("<HHI", wanted, 4, 1))
        return found

    small = read_glimpse(tiff(len(tiff(0))) + preview)
    assert small.shape == (40, 30, 3)
    assert read_glimpse(tiff(len(tiff(0))) + b"no JPEG" * 99) is None


def test_jpeg_2000_is_decoded_at_a_lower_resolution():
    y, x = np.mgrid[:512, :768]
    pixels = np.stack([x // 4, y // 2, x // 8 + y // 8], axis=-1).astype(np.uint8)
    buffer = io.BytesIO()
    Pillow.fromarray(pixels).save(buffer, "JPEG2000")
    small = read_glimpse(buffer.getvalue(), 100)
    assert small.shape == (128, 192, 3)
    assert np.abs(small.astype(int) - pixels[2::4, 2::4]).max() < 6
    assert read_glimpse(buffer.getvalue(), 300) is None  # it would have to be decoded whole
