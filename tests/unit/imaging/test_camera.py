"""Camera raws open as the picture that the camera made; JPEG XL tells its size before it is decoded."""

import io
import struct
from functools import partial

import numpy as np
import pytest
import tifffile

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, encode_image, inspect, probe, read_image
from pcaimage.imaging.reading.glimpse import read_glimpse
from pcaimage.imaging.still.pillow import jxl_size

PLACE = 0x1F2E3D4C
PLAIN, JPEG = (struct.pack("<HHII", 259, 3, 1, compression) for compression in (1, 7))
MOSAIC = np.arange(48 * 64, dtype=np.uint16).reshape(48, 64)


def jpeg(width, height):
    """Return a picture, red above and blue below."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, :, 0] = pixels[height // 2 :, :, 2] = 230
    return encode_image(Image(pixels), "JPEG", 90)


def raw(pictures, *, make="Camera", orientation=1, beside=b"", **options):
    """Return a TIFF of raw values with JPEGs of a camera: as pages below the first, and beside it."""
    tags = [(274, "H", 1, orientation, True), (513, "I", 1, PLACE, True), (514, "I", 1, len(beside), True)]
    tags += [(271, "s", 0, make, True)] if make else []
    file, page = io.BytesIO(), {"photometric": "rgb", "metadata": None, "subifds": len(pictures) + 1}
    with tifffile.TiffWriter(file) as tif:
        tif.write(np.zeros((2, 2, 3), np.uint8), extratags=tags, **page)
        for each in pictures:
            tif.write(np.frombuffer(each, np.uint8)[None], photometric="minisblack", metadata=None)
        tif.write(MOSAIC, photometric="cfa", metadata=None, **options)
    data = file.getvalue().replace(struct.pack("<I", PLACE), struct.pack("<I", len(file.getvalue()))) + beside
    first, *others = data.split(PLAIN, 1 + len(pictures))
    return PLAIN.join([first, JPEG.join(others)])


def test_the_largest_picture_of_the_camera_is_read_upright(tmp_path):
    path = tmp_path / "a.nef"
    path.write_bytes(raw([jpeg(16, 8), jpeg(96, 64)], beside=jpeg(32, 24), orientation=6))
    found = read_image(path)
    assert (found.shape, found.format, found.name) == ((96, 64, 3), "RAW", "a.nef")
    assert found.pixels[50, 60, 0] > 200
    assert found.pixels[50, 4, 2] > 200
    assert "the JPEG that the camera put into it, of 64 × 96 pixels" in found.caveat
    assert b"Camera" in found.exif
    assert (probe(path).width, probe(path).format, inspect(path).format) == (64, "RAW", "RAW")
    assert read_glimpse(path, 8).shape[2] == 3
    path.write_bytes(raw([jpeg(16, 8)], beside=jpeg(40, 24)))
    assert read_image(path).shape == (24, 40, 3)


def test_a_fuji_begins_with_the_place_of_its_picture():
    picture = jpeg(40, 24)
    start = b"FUJIFILMCCD-RAW ".ljust(84, b"\0") + struct.pack(">2I", 100, len(picture))
    assert read_image(start.ljust(100, b"\0") + picture + b"values").shape == (24, 40, 3)


def test_values_without_a_picture_are_read_or_refused_by_size():
    assert read_image(raw([])).format == "TIFF"
    with pytest.raises(ImageError, match="a camera raw of 64 × 48 pixels without a picture of the camera's"):
        read_image(raw([], compression="zlib"))
    assert read_image(raw([jpeg(16, 8)], make="")).format == "TIFF"


@pytest.mark.parametrize("name", ["a.cr3", "b.ORF"])
def test_other_raws_are_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"\0\0\0\x18ftypcrx \0\0\0\0 and so on")
    with pytest.raises(ImageError, match="camera raw of a kind whose picture is not found"):
        read_image(tmp_path / name)


@pytest.mark.parametrize("size", [(8, 8), (123, 82), (1, 300), (160, 90), (90, 160), (256, 256), (700, 3)])
@pytest.mark.parametrize("boxes", [False, True])
def test_sizes_of_jpeg_xl_are_asked_before_decoding(size, boxes, monkeypatch):
    plugin = pytest.importorskip("pillow_jxl.JpegXLImagePlugin")
    width, height = size
    data = encode_image(Image(np.full((height, width, 3), 90, np.uint8)), "JXL", 80)
    if boxes:
        signature = b"\0\0\0\x0cJXL \r\n\x87\n" + b"\0\0\0\x14ftypjxl \0\0\0\0jxl "
        half = [
            struct.pack(">I4sI", 12 + len(part), b"jxlp", n) for n, part in enumerate((data[:20], data[20:]))
        ]
        data = signature + half[0] + data[:20] + half[1] + data[20:]
    assert jxl_size(io.BytesIO(data)) == size
    assert read_image(data).shape == (height, width, 3)
    monkeypatch.setattr(plugin, "Decoder", partial(pytest.fail, "it was decoded"))
    with pytest.raises(ImageTooLargeError):
        read_image(data, Limits(max_pixels=width * height - 1))
