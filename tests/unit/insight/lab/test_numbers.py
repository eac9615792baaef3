"""Every cell has a formula that evaluates to it, and tables are exported as text, CSV and LaTeX."""

import csv
import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.errors import SettingsError
from pcaimage.insight.lab import LabData, LabState, blocks, built_in, check, pasted
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import angle_between
from pcaimage.insight.lab.figures import kept_figures, matrix, numbers_of, scatter
from pcaimage.insight.lab.formula import LATEX, PYTHON, Formula, Number, figure, products
from pcaimage.insight.lab.live import live
from pcaimage.insight.lab.numbers import (
    Grid,
    Kind,
    formula,
    grid,
    row_of,
    text,
    texts,
    to_csv,
    to_latex,
    to_text,
)
from pcaimage.insight.numeric import Convention, Divisor, Sigma
from tests.unit.insight.lab.drawn import evaluated, states


@given(states(), st.sampled_from(Kind), st.data())
def test_formulas_evaluate_to_their_cells(state, kind, data):
    state = go.with_k(go.turned(state, 0.7), data.draw(st.integers(1, len(state.basis))))
    shown = grid(state, kind)
    row = data.draw(st.integers(0, len(shown.rows) - 1))
    column = data.draw(st.integers(0, len(shown.columns) - 1))
    found = formula(state, kind, row, column)
    scale = float(np.abs(state.data.samples).max()) ** (2 if kind is Kind.MATRIX else 1) + 1
    assert evaluated(found.python()) == pytest.approx(shown.values[row, column], abs=1e-10 * scale)


def test_a_score_shows_the_products_that_make_it():
    state = go.finished(LabState.of(built_in("five-features")))
    found = formula(go.flipped(state, 0) if state.basis.axes[0, 0] > 0 else state, Kind.SCORES, 0, 0)
    assert found.text(3).startswith("c₁,₁ = (−0.434) · (−0.075) + (−0.827) · (−0.025) + ")
    assert found.text(3).endswith(" = 0.475")
    assert found.latex(3).startswith(r"c_{1,1} = (-0.434) \cdot (-0.075) + (-0.827) \cdot (-0.025)")


def test_standardised_cells_are_quotients_and_come_back_and_rounding_is_not_shown():
    state = LabState.of(built_in("three-prices"), Convention(sigma=Sigma.N))
    assert formula(state, Kind.PREPARED, 0, 0).text() == "x̃₁,₁ = (1 − 4) / 2.449 = −1.225"
    assert formula(state, Kind.PREPARED, 0, 0).latex() == r"\tilde{x}_{1,1} = \frac{1 - 4}{2.449} = -1.225"
    assert formula(state, Kind.DATA, 2, 1).text() == "x₃,₂ = 8"
    assert formula(state, Kind.RECONSTRUCTION, 2, 2).text().startswith("x̂₃,₃ = 6 + 2.449 · (")
    uncentred = LabState.of(built_in("three-prices"), Convention(centre=False))
    assert formula(uncentred, Kind.PREPARED, 0, 0).text() == "x̃₁,₁ = 1"
    state = go.finished(LabState.of(built_in("five-features")))
    assert formula(state, Kind.MATRIX, 0, 1).text().endswith(" = 0")
    assert "e-1" not in formula(state, Kind.RECONSTRUCTION, 0, 0).text()
    ones = [1.0] * 5000
    found = Formula("s", "s", products(ones, ones), 5000.0)  # shortened for people and whole for programs
    assert found.text().count("·") == 5
    assert "…" in found.text()
    assert r"\dots" in found.latex()
    assert evaluated(found.python()) == 5000


@pytest.mark.parametrize(
    ("value", "text", "latex"),
    [
        (-0.0751, "(−0.0751)", "(-0.0751)"),
        (1.5e-7, "1.5e-07", r"1.5 \cdot 10^{-7}"),
        (-0.0, "0", "0"),
        (123456.0, "123456", "123456"),
        (-61999.4, "(−61999)", "(-61999)"),
        (12345678.0, "1.235e+07", r"1.235 \cdot 10^{7}"),
    ],
)
def test_numbers_in_formulas(value, text, latex):
    assert (Number(value).text(4), Number(value).shown(LATEX, 4)) == (text, latex)
    assert figure(value, 4).strip("()") == text.strip("()")
    assert evaluated(Number(value).shown(PYTHON, 4)) == value


TABLE = Grid("Scores", ("axis 1", "axis, 2"), ("a", "b"), np.array([[1 / 3, -20.0], [0.5, 1e-7]]))


