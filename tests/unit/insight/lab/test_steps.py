"""Each step has a picture and a formula with its numbers."""

import math
import re
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from pcaimage.errors import SettingsError
from pcaimage.insight.lab import STEPS, LabData, LabState, built_in, check, stack
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import power_step
from pcaimage.insight.lab.by_hand import by_hand, characteristic, eigenvalues, reduced
from pcaimage.insight.lab.data import DRAWN, axis_picture, sample_picture
from pcaimage.insight.lab.figures import (
    code_figures,
    cost_figures,
    part_figures,
    power_figures,
    scatter,
    usual_step,
)
from pcaimage.insight.lab.live import live
from pcaimage.insight.lab.numbers import Kind, formula, grid, row_of
from pcaimage.insight.lab.steps import legend, lesson
from pcaimage.insight.numeric import Convention, Divisor, Sigma
from tests.unit.insight.lab.drawn import evaluated, states


def five(step="data", convention=None):
    return go.with_step(LabState.of(built_in("five-features"), convention), step)


def test_every_step_has_a_formula_with_its_numbers():
    state = go.with_marked(go.finished(five()), (0,))
    shown = {step.key: live(go.with_step(go.with_k(state, 2), step.key)) for step in STEPS}
    assert shown["data"] == "X: 4 samples × 5 features = 20 numbers"
    assert shown["centre"] == "x̄ = (2.375, 4.925, 5.125, 7.175, 3.65)"
    assert shown["covariance"].endswith(" = 0; Tr C = ‖X̃‖² / 3 = 3.113")
    assert shown["turn"] == "at 0°: variance 2.329 + error 0.7846 = trace 3.113"
    assert shown["power"] == "λ₁ = 2.3288; 0° to go, by λ₂ / λ₁ = 0.337 in each step"
    assert shown["encode"].startswith("dᵀx = 0.4339 · (−0.075) + 0.8271 · (−0.025)")
    assert shown["decode"] == "‖x‖² = Σ c² + ‖x − x̂‖²: 1.62 = 1.62 + 0.0003097"
    assert shown["keep"] == "Σ λ₁…λ₂ / Σ λ = 3.113 / 3.113 = 99.97\u00a0%"
    assert shown["cost"] == "k (n + d) + d = 2 · (4 + 5) + 5 = 23 of 20 numbers"
    scaled = go.with_k(five("cost", Convention(sigma=Sigma.N)), 2)
    assert live(scaled) == "k (n + d) + 2 d = 2 · (4 + 5) + 2 · 5 = 28 of 20 numbers"
    tried = live(go.with_code(go.with_step(state, "encode"), 1.0))
    assert tried.endswith("‖x − c d‖² = 1.62 − (−0.9509) · 1 + 1² = 3.571, gradient 2.95")


def test_a_single_feature_has_a_formula_in_every_step():
    one = LabState.of(LabData("One", ("x",), np.array([[1.0], [2.0], [4.0]])))
    assert all(live(go.with_step(one, step.key)) for step in STEPS)
    assert all(live(go.with_k(five(step.key), 0)) for step in STEPS)


def test_eigenvectors_are_found_by_hand_as_texts_print_them():
    text = by_hand(LabState.of(built_in("three-prices"), Convention(sigma=Sigma.N)))
    for line in (
        "det(λI − C) = λ³ − 4.5 λ² = 0",
        "λ = 4.5, 0, 0",
        "v = (1, 1, 1), length 1.732; of length 1: (0.5774, 0.5774, 0.5774)",
        "v = (−1, 1, 0), length 1.414",
        "v = (−1, 0, 1), length 1.414",
        "arbitrary",
    ):
        assert line in text
    wide = by_hand(LabState.of(LabData("Wide", tuple("abcdefg"), np.eye(7))))
    assert wide == "With 7 features nobody finds eigenvalues by hand. Up to 6 are shown."


def scales():
    """Return three features in units that differ as those of a year, an income and a wavelength in metres."""
    z = np.random.default_rng(3).standard_normal((3, 30))
    samples = np.stack([1.7 + 0.1 * z[0], 1e6 + 3e5 * z[1], 1e-3 + 3e-4 * z[2]], axis=1)
    return LabData("Scales", ("a", "b", "c"), samples)


def exactly(matrix):
    """Return the coefficients of det(λI − C) in exact arithmetic, by Faddeev and Le Verrier."""
    c = np.vectorize(Fraction)(matrix)
    product, found = 0 * c, [Fraction(1)]
    for power in range(1, len(c) + 1):
        product = c @ (product + found[-1] * np.eye(len(c), dtype=int))
        found.append(-np.trace(product) / power)
    return [float(each) for each in found]


