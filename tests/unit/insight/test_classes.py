"""Classes of pixels before and after, against plain definitions."""

import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from pcaimage.codec import Analysis, Preview, analyse, pictures
from pcaimage.insight.bands import (
    BandNames,
    PixelSpectrum,
    UsualSpectrum,
    measured_pixels,
    reconstruct_pixel,
    sample_pixels,
)
from pcaimage.insight.classes import NO_CLASS, Classification, k_means
from pcaimage.insight.regions import PixelScatter, RegionSpectra, inside
from pcaimage.sampling import Blocks, Channels, Stack


def kinds(rng, shape=(30, 40), bands=6):
    """An image of three kinds of pixels, and the kind of each."""
    which = rng.integers(0, 3, shape)
    spectra = np.array(
        [[100, 200, 300, 300, 200, 100], [900, 700, 500, 300, 100, 50], [50, 50, 400, 900, 900, 900]]
    )
    return (spectra[which, :bands] + rng.normal(0, 9, (*shape, bands))).astype(np.float32), which


def test_k_means_finds_the_kinds_and_finds_them_again():
    rng = np.random.default_rng(1)
    image, which = kinds(rng)
    rows = image.reshape(-1, 6).astype(np.float64)
    centres = k_means(rows, 3)
    expected = np.array([rows[which.reshape(-1) == kind].mean(axis=0) for kind in range(3)])
    np.testing.assert_allclose(centres, expected[np.argsort(expected.sum(axis=1))])
    np.testing.assert_array_equal(k_means(rows, 3), centres)
    assert len(k_means(np.repeat(rows[:2], 50, axis=0), 5)) == 2


def test_agreement_is_accuracy_and_kappa_of_both_maps():
    rng = np.random.default_rng(2)
    image, _ = kinds(rng)
    noisy = image + rng.normal(0, 250, image.shape).astype(np.float32)
    found = Classification(3).compare(image, noisy, None)
    pair = found.before.reshape(-1), found.after.reshape(-1)
    assert found.accuracy == pytest.approx(np.mean(pair[0] == pair[1]))
    assert 0.5 < found.accuracy < 1
    assert found.kappa == pytest.approx(cohen_kappa_score(*pair))
    assert found.confusion.sum() == image[..., 0].size
    assert f"{np.sum(pair[0] != pair[1])} of 1,200 pixels change their class" in found.summary
    same = Classification(3).compare(image, image, None)
    assert (same.accuracy, same.kappa) == (1, 1)
    assert Classification(1).compare(image, noisy, None).kappa == 1


def test_the_spectral_angle_takes_pixels_to_the_region_of_the_same_shape_whatever_their_brightness():
    rng = np.random.default_rng(3)
    image, which = kinds(rng)
    bright = image * rng.uniform(0.5, 3, (30, 40, 1)).astype(np.float32)
    regions = tuple((which == kind) & (np.arange(40) < 20) for kind in (2, 0, 1))
    found = Classification(0, regions).compare(bright, bright, None)
    np.testing.assert_array_equal(found.before, np.array([1, 2, 0])[which])


def test_pixels_without_data_have_no_class_and_do_not_count():
    rng = np.random.default_rng(4)
    image, _ = kinds(rng)
    image[0, :5], image[1, 0, 2] = -9999, np.nan
    found = Classification(3).compare(image, image, -9999)
    assert (found.before[0, :5] == NO_CLASS).all()
    assert found.before[1, 0] == NO_CLASS
    assert found.confusion.sum() == 1200 - 6
    before, after = found.pictures(["#102030", "#405060", "#708090"])
    assert before[0, 0, 3] == 0 < before[5, 5, 3] < 255
    np.testing.assert_array_equal(before, after)
    other = image.copy()
    other[5, 5] = image[found.before != found.before[5, 5]][-1]
    changed = Classification(3).compare(image, other, -9999)
    assert changed.pictures(["#102030"] * 3)[1][5, 5].tolist() == [0x10, 0x20, 0x30, 255]


def test_a_polygon_has_the_cells_whose_centres_are_inside_by_even_and_odd_crossings():
    rng = np.random.default_rng(1)
    polygon = rng.uniform(-3, 15, (9, 2))  # crosses itself, and leaves the grid
    found = inside(polygon, 11, 13)
    for row, column in np.ndindex(11, 13):
        x, y, crossings = column + 0.5, row + 0.5, 0
        for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            if (y0 <= y) != (y1 <= y) and x0 + (y - y0) * (x1 - x0) / (y1 - y0) <= x:
                crossings += 1
        assert found[row, column] == crossings % 2
    assert inside([(2, 1), (5, 1), (5, 4), (2, 4)], 6, 6).sum() == 9
    assert not inside([(2, 1), (5, 1)], 6, 6).any()
    assert not inside([], 6, 6).any()


def test_a_lasso_among_scores_chooses_the_pixels_whose_scores_are_inside():
    rng = np.random.default_rng(2)
    image = (rng.normal(0, 1, (40, 60, 3)) @ rng.normal(0, 100, (3, 9)) + 2000).astype(np.uint16)
    shown = pictures(analyse(image, Channels()))
    scatter, scores = PixelScatter.of(shown, 1, 2), [shown.score_plane(number) for number in (1, 2)]
    assert scatter.counts.sum() == scatter.counts_of(np.ones((40, 60), bool)).sum() == 2400
    edges = [(-0.8 * plane.std(), 1.2 * plane.std()) for plane in scores]
    (left, right), (low, high) = edges
    chosen = scatter.lassoed([(left, low), (right, low), (right, high), (left, high)])
    expected, near = np.ones((40, 60), bool), np.zeros((40, 60), bool)
    limits = scatter.limits[:2], scatter.limits[2:]
    for plane, ends, axis, count in zip(scores, edges, limits, scatter.grid, strict=True):
        expected &= (plane > ends[0]) & (plane < ends[1])
        for end in ends:  # the pixels of a cell are inside or outside together
            near |= np.abs(plane - end) < (axis[1] - axis[0]) / count
    assert np.array_equal(chosen[~near], expected[~near])
    assert 0 < chosen.sum() < 2400


def test_the_spectra_of_a_region_are_mean_and_deviation_of_its_measured_pixels():
    rng = np.random.default_rng(4)
    before = rng.integers(0, 4000, (20, 30, 7)).astype(np.uint16)
    after = before + 3
    mask = rng.random((20, 30)) < 0.3
    found = RegionSpectra.of(before, mask, after)
    assert found is not None
    assert found.pixels == mask.sum()
    assert found.mean == pytest.approx(before[mask].mean(axis=0))
    assert found.deviation == pytest.approx(before[mask].std(axis=0))
    assert found.after == pytest.approx(found.mean + 3)
    assert found.summary.startswith(f"{mask.sum()} pixels · mean off by RMS 3")
    before[:10] = 9999
    found = RegionSpectra.of(before, mask, None, 9999)
    assert found is not None
    assert found.mean == pytest.approx(before[10:][mask[10:]].mean(axis=0))
    assert found.after is None
    assert RegionSpectra.of(before, np.zeros((20, 30), bool)) is None


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
