from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from pcaimage.errors import Cancelled, ImageError
from pcaimage.imaging import psnr, ssim
from pcaimage.imaging.rivals.rivals import encode_at_quality
from pcaimage.insight import references
from pcaimage.insight.curve import to_eight_bits
from tests.smooth import smooth


@cache
def picture(height, width):
    return smooth(height, width, 3, seed=5, noise=np.linspace(2, 10, width)[:, None])


@cache
def small_curve(name):
    return references.reference_curve(picture(80, 96), name)


def installed(name):
    if name in references.obstacles((8, 8, 3), np.uint8):
        pytest.skip(f"{name} is not installed")
    return name


pytestmark = pytest.mark.sweep(3)
NAMES = [codec.name for codec in references.RIVALS]


@pytest.fixture(params=NAMES)
def name(request):
    return installed(request.param)


def test_a_small_image_is_encoded_as_it_is_and_better_files_are_larger(name):
    pixels = picture(80, 96)
    curve = references.with_similarity(pixels, small_curve(name))
    third, fourth = (encode_at_quality(pixels, name, quality) for quality in references.QUALITIES[name][2:4])
    assert not curve.sampled
    assert curve.n_bytes[2] == third.n_bytes
    assert curve.psnr[2] == pytest.approx(psnr(pixels, third.pixels))
    assert len(curve.ssim) == len(curve.psnr)
    assert curve.ssim[3] == pytest.approx(ssim(pixels, fourth.pixels))
    assert curve.line("ssim")[1][3] == curve.ssim[3]
    sizes, values = curve.line()
    # The two lowest qualities of so small a picture may give the same file.
    assert np.all(np.diff(sizes) >= 0)
    assert np.all(np.diff(values) >= 0)
    assert len(set(sizes)) >= len(sizes) - 1


def test_a_large_image_is_sampled_without_what_seams_cost(name, monkeypatch):
    monkeypatch.setattr(references, "SAMPLE_PIXELS", 2 * 256**2)
    monkeypatch.setattr(references, "LARGER", {})
    pixels = picture(256, 1024)
    curve = references.reference_curve(pixels, name)
    assert curve.sampled
    for index in (1, 3, 5):
        whole = encode_at_quality(pixels, name, references.QUALITIES[name][index])
        assert curve.n_bytes[index] == pytest.approx(whole.n_bytes, rel=0.2)
        assert curve.psnr[index] == pytest.approx(psnr(pixels, whole.pixels), abs=0.5)


def test_jpeg_is_so_fast_that_nothing_is_guessed(monkeypatch):
    monkeypatch.setattr(references, "SAMPLE_PIXELS", 2 * 256**2)
    curve = references.reference_curve(picture(256, 1024), installed("jpeg"))
    assert not curve.sampled
    assert curve.n_bytes[4] == encode_at_quality(picture(256, 1024), "jpeg", curve.qualities[4]).n_bytes


@pytest.mark.slow
def test_a_gigantic_image_is_never_encoded_whole(monkeypatch):
    monkeypatch.setattr(references, "SAMPLE_PIXELS", 256**2)
    curve = references.reference_curve(picture(1100, 1400), installed("jpeg"))
    whole = encode_at_quality(picture(1100, 1400), "jpeg", curve.qualities[4])
    assert curve.sampled
    assert curve.n_bytes[4] == pytest.approx(whole.n_bytes, rel=0.1)


def test_between_two_files_the_quality_lies_between_theirs():
    curve = references.Reference(
        "jpeg", "JPEG", (1, 2, 3), (1000, 4000, 16_000), (20.0, 30.0, float("inf")), sampled=False
    )
    assert curve.at(2000) == pytest.approx(25)
    assert curve.at(999) is None
    assert curve.at(4001) is None, "what is exact has no place on the axis"
    assert curve.at(2000, "ssim") is None


def test_images_that_no_other_codec_carries_have_a_reason_for_each():
    assert set(references.obstacles((4, 8, 8, 3), np.uint8)) == {codec.name for codec in references.RIVALS}
    assert set(references.obstacles((8, 8, 1), np.uint16)) >= {"jpeg", "webp", "avif"}
    with pytest.raises(ImageError, match="7 bands"):
        references.reference_curve(np.zeros((8, 8, 7), np.uint8), "jpeg")


def test_it_can_be_stopped(name):
    def stop(done, _total):
        if done:
            raise Cancelled

    with pytest.raises(Cancelled):
        references.reference_curve(picture(80, 96), name, stop)


def test_deep_pixels_are_seen_in_eight_bits():
    assert to_eight_bits(np.array([0, 128, 129, 65535], np.uint16), 65535).tolist() == [0, 0, 1, 255]
    assert to_eight_bits(np.array([0, 8, 9, 4095, 4099], np.uint16), 4095).tolist() == [0, 0, 1, 255, 255]
    eight = np.arange(5, dtype=np.uint8)
    assert to_eight_bits(eight, 255) is eight


def test_half_the_bytes_at_equal_quality_are_a_change_by_half():
    whole, half = (
        references.Reference("a", "A", (1, 2, 3), sizes, (30, 35, 40), sampled=False)
        for sizes in ((8, 16, 40), (4, 8, 20))
    )
    assert references.change_of_size(half, whole) == pytest.approx(-0.5)
    assert references.mean_curve([whole, half]).n_bytes == (6, 11, 28)
    assert references.change_of_size(half, replace(whole, psnr=(50, 55, 60))) is None
