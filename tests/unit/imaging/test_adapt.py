import numpy as np
import pytest
from PIL import ImageCms

from pcaimage.errors import ImageError
from pcaimage.imaging import Image, Trials, as_written, encode_image
from pcaimage.imaging.image.formats import FORMATS, format_named, obstacle
from pcaimage.imaging.writing.adapt import Adaptation, Resize, srgb_obstacle, to_srgb


def profile(space):
    return ImageCms.ImageCmsProfile(ImageCms.createProfile(space)).tobytes()


def noisy(height, width, channels=3):
    rng = np.random.default_rng(5)
    y, x = np.mgrid[:height, :width]
    waves = 120 + 60 * np.sin(x / 17)[..., None] + 40 * np.cos(y / 23)[..., None]
    return np.clip(waves + rng.normal(0, 6, (height, width, channels)), 0, 255).astype(np.uint8)


def wide_gamut():
    """sRGB's profile with red and blue exchanged, so that a conversion is plain to see."""
    data = bytearray(profile("sRGB"))
    red, blue = data.find(b"rXYZ"), data.find(b"bXYZ")
    data[red : red + 4], data[blue : blue + 4] = b"bXYZ", b"rXYZ"
    return bytes(data)


def test_colours_are_converted_unless_they_are_srgb_already():
    red = np.zeros((4, 4, 3), np.uint8)
    red[..., 0] = 255
    converted = to_srgb(Image(red, icc_profile=wide_gamut()))
    assert converted.icc_profile is None
    assert converted.pixels[0, 0, 2] > 250
    assert converted.pixels[0, 0, 0] < 5
    pixels = noisy(20, 30)
    same = to_srgb(Image(pixels, icc_profile=profile("sRGB")))
    assert int(np.abs(same.pixels.astype(int) - pixels).max()) <= 1
    image = Image(pixels)
    assert to_srgb(image) is image
    assert "no colour profile" in (srgb_obstacle(pixels.shape, pixels.dtype, None) or "")


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
        to_srgb(image)


def test_all_is_changed_at_once():
    image = Image(noisy(40, 60), icc_profile=profile("sRGB"), exif=b"II*\0broken")
    adapted = Adaptation(Resize(30), srgb=True, strip="all").apply(image)
    assert adapted.pixels.shape == (20, 30, 3)
    assert adapted.icc_profile is None
    assert adapted.exif is None
    assert Adaptation().apply(image) is image


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.slow
def test_the_estimate_of_a_large_image_is_near(name):
    image = Image(noisy(1600, 1400), icc_profile=profile("sRGB"))
    n_bytes, exact = Trials(image).size(format_named(name), 80)
    assert not exact
    assert n_bytes == pytest.approx(len(encode_image(image, name, 80, 6)), rel=0.1)


def test_the_estimate_of_a_photograph_with_detail_in_few_places_is_near():
    pixels = np.full((900, 900, 3), 128, np.uint8)
    pixels[420:480] = noisy(60, 900)
    n_bytes, _ = Trials(Image(pixels)).size(format_named("JPEG"), 85)
    assert n_bytes == pytest.approx(len(encode_image(Image(pixels), "JPEG", 85)), rel=0.06)


def test_a_stack_is_estimated_from_some_of_its_images_and_a_small_image_is_encoded():
    stack, small = Image(np.stack([noisy(100, 100)] * 160)), Image(noisy(50, 60), exif=b"II*\0")
    n_bytes, exact = Trials(stack).size(format_named("TIFF"))
    assert not exact
    assert n_bytes == pytest.approx(len(encode_image(stack, "TIFF", compression=6)), rel=0.1)
    wanted = len(encode_image(small, "PNG", compression=6))
    assert Trials(small).size(format_named("PNG")) == (wanted, True)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("target", FORMATS, ids=lambda each: each.name)
def test_a_detail_looks_as_the_file_does(target, channels):
    image = Image(noisy(48, 64, channels))
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
