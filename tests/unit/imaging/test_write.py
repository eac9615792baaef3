import io
import itertools
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging import Image, encode_image, inspect, probe, psnr, read_image, write_image
from pcaimage.imaging.image.formats import format_of_path
from pcaimage.imaging.still import deflate
from tests.deep_avif import CLEAR, COLOUR

EVERYTHING = list(itertools.product(["uint8", "uint16"], [1, 2, 3, 4, 9], [False, True]))
SIMPLE = [case for case in EVERYTHING if case[1] in (1, 3)]


def made(noise, dtype, channels, *, has_alpha, **more):
    alpha = noise(13, 17, dtype=dtype, seed=1) if has_alpha else None
    return Image(noise(13, 17, channels, dtype=dtype), alpha, **more)


def assert_same(first, second):
    np.testing.assert_array_equal(first.pixels, second.pixels)
    assert first.pixels.dtype == second.pixels.dtype
    assert (first.alpha is None) == (second.alpha is None)
    if first.alpha is not None:
        np.testing.assert_array_equal(first.alpha, second.alpha)


@pytest.mark.parametrize(("dtype", "channels", "has_alpha"), EVERYTHING)
@pytest.mark.sweep(7)
def test_tiff_holds_everything(noise, make_exif, srgb, dtype, channels, *, has_alpha):
    image = made(noise, dtype, channels, has_alpha=has_alpha, icc_profile=srgb, exif=make_exif(1))
    data = encode_image(image, "TIFF")
    again = read_image(data)
    assert_same(image, again)
    assert again.exif is not None
    exif = PillowImage.Exif()
    exif.load(again.exif)
    assert exif[271] == "Camera works"
    assert exif.get_ifd(0x8769)[0x9003] == "2024:05:06 07:08:09"
    assert exif.get_ifd(0x8825)[1] == "N"
    header = probe(data)
    assert (header.channels, header.has_alpha, header.dtype) == (channels, has_alpha, dtype)
    assert header.raw_bytes == image.raw_bytes


@pytest.mark.parametrize(("dtype", "channels", "has_alpha"), SIMPLE)
def test_png_holds_grey_and_colour_of_8_and_16_bits(noise, make_exif, srgb, dtype, channels, *, has_alpha):
    image = made(noise, dtype, channels, has_alpha=has_alpha, icc_profile=srgb, exif=make_exif(1))
    data = encode_image(image, "PNG")
    again = read_image(data)
    assert_same(image, again)
    assert again.exif == image.exif
    # The profile is for RGB; a grey PNG with it would be invalid.
    assert again.icc_profile == (srgb if channels == 3 else None)
    PillowImage.open(io.BytesIO(data)).verify()
    header = probe(data)
    assert (header.channels, header.has_alpha, header.dtype) == (channels, has_alpha, dtype)


def test_png_of_16_bits_is_filtered_over_strips():
    y, x = np.mgrid[0:200, 0:90]
    slope = np.stack([300 * y, 500 * x, 100 * (x + y)], axis=-1).astype(np.uint16)
    data = encode_image(Image(slope), "PNG")
    np.testing.assert_array_equal(read_image(data).pixels, slope)
    assert len(data) < slope.nbytes / 20


@pytest.mark.parametrize("name", ["WEBP", "AVIF", "JPEG"])
def test_formats_with_loss_keep_picture_profile_and_exif(smooth, srgb, make_exif, name):
    image = Image(smooth, icc_profile=srgb, exif=make_exif(1))
    again = read_image(encode_image(image, name))
    assert again.pixels.shape == smooth.shape
    assert psnr(smooth, again.pixels) > 33
    assert (again.icc_profile, again.format) == (srgb, name)
    assert again.exif is not None
    if name == "AVIF":  # its writer leaves the orientation out of the block, and nothing else
        assert b"Camera works" in again.exif
    else:
        assert again.exif == image.exif


