"""PCA as an estimator by scikit-learn's rules, and compared with scikit-learn's own."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca import PCA, components_by_evidence, components_for_ratio, cumulative_shares, deflation
from pcaimage.pca.solvers import fix_signs

EXPECTED_FAILURES: dict[str, str] = {}
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
        if theirs.noise_variance_ > 0 and shape[0] > shape[1]:
            precision = theirs.get_precision() / np.outer(model.scale_, model.scale_)
            assert_allclose(model.get_precision(), precision, rtol=1e-7, atol=1e-9)
            expected = theirs.score_samples(plain) - np.log(model.scale_).sum()
            assert_allclose(model.score_samples(samples), expected, rtol=1e-8)
            assert_allclose(model.score(samples), expected.mean(), rtol=1e-8)

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
