"""Worksheets have blanks where numbers are to be found, and the numbers where answers are wanted."""

import numpy as np
import pytest

from pcaimage.insight.lab import LabData, LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.by_hand import to_latex, to_markdown, worksheet
from pcaimage.insight.lab.exercise import Exercise, Question
from pcaimage.insight.numeric import Convention, Sigma

EXERCISE = Exercise(
    "E", table="cross", questions=(Question("How many?", "k95"), Question("Do it.", step="turn"))
)


def state_of(name="three-prices", convention=None):
    return go.with_k(LabState.of(built_in(name), convention), 1)


def numbers_of(part):
    return [[float(cell.replace("−", "-")) for cell in row[1:]] for row in part.rows[1:]]


def test_answers_are_the_numbers_of_the_pca():
    sheet = {
        each.heading: each for each in worksheet(state_of(convention=Convention(sigma=Sigma.N)), answers=True)
    }
    assert numbers_of(sheet["Samples"]) == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert numbers_of(sheet["Mean"]) == [[4, 5, 6]]
    assert numbers_of(sheet["Deviation"]) == [pytest.approx([2.449] * 3, abs=5e-4)]
    assert numbers_of(sheet["Standardised samples"])[0] == pytest.approx([-1.225] * 3, abs=5e-4)
    assert numbers_of(sheet["Matrix: covariance"]) == [[1.5] * 3] * 3
    assert numbers_of(sheet["Eigenvalues"]) == [[4.5]]
    assert numbers_of(sheet["Components"]) == [pytest.approx([0.5774] * 3, abs=5e-5)]
    assert np.ravel(numbers_of(sheet["Scores"])) == pytest.approx([-2.121, 0, 2.121], abs=5e-4)
    assert numbers_of(sheet["Reconstruction from 1 of 3"]) == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert "keep 100.00\u00a0% of the variance" in sheet["Share"].words


def test_blanks_are_empty_but_for_the_samples():
    sheet = worksheet(state_of(), answers=False, exercise=EXERCISE)
    for part in sheet:
        filled = {cell for row in part.rows[1:] for cell in row[1:]}
        assert (filled == {""}) == (bool(part.rows) and part.heading != "Samples")
        assert "Deviation" not in part.heading
    assert [part.words for part in sheet[-2:]] == ["How many? Answer: ________", "Do it. Answer: ________"]
    assert worksheet(state_of(), answers=True, exercise=EXERCISE)[-2].words == "How many? Answer: 2"


def test_markdown_and_latex_have_every_part():
    data = LabData("Awkward", ("a|b", "50 % & more"), np.array([[1.0, 2], [3, 5], [4, 4]]))
    sheet = worksheet(LabState.of(data), answers=True)
    text, latex = to_markdown("T", sheet), to_latex("T_1", sheet)
    assert text.count("\n## ") == latex.count(r"\subsection*") == len(sheet)
    assert "a\\|b" in text
    assert r"50 \% \& more" in latex
    assert r"T\_1" in latex
    assert latex.count(r"\begin{") == latex.count(r"\end{")
