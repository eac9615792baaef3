"""Every number of a worked example is that of the book, and of scikit-learn."""

import numpy as np
import pytest

from pcaimage.errors import SettingsError
from pcaimage.insight import numeric
from tests.unit.insight.numeric.tables import ARRESTS, TUTORIAL

STANDARDIZED = numeric.Convention(sigma=numeric.Sigma.N_MINUS_1)


def table(values, name="t"):
    array = np.array(values, float)
    return numeric.NumericTable(name, tuple(f"x{index}" for index in range(array.shape[1])), array)


def steps(text, **how):
    return numeric.take_apart(numeric.read_table(text.encode()), **how)


@pytest.fixture(scope="module")
def iris():
    from sklearn.datasets import load_iris  # scikit-learn takes a second to load

    return table(load_iris().data)


def test_the_tutorial_of_ten_points_is_followed_number_by_number():
    found = steps(TUTORIAL, k=1)
    assert found.prepared.mean == pytest.approx([1.81, 1.91])
    assert found.covariance == pytest.approx(
        np.array([[0.616555556, 0.615444444], [0.615444444, 0.716555556]]), abs=1e-9
    )
    assert found.variances == pytest.approx([1.28402771, 0.0490833989], abs=1e-8)
    # The tutorial shows the first component the other way round.
    assert found.components == pytest.approx(
        np.array([[0.677873399, 0.735178656], [0.735178656, -0.677873399]]), abs=1e-9
    )
    published = [-0.827970186, 1.77758033, -0.992197494, -0.274210416, -1.67580142, -0.912949103]
    published += [0.0991094375, 1.14457216, 0.438046137, 1.22382056]
    assert -found.scores[:, 0] == pytest.approx(np.array(published), abs=1e-8)
    assert found.scores[:2, 1] == pytest.approx([0.175115307, -0.142857227], abs=1e-8)
    assert found.reconstruction[0] == pytest.approx([2.37125896, 2.51870601], abs=1e-8)


def test_a_standardised_textbook_example_has_the_published_correlations_and_loadings():
    found = steps(ARRESTS, convention=STANDARDIZED)
    assert found.prepared.mean == pytest.approx([7.788, 170.76, 65.54, 21.232])
    assert found.prepared.deviations == pytest.approx([4.355510, 83.337661, 14.474763, 9.366385], abs=1e-6)
    assert np.sqrt(found.variances) == pytest.approx([1.5748783, 0.9948694, 0.5971291, 0.4164494], abs=1e-7)
    assert found.components[0] == pytest.approx([0.5358995, 0.5831836, 0.2781909, 0.5434321], abs=1e-7)
    assert np.abs(found.components[1]) == pytest.approx(
        [0.4181809, 0.1879856, 0.8728062, 0.1673186], abs=1e-7
    )
    assert found.shares == pytest.approx([0.6201, 0.2474, 0.0891, 0.0434], abs=5e-5)
    assert found.variances.sum() == pytest.approx(4)
    assert np.diagonal(found.prepared.matrix) == pytest.approx(np.ones(4))


@pytest.mark.slow
def test_the_reconstruction_is_in_the_units_of_the_table(iris):
    whole = numeric.take_apart(iris, convention=STANDARDIZED)
    assert whole.reconstruction == pytest.approx(iris.values)
    assert whole.rms_error == pytest.approx(0, abs=1e-12)
    errors = [numeric.take_apart(iris, convention=STANDARDIZED, k=k).rms_error for k in (1, 2, 3)]
    assert errors == sorted(errors, reverse=True)
    by_hand = numeric.take_apart(iris, k=2)
    lost = by_hand.squared_errors[1] * by_hand.prepared.divisor / iris.values.size
    assert by_hand.rms_error == pytest.approx(np.sqrt(lost))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"k": 5}, "has 4 components; k = 5"),
        ({"k": 0}, "has 4 components; k = 0"),
        ({"variance": 1.5}, "share of the variance"),
        ({"k": 1, "variance": 0.5}, "not both"),
    ],
)
def test_a_share_of_the_variance_says_how_many_components_are_kept(iris, how, message):
    kept = {0.5: 1, 0.95: 2, 0.99: 3, 1.0: 4}
    assert {share: numeric.take_apart(iris, variance=share).k for share in kept} == kept
    with pytest.raises(SettingsError, match=message):
        numeric.take_apart(iris, **how)


