"""PCA as an estimator by scikit-learn's rules, and compared with scikit-learn's own."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca import PCA, components_by_evidence
from pcaimage.pca.solvers import fix_signs

EXPECTED_FAILURES = {
    "check_dtype_object": "arrays of objects are refused by a DataError, like all that is not numbers",
}
SHAPES = {"tall": (90, 7), "wide": (7, 90), "square": (12, 12)}


def sklearn_pca(*args, **options):
    from sklearn import decomposition  # which takes a second to load

    return decomposition.PCA(*args, svd_solver="full", **options)


@pytest.mark.filterwarnings("ignore:Estimator PCA does not inherit from `sklearn.base.BaseEstimator`")
@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({}, {}),
        ({"whiten": True, "standardize": True}, {}),
        ({"solver": "svd"}, {"check_fit_score_takes_y": "partial_fit cannot go on without a scatter matrix"}),
    ],
    ids=["default", "whiten", "svd"],
)
@pytest.mark.slow
def test_the_checks_of_scikit_learn_pass_but_for_those_expected(options, more):
    from sklearn.utils.estimator_checks import check_estimator

    expected = EXPECTED_FAILURES | more
    results = check_estimator(PCA(**options), expected_failed_checks=expected, on_skip=None)
    failed = {result["check_name"] for result in results if result["status"] in {"failed", "xfail"}}
    assert failed == set(expected)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("n_components", [None, 3, 0.8])
class TestEveryAttributeIsThatOfScikitLearn:
    def fitted(self, make, shape, dtype, n_components, **options):
        samples = (make(*shape) * 2 + 100).astype(dtype)
        plain = samples.astype(np.float64)
        if options["standardize"]:
            deviation = plain.std(axis=0)
            plain = plain / np.where(deviation > 0, deviation, 1)
        model = PCA(n_components, **options).fit(samples)
        theirs = sklearn_pca(n_components, whiten=options.get("whiten", False)).fit(plain)
        return samples, plain, model, theirs

    @pytest.mark.sweep(6)
    def test_spectrum(self, correlated, shape, dtype, n_components, *, standardize):
        _, _, model, theirs = self.fitted(correlated, shape, dtype, n_components, standardize=standardize)
        assert model.n_components_ == theirs.n_components_
        assert model.n_features_in_ == theirs.n_features_in_
        assert model.n_samples_ == theirs.n_samples_
        assert_allclose(model.explained_variance_, theirs.explained_variance_, rtol=1e-9, atol=1e-11)
        assert_allclose(model.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-11)
        assert_allclose(model.singular_values_, theirs.singular_values_, rtol=1e-9, atol=1e-9)
        assert_allclose(model.noise_variance_, theirs.noise_variance_, rtol=1e-9, atol=1e-11)
        assert_allclose(model.mean_ / model.scale_, theirs.mean_, rtol=1e-11)
        assert_array_equal(model.get_feature_names_out(), theirs.get_feature_names_out())

    @pytest.mark.sweep(6)
    def test_components_scores_and_covariance(self, correlated, shape, dtype, n_components, *, standardize):
        samples, plain, model, theirs = self.fitted(
            correlated, shape, dtype, n_components, standardize=standardize
        )
        sure = model.explained_variance_ > 0
        signs = np.sign((model.components_ * theirs.components_).sum(axis=1))[sure]
        assert_allclose(model.components_[sure], fix_signs(theirs.components_)[sure], atol=1e-7)
        assert_allclose(
            model.transform(samples)[:, sure], theirs.transform(plain)[:, sure] * signs, atol=1e-6
        )
        covariance = theirs.get_covariance() * np.outer(model.scale_, model.scale_)
        assert_allclose(model.get_covariance(), covariance, rtol=1e-8, atol=1e-9)

    @pytest.mark.sweep(6)
    def test_whitened_scores(self, correlated, shape, dtype, n_components, *, standardize):
        samples, plain, model, theirs = self.fitted(
            correlated, shape, dtype, n_components, standardize=standardize, whiten=True
        )
        sure = model.explained_variance_ > 0
        scores, expected = model.transform(samples)[:, sure], theirs.transform(plain)[:, sure]
        signs = np.sign((model.components_ * theirs.components_).sum(axis=1))[sure]
        assert_allclose(scores, expected * signs, atol=1e-6)
        assert_allclose(np.cov(scores, rowvar=False), np.eye(sure.sum()).squeeze(), atol=1e-9)
        restored = theirs.inverse_transform(theirs.transform(plain)) * model.scale_
        assert_allclose(model.inverse_transform(model.transform(samples)), restored, rtol=1e-9)


@pytest.mark.parametrize("solver", ["auto", "covariance", "gram", "randomized", "svd"])
@pytest.mark.parametrize("shape", [(60, 12), (12, 60)])
@pytest.mark.sweep(4)
def test_data_of_low_rank_have_the_attributes_of_scikit_learn(rng, solver, shape):
    samples = rng.standard_normal((shape[0], 3)) @ rng.standard_normal((3, shape[1]))
    model, theirs = PCA(6, solver=solver).fit(samples), sklearn_pca(6).fit(samples)
    assert np.count_nonzero(model.explained_variance_) == 3
    assert_allclose(model.explained_variance_, theirs.explained_variance_, rtol=1e-9, atol=1e-20)
    assert_allclose(model.noise_variance_, theirs.noise_variance_, atol=1e-13)
    assert_allclose(model.get_covariance(), np.cov(samples, rowvar=False), atol=1e-12)
    white = PCA(6, solver=solver, whiten=True).fit_transform(samples)
    assert_allclose(white[:, 3:], 0, atol=1e-12)


@pytest.mark.parametrize("solver", ["covariance", "gram", "randomized", "svd"])
def test_the_noise_is_the_mean_of_the_variances_that_are_left(correlated, solver):
    samples = correlated(50, 10, 3.0)
    spectrum = sklearn_pca().fit(samples).explained_variance_
    assert_allclose(PCA(4, solver=solver).fit(samples).noise_variance_, spectrum[4:].mean(), rtol=1e-6)


class TestTheNumberOfGreatestEvidence:
    @pytest.mark.parametrize("rank", [1, 4, 8])
    @pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
    def test_is_that_of_scikit_learn(self, rng, rank, scale):
        signal = rng.standard_normal((300, rank)) @ rng.standard_normal((rank, 10))
        samples = scale * (signal + 0.05 * rng.standard_normal((300, 10)))
        model = PCA("mle").fit(samples)
        theirs = sklearn_pca("mle").fit(samples)
        assert model.n_components_ == theirs.n_components_ == rank
        assert_allclose(model.noise_variance_, theirs.noise_variance_, rtol=1e-9)
        assert PCA("mle").fit_moments(PCA().fit(samples).moments_).n_components_ == rank

    @pytest.mark.parametrize(
        ("spectrum", "k"), [([3.0], 1), ([0.0, 0.0, 0.0], 1), ([5.0, 2.0, 0.0, 0.0], 2), ([1.0, 0.0], 1)]
    )
    def test_is_one_at_least_and_never_counts_what_does_not_vary(self, spectrum, k):
        assert components_by_evidence(spectrum, 50) == k
        assert 1 <= components_by_evidence([2.0, 2.0, 1.0, 1.0], 50) <= 3

    @pytest.mark.parametrize("solver", ["auto", "covariance", "gram", "svd"])
    def test_needs_as_many_samples_as_features(self, correlated, solver):
        with pytest.raises(SettingsError, match="6 samples of 9 features"):
            PCA("mle", solver=solver).fit(correlated(6, 9))
        with pytest.raises(SettingsError, match="6 samples of 9 features"):
            components_by_evidence(np.ones(9), 6)
        with pytest.raises(SettingsError, match="how many components"):
            PCA("mle", solver="randomized").fit(correlated(9, 4))


class TestAsAStep:
    @pytest.mark.slow
    def test_it_works_in_pipelines_and_grid_searches(self, correlated):
        from sklearn.linear_model import Ridge
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        samples = correlated(60, 6)
        target = samples @ np.arange(6.0)
        reports = []
        pipeline = make_pipeline(StandardScaler(), PCA(), Ridge())
        pipeline.fit(samples, target, pca__progress=lambda done, total: reports.append(done / total))
        assert reports[-1] == 1
        assert list(pipeline[:-1].get_feature_names_out()) == [f"pca{index}" for index in range(6)]
        assert "PCA" in pipeline._repr_html_()
        search = GridSearchCV(pipeline, {"pca__n_components": [1, 3, 6]}).fit(samples, target)
        assert search.best_params_ == {"pca__n_components": 6}

    def test_a_fitted_one_is_known_as_fitted(self, correlated):
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted

        with pytest.raises(NotFittedError):
            check_is_fitted(PCA())
        check_is_fitted(PCA().fit(correlated(9, 4)))

    def test_targets_are_ignored(self, correlated):
        samples = correlated(9, 4)
        for method in ("fit", "partial_fit"):
            model = getattr(PCA(), method)(samples, np.arange(9))
            assert_array_equal(model.components_, getattr(PCA(), method)(samples).components_)
        assert_array_equal(PCA().fit_transform(samples, "any"), PCA().fit_transform(X=samples))


class TestParameters:
    def test_an_unknown_one_is_refused_and_none_is_changed(self):
        model = PCA()
        with pytest.raises(SettingsError, match="no parameter 'k'; it has n_components, whiten"):
            model.set_params(whiten=True, k=3)
        assert not model.whiten

    @pytest.mark.parametrize(
        ("model", "text"),
        [
            (PCA(), "PCA()"),
            (PCA(3, whiten=True), "PCA(n_components=3, whiten=True)"),
            (
                PCA("mle", standardize=True, solver="svd"),
                "PCA(n_components='mle', standardize=True, solver='svd')",
            ),
        ],
    )
    def test_they_are_shown_in_one_line(self, model, text):
        assert repr(model) == text


def test_before_fitting_there_are_no_attributes_and_nothing_can_be_told():
    names = ("components_", "singular_values_", "noise_variance_", "n_features_in_", "mean_")
    assert not any(hasattr(PCA(), name) for name in names)
    for method in (PCA().get_covariance, PCA().get_feature_names_out):
        with pytest.raises(SettingsError, match="not fitted"):
            method()


def test_names_of_features_must_be_as_many_as_these(correlated):
    model = PCA(2).fit(correlated(9, 4))
    assert list(model.get_feature_names_out(["a", "b", "c", "d"])) == ["pca0", "pca1"]
    with pytest.raises(SettingsError, match="input_features should have length equal"):
        model.get_feature_names_out(["a", "b"])


def test_sparse_samples_are_refused():
    from scipy.sparse import csr_array

    with pytest.raises(DataError, match="sparse; convert them with toarray"):
        PCA().fit(csr_array(np.eye(3)))


@pytest.mark.slow
def test_scikit_learn_is_not_imported():
    code = "import sys, pcaimage; pcaimage.PCA(1).fit([[1, 2], [3, 5]]); print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
