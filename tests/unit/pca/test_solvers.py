"""Solvers: they agree with each other and with scikit-learn, and cost what they should."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pcaimage.errors import Cancelled, DataError
from pcaimage.pca import PCA, Moments, choose_solver
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


def exact_scatter_of_integers(samples):
    """Scatter without any rounding but the last, from Python's unbounded integers."""
    rows = samples.astype(object)
    n = len(rows)
    sums = rows.sum(axis=0)
    return ((n * (rows.T @ rows) - np.outer(sums, sums)) / n).astype(float)


def random_bytes(rng, shape):
    return rng.integers(0, 256, shape, dtype=np.uint8)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int32", "float16", "float32", "float64"])
@pytest.mark.parametrize("n_features", [1, 3, 9])
@pytest.mark.sweep(7)
def test_mean_and_covariance_are_those_of_numpy(rng, dtype, n_features):
    samples = (rng.standard_normal((3000, n_features)) * 30 + 60).astype(dtype)
    moments = Moments.of(samples)
    assert moments.count == 3000
    assert moments.n_features == n_features
    assert_allclose(moments.mean, samples.mean(axis=0, dtype=float), rtol=1e-13)
    expected = np.atleast_2d(np.cov(samples.astype(float), rowvar=False))
    assert_allclose(moments.covariance(), expected, rtol=1e-11, atol=1e-11)


def test_eight_bit_scatter_is_exact_in_any_order_and_booleans_count_as_zero_and_one(rng):
    for extreme in ([0], [255], [0, 255]):
        samples = rng.choice(np.array(extreme, np.uint8), (2500, 8))
        exact = exact_scatter_of_integers(samples)
        assert_allclose(Moments.of(samples).scatter, exact, rtol=1e-14, atol=1e-9)
    whole = random_bytes(rng, (400, 24))
    for order in "CF":
        view = np.asarray(whole, order=order)[::2, ::2]
        assert_array_equal(Moments.of(view).scatter, Moments.of(view.copy()).scatter)
    some = rng.random((50, 9)) < 0.3
    assert_allclose(Moments.of(some).scatter, Moments.of(some.astype(float)).scatter, atol=1e-13)


@pytest.mark.slow
def test_sums_do_not_lose_digits_over_many_groups(rng):
    samples = random_bytes(rng, (150_000, 8))
    moments = Moments.of(samples)
    assert_allclose(moments.scatter, exact_scatter_of_integers(samples), rtol=1e-12, atol=1e-5)
    assert_allclose(moments.mean, samples.sum(axis=0, dtype=np.int64) / 150_000, rtol=1e-14)


@pytest.mark.slow
@given(
    cuts=st.lists(st.integers(0, 60), max_size=6),
    seed=st.integers(0, 2**32 - 1),
    offset=st.sampled_from([0.0, 1e4, -1e6]),
)
@settings(max_examples=60)
def test_any_split_into_parts_adds_up_to_the_whole(cuts, seed, offset):
    samples = np.random.default_rng(seed).standard_normal((60, 4)) + offset
    parts = np.split(samples, sorted(cuts))
    total = sum((Moments.of(part) for part in parts), Moments.empty(4))
    whole = Moments.of(samples)
    assert total.count == whole.count
    assert_allclose(total.mean, whole.mean, rtol=1e-13, atol=1e-13)
    assert_allclose(total.scatter, whole.scatter, rtol=1e-8, atol=1e-8)


