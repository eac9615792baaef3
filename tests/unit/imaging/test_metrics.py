import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcaimage.errors import DataError
from pcaimage.imaging import bits_per_pixel, compare, max_error, mse, psnr, psnr_of_mse, ssim
from pcaimage.imaging.measures import metrics
from pcaimage.quality import white_of


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_errors_agree_with_their_definitions(noise, dtype):
    a, b = noise(31, 17, 3, dtype=dtype), noise(31, 17, 3, dtype=dtype, seed=1)
    difference = a.astype(np.int64) - b.astype(np.int64)
    peak = np.iinfo(dtype).max
    assert mse(a, b) == pytest.approx((difference**2).mean(), rel=1e-15)
    assert max_error(a, b) == abs(difference).max()
    assert white_of(a) == peak
    assert psnr(a, b) == pytest.approx(10 * math.log10(peak**2 / mse(a, b)), abs=1e-12)
    assert psnr(a, b, peak=100) == psnr_of_mse(mse(a, b), 100)


def test_the_largest_error_is_exact_and_signed_values_are_compared_within_their_range():
    black, white = np.zeros((9, 9, 1), np.uint16), np.full((9, 9, 1), 65535, np.uint16)
    assert (mse(black, white), psnr(white, black), max_error(white, black)) == (65535.0**2, 0.0, 65535)
    a, b = np.array([[-32768, 0, 100]], np.int16), np.array([[32767, 0, 100]], np.int16)
    assert (max_error(a, b), max_error(b, a), mse(a, b)) == (65535, 65535, 65535**2 / 3)
    c, d = np.array([[-50, 0, 150]], np.int16), np.array([[-50, 2, 150]], np.int16)
    assert psnr(c, d) == pytest.approx(psnr_of_mse(4 / 3, 200))


def test_real_values_are_compared_within_their_range():
    a, b = np.array([[0.0, 0.5, 2.0]], np.float32), np.array([[0.25, 0.5, 2.0]], np.float32)
    assert (mse(a, b), max_error(a, b)) == (pytest.approx(0.0625 / 3), 0.25)
    assert psnr(a, b) == pytest.approx(psnr_of_mse(0.0625 / 3, 2))
    assert math.isnan(mse(a, np.full_like(a, np.nan)))
    slope = np.add.outer(np.arange(20.0), np.arange(9.0)).astype(np.float32)
    assert ssim(slope, slope) == pytest.approx(1)
    assert ssim(slope, slope + np.float32(1000)) < 0.2
    assert compare(slope, slope).psnr == math.inf


def test_chunks_do_not_change_the_errors(noise, monkeypatch):
    a, b = noise(40, 40, 3), noise(40, 40, 3, seed=1)
    whole = compare(a, b)
    monkeypatch.setattr(metrics, "CHUNK", 331)
    pieces = compare(a, b)
    assert (pieces.mse, pieces.max_error) == (whole.mse, whole.max_error)


def test_ssim_of_a_stack_is_the_mean_of_its_images(noise):
    a, b = noise(3, 12, 13, 2), noise(3, 12, 13, 2, seed=1)
    assert ssim(a, b) == pytest.approx(np.mean([ssim(x, y) for x, y in zip(a, b, strict=True)]), abs=1e-12)
    with pytest.raises(DataError, match="images"):
        ssim(np.zeros(9, np.uint8), np.zeros(9, np.uint8))


@pytest.mark.slow
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 255))
@settings(max_examples=25, deadline=None)
def test_ssim_is_defined_for_the_smallest_images(height, width, value):
    a = np.full((height, width, 1), value, np.uint8)
    assert ssim(a, a) == pytest.approx(1)
    assert -1 <= ssim(a, 255 - a) <= 1


@pytest.mark.parametrize("measure", [mse, psnr, ssim, max_error, compare])
def test_images_that_do_not_match_are_refused_with_both_shapes(measure, noise):
    with pytest.raises(DataError, match=r"8 × 8 pixels with 3 channels and of 9 × 8 pixels"):
        measure(noise(8, 8, 3), noise(8, 9, 3))
    with pytest.raises(DataError, match=r"uint8.*uint16"):
        measure(noise(8, 8, 3), noise(8, 8, 3, dtype="uint16"))
    with pytest.raises(DataError, match="float64"):
        measure(np.zeros((8, 8, 3)), np.zeros((8, 8, 3)))
    with pytest.raises(DataError, match="without pixels"):
        measure(noise(0, 8, 3), noise(0, 8, 3))


def test_a_pixel_has_all_channels_and_a_stack_all_images():
    assert bits_per_pixel(300, (10, 10, 3)) == 24
    assert bits_per_pixel(300, (3, 10, 10, 198)) == 8
    with pytest.raises(DataError, match="shape"):
        bits_per_pixel(300, (10, 10))