def test_deflation_ends_where_nothing_is_left():
    assert len(numeric.deflate(numeric.take_apart(table([[1, 2, 3], [2, 4, 6], [5, 10, 15]])))) == 1
    with pytest.raises(SettingsError, match="one at a time in tables of at most"):
        numeric.deflate(numeric.take_apart(table(np.zeros((25_001, 2)))))


def test_a_feature_that_never_varies_is_not_divided_and_if_none_does_there_are_no_shares():
    found = numeric.take_apart(table([[1, 0.1 + 0.2], [2, 0.3], [4, 0.3]]), convention=STANDARDIZED)
    assert found.prepared.deviations[1] == 0
    assert found.variances == pytest.approx([1, 0])
    assert found.reconstruction == pytest.approx(found.table.values)
    found = numeric.take_apart(table([[3, 4]] * 3), convention=STANDARDIZED)
    assert found.prepared.trace == found.rms_error == 0
    assert (found.shares.tolist(), found.cumulative.tolist()) == ([0, 0], [0, 0])


def test_more_features_than_samples_have_as_many_eigenvalues_as_features():
    found = numeric.take_apart(table(np.random.default_rng(0).normal(size=(3, 6))))
    assert len(found.variances) == 6
    assert (found.variances[2:] == 0).all()
    assert found.components @ found.components.T == pytest.approx(np.eye(6), abs=1e-12)


def test_small_variances_beside_large_ones_are_right():
    rng = np.random.default_rng(4)
    exact = [1e12, 7.3553e-4, 8.33e-8]
    scores = rng.standard_normal((40, 4))
    scores = np.linalg.qr(scores - scores.mean(axis=0))[0][:, :3] * np.sqrt(39 * np.array(exact))
    found = numeric.take_apart(table(scores[:, [1, 0, 2]]))
    assert found.variances == pytest.approx(np.array(exact), rel=1e-6)
    assert found.squared_errors[0] == pytest.approx(sum(exact[1:]), rel=1e-6)


@pytest.mark.parametrize("divisor", numeric.Divisor)
@pytest.mark.parametrize("centre", [True, False])
def test_deflation_follows_the_convention(divisor, *, centre):
    values = table(np.random.default_rng(1).normal(3, 1, size=(9, 3)))
    found = numeric.take_apart(values, convention=numeric.Convention(centre=centre, divisor=divisor))
    parts = numeric.deflate(found)
    assert [part.along for part in parts] == pytest.approx(found.variances)
    assert max(part.difference for part in parts) < 1e-6
    assert parts[-1].left == pytest.approx(0, abs=1e-9 * found.prepared.trace)
    assert found.scores_covariance == pytest.approx(np.diag(found.variances), abs=1e-9 * found.variances[0])
    assert found.kept_variances + found.squared_errors == pytest.approx(np.full(3, found.prepared.trace))


def test_components_of_equal_variance_are_known_to_be_arbitrary():
    square = numeric.take_apart(table([[1, 1, 0, 5], [1, -1, 0, 5], [-1, 1, 0, 5], [-1, -1, 0, 5]]))
    assert square.prepared.ties == (range(2), range(2, 4))
    assert max(part.difference for part in numeric.deflate(square)) < 1e-9
    assert numeric.take_apart(table([[1, 2, 3], [2, 1, 5], [0, 0, 1], [4, 4, 4]])).prepared.ties == ()
    # One component of no variance is settled by the others, up to its sign.
    assert numeric.take_apart(table([[1, 2], [2, 4], [3, 6]])).prepared.ties == ()
