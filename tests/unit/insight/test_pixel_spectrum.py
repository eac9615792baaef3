"""The spectrum of a pixel, and what is usual in an image."""

import math

import numpy as np
import pytest

from pcaimage.codec import Analysis, Preview
from pcaimage.insight.bands import (
    BandNames,
    PixelSpectrum,
    UsualSpectrum,
    measured_pixels,
    reconstruct_pixel,
    sample_pixels,
)
from pcaimage.sampling import Blocks, Channels, Stack


def cube(*shape):
    rng = np.random.default_rng(0)
    waves = np.cumsum(rng.normal(0, 40, shape), axis=-1)
    return np.clip(2000 + waves + rng.normal(0, 300, (*shape[:2], 1)), 0, 65535).astype(np.uint16)


def test_the_usual_spectrum_is_mean_and_deviation_of_the_bands_where_they_were_measured():
    pixels = cube(20, 30, 6)
    usual = UsualSpectrum.of(pixels)
    assert usual.mean == pytest.approx(pixels.reshape(-1, 6).mean(axis=0))
    assert usual.deviation == pytest.approx(pixels.reshape(-1, 6).std(axis=0))
    gaps = pixels.astype(np.float32)
    gaps[:5] = -1
    gaps[2] = math.nan
    assert UsualSpectrum.of(gaps, nodata=-1).mean == pytest.approx(pixels[5:].reshape(-1, 6).mean(axis=0))
    assert not UsualSpectrum.of(np.full((3, 3, 5), 7, np.uint8), nodata=7).mean.any()


def test_a_sample_of_a_large_image_is_small_and_from_everywhere():
    rows, columns = np.mgrid[:64, :64]
    pixels = np.stack([rows, columns, *[rows] * 3], axis=-1).astype(np.uint16)
    rows_of = measured_pixels(pixels, most=64 * 64)
    assert 600 <= len(rows_of) <= 64 * 64 // 5 + 1
    assert len(np.unique(rows_of[:, 0])) > 50
    assert len(np.unique(rows_of[:, 1])) > 50
    planar = np.ascontiguousarray(np.moveaxis(pixels, -1, 0))
    assert np.array_equal(sample_pixels(np.moveaxis(planar, 0, -1), 4096), sample_pixels(pixels, 4096))


def test_a_pixel_says_how_far_it_is_off():
    names = BandNames(3, (400.0, 500.0, 600.0))
    pixel = PixelSpectrum(4, 7, np.array([100.0, 200, 300]), np.array([100.0, 188, 301]))
    for part in ("(4, 7)", "largest −12 in band 2 · 500\u00a0nm", "spectral angle"):
        assert part in pixel.summary(names)
    assert pixel.describe(1, names) == "band 2 · 500\u00a0nm: 200 → 188, error −12"
    assert pixel.table(names).splitlines()[1:] == [pixel.describe(band, names) for band in range(3)]
    values = np.arange(1000.0)
    assert len(PixelSpectrum(0, 0, values, values + 1).table(BandNames(1000)).splitlines()) == 25


def test_what_is_not_exact_is_marked_and_one_spectrum_alone_has_no_error():
    names = BandNames(2)
    pixel = PixelSpectrum(0, 0, np.array([1.0, 2]), np.array([1.2, 2]), exact=False)
    assert "≈" in pixel.summary(names)
    assert "≈" in pixel.describe(0, names)
    alone = PixelSpectrum(1, 2, None, np.array([5.0, 6]))
    assert (alone.difference, alone.angle) == (None, None)
    assert alone.describe(1, names) == "band 2: 6"
    assert "reconstruction" in alone.summary(names)
    assert "no error" in PixelSpectrum(1, 2, np.array([5.0, 6]), np.array([5.0, 6])).summary(names)


@pytest.mark.parametrize("sampling", [Channels(), Blocks(4)])
@pytest.mark.parametrize("standardize", [False, True])
def test_a_pixel_of_k_components_is_that_of_the_reconstruction(sampling, *, standardize):
    pixels = cube(20, 24, 6)
    analysis = Analysis.fit(pixels, sampling, standardize=standardize)
    preview = Preview.of_analysis(analysis)
    pca, k, left_out = analysis.pca, 4, frozenset({2})
    scores = pca.transform(sampling.to_samples(pixels))
    scores[:, [1, *range(k, scores.shape[1])]] = 0
    expected = sampling.from_samples(pca.inverse_transform(scores), pixels.shape)[13, 9]
    found = reconstruct_pixel(preview, (9, 13), pixels[13, 9], k, left_out)
    assert found is not None
    assert found == pytest.approx(expected, abs=8)  # scores of 16 bits are kept in coarser units
    assert np.abs(pixels[13, 9] - expected).max() > 20


def test_samples_that_are_images_are_not_summed_up():
    pixels = np.stack([cube(6, 7, 5)] * 3)
    preview = Preview.of_analysis(Analysis.fit(pixels, Stack()))
    assert reconstruct_pixel(preview, (0, 0), pixels[0, 0, 0], 1) is None
