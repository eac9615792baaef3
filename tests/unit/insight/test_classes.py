"""Classes of pixels before and after, against plain definitions."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from pcaimage.insight.classes import NO_CLASS, Classification, k_means


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