def test_a_table_as_csv_is_exact_as_text_aligned_and_as_latex_pasted_again():
    rows = list(csv.reader(io.StringIO(to_csv(TABLE))))
    assert rows[0] == ["", "axis 1", "axis, 2"]
    assert [[float(cell) for cell in row[1:]] for row in rows[1:]] == TABLE.values.tolist()
    assert to_text(TABLE) == "Scores\n   axis 1  axis, 2\na  0.3333      −20\nb     0.5    1e-07\n"
    assert to_latex(TABLE).splitlines()[1] == r"0.3333 & -20 \\"
    assert pasted(to_latex(TABLE, 15)).samples == pytest.approx(TABLE.values)
    data = grid(LabState.of(built_in("iris")), Kind.DATA)
    for copied in (to_latex(data), to_csv(data)):
        assert pasted(copied).samples.tolist() == data.values.tolist()


@given(states())
def test_singular_vectors_and_whitened_scores_are_those_of_the_svd(state):
    done = go.with_k(go.finished(state), state.data.n_features)
    u, s, whitened = (grid(done, kind).values for kind in (Kind.LEFT_VECTORS, Kind.SINGULAR, Kind.WHITENED))
    size = np.abs(done.prepared.samples).max(initial=1e-300)
    assert (u * s[:, 0]) @ done.basis.axes == pytest.approx(done.prepared.samples, abs=1e-6 * size)
    found = np.linalg.svd(done.prepared.samples, compute_uv=False)
    assert s[: len(found), 0] == pytest.approx(found, rel=1e-6, abs=1e-6 * found.max(initial=0.0))
    for values, wanted in ((u, 1), (whitened, done.prepared.divisor)):
        squares = values.T @ values
        assert squares - np.diag(np.diagonal(squares)) == pytest.approx(
            np.zeros_like(squares), abs=1e-5 * wanted
        )
        assert {*np.round(np.diagonal(squares) / wanted, 5)} <= {0.0, 1.0}


def test_axes_of_the_dct_are_orthonormal_cosines_and_need_not_be_stored():
    rng = np.random.default_rng(0)
    state = go.with_cosines(LabState.of(blocks(rng.integers(0, 255, (64, 64, 3)).cumsum(axis=1) % 256, 4)))
    axes = state.basis.axes
    assert axes @ axes.T == pytest.approx(np.eye(48), abs=1e-12)
    assert (np.diff(state.basis.variances) <= 0).all()
    image = axes.reshape(48, 4, 4, 3)
    assert any(np.allclose(np.abs(each), 0.25) for each in image[..., 0])  # the mean of red
    kept = go.with_k(state, 10)
    assert numbers_of(kept) == 10 * kept.data.n_samples + 48
    assert numbers_of(go.with_k(go.finished(state), 10)) == 10 * (kept.data.n_samples + 48) + 48
    assert kept.error >= go.with_k(go.finished(state), 10).error
    with pytest.raises(SettingsError, match="Only pictures"):
        go.with_cosines(LabState.of(built_in("iris")))


YEARS = """year,height,income
2019,171.25,39870
2020,165.5,52310
2021,180.75,61999
2022,176,45005
2023,169.5,48750
"""


def test_samples_are_shown_copied_and_used_in_formulas_as_they_were_typed():
    state = LabState.of(pasted(YEARS))
    assert texts(state, Kind.DATA) is None
    assert [text(Kind.DATA, value) for value in row_of(state, Kind.DATA, 0)] == ["2019", "171.25", "39870"]
    assert formula(state, Kind.DATA, 0, 1).text() == "x₁,₂ = 171.25"
    assert formula(state, Kind.PREPARED, 2, 2).text() == "x̃₃,₃ = 61999 − 49587 = 12412"
    data = grid(state, Kind.DATA)
    assert "171.25" in to_text(data)
    assert pasted(to_latex(data)).samples.tolist() == state.data.samples.tolist()
    long = LabState.of(pasted("x,y\n0.1234567890123,12345678.5\n-1e-5,3\n"))
    assert [text(Kind.DATA, value) for value in row_of(long, Kind.DATA, 0)] == [
        "0.1234567890123",
        "12345678.5",
    ]


def test_other_tables_have_their_decimals_below_each_other():
    state = go.finished(LabState.of(pasted(YEARS)))
    prepared = texts(state, Kind.PREPARED)
    assert prepared is not None
    assert [row[1] for row in prepared] == ["−1.35", "−7.10", "8.15", "3.40", "−3.10"]
    tables = [texts(state, kind) for kind in Kind if kind is not Kind.DATA]
    assert not any("e+" in cell for table in tables for row in table or [] for cell in row)
    large = LabState.of(LabData("Large", ("a", "b"), np.random.default_rng(0).normal(0, 1e5, (4000, 2))))
    assert texts(large, Kind.PREPARED) is None
    assert text(Kind.PREPARED, 123456.7) == "123457"


def test_small_covariances_beside_large_ones_are_no_zeros():
    state = LabState.of(pasted(YEARS))
    found = grid(state, Kind.MATRIX).values
    assert found == pytest.approx(np.cov(state.data.samples.T))
    assert found[:2, :2] == pytest.approx(np.array([[2.5, 1.75], [1.75, 34.19375]]), abs=2)
    assert found[0].all()
    assert matrix(state).values.tolist() == found.tolist()


