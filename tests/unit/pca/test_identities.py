"""Identities of the spectrum, and components found one at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca import PCA, components_for_ratio, cumulative_shares, deflation


@pytest.mark.parametrize(
    ("variances", "ratios"),
    [
        (
            [6, 3, 1, 0, 0],
            {0.01: 1, 0.6: 1, 0.61: 2, 0.9: 2, 0.901: 3, 1 - 1e-9: 3, np.nextafter(1.0, 0): 3, 1: 3},
        ),
        ([0.1] * 10, {k / 10: k for k in range(1, 11)}),  # reached exactly: not missed by rounding
        ([0, 0], {0.5: 1}),
    ],
)
def test_the_fewest_components_that_reach_a_ratio_are_counted(variances, ratios):
    assert {ratio: components_for_ratio(variances, ratio) for ratio in ratios} == ratios


@pytest.mark.slow
@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=30), st.floats(1e-6, 1))
def test_one_component_fewer_would_not_reach_the_ratio(variances, ratio):
    variances = sorted(variances, reverse=True)
    k = components_for_ratio(variances, ratio)
    total = sum(variances)
    assert sum(variances[:k]) >= (ratio - 1e-9) * total
    assert sum(variances[: k - 1]) < ratio * total


@pytest.mark.parametrize("ratio", [0, -0.1, 1.1, np.nan])
@pytest.mark.parametrize("variances", [[], [[1]], [1, 2], [1, -1], [np.nan], [np.inf, 1]])
def test_what_is_no_share_or_no_spectrum_is_refused(variances, ratio):
    with pytest.raises(SettingsError, match="share of the variance"):
        components_for_ratio([2, 1], ratio)
    with pytest.raises(DataError, match="spectrum"):
        components_for_ratio(variances, 0.5)


@pytest.mark.parametrize("shape", [(40, 7), (6, 15)])
def test_deflation_finds_the_components_one_at_a_time(correlated, shape):
    samples = correlated(*shape)
    found = deflation(samples, 5)
    model = PCA(5).fit(samples)
    assert_allclose(found.variances, model.explained_variance_, rtol=1e-9)
    assert_allclose(found.components, model.components_, atol=1e-7)


def crossed(rng):
    """Samples on two axes or more, each axis orthogonal to the others: the longest may lie off the first."""
    features = int(rng.integers(2, 5))
    rows = [
        sign * length * axis
        for axis in np.eye(features)
        for length in [rng.integers(1, 6)]
        for _ in range(int(rng.integers(1, 9)))
        for sign in (-1.0, 1.0)
    ]
    return np.array(rows)


def small_integers(rng):
    return rng.integers(0, 3, size=(int(rng.integers(4, 9)), int(rng.integers(2, 4)))).astype(float)


@pytest.mark.parametrize(("design", "count"), [(crossed, 60), (small_integers, 60)])
@pytest.mark.slow
def test_deflation_finds_the_largest_variances_first(design, count):
    rng = np.random.default_rng(8)
    for _ in range(count):
        samples = design(rng)
        wanted = PCA(samples.shape[1], solver="svd").fit(samples).explained_variance_
        found = deflation(samples, samples.shape[1], max_iterations=1000).variances
        assert_allclose(found, wanted[: len(found)], atol=1e-6 * (wanted[0] or 1))
        assert (wanted[len(found) :] <= 1e-12).all()


def test_deflation_leaves_the_first_row_if_the_longest_is_across_and_mixes_scales(rng):
    samples = np.array([[0, 3], [0, -3], *([[2, 0], [-2, 0]] * 10)])
    assert_allclose(deflation(samples, 2).components, np.eye(2), atol=1e-9)
    samples = rng.standard_normal((30, 3)) * [0.1, 1e6, 1e-3]
    wanted = PCA(3, solver="svd").fit(samples).explained_variance_
    assert_allclose(deflation(samples, 3).variances, wanted, rtol=1e-5)


def test_deflation_leaves_the_samples_as_they_are_and_stops_when_nothing_is_left(rng):
    samples = rng.standard_normal((20, 2)) @ rng.standard_normal((2, 6))
    before = samples.copy()
    for rows, left in ((samples, 2), (np.array([[1.0, 2.0]]), 0)):
        found = deflation(rows, rows.shape[1])
        assert found.components.shape == (left, rows.shape[1])
        assert found.variances.shape == (left,)
    assert_allclose(samples, before, rtol=0)


def test_deflation_gives_up_on_directions_that_explain_the_same():
    square = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]) + np.array([[1e-9, 0], [0, 0], [0, 0], [0, 0]])
    found = deflation(square, 2, max_iterations=3)
    assert_allclose(found.variances.sum(), PCA().fit(square).total_variance_)


def test_deflation_needs_samples_and_a_count():
    with pytest.raises(DataError, match="no samples"):
        deflation(np.empty((0, 2)), 1)
    with pytest.raises(SettingsError, match="at least 1"):
        deflation(np.ones((2, 2)), 0)


@pytest.mark.parametrize(
    ("variances", "total", "shares"),
    [
        ([6, 3, 1], None, [0, 0.6, 0.9, 1]),
        ([6, 3], 10, [0, 0.6, 0.9]),
        ([1.0], 1 - 1e-12, [0, 1]),
        ([], None, [0]),
        ([0.0, 0.0], None, [0, 0, 0]),
    ],
)
def test_cumulative_shares_are_of_the_whole_variance_and_never_exceed_one(variances, total, shares):
    found = cumulative_shares(variances, total=total)
    np.testing.assert_allclose(found, shares)
    assert found.max() <= 1
