"""The step in Python runs as it stands, and works out what the panes show, for every table and convention."""

from itertools import product

import numpy as np
import pytest

from pcaimage.insight.lab import STEPS, TABLES, LabData, LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import variance_at
from pcaimage.insight.lab.figures import biplot, cost, cost_figures, numbers_of, part_figures, spectrum
from pcaimage.insight.lab.live import step_formula
from pcaimage.insight.lab.numbers import Kind, grid, to_csv
from pcaimage.insight.lab.python import MOST_WRITTEN, listing
from pcaimage.insight.numeric import Convention, Divisor, Sigma

CONVENTIONS = [Convention(*each) for each in product((True, False), Sigma, Divisor)]
# As a spreadsheet has them: names with commas, quotes and several lines, and a feature that never varies.
AWKWARD = LabData(
    "Awkward",
    ("height\n(cm)", 'so "called"', "a, b"),
    np.stack([np.linspace(150, 190, 80) ** 2, np.full(80, 0.1), np.sin(np.arange(80.0))], axis=1),
    tuple(f'{n}, #{n} "x"' for n in range(80)),
)
DATA = {**{name: built_in(name) for name in TABLES}, "awkward": AWKWARD}


def exported(state, folder):
    """Make the files that *Copy as CSV* makes of samples and axes."""
    for name, kind in (("X", Kind.DATA), ("axes", Kind.AXES)):
        (folder / f"{name}.csv").write_text(to_csv(grid(state, kind)), "utf-8", newline="")


def ran(state):
    names = {}
    exec(listing(state), names)  # noqa: S102 - the lab's own text
    return names


def same(found, shown, scale=1.0):
    np.testing.assert_allclose(found, shown, rtol=1e-9, atol=1e-9 * scale)


def agrees(state, names):
    """Compare what a listing found with what the panes of its step show."""
    prepared, step, scale = state.prepared, state.step, 1 + state.prepared.trace
    same(names["X"], grid(state, Kind.DATA).values)
    if "Z" in names:
        same(names["Z"], grid(state, Kind.PREPARED).values)
        same(names["mean"], prepared.shift)
    if step == "standardise" and not state.convention.standardized:
        same(names["sigma"], prepared.deviations, 1e-4)
    if "C" in names:
        same(names["C"], prepared.matrix, scale)
    # Axes along which nothing varies are arbitrary.
    varies = np.diagonal(state.basis.matrix) > 1e-9 * prepared.trace
    if "axes" in names:
        same(names["axes"][varies], state.basis.axes[varies], 10)
    if "codes" in names:
        kept = varies[: state.k]
        same(names["codes"][:, kept], grid(state, Kind.SCORES).values[:, kept], scale)
    for name, shown in shown_by(state).items():
        found = (
            names[name][state.sample]
            if name in {"whole", "kept", "left"} and step == "decode"
            else names[name]
        )
        same(found, shown, scale)
    if step == "biplot":
        same(names["points"] @ names["arrows"].T, biplot(state).points @ biplot(state).arrows.T, scale)


def shown_by(state):
    """Return what the pane of a step shows, by its name in the listing."""
    if state.step == "turn":
        along = float(variance_at(state.matrix, *state.plane, np.array(state.angle)))
        return {"along": along, "error": state.trace - along}
    if state.step == "diagonal":
        return {"present": grid(state, Kind.MATRIX).values, "eigenvalues": state.prepared.pca.variances}
    if state.step == "decode":
        found = part_figures(state)
        parts = {"whole": found.whole, "kept": found.squares.sum(), "left": found.left}
        return {"X_hat": grid(state, Kind.RECONSTRUCTION).values, **parts}
    if state.step == "keep":
        return {"kept": spectrum(state).cumulative[state.k], "k95": spectrum(state).k95}
    if state.step == "cost":
        spent = cost(state, cost_figures(state).step)
        return {"lost": spent.lost, "by_rounding": spent.rounded, "numbers": numbers_of(state)}
    return {}


@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
@pytest.mark.parametrize("table", DATA)
@pytest.mark.sweep(19)
def test_export_and_listing_agree_with_the_panes(table, convention, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun = LabState.of(DATA[table], convention)
    for state in (begun, go.with_line(go.turned(begun, 0.7), 0.3), go.with_k(go.finished(begun), 1)):
        exported(state, tmp_path)
        for step in STEPS:
            at = go.with_step(state, step.key)
            agrees(at, ran(at))
    # Few numbers are written out, and many are read.
    many = begun.data.samples.size > MOST_WRITTEN
    assert ("loadtxt" in listing(begun)) == many
    assert ("choose “Samples X” among the numbers" in listing(begun)) == many


@pytest.mark.parametrize("convention", CONVENTIONS[::5], ids=str)
def test_power_iteration_and_deflation_are_listed_as_they_were_done(convention):
    state = go.with_line(go.turned(LabState.of(DATA["five-features"], convention), 0.7), 0.3)
    powered = go.powered(go.powered(go.with_step(state, "power")))
    same(ran(powered)["w"], powered.power)
    taken = go.taken_away(go.with_best_line(go.taken_away(go.with_step(state, "take"))))
    names = ran(taken)
    same(names["rest"], taken.taken[0], 1 + taken.prepared.trace)
    same(names["left"], taken.taken[1][-1].left, 1 + taken.prepared.trace)


def test_formulas_of_steps_follow_the_convention():
    plain, raw = Convention(), Convention(centre=False, divisor=Divisor.NONE)
    scaled = Convention(sigma=Sigma.N, divisor=Divisor.N)
    shown = {
        step: [step_formula(step, by) for by in (plain, raw, scaled)]
        for step in ("centre", "covariance", "turn", "encode", "decode", "cost")
    }
    assert shown == {
        "centre": ["x − x̄", "x, the mean left in", "x − x̄"],
        "covariance": [
            "C = X̃ᵀX̃ / (n − 1), x̃ = x − x̄",
            "C = X̃ᵀX̃, x̃ = x",
            "C = X̃ᵀX̃ / n, x̃ = (x − x̄) / σ",
        ],
        "turn": ["variance + error = trace", "sum of squares + error = trace", "variance + error = trace"],
        "encode": ["c = V (x − x̄)", "c = V x", "c = V ((x − x̄) / σ)"],
        "decode": ["x̂ = x̄ + Σ cⱼ vⱼ", "x̂ = Σ cⱼ vⱼ", "x̂ = x̄ + σ · Σ cⱼ vⱼ"],
        "cost": ["k (n + d) + d numbers", "k (n + d) numbers", "k (n + d) + 2 d numbers"],
    }
    assert step_formula("standardise", scaled) == "x̃ = (x − x̄) / σ, σ² = Σ (x − x̄)² / n"
    assert all(step_formula(step.key, by) for step in STEPS for by in CONVENTIONS)
