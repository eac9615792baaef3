"""Every number that five texts about PCA print comes out under their conventions, and their errors do not.

The texts are "Linear Algebra in ML: PCA", "Principal Component Analysis" (an encoder and a decoder),
"Unveiling Dimensionality Reduction" (prices of tacos), "PCA under the hood", and notes titled "Principle
Component Analysis".
"""

import math

import numpy as np
import pytest

from pcaimage.insight.lab import TEXTS, LabData, LabState, built_in, pasted
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import angle_between
from pcaimage.insight.lab.by_hand import characteristic, reduced, whole_numbers
from pcaimage.insight.lab.figures import matrix, spectrum
from pcaimage.insight.lab.live import differences
from pcaimage.insight.numeric import Convention, Divisor, Sigma
from pcaimage.pca import components_for_ratio

BY_KEY = {text.key: text for text in TEXTS}
TABLES = {"linear-algebra": "five-features", "tacos": "three-prices", "notes": "two-units"}
"""The built-in tables that they work through."""

LATEX = r"""
\mathbf{X} = \begin{bmatrix}
2.3 & 2.6 & 1.5 & 3.1 \\
4.9 & 5.3 & 3.2 & 6.3 \\
5.1 & 5.2 & 4.9 & 5.3 \\
8.2 & 6.3 & 7.4 & 6.8 \\
4.4 & 3.1 & 3.6 & 3.5 \\
\end{bmatrix}
"""


def followed(key):
    """Return the state in which a text's table is taken apart by its convention."""
    return LabState.of(built_in(TABLES[key]), BY_KEY[key].convention)


def digits(printed, places=3):
    """Expect numbers that were rounded to so many decimals."""
    return pytest.approx(np.array(printed, float), abs=0.501 * 10.0**-places)


class TestLinearAlgebra:
    """The table of five features and four samples, samples in columns, sums not divided."""

    def test_the_matrix_is_read_as_it_is_printed(self):
        found = pasted(LATEX, in_columns=True)
        assert found.samples.tolist() == built_in("five-features").samples.tolist()
        assert found.samples.T.tolist()[0] == [2.3, 2.6, 1.5, 3.1]

    def test_centred_samples(self):
        wanted = [
            [-0.075, 0.225, -0.875, 0.725],
            [-0.025, 0.375, -1.725, 1.375],
            [-0.025, 0.075, -0.225, 0.175],
            [1.025, -0.875, 0.225, -0.375],
            [0.75, -0.55, -0.05, -0.15],
        ]
        assert pytest.approx(np.array(wanted), abs=1e-12) == followed("linear-algebra").prepared.samples.T

    def test_the_undivided_matrix(self):
        wanted = [
            [1.347, 2.592, 0.343, -0.742, -0.245],
            [2.592, 5.008, 0.658, -1.257, -0.345],
            [0.343, 0.658, 0.088, -0.207, -0.075],
            [-0.742, -1.257, -0.207, 2.007, 1.295],
            [-0.245, -0.345, -0.075, 1.295, 0.89],
        ]
        state = followed("linear-algebra")
        assert state.prepared.matrix == digits(wanted)
        divided = LabState.of(state.data)
        assert matrix(divided, kind="scatter").values == digits(wanted)

    def test_eigenvalues_from_the_smallest_on(self):
        state = followed("linear-algebra")
        found = state.prepared.pca.variances
        assert found[::-1] == digits([0, 0, 0.002, 2.351, 6.986])
        # The text's -4e-7 and -2.7e-7 are rounding in single precision: four centred samples have rank 3.
        assert found[3:].tolist() == [0, 0]
        assert spectrum(state).ties == (range(3, 5),)

    def test_eigenvectors_up_to_their_signs(self):
        wanted = [
            [-0.434, -0.827, -0.111, 0.313, 0.132],
            [0.116, 0.311, 0.02, 0.75, 0.571],
            [0.324, -0.053, -0.227, 0.541, -0.74],
        ]
        found = followed("linear-algebra").prepared.pca.components
        for component, printed in zip(found, wanted, strict=False):
            assert np.sign(component @ printed) * component == digits(printed)
        # The two of no variance are arbitrary: the text's lie in the same space, and others would do as well.
        space = found[3:]
        for printed in ([-0.833, 0.455, -0.042, 0.15, -0.274], [0.012, 0.094, -0.966, -0.154, 0.183]):
            assert printed @ space.T @ space == digits(printed)

    def test_scores_and_their_covariance(self):
        state = go.with_k(go.finished(followed("linear-algebra")), 3)
        printed = [
            [0.475, -0.762, 1.895, -1.608],
            [1.181, -0.826, -0.503, 0.148],
            [-0.018, -0.031, 0.018, 0.03],
        ]
        for axis, wanted in enumerate(printed):
            scores = state.scores[:, axis]
            assert np.sign(scores @ wanted) * scores == digits(wanted)
        assert state.basis.matrix[:3, :3] == digits(np.diag([6.986, 2.351, 0.002]))
        assert state.scores[:, :3].T @ state.scores[:, :3] == digits(np.diag([6.986, 2.351, 0.002]))

    @pytest.mark.parametrize(
        ("k", "wanted"),
        [
            (
                2,
                [
                    [2.306, 2.61, 1.494, 3.09],
                    [4.899, 5.298, 3.201, 6.302],
                    [5.096, 5.193, 4.904, 5.307],
                    [8.21, 6.317, 7.39, 6.784],
                    [4.387, 3.077, 3.613, 3.522],
                ],
            ),
            (
                1,
                [
                    [2.169, 2.706, 1.553, 3.073],
                    [4.532, 5.556, 3.357, 6.255],
                    [5.072, 5.21, 4.914, 5.304],
                    [7.324, 6.937, 7.767, 6.672],
                    [3.713, 3.549, 3.9, 3.438],
                ],
            ),
        ],
    )
    def test_reconstructions(self, k, wanted):
        state = go.with_k(go.finished(followed("linear-algebra")), k)
        assert digits(wanted) == state.reconstruction.T

    def test_two_components_keep_95_and_99_percent(self):
        variances = followed("linear-algebra").prepared.pca.variances
        assert [components_for_ratio(variances, share) for share in (0.95, 0.99)] == [2, 2]

    def test_the_feature_that_is_called_independent_is_not(self):
        correlation = followed("linear-algebra").prepared.correlation
        assert correlation[2, [0, 1]] == digits([0.997, 0.993])


