"""Turning a basis keeps what must stay, and leads to the PCA."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.errors import SettingsError
from pcaimage.insight.lab import TABLES, LabData, LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import angle_between, spread, unit, variance_at
from pcaimage.insight.lab.figures import matrix, scatter, spectrum
from pcaimage.insight.lab.transitions import FRAMES, MOST_TURNED, Motion
from pcaimage.insight.numeric import Convention, take_away
from pcaimage.pca import PCA, deflation
from tests.unit.insight.lab.drawn import of, states

ANGLES = st.floats(-7, 7)


@pytest.mark.slow
@given(states(), st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), ANGLES), max_size=12))
def test_turns_keep_the_trace_and_right_angles(state, turns):
    basis, trace = state.basis, state.prepared.trace
    for i, j, angle in turns:
        if i != j and max(i, j) < len(basis):
            basis = basis.turned(i, j, angle)
    assert basis.axes @ basis.axes.T == pytest.approx(np.eye(len(basis)), abs=1e-12)
    assert basis.variances.sum() == pytest.approx(trace, rel=1e-12, abs=1e-12)
    assert (basis.matrix == basis.matrix.T).all() or basis.matrix == pytest.approx(basis.matrix.T, abs=1e-9)
    direct = basis.axes @ state.prepared.matrix @ basis.axes.T
    assert basis.matrix == pytest.approx(direct, rel=1e-9, abs=1e-9 * (1 + trace))


def test_swapping_two_axes_of_the_pca_leaves_nothing_off_the_diagonal():
    half = np.diag([4.0, 5.0, 5.0, 3.0])
    basis = LabState.of(LabData("Crosses", tuple("abcd"), np.vstack([half, -half]))).basis
    assert basis.off_diagonal == 0
    assert basis.turned(0, 1, basis.best_angle(0, 1)).off_diagonal < 1e-14


@pytest.mark.slow
@given(states())
def test_the_best_turn_takes_the_covariance_to_zero_and_the_variance_to_its_top(state):
    i, j = state.plane
    after = state.basis.turned(i, j, state.basis.best_angle(i, j))
    scale = 1 + state.prepared.trace
    assert after.matrix[i, j] == pytest.approx(0, abs=1e-12 * scale)
    curve = variance_at(state.basis.matrix, i, j, np.linspace(0, math.pi, 721))
    assert after.variances[i] >= curve.max() - 1e-12 * scale
    assert after.variances[j] <= curve.min() + 1e-12 * scale
    assert after.off_diagonal <= state.basis.off_diagonal + 1e-9 * scale


@pytest.mark.slow
@given(states())
def test_finishing_is_pca_up_to_signs_and_ties(state):
    ended = go.finished(state)
    scale = 1e-10 * (1 + state.prepared.trace)
    assert ended.basis.matrix == pytest.approx(np.diag(state.prepared.pca.variances), abs=scale)
    if state.convention.centre:
        prepared = state.prepared.samples
        wanted = PCA(prepared.shape[1], solver="svd").fit(prepared)
        factor = (len(prepared) - 1) / state.prepared.divisor
        assert ended.basis.variances == pytest.approx(wanted.explained_variance_ * factor, abs=scale)
        for run in [range(i, i + 1) for i in range(len(prepared[0]))]:
            gap = np.abs(np.delete(wanted.explained_variance_, run) - wanted.explained_variance_[run.start])
            if gap.min() > 1e-3 * wanted.explained_variance_[0]:
                cosine = ended.basis.axes[run.start] @ wanted.components_[run.start]
                assert abs(cosine) == pytest.approx(1, abs=1e-10)


@given(states())
def test_turning_where_the_covariance_is_largest_ends_at_pca_too(state):
    for _ in range(60):
        if state.basis.off_diagonal <= 1e-13 * (1 + state.prepared.trace):
            break
        state = go.turned_where_most(state)
    found = np.sort(state.basis.variances)[::-1]
    assert found == pytest.approx(state.prepared.pca.variances, abs=1e-9 * (1 + state.prepared.trace))


@pytest.mark.parametrize("table", TABLES)
def test_finishing_makes_the_largest_entry_of_each_axis_positive_and_beginning_anew_undoes_it(table):
    state = LabState.of(built_in(table))
    nearly = go.finished(go.flipped(go.turned(state, 2.0), 0))
    sizes = np.abs(nearly.basis.axes)
    largest = np.argmax(sizes > 0.999999 * sizes.max(axis=1, keepdims=True), axis=1)
    assert (nearly.basis.axes[np.arange(len(largest)), largest] > 0).all()
    assert nearly.basis.axes.tolist() == state.prepared.pca.components.tolist()
    assert go.begun_anew(nearly).basis.axes.tolist() == np.eye(len(largest)).tolist()


def test_a_flipped_axis_changes_signs_and_nothing_else_and_axes_that_span_no_plane_are_refused():
    state = go.turned(LabState.of(built_in("iris")), 0.3)
    other = go.flipped(state, state.plane[0])
    assert np.abs(other.basis.axes) == pytest.approx(np.abs(state.basis.axes))
    assert other.basis.variances == pytest.approx(state.basis.variances)
    assert other.scores[:, state.plane[0]] == pytest.approx(-state.scores[:, state.plane[0]])
    with pytest.raises(SettingsError, match="no axis 9"):
        go.flipped(state, 8)
    for i, j in [(1, 1), (0, 4), (-1, 0)]:
        with pytest.raises(SettingsError, match="span no plane"):
            state.basis.turned(i, j, 0.1)
    with pytest.raises(SettingsError, match="span no plane"):
        go.with_plane(LabState.of(built_in("cross")), 0, 2)


def test_other_samples_and_conventions_begin_with_the_features():
    state = go.finished(LabState.of(built_in("iris")))
    assert go.with_data(state, built_in("cross")).basis.axes.tolist() == np.eye(2).tolist()
    text = go.with_convention(state, of(np.eye(3)).convention)
    assert text.basis.axes.tolist() == np.eye(4).tolist()
    assert text.data is state.data
    five = LabState.of(built_in("five-features"))
    falling = go.in_order(five).basis.variances  # and once more they rise
    assert (np.diff(falling) <= 0).all()
    assert go.in_order(go.in_order(five)).basis.variances.tolist() == falling[::-1].tolist()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("act", [go.finished, go.turned_best, go.in_order, go.plane_flipped])
def test_frames_lead_to_the_end_and_keep_the_trace(table, act):
    before = LabState.of(built_in(table))
    after = act(before)
    motion = Motion.between(before, after)
    assert motion is not None
    assert motion.at(0.0).basis.axes == pytest.approx(before.basis.axes, abs=1e-12)
    signs = np.sign(np.sum(motion.at(1.0).basis.axes * after.basis.axes, axis=1))
    assert motion.at(1.0).basis.axes == pytest.approx(after.basis.axes * signs[:, None], abs=1e-12)
    frames = motion.frames()
    assert len(frames) == FRAMES
    assert frames[-1] is after
    if act is not go.plane_flipped:
        for frame in frames:
            axes = frame.basis.axes
            assert axes @ axes.T == pytest.approx(np.eye(len(axes)), abs=1e-12)
            assert frame.trace == pytest.approx(before.trace)


def test_a_plane_is_turned_evenly_and_a_line_the_shorter_way():
    before = LabState.of(built_in("five-features"))
    half = Motion.between(before, go.turned_best(before)).at(0.5)
    cosine = half.basis.axes[0] @ before.basis.axes[0]
    assert np.degrees(np.arccos(cosine)) == pytest.approx(62.61 / 2, abs=0.01)
    laid = go.with_line(before, np.radians(80))
    half = Motion.between(laid, go.with_line(laid, np.radians(-80))).at(0.5)
    assert np.degrees(half.angle) % 180 == pytest.approx(90)


def test_other_samples_and_many_features_are_shown_at_once():
    before = LabState.of(built_in("cross"))
    assert Motion.between(before, LabState.of(built_in("cross"))) is None
    assert Motion.between(before, go.with_convention(before, Convention(centre=False))) is None
    assert Motion.between(before, go.with_k(before, 1)) is None
    count = MOST_TURNED + 1
    many = LabData("Many", tuple(map(str, range(count))), np.random.default_rng(0).normal(size=(40, count)))
    state = LabState.of(many)
    assert Motion.between(state, go.finished(state)) is None


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