@pytest.mark.parametrize("powers", [(0, 0, 0), (5, 0, -4), (-4, 5, 3)])
def test_zeros_of_turned_axes_are_zeros_on_any_scales(powers):
    rng = np.random.default_rng(4)
    samples = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 3)) * 10.0 ** np.array(powers)
    state = LabState.of(LabData("Scales", ("a", "b", "c"), samples))
    for i, j in ((0, 1), (2, 1), (0, 2)):
        state = go.turned_best(go.with_plane(state, i, j))
        assert state.basis.matrix[i, j] == 0
    ended = go.finished(state)
    assert np.count_nonzero(ended.basis.matrix) == 3
    assert np.diagonal(ended.basis.matrix) == pytest.approx(state.prepared.pca.variances)
    for kind in (Kind.PREPARED, Kind.SCORES, Kind.RECONSTRUCTION):
        assert grid(ended, kind).values.all()
    assert not grid(ended, Kind.RESIDUALS).values.any()


def test_errors_of_nothing_are_zero():
    state = go.turned(LabState.of(built_in("three-prices")), 0.3)
    while state.basis.off_diagonal:
        state = go.turned_where_most(state)
    state = go.with_best_line(state)
    assert state.line_errors[0] == state.line_errors[2] == state.error == 0
    assert scatter(state).line.spread.error == 0
    assert live(go.with_step(state, "turn")).endswith("variance 27 + error 0 = trace 27")
    iris = go.turned(go.turned(LabState.of(built_in("iris")), 0.3), 1.1)
    assert check(go.with_step(iris, "decode")).words == "k = 4 loses 0.00\u00a0% of the variance."


def test_pixels_that_never_vary_are_zero_in_reconstructions():
    state = go.with_k(go.finished(LabState.of(built_in("digits"))), 10)
    constant = np.flatnonzero(np.ptp(state.data.samples, axis=0) == 0)
    assert constant.size
    found = grid(state, Kind.RECONSTRUCTION).values
    assert found[:, constant].tolist() == state.data.samples[:, constant].tolist()
    others = np.delete(np.arange(64), constant)
    assert found[:, others] == pytest.approx(state.reconstruction[:, others], abs=1e-9)
    assert "e-1" not in formula(state, Kind.RECONSTRUCTION, 0, int(constant[0])).text()


@pytest.mark.parametrize("sigma", [Sigma.NONE, Sigma.N])
def test_a_new_sample_is_encoded_by_the_axes_of_others(sigma):
    iris, new = built_in("iris"), np.array([6.0, 3.0, 4.0, 1.2])
    state = go.with_newcomer(go.with_k(go.finished(LabState.of(iris, Convention(sigma=sigma))), 2), new)
    width = iris.samples.std(axis=0) if sigma is Sigma.N else 1
    prepared, axes = (new - iris.samples.mean(axis=0)) / width, state.basis.axes[:2]
    decoded = prepared @ axes.T @ axes * width + iris.samples.mean(axis=0)
    wanted = [new, prepared, [*(axes @ prepared), 0, 0], decoded, new - decoded]
    assert grid(state, Kind.NEWCOMER).values == pytest.approx(np.array(wanted))
    assert formula(state, Kind.NEWCOMER, 3, 1).cell == pytest.approx(decoded[1])


@pytest.mark.parametrize("by", [Convention(), Convention(centre=False, divisor=Divisor.NONE)])
def test_the_pull_of_a_sample_is_what_leaving_it_out_does(by):
    state = LabState.of(built_in("iris"), by)
    wanted = []
    for sample in range(150):
        without = LabState.of(state.data.without(sample), by).prepared.pca
        angle = angle_between(state.prepared.pca.components[0], without.components[0])
        wanted.append([without.variances[0], np.degrees(angle)])
    assert grid(state, Kind.PULL).values[:, 1:] == pytest.approx(np.array(wanted), abs=1e-6)


def test_psnrs_of_several_k_are_those_of_all_numbers():
    state = go.with_k(go.finished(LabState.of(built_in("iris"), Convention(sigma=Sigma.N))), 2)
    found = kept_figures(state, 8)
    assert (found.ks, found.psnrs[-1]) == ((1, 2, 3, 4), math.inf)
    errors = [np.square(state.data.samples - go.with_k(state, k).reconstruction).mean() for k in (1, 2, 3)]
    assert found.psnrs[:3] == pytest.approx(10 * np.log10(np.ptp(state.data.samples) ** 2 / errors))


def test_lines_stay_until_the_axes_turn():
    state = go.with_line_laid(go.with_line(LabState.of(built_in("cross")), 0.5))
    assert go.with_line(state, 0.1).lines == (0.5,)
    assert state.error_at(0.5) == state.line_errors[2]
    assert go.with_line_laid(state).lines == go.finished(state).lines == ()
