"""Variance along a line and error about it are two sides of one thing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.insight.lab import LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import angle_between, spread, unit
from pcaimage.insight.lab.figures import matrix, scatter, spectrum
from pcaimage.insight.numeric import Convention, take_away
from pcaimage.pca import deflation
from tests.unit.insight.lab.drawn import of, states

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@given(states(), SEEDS)
def test_variance_and_error_add_up_to_the_trace_for_any_direction(state, seed):
    w = np.random.default_rng(seed).standard_normal(len(state.basis))
    found = spread(state.prepared.samples, w, state.prepared.divisor)
    trace, unit = state.prepared.trace, w / np.linalg.norm(w)
    assert found.total == pytest.approx(trace, rel=1e-12, abs=1e-12)
    assert found.variance == pytest.approx(unit @ state.prepared.matrix @ unit, rel=1e-9, abs=1e-12)
    assert found.variance <= state.prepared.pca.variances[0] * (1 + 1e-9) + 1e-12


@pytest.mark.slow
@given(states(), st.floats(-4, 4))
def test_the_line_and_its_curves_agree(state, angle):
    figures = scatter(go.with_line(state, angle))
    line, trace = figures.line, state.prepared.trace
    assert (line.points - line.feet) @ line.direction == pytest.approx(np.zeros(len(line.points)), abs=1e-9)
    assert figures.variances + figures.errors == pytest.approx(np.full(181, trace), rel=1e-12, abs=1e-12)
    i, j = state.plane
    w = math.cos(angle) * state.basis.axes[i] + math.sin(angle) * state.basis.axes[j]
    measured = spread(state.prepared.samples, w, state.prepared.divisor)
    assert line.spread.variance == pytest.approx(measured.variance, rel=1e-9, abs=1e-9)
    assert line.spread.error == pytest.approx(measured.error, rel=1e-9, abs=1e-9)
    assert figures.variances.max() <= line.spread.total + 1e-9


@pytest.mark.slow
@given(states(), SEEDS)
def test_what_is_left_is_at_right_angles_to_what_was_taken(state, seed):
    w = np.random.default_rng(seed).standard_normal(len(state.basis))
    rest, (taken,) = take_away(state.prepared.samples, [unit(w)], state.prepared.divisor)
    scale = float(np.abs(state.prepared.samples).max()) + 1
    assert rest @ taken.direction == pytest.approx(np.zeros(len(rest)), abs=1e-12 * scale)
    assert taken.along + taken.left == pytest.approx(taken.before, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@given(states())
def test_taking_the_components_away_leaves_nothing_and_deflation_finds_the_same(state):
    pca, prepared = state.prepared.pca, state.prepared
    rest, taken = take_away(prepared.samples, list(pca.components), prepared.divisor)
    scale = 1 + prepared.trace
    assert np.abs(rest).max() <= 1e-9 * scale
    assert [part.along for part in taken] == pytest.approx(pca.variances.tolist(), abs=1e-9 * scale)
    found = deflation(prepared.samples, len(state.basis), centre=False, max_iterations=500)
    factor = (len(prepared.samples) - 1) / prepared.divisor
    wanted = pca.variances[: len(found.variances)]
    assert found.variances * factor == pytest.approx(wanted, abs=1e-3 * scale)


def test_not_centred_the_line_goes_through_zero_and_the_first_component_towards_the_mean():
    samples = np.random.default_rng(0).normal([20, 10], 1, (50, 2))
    state = of(samples, Convention(centre=False))
    mean = samples.mean(axis=0)
    assert angle_between(state.prepared.pca.components[0], mean) < math.radians(1)
    assert scatter(state).mean == pytest.approx(mean)
    figures = scatter(LabState.of(built_in("cross")))
    centred = figures.ellipse - figures.mean  # one standard deviation
    inverse = np.linalg.inv(LabState.of(built_in("cross")).basis.matrix)
    assert np.einsum("mi,ij,mj->m", centred, inverse, centred) == pytest.approx(np.ones(len(centred)))


def test_the_matrix_can_be_shown_undivided_and_as_correlation_and_bars_become_their_ghosts():
    state = LabState.of(built_in("iris"))
    assert matrix(state, kind="scatter").values == pytest.approx(149 * state.prepared.matrix)
    shown = matrix(state, kind="correlation")
    assert shown.values == pytest.approx(np.corrcoef(state.data.samples.T))
    assert shown.values == pytest.approx(state.prepared.correlation)
    assert np.abs(shown.shade).max() == 1
    assert matrix(state).names == state.data.features
    before, after = spectrum(state), spectrum(go.finished(state))
    assert before.bars.sum() == pytest.approx(before.ghosts.sum())
    assert before.bars.max() < before.ghosts[0]
    assert after.bars == pytest.approx(after.ghosts)
    assert (before.k95, after.k95) == (4, 2)
    assert spectrum(LabState.of(built_in("three-prices"))).ties == (range(1, 3),)
