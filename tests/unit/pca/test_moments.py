"""Moments: what adding parts gives, how exact they are, and how little memory they take."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pcaimage.errors import Cancelled, DataError
from pcaimage.pca import Moments


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
@settings(max_examples=60, deadline=None)
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
