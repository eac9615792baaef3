import math
import subprocess
import sys

import numpy as np
import pytest

from pcaimage.errors import DataError, ImageTooLargeError, SettingsError
from pcaimage.imaging import BandInfo, Image, Limits
from pcaimage.imaging.image import pixels as of_pixels
from pcaimage.imaging.image.pixels import missing_pixels


def test_an_image_knows_its_size_kind_and_range_and_is_contiguous():
    stack = Image(np.full((7, 3, 5, 1), 700, np.uint16))
    assert (stack.width, stack.height, stack.channels, stack.frames) == (5, 3, 1, 7)
    assert (stack.peak, stack.raw_bytes, stack.is_stack) == (1023, 210, True)
    assert Image(np.array([[[-5, 3, 9]]], np.int16)).peak == 14
    assert Image(np.array([[[-2.5, np.nan, 1.0]]], np.float32)).peak == 3.5
    assert Image(np.zeros((2, 2, 3), np.float32)).peak == 1.0
    turned = np.zeros((3, 4, 5), np.uint8).transpose(2, 1, 0)
    image = Image(turned, turned[..., 0])
    assert image.pixels.flags.c_contiguous
    assert image.alpha.flags.c_contiguous


@pytest.mark.parametrize(
    ("pixels", "alpha", "message"),
    [
        (np.zeros((2, 2, 3)), None, "float64"),
        (np.zeros((2, 2), np.uint8), None, "shape"),
        (np.zeros((2, 0, 3), np.uint8), None, "at least one pixel"),
        (np.zeros((2, 2, 3), np.uint8), np.zeros((2, 3), np.uint8), "does not fit"),
        (np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2), np.uint16), "uint16"),
        (np.zeros((2, 2, 3), np.int16), np.zeros((2, 2), np.int16), "int16 have no alpha"),
        (np.zeros((2, 2, 3), ">u2"), None, "not >u2"),
    ],
)
def test_arrays_that_are_no_image_are_refused(pixels, alpha, message):
    with pytest.raises(DataError, match=message):
        Image(pixels, alpha)


def test_labels_and_bands_must_fit():
    stack = np.zeros((3, 2, 2, 1), np.uint8)
    assert Image(stack, labels=np.arange(3)).labels is not None
    with pytest.raises(DataError, match="3 images, but labels of shape"):
        Image(stack, labels=np.arange(2))
    with pytest.raises(DataError, match="1 bands, but 2 names"):
        Image(stack, bands=BandInfo(names=("a", "b")))


def test_pixels_that_were_not_measured_are_found():
    pixels = np.arange(12, dtype=np.int16).reshape(2, 2, 3)
    for nodata in (None, 99, 4.5, 1e9, math.nan):
        assert Image(pixels, bands=BandInfo(nodata=nodata)).missing() is None
    found = Image(pixels, bands=BandInfo(nodata=4)).missing()
    assert found.tolist() == [[False, True], [False, False]]


def test_real_pixels_that_are_no_numbers_were_not_measured(monkeypatch):
    monkeypatch.setattr(of_pixels, "STRIP_BYTES", 1)
    pixels = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    pixels[0, 0, 1], pixels[2, 1, 0] = np.nan, np.inf
    found = Image(pixels, bands=BandInfo(nodata=4)).missing()
    assert found.tolist() == [[True, False], [True, False], [False, True]]
    stack = Image(pixels[None], bands=BandInfo(nodata=math.nan)).missing()
    assert stack[0].tolist() == [[True, False], [False, False], [False, True]]
    # A value that is too large for the type marks nothing.
    np.testing.assert_array_equal(missing_pixels(pixels, 1e300), stack[0])


def test_a_refusal_names_size_limit_and_remedy_and_all_channels_and_images_count():
    with pytest.raises(ImageTooLargeError) as caught:
        Limits(max_pixels=1000).check(100, 11, name="wall.png")
    for part in ("wall.png", "100 x 11", "PCAIMAGE_MAX_PIXELS=1100"):
        assert part in str(caught.value)
    limits = Limits(max_bytes=10_000)
    limits.check(10, 10, 100, name="cube")
    with pytest.raises(ImageTooLargeError, match="cube has 10 x 10 pixels x 2 images"):
        limits.check(10, 10, 100, frames=2, name="cube")
    with pytest.raises(SettingsError, match="positive"):
        Limits(max_pixels=0)


@pytest.mark.parametrize(
    ("width", "height", "per_pixel", "frames"),
    [(40_000, 40_000, 1, 1), (1000, 1000, 8, 10_000), (20_000, 20_000, 8, 1)],
)
def test_following_the_remedy_lets_the_image_in(width, height, per_pixel, frames):
    with pytest.raises(ImageTooLargeError) as caught:
        Limits().check(width, height, per_pixel, frames=frames, name="x")
    value = str(caught.value).split("PCAIMAGE_MAX_PIXELS=")[1].split()[0]
    Limits.default({"PCAIMAGE_MAX_PIXELS": value}).check(width, height, per_pixel, frames=frames, name="x")


def test_the_limit_is_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("PCAIMAGE_MAX_PIXELS", "1_000")
    assert Limits.default().max_pixels == 1000
    monkeypatch.delenv("PCAIMAGE_MAX_PIXELS")
    assert Limits.default() == Limits()
    for text in ("many", "-5", "0", "1.5", "١٢"):
        with pytest.raises(SettingsError, match="PCAIMAGE_MAX_PIXELS must be"):
            Limits.default({"PCAIMAGE_MAX_PIXELS": text})


def test_importing_loads_neither_qt_nor_what_only_tests_have_and_says_nothing():
    code = (
        "import sys, logging, warnings, numpy, PIL.Image;"
        "before = PIL.Image.MAX_IMAGE_PIXELS, list(warnings.filters);"
        "import pcaimage.imaging;"
        "assert before == (PIL.Image.MAX_IMAGE_PIXELS, list(warnings.filters));"
        "loaded = {name.split('.')[0] for name in sys.modules};"
        "assert not loaded & {'PySide6', 'pyqtgraph', 'skimage', 'scipy'}, loaded;"
        "assert not logging.getLogger('tifffile').handlers"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