def test_eigenvectors_by_hand_are_right_for_features_of_very_different_scales():
    state = LabState.of(scales())
    matrix = state.prepared.matrix
    assert characteristic(matrix) == pytest.approx(exactly(matrix), rel=1e-9)
    text = by_hand(state)
    assert "det(λI − C) = λ³ − 9.291e+10 λ² + 1.237e+09 λ − 136.2 = 0" in text
    assert "λ = 9.2911e+10, 0.013319, 1.1007e-07" in text
    assert text.count("  v = (") == 3
    for value, component in zip(eigenvalues(matrix), state.prepared.pca.components, strict=True):
        found = reduced(matrix, float(value))
        (solution,) = found.solutions
        vector = solution / np.linalg.norm(solution)
        assert found.is_certain
        assert np.sign(vector @ component) * vector == pytest.approx(component, rel=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_eigenvalues_by_hand_are_those_of_exact_arithmetic(seed):
    rng = np.random.default_rng(seed)
    d = 2 + seed % 5
    samples = rng.standard_normal((d + 4, d)) @ rng.standard_normal((d, d)) * 10.0 ** rng.uniform(-4, 4, d)
    matrix = LabState.of(LabData("Scales", tuple("abcdef"[:d]), samples)).prepared.matrix
    assert characteristic(matrix) == pytest.approx(exactly(matrix), rel=1e-6)


def test_where_rounding_leaves_no_eigenvector_by_hand_says_so():
    rng = np.random.default_rng(0)
    samples = rng.standard_normal((8, 3)) @ rng.standard_normal((3, 3)) * 10.0 ** rng.uniform(-5, 5, 3)
    samples[:, 1] = 3 * samples[:, 0]
    text = by_hand(LabState.of(LabData("Alike", ("a", "b", "c"), samples)))
    assert "λ = 170054, 5.8112e-05, 0" in text
    assert "For λ = 5.8112e-05 the scales of the features differ too much: standardise them." in text
    assert text.count("  v = (") == 2


def test_power_iteration_begins_along_the_line_and_every_step_is_kept():
    state = go.with_line(five("power"), 0.3)
    assert power_figures(state).growths.size == 0
    for _ in range(6):
        state = go.powered(state)
    found = power_figures(state)
    assert (len(state.powers), len(found.angles), len(found.growths)) == (7, 7, 6)
    assert state.powers[0] @ state.direction == pytest.approx(1)
    assert (np.diff(found.angles) < 0).all()
    assert found.growths[-1] == pytest.approx(found.first, rel=1e-4)
    assert np.tan(np.radians(found.expected[1:])) / np.tan(np.radians(found.expected[:-1])) == pytest.approx(
        np.full(6, found.ratio)
    )
    assert go.with_line(state, 0.1).powers == ()
    with pytest.raises(SettingsError, match="nothing varies"):
        power_step(np.diag([1.0, 0.0]), np.array([0.0, 1.0]))


def test_the_parabola_of_a_code_is_least_at_the_score():
    state = go.with_marked(go.finished(five("encode")), (2, 1))
    found = code_figures(state)
    assert found.best == pytest.approx(state.scores[2, 0])
    assert found.errors.min() == pytest.approx(found.least, abs=1e-3)
    tried = code_figures(go.with_code(state, found.best + 0.5))
    assert (tried.slope, tried.error) == pytest.approx((1.0, found.least + 0.25))
    assert go.with_marked(go.with_code(state, 1.0), (1,)).code is None
    with pytest.raises(SettingsError, match="samples 1 to 4"):
        go.with_marked(state, (4,))


@pytest.mark.slow
@given(states())
def test_a_sample_is_the_sum_of_its_parts(state):
    state = go.with_k(go.with_marked(go.turned(state, 0.4), (1,)), 2)
    scale = 1 + float(np.abs(state.data.samples).max()) ** 2
    for most in (8, 1):
        found = part_figures(state, most)
        assert len(found.names) == len(found.parts) == 2 + min(most, 2)
        assert sum(found.parts) == pytest.approx(found.original, abs=1e-9 * scale)
        assert found.squares.sum() + found.left == pytest.approx(found.whole, abs=1e-9 * scale)
        assert found.decoded == pytest.approx(state.reconstruction[1], abs=1e-9 * scale)


def test_what_directions_leave_is_drawn_and_turned_in_the_step_of_deflation():
    state = go.with_best_line(go.with_plane(five("take"), 0, 1))
    taken = go.taken_away(state)
    assert scatter(taken).points @ [math.cos(state.angle), math.sin(state.angle)] == pytest.approx(
        np.zeros(4), abs=1e-12
    )
    rest, rounds = taken.taken
    direct = taken.basis.axes @ (rest.T @ rest / 3) @ taken.basis.axes.T
    assert taken.matrix == pytest.approx(direct, abs=1e-12)
    assert taken.trace == pytest.approx(rounds[-1].left)
    again = go.taken_away(go.with_best_line(taken))
    assert [each.before for each in again.taken[1]][1] == pytest.approx(rounds[0].left)
    assert go.with_step(again, "turn").matrix is again.basis.matrix
    assert go.given_back(again).trace == pytest.approx(state.prepared.trace)
    found = formula(again, Kind.LEFT, 2, 1)
    assert evaluated(found.python()) == pytest.approx(again.taken[0][2, 1])
    assert grid(again, Kind.LEFT).title == "What 2 directions leave"


@pytest.mark.parametrize("kind", Kind)
def test_a_row_is_that_of_the_whole_table(kind):
    state = go.taken_away(go.with_k(go.turned(five(convention=Convention(sigma=Sigma.N)), 0.7), 3))
    table = grid(state, kind)
    found = [row_of(state, kind, row) for row in range(len(table.rows))]
    assert np.array(found) == pytest.approx(table.values, abs=1e-12)


def test_the_usual_step_costs_as_much_as_the_next_axis():
    state = go.with_k(go.finished(go.with_step(LabState.of(built_in("iris")), "cost")), 2)
    assert usual_step(state) == pytest.approx(math.sqrt(12 * state.basis.variances[2]), rel=0.1)
    assert cost_figures(state).step == usual_step(state)
    assert cost_figures(go.with_rounding(state, 0.25)).step == 0.25
    constant = LabState.of(LabData("Constant", ("a", "b"), np.ones((3, 2))))
    assert usual_step(constant) == 1.0


def test_points_are_drawn_and_the_axes_stay():
    state = go.turned(LabState.of(built_in(DRAWN)), 0.5)
    more = go.with_samples(state, state.data.added(np.array([5.0, -5.0])))
    assert more.data.n_samples == state.data.n_samples + 1
    assert more.basis.axes is state.basis.axes
    assert np.trace(more.basis.matrix) == pytest.approx(more.prepared.trace)
    moved = go.with_samples(go.with_marked(more, (7,)), more.data.moved(7, np.array([0.0, 0.0])))
    assert moved.marked == (7,)
    assert go.with_samples(moved, moved.data.without(7)).marked == ()
    assert go.with_samples(state, built_in("iris")).basis.axes.tolist() == np.eye(4).tolist()


def test_samples_and_axes_of_images_are_pictures():
    images = np.random.default_rng(0).integers(0, 200, (20, 3, 4), dtype=np.uint8)
    images[:, 0, 0] = 0
    state = LabState.of(stack(images, np.arange(20) % 3))
    assert 0 not in state.plane
    shown = sample_picture(state.data, state.data.samples[3])
    low, high = state.data.extent
    assert shown[..., 0] == pytest.approx(np.round((images[3] - low) * 255 / (high - low)), abs=1)
    axis = axis_picture(state.data, np.linspace(-1, 0.5, 12))
    assert (axis.min(), axis[0, 0, 0], axis.shape) == (1, 1, (3, 4, 1))
    assert axis_picture(state.data, np.zeros(12))[1, 1, 0] == 128
    assert sample_picture(built_in("iris"), np.zeros(4)) is None
    assert state.data.group_names == ("0", "1", "2")
    assert state.data.group_numbers.tolist() == [0, 1, 2] * 6 + [0, 1]


def test_a_share_that_falls_short_is_not_rounded_up_to_the_one_wanted():
    values = np.diag([0.94997, 0.03003, 0.02]) ** 0.5
    data = LabData("shares", ("a", "b", "c"), np.vstack([values, -values]))
    found = check(go.with_step(go.with_k(LabState.of(data), 1), "keep"))
    assert not found.done
    assert "keeps 94.99\u00a0%" in found.words


CONVENTIONS = [Convention(*each) for each in product((True, False), Sigma, Divisor)]


@pytest.mark.parametrize("step", [step.key for step in STEPS])
def test_a_lesson_has_three_to_six_sentences_and_sources_and_names_squares_as_the_convention_does(step):
    for by in CONVENTIONS:
        words, sources = lesson(step, by)
        assert 3 <= len(re.findall(r"\.( |$)", words)) <= 6
        assert "{" not in words
        assert by.centre or "variance along" not in words
        assert all(address.startswith("https://") and title for title, address in sources)
        signs = legend(step, by)
        assert len(signs) == len(set(signs)) >= 8
        assert any("eigenvalues" in each[2] for each in signs)
    assert sum(len(lesson(each.key, Convention())[1]) for each in STEPS) >= 8
