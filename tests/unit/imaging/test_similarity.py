import math

import numpy as np
import pytest
from skimage.metrics import structural_similarity

from pcaimage.errors import Cancelled
from pcaimage.imaging import ssim
from pcaimage.imaging.measures import metrics
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