class TestEncoder:
    """Encoding and decoding; nothing is centred, and the matrix is XᵀX."""

    def test_without_centring_the_prices_have_these_eigenvalues(self):
        state = LabState.of(built_in("three-prices"), BY_KEY["encoder"].convention)
        assert state.prepared.pca.variances == digits([283.859, 1.141, 0])
        assert state.prepared.matrix == pytest.approx(state.data.samples.T @ state.data.samples)


class TestTacos:
    """Three prices in three years: deviations with the divisor n, covariances with n − 1."""

    def test_mean_and_deviation(self):
        prepared = followed("tacos").prepared
        assert prepared.mean == pytest.approx([4, 5, 6])
        assert prepared.deviations == digits([2.449] * 3)
        assert prepared.deviations**2 == pytest.approx([22 - 16, 31 - 25, 42 - 36])

    def test_standardised_prices(self):
        # The text cuts 1.2247 to 1.224, and has 3 − 6 for 9 − 6 in the last cell.
        column = np.array([-1.2247, 0, 1.2247])
        assert followed("tacos").prepared.samples == digits(np.stack([column] * 3, 1), 4)

    def test_the_covariance_is_one_and_a_half_everywhere(self):
        state = followed("tacos")
        assert state.prepared.matrix == pytest.approx(np.full((3, 3), 1.5))
        # With one divisor throughout it would be the correlation.
        assert LabState.of(state.data, Convention(sigma=Sigma.N, divisor=Divisor.N)).prepared.matrix == (
            pytest.approx(np.ones((3, 3)))
        )

    def test_the_characteristic_polynomial_and_its_roots(self):
        state = followed("tacos")
        assert characteristic(state.prepared.matrix) == pytest.approx([1, -4.5, 0, 0], abs=1e-12)
        assert state.prepared.pca.variances == pytest.approx([4.5, 0, 0])

    def test_eigenvectors_by_elimination(self):
        matrix_of = followed("tacos").prepared.matrix
        first, others = reduced(matrix_of, 4.5), reduced(matrix_of, 0.0)
        assert first.stages[0] == pytest.approx(np.full((3, 3), 1.5) - 4.5 * np.eye(3))
        assert first.solutions == pytest.approx(np.array([[1.0, 1, 1]]))
        # The text prints the matrix of λ = 4.5 here once more; it is that of λ = 0.
        assert others.stages[0] == pytest.approx(np.full((3, 3), 1.5))
        assert others.stages[-1] == pytest.approx(np.array([[1.0, 1, 1], [0, 0, 0], [0, 0, 0]]))
        assert others.solutions == pytest.approx(np.array([[-1.0, 1, 0], [-1, 0, 1]]))
        # They are neither of length 1 nor orthogonal, as components are.
        assert np.linalg.norm(others.solutions, axis=1) == pytest.approx([math.sqrt(2)] * 2)
        assert others.solutions[0] @ others.solutions[1] == pytest.approx(1)

    def test_eigenvectors_in_whole_numbers_span_the_same_spaces(self):
        pca = followed("tacos").prepared.pca
        assert whole_numbers(pca.components[0]) == pytest.approx([1, 1, 1])
        space = pca.components[1:]
        for printed in ([-1, 1, 0], [-1, 0, 1]):
            assert printed @ space.T @ space == pytest.approx(printed, abs=1e-12)

    def test_scores_in_the_text_and_of_its_program(self):
        state = go.finished(followed("tacos"))
        # A vector of length √3 makes scores √3 times as large: 3.674, of which the text has 459/125 = 3.672.
        whole = whole_numbers(state.basis.axes[0])
        assert whole is not None
        text = state.prepared.samples @ whole
        assert np.abs(text) == pytest.approx([459 / 125, 0, 459 / 125], abs=2.5e-3)
        assert np.abs(text) == pytest.approx([3 * math.sqrt(1.5), 0, 3 * math.sqrt(1.5)])
        assert np.abs(state.scores[:, 0]) == digits([2.12132034, 0, 2.12132034], 8)