def test_webp_keeps_alpha_exactly_and_avif_with_loss(smooth, noise):
    alpha = noise(*smooth.shape[:2])
    again = read_image(encode_image(Image(smooth, alpha), "webp"))
    np.testing.assert_array_equal(again.alpha, alpha)
    again = read_image(encode_image(Image(smooth, smooth[..., 0]), "avif"))
    assert psnr(again.alpha, np.ascontiguousarray(smooth[..., 0])) > 30


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", ["BMP", "JPEG2000"])
def test_formats_without_a_place_for_metadata_keep_the_pixels(noise, srgb, make_exif, name, channels):
    image = Image(noise(13, 17, channels), icc_profile=srgb, exif=make_exif(1))
    again = read_image(encode_image(image, name))
    assert_same(image, again)
    assert again.exif is None


@pytest.mark.parametrize("name", ["JPEG", "WEBP", "AVIF"])
def test_quality_buys_fidelity_with_bytes(smooth, noise, name):
    picture = Image((smooth // 2 + noise(*smooth.shape) // 4).astype(np.uint8))
    sizes, errors = [], []
    for quality in (10, 50, 95):
        data = encode_image(picture, name, quality)
        sizes.append(len(data))
        errors.append(psnr(picture.pixels, read_image(data).pixels))
    assert sizes == sorted(sizes)
    assert errors == sorted(errors)


@pytest.mark.parametrize("quality", [None, 30, 40, 60])
def test_jpeg2000_takes_decibels_and_stores_what_channels_have_in_common_once(smooth, quality):
    grey = smooth[..., :1]
    alone, thrice = (
        len(encode_image(Image(pixels), "jp2", quality)) for pixels in (grey, np.repeat(grey, 3, axis=2))
    )
    assert thrice < 1.5 * alone
    if quality in {30, 40}:
        decoded = read_image(encode_image(Image(smooth), "jp2", quality)).pixels
        assert psnr(smooth, decoded) == pytest.approx(quality, abs=4)


def test_qualities_that_a_format_has_not_are_refused_and_formats_without_loss_ignore_them(smooth):
    for name, quality, message in (
        *(("JPEG", quality, "1 to 100") for quality in (0, 101, -3)),
        *(("JPEG", 80.1, "apart"), ("AVIF", 80.5, "apart")),
    ):
        with pytest.raises(SettingsError, match=message):
            encode_image(Image(smooth), name, quality)
    assert encode_image(Image(smooth), "PNG", 300) == encode_image(Image(smooth), "PNG")


@pytest.mark.parametrize("quality", [20, 50, 75, 90, 97])
def test_quarters_of_a_jpeg_quality_lie_between_the_whole_ones_of_libjpeg(smooth, noise, quality):
    picture = Image((smooth // 2 + noise(*smooth.shape) // 2).astype(np.uint8))
    files = [encode_image(picture, "JPEG", quality + quarter / 4) for quarter in range(5)]
    tables = [np.array([*PillowImage.open(io.BytesIO(each)).quantization.values()]) for each in files]
    assert all((finer <= coarser).all() for coarser, finer in itertools.pairwise(tables))
    assert (tables[0] != tables[2]).any()
    assert (tables[2] != tables[4]).any()


@pytest.mark.parametrize(
    ("suffix", "image", "message"),
    [
        (".jpg", Image(np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2), np.uint8)), "transparency.*PNG"),
        (".jpg", Image(np.zeros((2, 2, 3), np.uint16)), "16 bits.*PNG or TIFF"),
        (".webp", Image(np.zeros((2, 2, 1), np.uint16)), "16 bits.*PNG or TIFF"),
        (".png", Image(np.zeros((2, 2, 5), np.uint8)), "5 bands.*TIFF"),
        (".png", Image(np.zeros((3, 2, 2, 3), np.uint8)), "stack of 3 images.*TIFF"),
        (".webp", Image(np.zeros((1, 16_384, 3), np.uint8)), "16,383 a side.*PNG or TIFF"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_with_formats_that_can(tmp_path, suffix, image, message):
    with pytest.raises(ImageError, match=message):
        write_image(tmp_path / f"a{suffix}", image)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("ending", "name"),
    [("JPG", "JPEG"), ("tiff", "TIFF"), ("webp", "WEBP"), ("avif", "AVIF"), ("bmp", "BMP")],
)
def test_the_ending_names_the_format(tmp_path, smooth, ending, name):
    path = tmp_path / f"a.{ending}"
    write_image(path, Image(smooth))
    assert format_of_path(path).name == name
    again = read_image(path)
    assert (again.format, again.name, again.file_size) == (name, path.name, path.stat().st_size)
    assert path.read_bytes() == encode_image(Image(smooth), ending)
    for unknown, message in (("a.xyz", "'.xyz' is not a format.*.png"), ("a", "has no ending.*.png")):
        with pytest.raises(ImageError, match=message):
            write_image(tmp_path / unknown, Image(smooth))


def test_metadata_that_a_file_cannot_carry_stays_behind(smooth):
    exif = b"II*\0\x08\0\0\0\0\0\0\0\0\0" + bytes(70_000)
    assert read_image(encode_image(Image(smooth, exif=exif), "JPEG")).exif is None
    damaged = Image(smooth, exif=b"II*\0\xff\xff\xff\xff", icc_profile=b"short")
    assert_same(read_image(encode_image(damaged, "TIFF")), damaged)
    assert read_image(encode_image(damaged, "PNG")).icc_profile is None


@pytest.mark.parametrize("error", [ValueError("x"), OSError("encoder error -2"), MemoryError()])
def test_an_encoder_that_fails_is_told_in_one_sentence(smooth, monkeypatch, error):
    def save(*_, **__):
        raise error

    monkeypatch.setattr(PillowImage.Image, "save", save)
    with pytest.raises(ImageError, match=r"encode.* as JPEG"):
        encode_image(Image(smooth), "JPEG")


def test_jpeg_xl_of_the_highest_quality_is_lossless():
    pytest.importorskip("pillow_jxl")
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
    assert len(encode_image(Image(pixels), "JXL", 99)) < len(encode_image(Image(pixels), "JXL", 100))


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


def ramp(bits, *shape):
    """Return the values of a file."""
    count = int(np.prod(shape))
    return (np.arange(count).reshape(shape) * ((1 << bits) - 1) // (count - 1)).astype(np.uint16)


def scaled(values, bits):
    return np.round(values * (65535 / ((1 << bits) - 1))).astype(np.uint16)


FILES = [(COLOUR, ramp(10, 3, 5, 3), 10), (CLEAR, ramp(12, 2, 4, 2), 12)]


@pytest.mark.parametrize("stands_in", [True, False])
@pytest.mark.parametrize(("file", "values", "bits"), FILES)
def test_all_bits_are_read_where_the_package_is_installed(monkeypatch, file, values, bits, *, stands_in):
    if stands_in:
        package = SimpleNamespace(AVIF=SimpleNamespace(available=True), avif_decode=lambda _: values)
        monkeypatch.setitem(sys.modules, "imagecodecs", package)
    else:
        pytest.importorskip("imagecodecs")
    image, header = read_image(file), probe(file)
    wanted = scaled(values, bits)
    assert image.stored_bits is None
    assert (header.bits, header.channels, header.has_alpha) == (16, 3, image.alpha is not None)
    assert inspect(file).dtype == image.pixels.dtype == "uint16"
    if image.alpha is None:
        assert image.pixels.max() == 65535
        np.testing.assert_array_equal(image.pixels, wanted)
    else:
        np.testing.assert_array_equal(image.pixels, np.repeat(wanted[..., :1], 3, axis=-1))
        np.testing.assert_array_equal(image.alpha, wanted[..., 1])


@pytest.mark.parametrize(("file", "values", "bits"), FILES)
def test_without_it_eight_are_read_and_the_image_says_so(monkeypatch, file, values, bits):
    monkeypatch.setitem(sys.modules, "imagecodecs", None)  # importing it fails
    image = read_image(file)
    assert image.pixels.dtype == np.uint8
    assert image.stored_bits == bits
    assert probe(file).bits == 8
    near = scaled(values, bits)[..., :1] / 257
    assert np.abs(image.pixels[..., :1] - near).max() <= 1
    assert replace(image, name="a.avif").caveat == (
        f"a.avif has {bits} bits a channel, of which 8 are read; "
        "install imagecodecs (pcaimage[avif]) to read all of them."
    )
