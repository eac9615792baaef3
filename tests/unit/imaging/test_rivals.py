import numpy as np
import pytest
from PIL import Image as PillowImage
from PIL import features

from pcaimage.errors import Cancelled, ImageError, SettingsError
from pcaimage.imaging import psnr
from pcaimage.imaging.measures.mosaic import Mosaic, mosaic
from pcaimage.imaging.rivals import rivals
from pcaimage.imaging.rivals.rivals import RIVALS, Encoded, encode_at_quality, encode_at_size, obstacle
from pcaimage.imaging.still import jpeg2000
from tests.smooth import smooth
from tests.stop import stop

NAMES = [rival.name for rival in RIVALS]


def installed(name):
    if obstacle(name, (8, 8, 3), np.uint8) is not None:
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture(params=NAMES)
def name(request):
    return installed(request.param)


@pytest.mark.parametrize("channels", [3, 1])
@pytest.mark.sweep(3)
def test_the_file_fits_and_uses_what_it_may_and_grey_stays_grey(name, channels):
    pixels, n_bytes = smooth(120, 160, channels, noise=5), 2000 * channels
    encoded = encode_at_size(pixels, name, n_bytes)
    assert 0.85 * n_bytes < encoded.n_bytes <= n_bytes
    assert encoded.pixels.shape == pixels.shape
    assert encoded.pixels.dtype == np.uint8
    assert psnr(pixels, encoded.pixels) > 25


def test_where_nothing_fits_the_smallest_is_returned_and_progress_can_stop_the_search(name):
    encoded = encode_at_size(smooth(40, 40, 3), name, 10)
    assert encoded.n_bytes > 10
    assert encoded.quality == (0.005 if name == "jpeg2000" else 1)
    with pytest.raises(Cancelled):
        encode_at_size(smooth(16, 16, 3), name, 1000, stop)


@pytest.mark.sweep(3)
def test_what_was_found_is_what_that_quality_gives(name):
    pixels = smooth(64, 80, 3)
    found = encode_at_size(pixels, name, 3000)
    again = encode_at_quality(pixels, name, found.quality)
    assert again.n_bytes == found.n_bytes
    assert np.array_equal(again.pixels, found.pixels)


def test_jpeg_2000_carries_grey_of_sixteen_bits():
    pixels = smooth(64, 64, 1, most=65535)
    encoded = encode_at_size(pixels, installed("jpeg2000"), 4000)
    assert encoded.pixels.dtype == np.uint16
    assert psnr(pixels, encoded.pixels) > 30


@pytest.mark.parametrize("name", ["jpeg", "webp", "avif"])
def test_sixteen_bits_are_refused_by_codecs_of_eight(name):
    assert "16 bits" in str(obstacle(name, (8, 8, 1), np.uint16))
    with pytest.raises(ImageError, match="16 bits"):
        encode_at_size(smooth(8, 8, 1, most=65535), name, 1000)


def test_what_pillow_lacks_is_said_and_a_codec_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setattr(features, "check", lambda _: False)
    assert obstacle("avif", (8, 8, 3), np.uint8) == (
        "AVIF is not part of this installation (Pillow lacks it)."
    )
    with pytest.raises(SettingsError, match="jpeg2000"):
        obstacle("gif", (8, 8, 3), np.uint8)


def test_a_large_image_is_encoded_a_few_times_only(monkeypatch):
    monkeypatch.setattr(rivals, "SAMPLE_PIXELS", 256 * 256)
    pixels, tried = smooth(768, 768, 3), []
    save = PillowImage.Image.save

    def counting(image, *args, **options):
        tried.extend([options["quality"]] if image.size == (768, 768) else [])
        save(image, *args, **options)

    monkeypatch.setattr(PillowImage.Image, "save", counting)
    encoded = encode_at_size(pixels, installed("jpeg"), 60_000)
    assert 0.9 * 60_000 < encoded.n_bytes <= 60_000
    assert len(tried) <= 4


def test_a_mosaic_has_tiles_of_all_the_image_and_about_as_many_pixels_as_wanted():
    pixels = np.arange(1000 * 1600, dtype=np.uint32).reshape(1000, 1600, 1) % 65536
    sample = mosaic(pixels.astype(np.uint16), 8 * 128**2, tile=128)
    tiles = Mosaic.of(pixels.shape, 8 * 128**2, tile=128)
    assert sample.shape[2] == 1
    assert 0.5 <= sample.size / (8 * 128**2) <= 1.5
    top, left = tiles.corners[-1]
    assert top > 600
    assert left > 1000
    assert np.array_equal(sample[-128:, -128:], pixels[top : top + 128, left : left + 128])
    assert mosaic(pixels, 1_500_000) is pixels  # small enough


@pytest.mark.slow
@pytest.mark.parametrize(("channels", "peak"), [(3, 255), (1, 255), (1, 65535)])
def test_another_process_makes_the_same_jpeg_2000(monkeypatch, channels, peak):
    pixels = smooth(50, 70, channels, most=peak)
    here = encode_at_size(pixels, installed("jpeg2000"), 2500)
    monkeypatch.setattr(jpeg2000, "SUBPROCESS_PIXELS", 0)
    there = encode_at_size(pixels, "jpeg2000", 2500)
    assert there.n_bytes == here.n_bytes
    assert there.pixels.dtype == here.pixels.dtype
    assert np.array_equal(there.pixels, here.pixels)


def test_another_process_is_stopped_with_the_work_and_what_it_cannot_read_is_an_error(monkeypatch):
    monkeypatch.setattr(jpeg2000, "SUBPROCESS_PIXELS", 0)
    monkeypatch.setattr("pcaimage.machine.parallel.POLL_SECONDS", 0.001)
    asked = []

    def stop_later(*report):
        asked.append(report)
        if len(asked) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        encode_at_size(smooth(200, 200, 3), installed("jpeg2000"), 5000, stop_later)
    with pytest.raises(ImageError, match="JPEG 2000"):
        jpeg2000.decode(b"nothing", (800, 800, 3), np.dtype("uint8"), lambda: None)


def test_the_quality_is_said_in_the_codecs_own_terms():
    pixels = smooth(4, 4, 3)
    assert Encoded("jpeg", 62, 100, pixels).setting == "quality 62"
    assert Encoded("jpeg2000", 0.698, 100, pixels).setting == "0.7 bit/pixel"