class TestUnderTheHood:
    """Change of basis: P C Pᵀ is diagonal. The text has no numbers and lacks its figures."""

    def test_the_transposed_eigenvectors_make_the_covariance_diagonal(self):
        text = BY_KEY["under-the-hood"]
        data = pasted("6.1 6.3 5.9 6.6 6.0\n1.2 1.9 1.1 2.8 1.4\n", in_columns=True)
        state = go.finished(LabState.of(data, text.convention))
        assert data.samples.shape == (5, 2)
        assert np.diagonal(state.prepared.matrix) == pytest.approx([1, 1])
        e = state.prepared.pca.components.T
        assert np.linalg.inv(e) == pytest.approx(e.T)
        assert e.T @ state.prepared.matrix @ e == pytest.approx(np.diag(state.prepared.pca.variances))
        assert np.cov(state.scores.T) == pytest.approx(np.diag(state.prepared.pca.variances))


class TestNotes:
    """Everything has the divisor m, the number of samples."""

    def test_the_covariance_has_the_divisor_m_and_a_diagonal_of_ones(self):
        state = followed("notes")
        samples, m = state.prepared.samples, len(state.data.samples)
        assert state.prepared.matrix == pytest.approx(samples.T @ samples / m)
        assert np.diagonal(state.prepared.matrix) == pytest.approx([1, 1])
        assert state.prepared.deviations == pytest.approx(state.data.samples.std(axis=0))

    def test_the_unit_decides_unless_one_standardises(self):
        data = built_in("two-units")
        inches = LabData("t", data.features, data.samples * [1 / 2.54, 12.0])
        plain, other = (LabState.of(each).prepared.pca for each in (data, inches))
        assert plain.variances[0] / plain.variances.sum() > 0.998
        assert angle_between(plain.components[0], other.components[0]) > 0.5
        scaled, again = (
            LabState.of(each, BY_KEY["notes"].convention).prepared.pca for each in (data, inches)
        )
        assert scaled.components == pytest.approx(again.components)

    def test_reconstruction_multiplies_by_sigma_and_adds_the_mean(self):
        # The text forgets both.
        state = go.finished(followed("notes"))
        decoded = state.scores @ state.basis.axes
        assert decoded * state.prepared.deviations + state.prepared.mean == pytest.approx(state.data.samples)
        assert state.reconstruction == pytest.approx(state.data.samples)


def test_every_deviation_from_scikit_learn_is_named():
    assert differences(Convention()) == differences(Convention(sigma=Sigma.N)) == ()
    named = {text.key: len(differences(text.convention)) for text in TEXTS}
    assert named == {"linear-algebra": 2, "encoder": 2, "tacos": 0, "under-the-hood": 2, "notes": 2}


@pytest.mark.parametrize("sigma", Sigma)
@pytest.mark.parametrize("divisor", Divisor)
def test_eigenvalues_differ_from_those_of_scikit_learn_by_the_factor_that_is_said(sigma, divisor):
    iris, n = built_in("iris"), 150
    convention = Convention(sigma=sigma, divisor=divisor)
    scaled = iris.samples / (iris.samples.std(axis=0) if convention.standardized else 1)
    there = np.linalg.eigvalsh(np.cov(scaled.T))[::-1]
    said = [each for each in differences(convention) if "times those there" in each]
    factor = said[0].removeprefix("Eigenvalues are ").removesuffix(" times those there.") if said else "1"
    value = eval(factor.replace("−", "-").replace("²", "**2"), {"n": n})  # noqa: S307 - the lab's own text
    assert LabState.of(iris, convention).prepared.pca.variances == pytest.approx(there * value)


def test_squares_are_called_variances_only_if_they_are():
    named = {by.squares for by in (Convention(), Convention(divisor=Divisor.N))}
    assert named == {"variance"}
    assert Convention(divisor=Divisor.NONE).squares == "sum of squares"
    raw = [Convention(centre=False, divisor=divisor) for divisor in Divisor]
    assert [by.squares for by in raw] == ["squares / (n − 1)", "mean square", "sum of squares"]
    assert [by.products for by in raw] == ["products / (n − 1)", "mean product", "sum of products"]
    for by in raw:
        assert "multiple" not in " ".join(differences(by))
        assert "times" not in " ".join(differences(by))
