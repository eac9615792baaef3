"""PCA: worked examples, identities, settings, and what happens at the edges."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pcaimage.errors import Cancelled, DataError, SettingsError
from pcaimage.pca import PCA, Moments
from tests.stop import stop

SOLVERS = ["covariance", "gram"]


class TestIdentities:
    @pytest.mark.parametrize("shape", [(50, 8), (8, 50)])
    def test_the_squared_error_at_every_k_is_the_discarded_variance(self, correlated, shape):
        samples = correlated(*shape)
        model = PCA().fit(samples)
        scores = model.transform(samples)
        for k in range(9):
            error = np.square(samples - model.inverse_transform(scores[:, :k])).sum()
            expected = model.explained_variance_[k:].sum() * (len(samples) - 1)
            assert_allclose(error, expected, rtol=1e-9, atol=1e-15 * np.square(samples).sum())

    def test_standardising_makes_units_irrelevant(self, correlated):
        samples = correlated(40, 4)
        metres, mixed = (PCA(standardize=True).fit(samples * units) for units in (1, [1, 1000, 0.01, 7]))
        assert_allclose(metres.explained_variance_, mixed.explained_variance_)
        assert_allclose(metres.components_, mixed.components_, atol=1e-9)
        assert_allclose(metres.total_variance_, 4 * 40 / 39)


class TestNumberOfComponents:
    def test_none_keeps_as_many_as_samples_or_features_and_numbers_of_numpy_count(self, correlated):
        assert PCA().fit(correlated(9, 4)).n_components_ == 4
        assert PCA().fit(correlated(4, 9)).n_components_ == 4
        assert PCA(np.int64(2)).fit(correlated(9, 4)).n_components_ == 2
        assert PCA(np.float32(0.5)).fit(correlated(9, 4)).n_components_ <= 4

    def test_shares_are_those_of_the_total_variance_when_few_are_kept(self, correlated):
        samples = correlated(60, 10)
        whole = PCA().fit(samples)
        for solver in ("covariance", "gram", "randomized"):
            few = PCA(2, solver=solver).fit(samples)
            assert_allclose(few.explained_variance_ratio_, whole.explained_variance_ratio_[:2], rtol=1e-9)

    @pytest.mark.parametrize("wrong", [0, -1, 6, 1.0, 2.5, -0.1, 0.0, np.nan, "all", True, [2]])
    def test_what_is_neither_count_nor_share_is_refused(self, correlated, wrong):
        with pytest.raises(SettingsError, match="n_components must be an integer from 1 to 5"):
            PCA(wrong).fit(correlated(9, 5))

    def test_the_constructor_only_stores(self):
        model = PCA("nonsense", standardize=True, solver="none")
        assert (model.n_components, model.standardize, model.solver) == ("nonsense", True, "none")

    @pytest.mark.parametrize(
        ("n_components", "solver", "complaint"),
        [
            (None, "arpack", "no solver 'arpack'"),
            (None, "randomized", "how many components"),
            (0.9, "randomized", "how many components"),
        ],
    )
    def test_a_solver_must_be_known_and_the_randomized_one_needs_a_count(
        self, correlated, n_components, solver, complaint
    ):
        with pytest.raises(SettingsError, match=complaint):
            PCA(n_components, solver=solver).fit(correlated(5, 3))


class TestPrecision:
    def test_scores_in_float32_are_those_of_float64_rounded(self, correlated):
        samples = (correlated(300, 12) / 10 + 1e4).astype(np.float32)
        model = PCA().fit(samples)
        single, double = model.transform(samples, dtype=np.float32), model.transform(samples)
        assert single.dtype == np.float32
        assert double.dtype == np.float64
        assert_allclose(single, double, atol=1e-5 * np.abs(double).max())
        back = model.inverse_transform(single, dtype=np.float32)
        assert back.dtype == np.float32
        assert_allclose(back, samples, rtol=1e-6)

    def test_other_types_of_scores_are_refused(self, correlated):
        samples = correlated(5, 3)
        model = PCA().fit(samples)
        with pytest.raises(SettingsError, match="not in int16"):
            model.transform(samples, dtype=np.int16)
        with pytest.raises(SettingsError, match="not in float16"):
            model.inverse_transform(samples, dtype=np.float16)

    @pytest.mark.slow
    def test_many_samples_are_transformed_in_chunks_as_they_are_at_once(self, rng):
        samples = rng.integers(0, 256, (30_000, 64), dtype=np.uint8)
        model = PCA(3).fit(samples)
        reports = []
        scores = model.transform(samples, progress=lambda done, total: reports.append((done, total)))
        assert len(reports) > 1
        assert reports[-1] == (30_000, 30_000)
        assert_allclose(scores, (samples - model.mean_) @ model.components_.T, atol=1e-9)
        again = model.inverse_transform(scores, progress=lambda *report: reports.append(report))
        assert_allclose(again, scores @ model.components_ + model.mean_, atol=1e-9)


class TestParts:
    def test_parts_fitted_one_after_another_give_the_model_of_the_whole(self, correlated):
        samples = correlated(90, 6)
        whole, parts = PCA(3).fit(samples), PCA(3)
        for batch in np.split(samples, [2, 30, 31]):
            parts.partial_fit(batch)
        assert parts.n_samples_ == 90
        assert_allclose(parts.mean_, whole.mean_)
        assert_allclose(parts.components_, whole.components_, atol=1e-10)
        assert_allclose(parts.explained_variance_, whole.explained_variance_)

    def test_parts_continue_what_fit_began_and_fit_forgets_them(self, correlated):
        samples = correlated(50, 4)
        model = PCA().fit(samples[:20]).partial_fit(samples[20:])
        assert model.n_samples_ == 50
        assert_allclose(model.components_, PCA().fit(samples).components_, atol=1e-10)
        assert model.fit(samples[:20]).n_samples_ == 20

    def test_a_first_part_smaller_than_n_components_is_enough(self, correlated):
        samples = correlated(20, 6)
        model = PCA(5).partial_fit(samples[:2])
        assert np.count_nonzero(model.explained_variance_) == 1
        model.partial_fit(samples[2:])
        assert_allclose(model.explained_variance_, PCA(5).fit(samples).explained_variance_)

    def test_standardising_in_parts_uses_the_deviations_of_all(self, correlated):
        samples = correlated(40, 3)
        model = PCA(standardize=True).partial_fit(samples[:9]).partial_fit(samples[9:])
        assert_allclose(model.scale_, samples.std(axis=0))

    def test_samples_of_other_features_or_where_no_scatter_was_kept_cannot_be_added(self, correlated):
        model = PCA().partial_fit(correlated(9, 4))
        with pytest.raises(DataError, match="X has 5 features, but PCA is expecting 4 features"):
            model.partial_fit(correlated(9, 5))
        assert model.partial_fit(np.empty((0, 4))).n_samples_ == 9
        model = PCA(solver="gram").fit(correlated(5, 20))
        with pytest.raises(SettingsError, match="without a scatter matrix"):
            model.partial_fit(correlated(5, 20))


class TestEdges:
    @pytest.mark.parametrize("solver", ["auto", "covariance", "gram"])
    @pytest.mark.parametrize("options", [{}, {"standardize": True}])
    def test_one_sample_is_the_mean_and_nothing_varies(self, solver, options):
        model = PCA(solver=solver, **options).fit([[3, 1, 2]])
        assert_array_equal(model.mean_, [3, 1, 2])
        assert_array_equal(model.explained_variance_, [0])
        assert_array_equal(model.explained_variance_ratio_, [0])
        assert_array_equal(model.scale_, [1, 1, 1])
        assert_allclose(np.linalg.norm(model.components_), 1)
        assert_allclose(model.inverse_transform(model.transform([[3, 1, 2]])), [[3, 1, 2]])

    @pytest.mark.parametrize("solver", SOLVERS)
    @pytest.mark.parametrize("n_components", [None, 2, 0.9])
    def test_samples_that_are_all_the_same_come_back(self, solver, n_components):
        samples = np.full((6, 4), 0.1)
        model = PCA(n_components, solver=solver, standardize=True)
        assert_allclose(model.inverse_transform(model.fit_transform(samples)), samples)
        assert model.total_variance_ == 0

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_a_constant_feature_is_not_divided_by_zero(self, correlated, solver):
        samples = correlated(30, 4)
        samples[:, 2] = 0.1
        model = PCA(standardize=True, solver=solver).fit(samples)
        assert model.scale_[2] == 1
        assert_allclose(model.components_[:3, 2], 0, atol=1e-12)
        assert_allclose(model.explained_variance_.sum(), 3 * 30 / 29)
        assert_allclose(model.inverse_transform(model.transform(samples)), samples)

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_a_feature_that_varies_by_rounding_only_is_constant(self, correlated, solver):
        samples = correlated(30, 3)
        samples[:, 0] = np.where(np.arange(30) % 2, 0.3, 0.1 + 0.2)
        assert PCA(standardize=True, solver=solver).fit(samples).scale_[0] == 1

    def test_no_scores_at_all_give_the_mean_and_no_samples_have_no_scores(self, correlated):
        model = PCA(2).fit(correlated(9, 4))
        assert_array_equal(model.inverse_transform(np.empty((2, 0))), [model.mean_, model.mean_])
        assert model.transform(np.empty((0, 4))).shape == (0, 2)
        assert model.inverse_transform(np.empty((0, 2))).shape == (0, 4)

    @pytest.mark.parametrize("solver", ["auto", *SOLVERS])
    def test_no_samples_cannot_be_fitted(self, solver):
        with pytest.raises(DataError, match="at least one sample"):
            PCA(solver=solver).fit(np.empty((0, 4)))
        with pytest.raises(DataError, match="at least one sample"):
            PCA().fit_moments(Moments.empty(3))
        with pytest.raises(DataError, match="at least one sample"):
            PCA().partial_fit(np.empty((0, 4)))

    @pytest.mark.parametrize("solver", ["covariance", "gram", "randomized"])
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_numbers_that_are_not_finite_are_refused_and_have_no_scores(self, correlated, solver, value):
        samples = correlated(9, 4)
        samples[5, 2] = value
        with pytest.raises(DataError, match=f"{value}: sample 5, feature 2"):
            PCA(2, solver=solver).fit(samples)
        model = PCA(2, solver=solver).fit(correlated(9, 4))
        with pytest.raises(DataError, match=f"{value}: sample 5, feature 2"):
            model.transform(samples)

    @pytest.mark.parametrize(
        ("samples", "complaint"),
        [
            ([1, 2, 3], r"shape \(3,\)\. Reshape your data"),
            (np.zeros((2, 2, 2)), "matrix"),
            (5, "matrix"),
            (np.zeros((3, 0)), "no features"),
            ([[1, 2], [3]], "not a matrix"),
            ([[1j, 2]], "complex128"),
            ([["a", "b"]], "real numbers"),
            (np.array([[1, None]], object), "NaN"),
            (np.array([["2024-01-01"]], "datetime64[D]"), "datetime64"),
        ],
    )
    def test_what_is_no_matrix_of_real_numbers_is_refused(self, samples, complaint):
        for method in (PCA().fit, PCA().partial_fit, PCA().fit_transform, Moments.of):
            with pytest.raises(DataError, match=complaint):
                method(samples)

    @pytest.mark.parametrize("method", ["transform", "inverse_transform"])
    def test_nothing_can_be_transformed_before_fitting(self, method):
        with pytest.raises(SettingsError, match="not fitted"):
            getattr(PCA(), method)([[1.0, 2.0]])

    def test_samples_of_other_features_and_more_scores_than_components_are_refused(self, correlated):
        model = PCA(2).fit(correlated(9, 4))
        with pytest.raises(DataError, match="X has 5 features, but PCA is expecting 4 features"):
            model.transform(correlated(9, 5))
        with pytest.raises(DataError, match="3 columns, but there are 2 components"):
            model.inverse_transform(np.ones((1, 3)))
        with pytest.raises(DataError, match="matrix"):
            model.inverse_transform([1.0, 2.0])

    def test_a_failed_fit_leaves_the_model_as_it_was(self, correlated):
        samples = correlated(9, 4)
        model = PCA().fit(samples)
        before = model.transform(samples)
        with pytest.raises(DataError):
            model.fit(samples * np.nan)
        assert_array_equal(model.transform(samples), before)

    @pytest.mark.slow
    @pytest.mark.parametrize("solver", ["covariance", "gram", "randomized"])
    def test_fitting_reports_progress_to_the_end_and_can_be_stopped(self, correlated, solver):
        samples = correlated(1000, 900)
        model, reports = PCA(2, solver=solver), []
        model.fit(samples, progress=lambda done, total: reports.append(done / total))
        assert reports == sorted(reports)
        assert reports[-1] == 1

        with pytest.raises(Cancelled):
            PCA(2, solver=solver).fit(samples, progress=stop)

    def test_fitting_and_transforming_report_one_progress(self, correlated):
        reports = []
        PCA(2).fit_transform(correlated(90, 4), progress=lambda done, total: reports.append(done / total))
        assert reports == sorted(reports)
        assert reports[-1] == 1

    def test_samples_are_never_changed(self, correlated):
        samples = correlated(9, 4)
        samples.flags.writeable = False
        for solver in ("covariance", "gram", "randomized"):
            model = PCA(2, solver=solver, standardize=True)
            scores = model.fit_transform(samples)
            scores.flags.writeable = False
            model.inverse_transform(scores)

    def test_models_can_be_fitted_in_threads_that_turn_warnings_into_errors(self, correlated):
        with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
            warnings.simplefilter("error")
            PCA(standardize=True).fit_transform(correlated(9, 4))
