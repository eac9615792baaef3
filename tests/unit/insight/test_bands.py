"""Bands by name, and how well each is reconstructed, against plain definitions."""

import math

import numpy as np
import pytest

from pcaimage.errors import Cancelled, DataError
from pcaimage.insight.bands import (
    INFRARED,
    TRUE_COLOUR,
    BandNames,
    BandQuality,
    ranked_bands,
    spectral_angles,
)
from tests.stop import stop


def cube(seed=0, channels=7, dtype="uint16"):
    rng = np.random.default_rng(seed)
    top = 250 if dtype == "uint8" else 5000
    return rng.integers(50, top, (31, 40, channels)).astype(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_figures_of_each_band_are_those_of_that_band_alone(dtype):
    before = cube(1, dtype=dtype)
    after = (before + np.random.default_rng(2).integers(-4, 5, before.shape)).astype(dtype)
    found = BandQuality.of(before, after, 5000)
    error = after.astype(float) - before.astype(float)
    for band in range(7):
        mse = float(np.mean(error[..., band] ** 2))
        assert found.rms[band] == pytest.approx(math.sqrt(mse))
        assert found.largest[band] == np.abs(error[..., band]).max()
        assert found.psnr[band] == pytest.approx(10 * math.log10(5000**2 / mse))
        variance = before[..., band].astype(float).var()
        assert found.snr[band] == pytest.approx(10 * math.log10(variance / mse))
    assert found.pixels == 31 * 40
    assert len(found) == 7


def test_without_errors_everything_is_infinite_and_the_worst_band_has_most_noise_for_its_signal():
    before = cube()
    after = before.copy()
    found = BandQuality.of(before, after, 65535)
    assert found.exact
    assert np.isinf([found.psnr, found.snr]).all()
    assert (found.angle, found.angle_95) == (0, 0)
    after[:, :, 4] += 300
    assert BandQuality.of(before, after, 65535).worst == 4
    with pytest.raises(DataError, match="compared"):
        BandQuality.of(before, cube(channels=6), 255)
    with pytest.raises(Cancelled):
        BandQuality.of(before, after, 255, progress=stop)


def test_pixels_that_were_not_measured_do_not_count():
    before = cube().astype(np.float32)
    after = before + 1
    missing = np.zeros(before.shape[:2], bool)
    missing[3:9] = True
    before[missing] = np.nan
    after[missing] = -9999
    found = BandQuality.of(before, after, 5000, missing)
    assert found.pixels == int((~missing).sum())
    assert found.rms == pytest.approx(1)
    with pytest.raises(DataError, match="measured"):
        BandQuality.of(before, after, 5000, np.ones_like(missing))


def test_the_angle_is_that_of_its_definition_and_ignores_brightness():
    rng = np.random.default_rng(3)
    first, second = rng.uniform(1, 9, (2, 50, 12))
    cosine = (first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    assert spectral_angles(first, second) == pytest.approx(np.degrees(np.arccos(cosine)))
    assert spectral_angles(first, 7 * second) == pytest.approx(spectral_angles(first, second))
    right = spectral_angles(np.array([[1.0, 0.0]]), np.array([[0.0, 3.0]]))
    assert right == pytest.approx(90)


def test_small_angles_are_told_apart_and_zero_has_none():
    tiny = spectral_angles(np.array([[1.0, 0.0]]), np.array([[1.0, 1e-6]]))
    assert tiny == pytest.approx(math.degrees(1e-6), rel=1e-3)
    assert spectral_angles(np.zeros((2, 3)), np.ones((2, 3))).size == 0
    before = np.zeros((2, 2, 5), np.uint16)
    assert BandQuality.of(before, before + 1, 255).angle == 0


def test_mean_and_percentile_of_the_angles_are_of_all_pixels():
    before, after = cube(1), cube(2)
    angles = spectral_angles(before.reshape(-1, 7).astype(float), after.reshape(-1, 7).astype(float))
    found = BandQuality.of(before, after, 65535)
    assert found.angle == pytest.approx(angles.mean(), rel=1e-5)
    assert found.angle_95 == pytest.approx(np.percentile(angles, 95), rel=1e-5)


def test_bands_are_called_by_number_wavelength_and_name_and_lie_on_their_axis_in_its_order():
    assert BandNames(3).label(1) == "2"
    assert BandNames(2, (640.0, 550.5), ("red", "2")).label(0) == "1 · 640\u00a0nm · red"
    assert BandNames(2, (640.0, 550.5), ("red", "2")).label(1) == "2 · 550.5\u00a0nm"
    with pytest.raises(DataError, match="2 wavelengths"):
        BandNames(3, (1.0, 2.0))
    overlapping = BandNames(4, (400.0, 500.0, 480.0, 600.0))
    assert overlapping.order.tolist() == [0, 2, 1, 3]
    assert overlapping.at(483) == 2
    assert (BandNames(5).at(-3), BandNames(5).at(2.4)) == (0, 1)
    assert (BandNames(5).axis_title, overlapping.axis_title) == ("band", "wavelength, nm")


def test_wavelengths_find_bands_only_where_there_are_some():
    sensor = BandNames(61, tuple(400.0 + 10 * n for n in range(61)))
    assert sensor.like(TRUE_COLOUR) == (24, 15, 6)
    assert sensor.like(INFRARED) == (46, 25, 15)
    thermal = BandNames(3, (8000.0, 9000.0, 10000.0))
    assert thermal.like(TRUE_COLOUR) is None
    assert BandNames(7).like(TRUE_COLOUR) is None


def test_bands_are_ranked_by_the_components_of_largest_variance():
    rng = np.random.default_rng(3)
    first, second, third = (rng.normal(0, size, (40, 50)) for size in (100, 50, 20))
    pixels = np.stack([third, first, second, first * 1.1, third * 0.5, 0 * first], -1).astype(np.float32)
    assert ranked_bands(pixels) == (3, 2, 0)
    pixels[0] = -9999
    assert ranked_bands(pixels, -9999) == (3, 2, 0)
    assert ranked_bands(np.repeat(pixels[1:, :, :1], 6, axis=2)) == ()
    assert ranked_bands(pixels[:0]) == ()
    assert BandNames(6, ranked=(3, 2, 0)).usual == (3, 2, 0)
    assert BandNames(8).usual == (6, 4, 2)
