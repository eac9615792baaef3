"""Solvers: they agree with each other and with scikit-learn, and cost what they should."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pcaimage.pca import PCA, choose_solver
from pcaimage.pca.solvers import fix_signs, solve_covariance, solve_gram, solve_randomized, solve_svd


def centre(samples):
    return samples.mean(axis=0), np.ones(samples.shape[1])


@pytest.mark.slow
def test_the_randomized_solver_agrees_with_scikit_learn_on_both_large_data(correlated):
    samples = correlated(1100, 1050)
    ours = PCA(n_components=5, solver="randomized").fit(samples)
    from sklearn import decomposition  # which takes a second to load

    theirs = decomposition.PCA(n_components=5, svd_solver="covariance_eigh").fit(samples)
    assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-8)
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-8)
    assert_allclose(ours.components_, fix_signs(theirs.components_), atol=1e-4)


def test_the_randomized_solver_overestimates_no_variance_and_gives_the_same_bits_every_time(rng):
    noise = rng.standard_normal((300, 200))  # the hardest spectrum: flat
    exact = PCA(solver="covariance").fit(noise).explained_variance_[:8]
    first, second = (PCA(8, solver="randomized").fit(noise) for _ in range(2))
    assert np.all(first.explained_variance_ <= exact * (1 + 1e-12))
    assert np.all(first.explained_variance_ >= 0.9 * exact)
    assert_array_equal(first.components_, second.components_)
    assert_array_equal(first.explained_variance_, second.explained_variance_)


@pytest.mark.parametrize("options", [{}, {"standardize": True}])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
def test_all_solvers_find_the_same(correlated, dtype, options):
    samples = (correlated(60, 40, decay=1.5) * 3 + 100).astype(dtype)
    samples[:, 7] = 12
    models = [
        PCA(3, solver=solver, **options).fit(samples)
        for solver in ("covariance", "gram", "randomized", "svd")
    ]
    for model in models[1:]:
        assert_allclose(model.explained_variance_, models[0].explained_variance_, rtol=1e-7)
        assert_allclose(model.components_, models[0].components_, atol=1e-4)
        assert_allclose(model.total_variance_, models[0].total_variance_, rtol=1e-12)
        assert_allclose(model.scale_, models[0].scale_, rtol=1e-12)


@pytest.mark.parametrize("solver", ["covariance", "gram", "randomized", "svd"])
@pytest.mark.parametrize("decay", [0.0, 1.0, 6.0])
def test_components_are_orthonormal_and_point_to_their_largest_entry(correlated, solver, decay):
    model = PCA(25, solver=solver).fit(correlated(30, 50, decay))
    assert_allclose(model.components_ @ model.components_.T, np.eye(25), atol=1e-12)
    largest = np.abs(model.components_).argmax(axis=1)
    assert np.all(model.components_[np.arange(25), largest] > 0)
    assert np.all(np.diff(model.explained_variance_) <= 0)
    assert np.all(model.explained_variance_ >= 0)


@pytest.mark.parametrize("solver", ["covariance", "gram", "randomized", "svd"])
def test_more_components_than_samples_are_possible(correlated, solver):
    samples = correlated(4, 9)
    model = PCA(7, solver=solver).fit(samples)
    assert model.components_.shape == (7, 9)
    assert np.count_nonzero(model.explained_variance_) == 3
    assert_allclose(model.components_ @ model.components_.T, np.eye(7), atol=1e-12)
    assert_allclose(model.inverse_transform(model.transform(samples)), samples, atol=1e-10)


@pytest.mark.slow
def test_a_hundred_long_samples_never_meet_in_a_matrix_of_their_features(rng):
    samples = rng.integers(0, 256, (100, 20_000), dtype=np.uint8)
    tracemalloc.start()
    model = PCA().fit(samples)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    components = 100 * 20_000 * 8
    assert peak < 6 * components < 20_000**2 * 8 / 30
    reconstructed = model.inverse_transform(model.transform(samples))
    assert_allclose(reconstructed, samples, atol=1e-8)


@pytest.mark.parametrize(
    ("n_samples", "n_features", "n_components", "solver"),
    [
        (375_000, 192, None, "covariance"),
        (375_000, 192, 3, "covariance"),
        (300, 300, None, "covariance"),
        (100, 10_000, None, "gram"),
        (100, 10_000, 5, "gram"),
        (1, 2, None, "gram"),
        (20_000, 8_000, 10, "randomized"),
        (8_000, 20_000, 10, "randomized"),
        (20_000, 8_000, 2_000, "covariance"),
        (8_000, 20_000, 2_000, "gram"),
        (20_000, 8_000, None, "covariance"),
    ],
)
def test_the_choice_of_solver_follows_the_shape(n_samples, n_features, n_components, solver):
    assert choose_solver(n_samples, n_features, n_components) == solver


def test_auto_uses_what_was_chosen(correlated):
    assert PCA().fit(correlated(20, 5)).moments_ is not None
    assert PCA().fit(correlated(5, 20)).moments_ is None


def test_signs_depend_neither_on_the_sign_an_eigenvector_comes_with_nor_on_rounding(rng):
    components = rng.standard_normal((6, 9))
    flipped = components * np.array([1, -1, 1, -1, -1, 1])[:, None]
    assert_array_equal(fix_signs(components), fix_signs(flipped))
    tie = np.array([[0.5, -0.5, 0.5, -0.5]])
    nudged = tie * np.array([1, 1 + 1e-15, 1 - 1e-15, 1 + 2e-15])
    for each in (nudged, -nudged):
        assert_allclose(fix_signs(each), tie)


def test_negative_eigenvalues_of_rounding_become_zero():
    decomposition = solve_covariance(np.diag([2.0, -1e-17, 1e-18]), 3)
    assert_array_equal(decomposition.variances, [2, 0, 0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("solve", "total"), [(solve_gram, 2 * 900), (solve_randomized, 7 * 1000), (solve_svd, 1000)]
)
def test_progress_runs_to_its_end_without_going_back(correlated, solve, total):
    samples = correlated(1000, 900)
    reports = []
    solve(samples, *centre(samples), 2, lambda done, whole: reports.append((done, whole)))
    done = [report[0] for report in reports]
    assert done == sorted(set(done))
    assert reports[-1] == (total, total)


def steep(rng, shape, deviations):
    """Make centred samples with singular values known to their last digits."""
    left, _ = np.linalg.qr(rng.standard_normal((shape[0], deviations.size)))
    left, _ = np.linalg.qr(left - left.mean(axis=0))
    right, _ = np.linalg.qr(rng.standard_normal((shape[1], deviations.size)))
    return (left * deviations) @ right.T


@pytest.mark.parametrize("options", [{}, {"solver": "svd"}])
@pytest.mark.parametrize("shape", [(300, 9), (10, 400)])
def test_variances_far_below_the_largest_are_those_of_an_svd(rng, shape, options):
    singular = 10.0 ** -np.arange(0, 13.5, 1.5)  # variances from 1 to 1e-24
    samples = steep(rng, shape, singular)
    model = PCA(9, **options).fit(samples)
    from sklearn import decomposition  # which takes a second to load

    theirs = decomposition.PCA(9, svd_solver="full").fit(samples)
    assert_allclose(model.singular_values_, singular, rtol=1e-2)
    assert_allclose(model.singular_values_, theirs.singular_values_, rtol=1e-2)
    assert_allclose(model.singular_values_[:6], theirs.singular_values_[:6], rtol=1e-6)
    assert_allclose(model.components_[:6], fix_signs(theirs.components_)[:6], atol=1e-6)
    assert (model.moments_ is None) == (shape[0] < shape[1] or options != {})


def test_a_solver_chosen_by_name_is_kept_where_variances_drown(rng):
    samples = steep(rng, (300, 9), 10.0 ** -np.arange(0, 13.5, 1.5))
    assert np.count_nonzero(PCA(solver="covariance").fit(samples).explained_variance_) == 5


def test_an_svd_in_chunks_is_that_of_the_whole(correlated, monkeypatch):
    samples = correlated(500, 6)
    whole = PCA(solver="svd").fit(samples)
    monkeypatch.setattr("pcaimage.pca._samples.CHUNK_ELEMENTS", 6 * 37)
    parts = PCA(solver="svd").fit(samples)
    assert_allclose(parts.explained_variance_, whole.explained_variance_, rtol=1e-12)
    assert_allclose(parts.components_, whole.components_, atol=1e-12)


@pytest.mark.parametrize("shape", [(300, 12), (12, 300)])
def test_data_of_low_rank_are_not_decomposed_twice(rng, shape, monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr("pcaimage.pca.solvers.solve_svd", never)
    low = rng.integers(0, 256, (shape[0], 3)) @ rng.integers(0, 3, (3, shape[1]))
    for samples in (low, low.astype(np.float32), low * 0.1):
        assert np.count_nonzero(PCA().fit(samples).explained_variance_) == 3
