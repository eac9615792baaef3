import struct

import numpy as np
import pytest
from PIL import ExifTags, ImageCms
from PIL import Image as PillowImage

from pcaimage.errors import Cancelled, ImageError, SettingsError
from pcaimage.imaging import BandInfo, Image, Trials, as_written, encode_image
from pcaimage.imaging.image.bands import Tag
from pcaimage.imaging.image.formats import FORMATS, format_named, obstacle
from pcaimage.imaging.writing import adapt
from tests.smooth import smooth
from tests.stop import stop


def profile(space):
    return ImageCms.ImageCmsProfile(ImageCms.createProfile(space)).tobytes()


def wide_gamut():
    """sRGB's profile with red and blue exchanged, so that a conversion is plain to see."""
    data = bytearray(profile("sRGB"))
    red, blue = data.find(b"rXYZ"), data.find(b"bXYZ")
    data[red : red + 4], data[blue : blue + 4] = b"bXYZ", b"rXYZ"
    return bytes(data)


def test_colours_are_converted_unless_they_are_srgb_already():
    red = np.zeros((4, 4, 3), np.uint8)
    red[..., 0] = 255
    converted = adapt.to_srgb(Image(red, icc_profile=wide_gamut()))
    assert converted.icc_profile is None
    assert converted.pixels[0, 0, 2] > 250
    assert converted.pixels[0, 0, 0] < 5
    pixels = smooth(20, 30, 3)
    same = adapt.to_srgb(Image(pixels, icc_profile=profile("sRGB")))
    assert int(np.abs(same.pixels.astype(int) - pixels).max()) <= 1
    image = Image(pixels)
    assert adapt.to_srgb(image) is image
    assert "no colour profile" in (adapt.srgb_obstacle(pixels.shape, pixels.dtype, None) or "")


@pytest.mark.parametrize(
    "image",
    [
        Image(np.zeros((2, 2, 3), np.uint16), icc_profile=profile("sRGB")),
        Image(np.zeros((2, 2, 1), np.uint8), icc_profile=profile("sRGB")),
        Image(np.zeros((2, 2, 3), np.uint8), icc_profile=b"no profile at all" * 2),
        Image(np.zeros((2, 2, 3), np.uint8), icc_profile=profile("sRGB")[:200]),
    ],
)
def test_what_cannot_be_converted_is_refused(image):
    with pytest.raises(ImageError):
        adapt.to_srgb(image)


def test_all_is_changed_at_once():
    image = Image(smooth(40, 60, 3), icc_profile=profile("sRGB"), exif=b"II*\0broken")
    adapted = adapt.Adaptation(adapt.Resize(30), srgb=True, strip="all").apply(image)
    assert adapted.pixels.shape == (20, 30, 3)
    assert adapted.icc_profile is None
    assert adapted.exif is None
    assert adapt.Adaptation().apply(image) is image


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.slow
def test_the_estimate_of_a_large_image_is_near(name):
    image = Image(smooth(1600, 1400, 3), icc_profile=profile("sRGB"))
    n_bytes, exact = Trials(image).size(format_named(name), 80)
    assert not exact
    assert n_bytes == pytest.approx(len(encode_image(image, name, 80, 6)), rel=0.1)


def test_the_estimate_of_a_photograph_with_detail_in_few_places_is_near():
    pixels = np.full((900, 900, 3), 128, np.uint8)
    pixels[420:480] = smooth(60, 900, 3)
    n_bytes, _ = Trials(Image(pixels)).size(format_named("JPEG"), 85)
    assert n_bytes == pytest.approx(len(encode_image(Image(pixels), "JPEG", 85)), rel=0.06)


def test_a_stack_is_estimated_from_some_of_its_images_and_a_small_image_is_encoded():
    stack, small = Image(np.stack([smooth(100, 100, 3)] * 160)), Image(smooth(50, 60, 3), exif=b"II*\0")
    n_bytes, exact = Trials(stack).size(format_named("TIFF"))
    assert not exact
    assert n_bytes == pytest.approx(len(encode_image(stack, "TIFF", compression=6)), rel=0.1)
    wanted = len(encode_image(small, "PNG", compression=6))
    assert Trials(small).size(format_named("PNG")) == (wanted, True)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("target", FORMATS, ids=lambda each: each.name)
