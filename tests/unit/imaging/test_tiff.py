import io
import logging
import struct

import numpy as np
import pytest
import tifffile
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, encode_image, probe, read_image, read_stack


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
