import io
import logging
import struct
from functools import partial

import numpy as np
import pytest
import tifffile
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, encode_image, inspect, probe, read_image, read_stack
from pcaimage.imaging.reading.glimpse import read_glimpse
from pcaimage.imaging.still.pillow import jxl_size


def tiff(array, **options):
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, array, **options)
    return buffer.getvalue()


def libtiff(array, compression):
    buffer = io.BytesIO()
    PillowImage.fromarray(array).save(buffer, "TIFF", compression=compression)
    return buffer.getvalue()


@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("options", [{}, {"tile": (16, 16)}, {"compression": "zlib", "predictor": True}])
@pytest.mark.parametrize("planarconfig", ["contig", "separate"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.sweep(6)
def test_colour_is_read_tiled_compressed_and_planar(noise, byteorder, options, planarconfig, dtype):
    array = noise(37, 41, 3, dtype=dtype)
    stored = array if planarconfig == "contig" else np.moveaxis(array, -1, 0)
    data = tiff(stored, photometric="rgb", planarconfig=planarconfig, byteorder=byteorder, **options)
    image = read_image(data)
    np.testing.assert_array_equal(image.pixels, array)
    assert image.pixels.dtype == np.dtype(dtype)
    assert (image.format, probe(data).channels) == ("TIFF", 3)


@pytest.mark.parametrize("compression", ["tiff_lzw", "packbits"])
@pytest.mark.parametrize("shape", [(20, 30), (20, 30, 3), (20, 30, 4)])
def test_compression_that_needs_pillow(noise, compression, shape):
    array = noise(*shape)
    image = read_image(libtiff(array, compression))
    np.testing.assert_array_equal(image.pixels, array[..., None] if array.ndim == 2 else array[..., :3])
    if len(shape) == 3 and shape[2] == 4:
        np.testing.assert_array_equal(image.alpha, array[..., 3])


@pytest.mark.parametrize("extra", [None, "unassalpha"])
@pytest.mark.parametrize("byteorder", ["<", ">"])
def test_sixteen_bit_colour_that_only_libtiff_decompresses_stays(noise, monkeypatch, extra, byteorder):
    array = noise(20, 30, 4 if extra else 3, dtype="uint16")
    data = tiff(array, photometric="rgb", compression="zlib", extrasamples=extra, byteorder=byteorder)

    def asarray(*_, **__):
        raise ValueError("<COMPRESSION.LZW: 5> requires the 'imagecodecs' package")

    monkeypatch.setattr(tifffile.TiffPage, "asarray", asarray)
    image = read_image(data)
    np.testing.assert_array_equal(image.pixels, array[..., :3])
    if extra:
        np.testing.assert_array_equal(image.alpha, array[..., 3])


def test_compression_that_nobody_knows_is_named_and_sixteen_bit_cmyk_refused_rather_than_cut(
    noise, monkeypatch
):
    def asarray(*_, **__):
        raise ValueError("<COMPRESSION.ZSTD: 50000> requires the 'imagecodecs' package")

    with pytest.raises(ImageError, match="16 bits a channel"):
        read_image(tiff(noise(9, 9, 4, dtype="uint16"), photometric="separated"))
    monkeypatch.setattr(tifffile.TiffPage, "asarray", asarray)
    data = tiff(noise(20, 30, 9), photometric="minisblack", planarconfig="contig", compression="zlib")
    with pytest.raises(ImageError, match=r"ADOBE_DEFLATE.*save it uncompressed"):
        read_image(data)


def test_white_may_be_zero_and_an_unspecified_fourth_sample_is_a_band(noise):
    grey, four = noise(9, 9, 1), noise(9, 9, 4)
    np.testing.assert_array_equal(read_image(tiff(grey[..., 0], photometric="miniswhite")).pixels, 255 - grey)
    image = read_image(tiff(four, photometric="rgb", extrasamples="unspecified"))
    np.testing.assert_array_equal(image.pixels, four)
    assert image.alpha is None


def test_colour_stored_multiplied_with_alpha_is_divided_by_it():
    straight = np.array([[[200, 100, 50], [200, 100, 50], [9, 9, 9]]], np.uint8)
    alpha = np.array([[255, 51, 0]], np.uint8)
    stored = np.concatenate([np.round(straight * (alpha / 255)[..., None]), alpha[..., None]], axis=-1)
    image = read_image(tiff(stored.astype(np.uint8), photometric="rgb", extrasamples="assocalpha"))
    assert image.pixels.tolist() == [[[200, 100, 50], [200, 100, 50], [0, 0, 0]]]
    np.testing.assert_array_equal(image.alpha, alpha)


def test_many_grey_pages_are_bands(noise):
    array = noise(7, 9, 5, dtype="uint16")
    for options in ({}, {"metadata": None}, {"compression": "zlib"}):
        data = tiff(np.ascontiguousarray(np.moveaxis(array, -1, 0)), photometric="minisblack", **options)
        image = read_image(data)
        np.testing.assert_array_equal(image.pixels, array)
        header = probe(data)
        assert (header.channels, header.frames, header.raw_bytes) == (5, 1, array.nbytes)
        np.testing.assert_array_equal(read_stack(data).pixels[..., 0], np.moveaxis(array, -1, 0))


def test_of_a_few_grey_pages_or_pages_in_colour_the_first_is_read(noise):
    data, colour = tiff(noise(4, 7, 9), photometric="minisblack"), noise(6, 7, 9, 3)
    np.testing.assert_array_equal(read_image(data).pixels[..., 0], noise(4, 7, 9)[0])
    assert probe(data).frames == 4
    np.testing.assert_array_equal(read_image(tiff(colour, photometric="rgb")).pixels, colour[0])


def test_limits_count_every_band(noise):
    data = tiff(noise(20, 10, 10, dtype="uint16"), photometric="minisblack")
    with pytest.raises(ImageTooLargeError, match="10 x 10 pixels of 40 bytes"):
        read_image(data, Limits(max_bytes=3999))
    with pytest.raises(ImageTooLargeError, match="x 20 images"):
        read_stack(data, Limits(max_bytes=3999))


def test_damage_is_not_printed(noise, capfd, monkeypatch):
    logger = logging.getLogger("tifffile")
    monkeypatch.setattr(logger, "propagate", False)
    data = tiff(noise(30, 30), metadata=None)
    for cut in range(8, len(data), 97):
        with pytest.raises(ImageError):
            read_image(data[:cut])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("place", [0, 99_999_999, 4])
def test_damaged_exif_entries_do_no_harm(noise, make_exif, place):
    array = noise(5, 6, 1)
    data = encode_image(Image(array, exif=make_exif(1)), "TIFF")
    entry = data.index(struct.pack("<HHI", 34665, 4, 1)) + 8
    damaged = data[:entry] + struct.pack("<I", place) + data[entry + 4 :]
    np.testing.assert_array_equal(read_image(damaged).pixels, array)


def test_exif_entries_that_fail_to_load_are_left_out(noise, make_exif, monkeypatch):
    data = encode_image(Image(noise(5, 6, 1), exif=make_exif(1)), "TIFF")

    def load(*_):
        raise SyntaxError

    monkeypatch.setattr(PillowImage.Exif, "load_from_fp", load)
    assert read_image(data).exif is None


@pytest.mark.parametrize("pages", [1, 6])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_missing_strips_are_damage_rather_than_black(noise, pages, compression):
    data = tiff(
        noise(pages, 8, 9), photometric="minisblack", rowsperstrip=8, compression=compression, metadata=None
    )
    height = struct.pack("<HHII", 257, 4, 1, 8)
    assert data.count(height) == pages
    with pytest.raises(ImageError, match="damaged"):
        read_image(data.replace(height, struct.pack("<HHII", 257, 4, 1, 16)))


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
