import io
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import make_samples
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow

import pcaimage
from pcaimage import api, container
from pcaimage.errors import DataError, ImageError, ImageTooLargeError, SettingsError
from pcaimage.imaging import BandInfo, Image, Limits, encode_image, read_image
from pcaimage.imaging.image import pixels as of_pixels
from pcaimage.imaging.image.pixels import missing_pixels
from pcaimage.imaging.measures import pyramid
from pcaimage.imaging.measures.pyramid import Pyramid, halve
from pcaimage.imaging.reading.samples import read_sample, sample_names
from pcaimage.imaging.still.deep import stored_bits
from pcaimage.imaging.writing.adapt import strip_metadata
from pcaimage.machine.folders import asset


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


def halved_by_definition(array):
    height, width, channels = array.shape
    even = np.pad(array, [(0, height % 2), (0, width % 2), (0, 0)], mode="edge").astype(np.int64)
    blocks = even.reshape((height + 1) // 2, 2, (width + 1) // 2, 2, channels)
    return ((blocks.sum(axis=(1, 3)) + 2) // 4).astype(array.dtype)


@pytest.mark.slow
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from([1, 2, 3, 4, 11]),
    st.sampled_from(["uint8", "uint16", "int16"]),
)
def test_halving_averages_blocks_and_repeats_odd_edges(height, width, channels, dtype):
    limits = np.iinfo(dtype)
    array = np.random.default_rng(height * width).integers(
        limits.min, limits.max, (height, width, channels), dtype, endpoint=True
    )
    half = halve(array)
    assert half.dtype == array.dtype
    np.testing.assert_array_equal(half, halved_by_definition(array))


def test_strips_do_not_show(noise, monkeypatch):
    array = noise(37, 23, 3)
    monkeypatch.setattr(pyramid, "STRIP_BYTES", 1)
    np.testing.assert_array_equal(halve(array), halved_by_definition(array))


def test_real_numbers_are_averaged_without_rounding():
    array = np.array([[[0.25], [0.5]], [[1.0], [-3.0]]], np.float32)
    half = halve(array)
    assert half.dtype == np.float32
    assert half.tolist() == [[[-0.3125]]]
    assert np.isnan(halve(np.array([[[1.0], [np.nan]]], np.float32))).all()
    largest = np.full((4, 4, 1), np.finfo(np.float32).max, np.float32)
    np.testing.assert_array_equal(Pyramid(largest).level(0), largest)
    np.testing.assert_array_equal(halve(largest), largest[:2, :2])


@pytest.mark.parametrize(("side", "levels"), [(1, 1), (256, 1), (257, 2), (512, 2), (513, 3), (1025, 4)])
def test_levels_end_at_256_pixels(side, levels):
    made = Pyramid(np.zeros((3, side, 1), np.uint8))
    assert made.levels == levels
    assert max(made.level(levels - 1).shape) <= 256
    assert made.level(0).shape == (3, side, 1)


def test_a_level_is_made_once(noise):
    made = Pyramid(noise(600, 600, 1))
    with ThreadPoolExecutor(8) as pool:
        levels = list(pool.map(made.level, [2, 1] * 8))
    assert len({id(level) for level in levels}) == 2
    np.testing.assert_array_equal(levels[0], halve(halve(made.level(0))))


def test_a_region_covers_its_rectangle_and_is_cut_off_at_the_image(noise):
    made = Pyramid(noise(600, 500, 3))
    np.testing.assert_array_equal(made.region(101, 5, 203, 8, 1), made.level(1)[2:4, 50:102])
    np.testing.assert_array_equal(made.region(10, 20, 30, 40, 0), made.level(0)[20:40, 10:30])
    np.testing.assert_array_equal(made.region(-50, -50, 5000, 5000, 1), made.level(1))
    assert made.region(-50, -50, -10, -10, 1).size == 0
    assert made.region(600, 700, 800, 800, 1).size == 0


def test_what_is_no_image_has_no_pyramid_and_levels_end_on_both_sides():
    for level in (-1, 1):
        with pytest.raises(DataError, match="no level"):
            Pyramid(np.zeros((9, 9, 1), np.uint8)).level(level)
    for array in (np.zeros((9, 9)), np.zeros((9, 9), np.uint8), np.zeros((0, 9, 3), np.uint8)):
        with pytest.raises(DataError, match="pyramid"):
            Pyramid(array)


XMP = b'<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">title</x:xmpmeta><?xpacket end="w"?>'
IPTC = b"\x1c\x02\x05\x00\x05title\x1c\x02\x50\x00\x02me"


def picture(**fields):
    y, x = np.mgrid[:24, :32]
    pixels = np.stack([8 * x, 10 * y, 255 - 8 * x], axis=-1).astype(np.uint8)
    return Image(pixels, **fields)


@pytest.mark.parametrize("name", ["JPEG", "WEBP", "AVIF", "PNG", "TIFF"])
@pytest.mark.parametrize("iptc", [IPTC, IPTC + b"!", None])
def test_formats_keep_them(name, iptc):
    back = read_image(encode_image(picture(xmp=XMP, iptc=iptc), name))
    assert back.xmp == XMP
    assert back.iptc == (iptc if name in {"JPEG", "TIFF"} else None)


@pytest.mark.parametrize("name", ["JPEG", "WEBP", "PNG", "TIFF"])
def test_without_them_files_are_what_they_were(name):
    data = encode_image(picture(), name)
    assert data == encode_image(picture(xmp=None, iptc=b""), name)
    back = read_image(data)
    assert (back.xmp, back.iptc) == (None, None)


def test_other_programs_find_them_and_what_does_not_fit_into_a_jpeg_is_left_out():
    described = picture(xmp=XMP, iptc=IPTC)
    for name in ("PNG", "TIFF", "WEBP", "JPEG"):
        with Pillow.open(io.BytesIO(encode_image(described, name))) as file:
            assert file.info["xmp"] == XMP
            assert name != "JPEG" or file.info["photoshop"][0x0404] == IPTC
    back = read_image(encode_image(picture(xmp=bytes(70_000), iptc=bytes(70_000)), "JPEG"))
    assert (back.xmp, back.iptc) == (None, None)


@pytest.mark.parametrize(
    "settings",
    [pcaimage.Settings(), pcaimage.Settings(sampling=pcaimage.Blocks(4)), pcaimage.Settings(max_error=2.0)],
)
def test_compressed_files_keep_them(settings):
    described = picture(xmp=XMP, iptc=IPTC)
    data = pcaimage.encode(described.pixels, settings, metadata=api.metadata_of(described))
    found = container.read(data)
    back = api.image_of(found, pcaimage.decode(data))
    assert (back.xmp, back.iptc) == (found.metadata.xmp, found.metadata.iptc) == (XMP, IPTC)
    np.testing.assert_array_equal(pcaimage.decode(pcaimage.encode(described.pixels, settings)), back.pixels)
    assert container.read(container.trim(data, 1)).metadata.xmp == XMP
    for what, kept in (("nothing", (XMP, IPTC)), ("place", (None, None)), ("all", (None, None))):
        left = strip_metadata(back, what)  # they may tell the place, too
        assert (left.xmp, left.iptc) == kept


@pytest.mark.parametrize(("flags", "bits"), [(0x00, 8), (0x20, 8), (0x40, 10), (0x60, 12)])
def test_an_avif_says_how_many_bits_it_has(flags, bits):
    data = bytearray(encode_image(picture(), "AVIF"))
    image = SimpleNamespace(format="AVIF")

    def found(file):
        return stored_bits(image, io.BytesIO(file))

    assert found(data) == 8
    place = data.index(b"av1C") + 6
    data[place] = data[place] & 0x9F | flags
    assert found(data) == bits
    assert found(data[:place]) == found(b"") == 8


NOTICE = Path(__file__).parents[3] / "NOTICE"
FOLDER = asset("resources", "samples")
PHOTOGRAPHS = ("astronaut", "cat", "coffee", "rocket", "galaxies", "retina", "camera")


@pytest.mark.slow
def test_the_files_are_those_that_are_offered_and_are_small():
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {read_sample(name).name for name in sample_names()}
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3_000_000


def test_the_notice_has_source_author_and_licence_of_each():
    entries = NOTICE.read_text("utf-8").split("\n\n")
    for path in FOLDER.iterdir():
        (entry,) = [entry for entry in entries if entry.startswith(f"{path.name}\n")]
        assert "Author" in entry
        assert "Source: " in entry or "computed by" in entry
        assert any(licence in entry for licence in ("CC0 1.0", "CC BY 4.0", "ublic domain", "MIT licence"))


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_photographs_are_grey_or_coloured_with_eight_bits(name):
    sample = read_sample(name)
    assert sample.pixels.dtype == np.uint8
    assert sample.pixels.ndim == 3
    assert sample.channels == (1 if name == "camera" else 3)
    assert sample.name.startswith(name)


def test_digits_are_a_labelled_stack_whose_means_are_unlike():
    digits = read_sample("digits")
    assert digits.pixels.shape == (1797, 8, 8, 1)
    assert digits.pixels.max() == 240
    assert np.bincount(digits.labels).min() > 170
    means = np.array([digits.pixels[digits.labels == digit].mean(axis=0).ravel() for digit in range(10)])
    nearest = ((digits.pixels.reshape(1797, 1, 64) - means) ** 2).sum(axis=-1).argmin(axis=1)
    assert (nearest == digits.labels).mean() > 0.85


def test_synthetic_bands_are_mixtures_of_few_spectra_and_noise_as_the_script_makes_them():
    scene, made = read_sample("synthetic bands"), make_samples.scene()
    assert scene.pixels.dtype == np.uint16
    assert scene.bands.nanometres[0] == 410
    assert scene.bands.nanometres[-1] == 1000
    red, green, blue = (scene.bands.nanometres[band] for band in scene.bands.shown)
    assert red > 600 > green > 500 > blue
    spectra = scene.pixels.reshape(-1, scene.channels).astype(np.float64)
    deviations = np.sqrt(np.linalg.eigvalsh(np.cov(spectra.T))[::-1])
    assert deviations[4] > 50
    assert deviations[5] < 10
    assert made.bands == scene.bands
    # Another version of NumPy may round otherwise, here and there.
    assert np.abs(made.pixels.astype(int) - scene.pixels).max() <= 1
    assert np.mean(made.pixels != scene.pixels) < 0.01


def test_what_is_no_sample_or_is_missing_is_said(monkeypatch):
    with pytest.raises(ImageError, match=r"no sample image named 'dog'; there are: astronaut, cat"):
        read_sample("dog")
    monkeypatch.setattr("pcaimage.imaging.reading.samples.asset", lambda *parts: asset(*parts, "nothing"))
    with pytest.raises(ImageError, match=r"installed without resources/samples/cat\.webp"):
        read_sample("cat")
