import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ImageCms
from PySide6.QtGui import QColorSpace
from skimage.metrics import structural_similarity

from pcaimage.errors import Cancelled, DataError, ImageError
from pcaimage.imaging import bits_per_pixel, compare, max_error, mse, psnr, psnr_of_mse, ssim
from pcaimage.imaging.measures import metrics
from pcaimage.imaging.measures.metrics import Ssimulacra
from pcaimage.imaging.measures.screen_colours import ScreenColours, screen_profile_name
from pcaimage.quality import white_of
from tests.stop import stop


def _scikit_image(a, b, peak):
    """Return scikit-image's value, computed in float64."""
    real = [x.astype(np.float64) for x in (a, b)]
    return float(structural_similarity(*real, channel_axis=-1, data_range=peak))


def _smooth(shape, seed=0):
    """Return values from 0 to 1 that change little from pixel to pixel."""
    steps = np.random.default_rng(seed).normal(size=shape).cumsum(0).cumsum(1)
    return (steps - steps.min()) / np.ptp(steps)


@pytest.mark.parametrize("tile", [1, 200, 3000, metrics.TILE])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("shape", [(40, 23, 3), (7, 7, 1), (8, 90, 19), (133, 7, 1)])
@pytest.mark.sweep(7)
def test_it_is_scikit_images_in_tiles_of_any_size_and_in_any_order_of_channels(
    noise, monkeypatch, dtype, shape, tile
):
    a = noise(*shape, dtype=dtype)
    b = (a // 2 + noise(*shape, dtype=dtype, seed=1) // 2).astype(dtype)
    monkeypatch.setattr(metrics, "TILE", tile)
    assert ssim(a, b) == pytest.approx(_scikit_image(a, b, np.iinfo(dtype).max), abs=1e-12)
    planar = [np.ascontiguousarray(x.transpose(2, 0, 1)).transpose(1, 2, 0) for x in (a, b)]
    assert ssim(*planar) == pytest.approx(ssim(a, b), abs=1e-12)


@pytest.mark.parametrize(
    ("dtype", "low", "high"), [("uint8", 0, 255), ("uint16", 60000, 65535), ("int16", -3000, 500)]
)
def test_of_pictures_it_is_scikit_images(dtype, low, high):
    smooth = _smooth((150, 170, 2)) * (high - low) + low
    a = smooth.astype(dtype)
    b = np.clip(smooth + np.random.default_rng(1).normal(size=smooth.shape) * 5, low, high).astype(dtype)
    peak = np.ptp(a) if dtype == "int16" else np.iinfo(dtype).max
    assert ssim(a, b) == pytest.approx(_scikit_image(a, b, float(peak)), abs=1e-12)
    # At the ends of the range, too.
    a, b = (65535 - np.random.default_rng(2).integers(0, 2, (2, 60, 60, 1))).astype(np.uint16)
    for other in (b, 65535 - a):
        assert ssim(a, other) == pytest.approx(_scikit_image(a, other, 65535), abs=1e-12)


def test_small_differences_of_large_real_values_are_not_lost():
    """A float32 of about 2000 has steps of 1/8192; these images have a range of 1, and noise of 0.01."""
    smooth = _smooth((90, 80, 1))
    noisy = smooth + np.random.default_rng(1).normal(size=smooth.shape) * 0.01
    a, b = (np.float32(8192 * x).round() / np.float32(8192) for x in (smooth, noisy))
    peak = float(np.ptp(a))
    near, far = (ssim(a + np.float32(level), b + np.float32(level)) for level in (0, 1500))
    assert near == pytest.approx(_scikit_image(a, b, peak), abs=1e-12)
    # So far from zero, means differ by next to nothing of themselves, and the first factor is 1.
    contrast = _contrast(a, b, peak)
    assert far == pytest.approx(contrast, abs=1e-6)


def _contrast(a, b, peak):
    """Return the mean of the formula's second factor, which no level changes, by its definition."""
    windows = [np.lib.stride_tricks.sliding_window_view(x[..., 0].astype(np.float64), (7, 7)) for x in (a, b)]
    one, two = (w - w.mean(axis=(2, 3), keepdims=True) for w in windows)
    constant = (0.03 * peak) ** 2
    covariance = 2 * (one * two).sum(axis=(2, 3)) / 48 + constant
    return float((covariance / ((one**2 + two**2).sum(axis=(2, 3)) / 48 + constant)).mean())


def test_values_that_are_not_finite_count_as_zero():
    a, b = (_smooth((20, 30, 2), seed).astype(np.float32) for seed in (0, 1))
    a[3, 4], a[9, 9, 0], b[5, 6] = math.nan, math.inf, -math.inf
    peak = float(np.ptp(a[np.isfinite(a)]))
    expected = _scikit_image(*(np.where(np.isfinite(x), x, np.float32(0)) for x in (a, b)), peak)
    assert ssim(a, b) == pytest.approx(expected, abs=1e-12)


def test_it_reports_progress_and_can_be_stopped(noise, monkeypatch):
    monkeypatch.setattr(metrics, "TILE", 8)
    a = noise(90, 16, 2)
    reports = []
    ssim(a, a, lambda done, total: reports.append((done, total)))
    assert len(reports) > 2
    assert reports == sorted(set(reports))
    assert reports[-1] == (84 * 10 * 2, 84 * 10 * 2)
    with pytest.raises(Cancelled):
        ssim(a, a, stop)


def test_more_noise_scores_less_and_grey_counts_as_three_equal_channels(smooth):
    noise = np.random.default_rng(1).normal(0, 1, smooth.shape)
    noisy = [np.clip(smooth + noise * much, 0, 255).astype(np.uint8) for much in (0, 1, 4, 16, 64)]
    found = [Ssimulacra(smooth).score(each) for each in noisy]
    assert found == sorted(found, reverse=True)
    assert found[0] == 100
    assert found[1] > 80 + found[-1] / 2
    grey = smooth[..., :1]
    thrice = Ssimulacra(np.repeat(grey, 3, axis=2)).score(np.repeat(grey // 2, 3, axis=2))
    assert Ssimulacra(grey).score(grey // 2) == pytest.approx(thrice)


def test_what_is_tiny_is_measured_and_other_shapes_are_refused():
    dot = np.full((1, 1, 3), 90, np.uint8)
    assert Ssimulacra(dot).score(dot) == 100 > Ssimulacra(dot).score(255 - dot)
    with pytest.raises(DataError, match="cannot be compared"):
        Ssimulacra(dot).score(np.zeros((2, 1, 3), np.uint8))


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


def test_wide_and_complex_numbers_are_compared_as_they_are():
    a = np.array([1 << 62, 5, -(1 << 62)])
    found = compare(a, a - [1, 0, 0])
    assert (found.max_error, found.mse, math.isnan(found.ssim)) == (1, 1 / 3, True)
    assert max_error(a, a[::-1].copy()) == 1 << 63
    assert compare(np.array([1j, np.inf, np.nan]), np.array([3 + 1j, np.inf, np.nan])).max_error == 3


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
@settings(max_examples=25)
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
    with pytest.raises(DataError, match="without pixels"):
        measure(noise(0, 8, 3), noise(0, 8, 3))


def test_a_pixel_has_all_channels_and_a_stack_all_images():
    assert bits_per_pixel(300, (10, 10, 3)) == 24
    assert bits_per_pixel(300, (3, 10, 10, 198)) == 8
    with pytest.raises(DataError, match="shape"):
        bits_per_pixel(300, (10, 10))


SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


P3 = bytes(QColorSpace(QColorSpace.NamedColorSpace.DisplayP3).iccProfile().data())


def exchanged(profile=SRGB):
    """Return a profile whose red is the green of another one, and its green the red."""
    return profile.replace(b"rXYZ", b"----", 1).replace(b"gXYZ", b"rXYZ", 1).replace(b"----", b"gXYZ", 1)


def test_colours_are_those_that_the_profile_means():
    found = ScreenColours.of(exchanged(), 3)
    pixels = np.array([[[250, 10, 20], [128, 128, 128]], [[0, 200, 0], [90, 10, 250]]], np.uint8)
    shown = found.applied(pixels)
    assert np.abs(shown.astype(int) - pixels[..., [1, 0, 2]]).max() <= 2
    opacity = np.full((2, 2, 1), 77, np.uint8)
    both = found.applied(np.concatenate([pixels, opacity], axis=-1))
    np.testing.assert_array_equal(both[..., :3], shown)
    np.testing.assert_array_equal(both[..., 3:], opacity)
    assert both.flags.c_contiguous


@pytest.mark.parametrize(
    ("profile", "channels"), [(None, 3), (SRGB, 3), (exchanged(), 1), (exchanged()[:200], 3), (b"", 1)]
)
def test_where_nothing_is_to_be_converted(profile, channels):
    assert ScreenColours.of(profile, channels) is None


def test_a_wide_gamut_is_kept_on_a_screen_that_has_it():
    pixels = np.array([[[255, 0, 0], [0, 255, 0], [10, 250, 40], [128, 128, 128]]], np.uint8)
    assert ScreenColours.of(P3, 3, P3) is None  # nothing is squeezed through sRGB
    narrow = ScreenColours.of(P3, 3)
    assert len(np.unique(narrow.applied(pixels)[0, 1:3], axis=0)) == 1  # two greens of P3 are one in sRGB
    wide = ScreenColours.of(exchanged(P3), 3, P3)
    assert np.abs(wide.applied(pixels).astype(int) - pixels[..., [1, 0, 2]]).max() <= 2


def test_pictures_without_a_profile_are_srgb_on_any_screen():
    found = ScreenColours.of(None, 3, P3)
    red, grey = found.applied(np.array([[[255, 0, 0], [128, 128, 128]]], np.uint8))[0].astype(int)
    # Red of sRGB in the coordinates of P3: 0.9175, 0.2003, 0.1386.
    np.testing.assert_allclose(red, [234, 51, 35], atol=2)
    np.testing.assert_allclose(grey, 128, atol=1)
    assert ScreenColours.of(None, 3, SRGB) is None
    assert ScreenColours.of(None, 1, P3) is None  # its greys are those of sRGB
    assert ScreenColours.of(None, 2, P3) is None


def test_grey_has_a_tint_where_the_screen_needs_it():
    """A screen that shows equal values as no grey gets three channels."""
    place = SRGB.index(b"bTRC") + 4
    (offset,) = struct.unpack(">I", SRGB[place : place + 4])
    straight = SRGB.replace(SRGB[place : place + 8], struct.pack(">II", len(SRGB), 12), 1)
    straight = straight.replace(straight[offset : offset + 4], SRGB[offset : offset + 4])
    # rTRC, gTRC and bTRC share their place in the file: only the first that is replaced becomes linear.
    tinted = straight + b"curv" + bytes(8)
    found = ScreenColours.of(None, 1, struct.pack(">I", len(tinted)) + tinted[4:])
    shown = found.applied(np.full((2, 3, 1), 100, np.uint8))
    assert shown.shape == (2, 3, 3)
    assert np.ptp(shown[0, 0].astype(int)) > 20
    with_opacity = np.full((2, 3, 4), 100, np.uint8)
    assert found.applied(with_opacity)[..., 3].tolist() == [[100] * 3] * 2


@pytest.mark.parametrize("damaged", [b"", P3[:150], b"\0" * 300, P3[:16] + b"CMYK" + P3[20:]])
def test_a_screen_profile_that_cannot_be_used_counts_as_srgb_and_others_have_a_name(damaged):
    assert ScreenColours.of(None, 3, damaged) is None
    found, again = ScreenColours.of(P3, 3, damaged), ScreenColours.of(P3, 3)
    pixels = np.array([[[250, 10, 20]]], np.uint8)
    np.testing.assert_array_equal(found.applied(pixels), again.applied(pixels))
    with pytest.raises(ImageError, match="colour profile"):
        screen_profile_name(damaged)
    assert screen_profile_name(SRGB) == "sRGB built-in"
    with pytest.raises(ImageError, match="not one of a screen"):
        screen_profile_name(SRGB[:12] + b"prtr" + SRGB[16:])
