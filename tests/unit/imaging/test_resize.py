import numpy as np
import pytest
from PIL import Image as PillowImage

from pcaimage.errors import Cancelled, ImageError, SettingsError
from pcaimage.imaging import BandInfo, Image
from pcaimage.imaging.image.bands import Tag
from pcaimage.imaging.writing.adapt import Resize, resize_image
from tests.stop import stop


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1920x", (1920, 1440)),
        ("x1080", (1440, 1080)),
        ("1920x1080", (1440, 1080)),
        ("1920 × 1920", (1920, 1440)),
        ("50%", (2000, 1500)),
        ("12.5 %", (500, 375)),
        ("9000x", (4000, 3000)),
        ("100%", (4000, 3000)),
    ],
)
def test_sizes_are_read_and_keep_the_proportions(text, size):
    assert Resize.parse(text).size_of(4000, 3000) == size
    assert Resize(10).size_of(1000, 3) == (10, 1)  # no side vanishes
    for wrong in ("", "x", "1920", "0x", "0%", "101%", "-5x", "axb", "1920x1080x3"):
        with pytest.raises(SettingsError, match=r"\.$"):
            Resize.parse(wrong)


def ramp(height, width, channels, dtype):
    y, x = np.mgrid[:height, :width]
    planes = [(x * (c + 1) + y) / (width * (c + 1) + height) for c in range(channels)]
    return (np.stack(planes, axis=-1) * np.iinfo(dtype).max).astype(dtype)


@pytest.mark.parametrize("channels", [1, 3])
def test_eight_and_sixteen_bits_become_the_same_picture(channels):
    deep = ramp(60, 80, channels, np.uint16)
    large = resize_image(Image(deep), Resize(20))
    small = resize_image(Image((deep / 257).round().astype(np.uint8)), Resize(20))
    assert large.pixels.shape == small.pixels.shape == (15, 20, channels)
    assert large.pixels.dtype == np.uint16
    np.testing.assert_allclose(large.pixels / 257, small.pixels, atol=1.1)


def test_lanczos_is_what_pillow_computes_and_a_picture_that_is_small_enough_is_the_same():
    image = Image(np.random.default_rng(1).integers(0, 256, (40, 50, 3), np.uint8))
    expected = PillowImage.fromarray(image.pixels).resize((25, 20), PillowImage.Resampling.LANCZOS)
    assert np.array_equal(resize_image(image, Resize(percent=50)).pixels, np.asarray(expected))
    assert resize_image(image, Resize(50, 50)) is image


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3])
def test_transparent_colours_do_not_bleed_into_opaque_ones(channels, dtype):
    peak = np.iinfo(dtype).max
    pixels = np.zeros((32, 32, channels), dtype)
    pixels[:, 16:] = peak
    alpha = np.zeros((32, 32), dtype)
    alpha[:, 16:] = peak
    resized = resize_image(Image(pixels, alpha=alpha), Resize(8))
    assert resized.alpha.dtype == dtype
    seen = resized.alpha > peak // 20
    assert seen.any()
    assert not seen.all()
    assert int(resized.pixels[seen].min()) >= 0.97 * peak


def test_georeferencing_no_longer_applies():
    bands = BandInfo(tags=(Tag(33550, 12, 3, bytes(24)),))
    image = Image(np.zeros((8, 8, 1), np.uint8), bands=bands, exif=b"II*\0kept", icc_profile=b"kept")
    resized = resize_image(image, Resize(4))
    assert resized.bands.tags == ()
    assert (resized.exif, resized.icc_profile) == (image.exif, image.icc_profile)


def test_stacks_and_bands_are_refused_and_it_can_be_stopped():
    for shape in ((2, 8, 8, 3), (8, 8, 5)):
        with pytest.raises(ImageError, match="resized"):
            resize_image(Image(np.zeros(shape, np.uint16)), Resize(4))
    with pytest.raises(Cancelled):
        resize_image(Image(np.zeros((8, 8, 3), np.uint16)), Resize(4), stop)