def test_a_detail_looks_as_the_file_does(target, channels):
    image = Image(smooth(48, 64, channels))
    quality = 40 if target.max_quality else None
    seen = as_written(image, target, quality)
    assert seen.shape == image.pixels.shape
    error = float(((seen.astype(float) - image.pixels) ** 2).mean())
    assert (error > 0) == (quality is not None)
    assert error < 60


@pytest.mark.parametrize(
    ("shape", "dtype", "alpha", "reason"),
    [
        ((4, 4, 3), "uint8", True, "transparency"),
        ((4, 4, 3), "uint16", False, "16 bits"),
        ((4, 4, 5), "uint8", False, "5 bands"),
        ((2, 4, 4, 3), "uint8", False, "stack"),
        ((4, 4, 1), "float32", False, "float32"),
    ],
)
def test_reasons_name_what_stands_in_the_way(shape, dtype, alpha, reason):
    assert obstacle(format_named("JPEG"), (4, 4, 3), np.dtype("uint8"), alpha=False) is None
    assert reason in obstacle(format_named("JPEG"), shape, np.dtype(dtype), alpha=alpha)


SIZES = "1920x=1920,1440;x1080=1440,1080;1920x1080=1440,1080;1920 × 1920=1920,1440;50%=2000,1500"
SIZES += ";12.5 %=500,375;9000x=4000,3000;100%=4000,3000"


@pytest.mark.parametrize(("text", "size"), [each.split("=") for each in SIZES.split(";")])
def test_sizes_are_read_and_keep_the_proportions(text, size):
    assert adapt.Resize.parse(text).size_of(4000, 3000) == tuple(map(int, size.split(",")))
    assert adapt.Resize(10).size_of(1000, 3) == (10, 1)  # no side vanishes
    for wrong in ("", "x", "1920", "0x", "0%", "101%", "-5x", "axb", "1920x1080x3"):
        with pytest.raises(SettingsError, match=r"\.$"):
            adapt.Resize.parse(wrong)


def ramp(height, width, channels, dtype):
    y, x = np.mgrid[:height, :width]
    planes = [(x * (c + 1) + y) / (width * (c + 1) + height) for c in range(channels)]
    return (np.stack(planes, axis=-1) * np.iinfo(dtype).max).astype(dtype)


@pytest.mark.parametrize("channels", [1, 3])
def test_eight_and_sixteen_bits_become_the_same_picture(channels):
    deep = ramp(60, 80, channels, np.uint16)
    large = adapt.resize_image(Image(deep), adapt.Resize(20))
    small = adapt.resize_image(Image((deep / 257).round().astype(np.uint8)), adapt.Resize(20))
    assert large.pixels.shape == small.pixels.shape == (15, 20, channels)
    assert large.pixels.dtype == np.uint16
    np.testing.assert_allclose(large.pixels / 257, small.pixels, atol=1.1)


def test_lanczos_is_what_pillow_computes_and_a_picture_that_is_small_enough_is_the_same():
    image = Image(np.random.default_rng(1).integers(0, 256, (40, 50, 3), np.uint8))
    expected = PillowImage.fromarray(image.pixels).resize((25, 20), PillowImage.Resampling.LANCZOS)
    assert np.array_equal(adapt.resize_image(image, adapt.Resize(percent=50)).pixels, np.asarray(expected))
    assert adapt.resize_image(image, adapt.Resize(50, 50)) is image


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3])
def test_transparent_colours_do_not_bleed_into_opaque_ones(channels, dtype):
    peak = np.iinfo(dtype).max
    pixels = np.zeros((32, 32, channels), dtype)
    pixels[:, 16:] = peak
    alpha = np.zeros((32, 32), dtype)
    alpha[:, 16:] = peak
    resized = adapt.resize_image(Image(pixels, alpha=alpha), adapt.Resize(8))
    assert resized.alpha.dtype == dtype
    seen = resized.alpha > peak // 20
    assert seen.any()
    assert not seen.all()
    assert int(resized.pixels[seen].min()) >= 0.97 * peak


def test_georeferencing_no_longer_applies():
    bands = BandInfo(tags=(Tag(33550, 12, 3, bytes(24)),))
    image = Image(np.zeros((8, 8, 1), np.uint8), bands=bands, exif=b"II*\0kept", icc_profile=b"kept")
    resized = adapt.resize_image(image, adapt.Resize(4))
    assert resized.bands.tags == ()
    assert (resized.exif, resized.icc_profile) == (image.exif, image.icc_profile)


