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
from pcaimage.insight.lab.by_hand import reduced
from pcaimage.insight.lab.figures import spectrum
from pcaimage.insight.lab.live import differences
from pcaimage.insight.numeric import Convention, Divisor, Sigma

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


class TestTacos:
    """Three prices in three years: deviations with the divisor n, covariances with n − 1."""

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


class TestNotes:
    """Everything has the divisor m, the number of samples."""

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