def test_adding_is_commutative_up_to_rounding_and_symmetric_and_nothing_is_neutral(rng):
    first, second = Moments.of(rng.random((70_000, 3))), Moments.of(rng.random((5, 3)) + 2)
    both, nothing = first + second, Moments.empty(3)
    assert_allclose(both.scatter, (second + first).scatter, rtol=1e-13)
    assert_array_equal(both.scatter, both.scatter.T)
    assert first + nothing is first
    assert nothing + first is first
    assert (nothing + nothing).count == 0
    with pytest.raises(DataError, match="2 and of 3 features"):
        Moments.empty(2) + nothing
    with pytest.raises(TypeError):
        nothing + 1


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_a_constant_feature_has_exactly_no_scatter(rng, dtype):
    samples = (rng.random((70_001, 9)) * 100).astype(dtype)
    samples[:, 4] = np.asarray(99.7).astype(dtype)
    moments = Moments.of(samples)
    assert not moments.scatter[4].any()
    assert not moments.scatter[:, 4].any()
    assert moments.mean[4] == samples[0, 4]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("mean", [0.0, 1e4, -1e4])
def test_float32_data_gives_the_moments_of_the_same_numbers_in_float64(rng, mean):
    samples = (mean + rng.uniform(-1, 1, (100_000, 6)) @ rng.uniform(-1, 1, (6, 6))).astype(np.float32)
    exact = np.cov(samples.astype(np.longdouble) - np.longdouble(mean), rowvar=False)
    assert_allclose(Moments.of(samples).covariance(), exact, rtol=1e-5, atol=1e-5 * np.abs(exact).max() / 100)


def test_a_first_sample_far_from_all_others_costs_no_accuracy(rng):
    samples = rng.standard_normal((5000, 2))
    samples[0] = 1e6
    assert_allclose(Moments.of(samples).covariance(), np.cov(samples, rowvar=False), rtol=1e-10)


def test_a_large_matrix_is_not_converted_as_a_whole(rng):
    samples = random_bytes(rng, (200_000, 48))
    tracemalloc.start()
    Moments.of(samples)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < samples.nbytes / 4


def test_one_sample_has_a_covariance_of_zero_and_none_has_none():
    moments = Moments.of([[3, 4]])
    assert_array_equal(moments.mean, [3, 4])
    assert_array_equal(moments.covariance(), np.zeros((2, 2)))
    with pytest.raises(DataError, match="no samples"):
        Moments.of(np.empty((0, 3))).covariance()


@pytest.mark.parametrize(
    ("count", "mean", "scatter"),
    [
        (-1, np.zeros(2), np.zeros((2, 2))),
        (1, np.zeros(2), np.zeros((3, 3))),
        (1, np.zeros((1, 2)), np.eye(2)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(count, mean, scatter):
    with pytest.raises(DataError, match="do not fit"):
        Moments(count, mean, scatter)


def test_moments_are_frozen_but_the_arrays_they_were_made_from_are_not():
    mean = np.zeros(2)
    moments = Moments(1, mean, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="read-only"):
        moments.mean[0] = 1
    with pytest.raises(AttributeError):
        moments.count = 2
    mean[0] = 1
    assert mean[0] == 1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 3, 70_000])
@pytest.mark.sweep(7)
def test_a_number_that_is_not_finite_is_named_with_its_place(value, dtype, row):
    samples = np.ones((70_001, 3), dtype)
    samples[row, 1] = value
    with pytest.raises(DataError, match=rf"{value}: sample {row}, feature 1 "):
        Moments.of(samples)


def test_numbers_whose_squares_overflow_and_too_many_features_are_refused():
    with pytest.raises(DataError, match="too large"):
        Moments.of([[1e200], [-1e200], [3e200]])
    with pytest.raises(DataError, match="20000 features are too many"):
        Moments.of(np.zeros((2, 20_000), np.uint8))


def test_progress_is_reported_in_samples_up_to_the_last_and_can_stop_the_work(rng):
    samples, reports = random_bytes(rng, (70_000, 16)), []

    def stop_later(done, _total):
        if done >= 2048:
            raise Cancelled

    Moments.of(samples, progress=lambda done, total: reports.append((done, total)))
    done = [report[0] for report in reports]
    assert done == sorted(set(done))
    assert reports[-1] == (70_000, 70_000)
    assert {total for _, total in reports} == {70_000}
    with pytest.raises(Cancelled):
        Moments.of(samples, progress=stop_later)