def test_stacks_and_bands_are_refused_and_it_can_be_stopped():
    for shape in ((2, 8, 8, 3), (8, 8, 5)):
        with pytest.raises(ImageError, match="resized"):
            adapt.resize_image(Image(np.zeros(shape, np.uint16)), adapt.Resize(4))
    with pytest.raises(Cancelled):
        adapt.resize_image(Image(np.zeros((8, 8, 3), np.uint16)), adapt.Resize(4), stop)


LATITUDE = (48.0, 8.0, 31.0)
NOTE = b"the maker's own words"


def exif_block(order="<"):
    """An EXIF block with camera, time, maker note, place and a thumbnail's directory."""
    exif = PillowImage.Exif()
    exif.endian = order
    exif[ExifTags.Base.Make] = "Maker"
    exif[ExifTags.Base.Orientation] = 1
    exif[700] = b"<x:xmpmeta exif:GPSLatitude='48,8N'/>"
    details = exif.get_ifd(ExifTags.IFD.Exif)
    details[ExifTags.Base.DateTimeOriginal] = "2024:05:06 07:08:09"
    details[ExifTags.Base.MakerNote] = NOTE
    place = exif.get_ifd(ExifTags.IFD.GPSInfo)
    place[ExifTags.GPS.GPSLatitudeRef] = "N"
    place[ExifTags.GPS.GPSLatitude] = LATITUDE
    place[ExifTags.GPS.GPSMapDatum] = "WGS-84 as everywhere"
    return exif.tobytes().removeprefix(b"Exif\0\0")


def read(block):
    exif = PillowImage.Exif()
    exif.load(block)
    return exif


def test_the_place_goes_with_its_bytes_and_all_else_stays():
    block = exif_block()
    assert read(block).get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] == LATITUDE
    stripped = adapt.without_place(block)
    assert stripped is not None
    left = read(stripped)
    assert not left.get_ifd(ExifTags.IFD.GPSInfo)
    assert left[ExifTags.Base.Make] == "Maker"
    details = left.get_ifd(ExifTags.IFD.Exif)
    assert details[ExifTags.Base.DateTimeOriginal] == "2024:05:06 07:08:09"
    assert details[ExifTags.Base.MakerNote] == NOTE
    for secret in (b"WGS-84", b"GPSLatitude", struct.pack("<IIII", 48, 1, 8, 1)):
        assert secret in block
        assert secret not in stripped
    assert len(stripped) == len(block)
    assert stripped.find(NOTE) == block.find(NOTE)  # maker notes refer to offsets


def test_a_block_without_a_place_is_unchanged_and_directories_in_a_circle_end():
    exif = PillowImage.Exif()
    exif[ExifTags.Base.Make] = "Maker"
    circle = struct.pack("<4sIHHHIII", b"II*\0", 8, 1, 271, 2, 4, 0x00434241, 8)
    for block in (exif.tobytes().removeprefix(b"Exif\0\0"), circle):
        assert adapt.without_place(block) == block


def test_what_cannot_be_read_or_points_behind_the_block_is_dropped():
    block = bytearray(exif_block())
    for cut in (0, 5, 9, 30, 100):
        assert adapt.without_place(bytes(block[:cut])) is None
    place = block.find(struct.pack("<HHI", 0x8825, 4, 1))
    struct.pack_into("<I", block, place + 8, len(block) + 100)
    assert adapt.without_place(bytes(block)) is None


def test_georeferencing_goes_and_what_bands_mean_stays():
    info = BandInfo(
        names=("red", "green"),
        wavelengths=(650.0, 550.0),
        unit="nm",
        nodata=0.0,
        tags=(Tag(33550, 12, 3, bytes(24)),),
        fields=(("map info", "{UTM, 1, 1, 500000, 4000000}"), ("sensor type", "AVIRIS")),
    )
    image = Image(np.zeros((2, 2, 2), np.uint16), exif=exif_block(), bands=info)
    assert adapt.strip_metadata(image, "nothing") is image
    placeless, bare = adapt.strip_metadata(image, "place"), adapt.strip_metadata(image, "all")
    assert placeless.bands.fields == (("sensor type", "AVIRIS"),)
    assert placeless.bands.tags == bare.bands.tags == bare.bands.fields == ()
    assert placeless.exif is not None
    assert bare.exif is None
    assert bare.bands.wavelengths == info.wavelengths
    assert bare.bands.nodata == 0.0
