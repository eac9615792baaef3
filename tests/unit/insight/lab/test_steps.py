"""Each step has a picture and a formula with its numbers."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from pcaimage.errors import SettingsError
from pcaimage.insight.lab import STEPS, TABLES, LabData, LabState, built_in, check, stack
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import power_step
from pcaimage.insight.lab.by_hand import by_hand, characteristic, eigenvalues, reduced
from pcaimage.insight.lab.data import DRAWN, axis_picture, sample_picture
from pcaimage.insight.lab.figures import (
    closest,
    code_figures,
    cost_figures,
    part_figures,
    power_figures,
    scatter,
    usual_step,
)
from pcaimage.insight.lab.formula import correlation_figure
from pcaimage.insight.lab.live import live
from pcaimage.insight.lab.numbers import Kind, formula, grid, row_of, texts
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
    assert grid(again, Kind.LEFT).title == "What is left, 2 taken away"


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


TABLE_CONVENTIONS = [Convention(), Convention(sigma=Sigma.N), Convention(centre=False, divisor=Divisor.NONE)]


def at(step, table="iris", convention=None):
    return go.with_step(LabState.of(built_in(table), convention), step)


def of(rows, step):
    names = tuple("abcdef"[: len(rows[0])])
    return go.with_step(LabState.of(LabData("Rows", names, np.array(rows, np.float64))), step)


def done(state):
    return check(state).done


@pytest.mark.parametrize("convention", TABLE_CONVENTIONS, ids=str)
@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_done_by_entering_a_step(table, convention):
    for step in STEPS:
        state = at(step.key, table, convention)
        if step.key == "standardise" and convention.standardized:
            continue  # it is what the task asks for
        if step.key == "diagonal" and not state.basis.off_diagonal:
            continue
        assert not done(state), step.key
        assert not state.visited
        assert check(state).words


def test_data_standardise_diagonal_and_decode():
    assert not done(at("data"))
    assert done(go.with_marked(at("data"), (3,)))
    assert not done(at("standardise", "two-units"))
    assert not done(go.with_convention(at("standardise"), Convention(divisor=Divisor.N)))
    assert done(go.with_convention(at("standardise"), Convention(sigma=Sigma.N_MINUS_1)))
    assert not done(go.turned_where_most(at("diagonal")))
    assert done(go.finished(at("diagonal")))
    decoded = go.finished(at("decode"))
    assert [done(go.with_k(decoded, k)) for k in range(5)] == [False, True, True, True, False]
    assert check(at("decode", "cross")).words == "Even PCA needs all 2 here. Take other samples."


def test_centre_asks_for_the_best_line_with_the_mean_left_in():
    state = at("centre", "two-units")
    raw = go.with_convention(state, Convention(centre=False))
    assert not done(go.with_convention(raw, Convention()))
    wrong = go.with_line(raw, 1.2)
    assert not done(go.with_convention(wrong, Convention()))
    passed = go.with_line(go.with_best_line(replace(raw, held=True)), 1.2)
    assert not done(go.with_convention(passed, Convention()))
    found = go.with_best_line(raw)
    assert "° from the mean" in check(found).words
    assert not done(found)
    assert done(go.with_convention(found, Convention()))
    assert not done(go.with_convention(go.with_best_line(state), Convention()))
    there = go.with_best_line(go.with_convention(at("centre", "cross"), Convention(centre=False)))
    assert check(there).words == "Found; but these means are zero anyway. Centre again."


def test_covariance_begins_elsewhere_and_asks_for_a_choice():
    for table in ("iris", "five-features"):
        state = at("covariance", table)
        assert set(state.plane) != set(state.basis.largest())
        assert not done(go.with_plane(state, *state.plane))
        assert done(go.with_plane(state, *state.basis.largest()))
        # What another choice left in the plane of the largest is no answer.
        assert not done(go.begun_anew(go.turned(go.with_plane(state, *state.basis.largest()), 0.1)))
    for table in ("three-prices", "two-units", "cross"):
        state = at("covariance", table)
        assert check(state).words.startswith("There is nothing to choose from here. Start over, or ")
        assert not done(go.with_plane(state, 0, 1))
    same = go.with_data(go.with_plane(at("covariance"), 2, 3), built_in("five-features"))
    assert not done(same)


def test_turn_is_measured_between_the_best_and_the_worst_line_and_where_the_line_is_left():
    units = at("turn", "two-units")
    touched = go.with_line(units, 0.0)
    assert not done(touched)
    assert check(touched).words == "Now 0.1486, best so far 0.1486; possible 0.01202."
    best = go.with_best_line(units)
    assert done(best)
    assert not done(go.with_line(best, best.angle + math.radians(1.2)))
    assert done(go.with_line(units, best.angle + math.radians(0.8)))
    five = at("turn", "five-features")
    past = go.with_line(go.with_line(replace(five, held=True), math.radians(62)), 0.0)
    assert not done(past)
    assert not past.visited
    left = go.with_line(replace(go.with_best_line(five), held=False), 2.5)
    assert "best so far 0.9964; possible 0.9964" in check(left).words
    assert not done(left)
    circle = of([(1, 0), (-1, 0), (0, 1), (0, -1)], "turn")
    assert check(go.with_line(circle, 0.4)).words == "Every line of this plane has the same error."


def test_nothing_is_done_while_it_is_dragged():
    state = at("turn")
    dragged = go.with_best_line(replace(state, held=True))
    assert not done(dragged)
    assert done(go.with_line(replace(dragged, held=False), dragged.angle))
    code = replace(go.finished(at("encode")), held=True)
    assert not go.with_code(code, float(code.scores[0, 0])).visited


def test_power_is_measured_to_the_space_of_the_largest_eigenvalue():
    state = at("power")
    assert not done(go.with_best_line(state))
    assert not done(go.powered(go.with_line(state, 1.2)))
    moving = state
    for _ in range(6):
        moving = go.powered(moving)
    assert done(moving)
    circle = go.powered(go.with_line(of([(1, 0), (-1, 0), (0, 1), (0, -1)], "power"), 0.9))
    assert check(circle).words == "All eigenvalues are equal: any direction is a first component."
    assert power_figures(circle).ratio_words == "all λ are equal: any direction is a first component"
    across = go.with_line(at("power", "cross"), math.pi / 2)
    for _ in range(5):
        across = go.powered(across)
    assert check(across).words == "This start has no part along the first component. Turn the line."
    assert not done(across)
    # Two equal eigenvalues and a smaller one: any direction of their plane is found.
    disc = of([(2, 0, 0), (-2, 0, 0), (0, 2, 0), (0, -2, 0), (0, 0, 1), (0, 0, -1)], "power")
    disc = go.with_line(go.with_plane(disc, 1, 2), 0.6)
    assert not done(go.powered(disc))
    for _ in range(5):
        disc = go.powered(disc)
    assert power_figures(disc).ratio_words == "λ₃ / λ₁ = 0.25"
    assert "any of the 2 with λ₁" in check(disc).words
    assert done(disc)


@pytest.mark.parametrize("table", TABLES)
def test_encode_is_measured_by_the_parabola(table):
    state = at("encode", table)
    best = code_figures(state).best
    wrong = [0.0, 2 * best, 0.9 * best, 1.1 * best, -best] if best else [0.4]
    assert not any(done(go.with_code(state, code)) for code in wrong)
    assert all(done(go.with_code(state, share * best)) for share in (0.96, 1.0, 1.04))
    past = go.with_code(go.with_code(replace(state, held=True), best), 3 * best + 1)
    assert not past.visited


def test_a_sample_without_a_part_along_the_axis_has_zero_as_its_best_code():
    state = go.with_marked(at("encode", "cross"), (0,))
    assert code_figures(state).best == 0
    assert done(go.with_code(state, 0.0))
    assert not done(go.with_code(state, 0.5))


def test_choose_k_is_compared_with_pca():
    five = at("keep", "five-features")
    assert check(five).words == "k = 5 keeps 100.00\u00a0%; 95\u00a0% takes in this order 5, sorted 4, PCA 2."
    assert not any(done(go.with_k(five, k)) for k in range(6))
    assert not any(done(go.with_k(go.in_order(five), k)) for k in range(6))
    ended = go.finished(five)
    assert [done(go.with_k(ended, k)) for k in range(6)] == [False, False, True, False, False, False]
    prices = at("keep", "three-prices")
    assert not any(done(go.with_k(prices, k)) for k in range(4))
    assert done(go.with_k(go.finished(prices), 1))
    assert check(at("keep", "cross")).words == "Even PCA needs all 2 here. Take other samples."


def test_two_directions_are_those_of_the_components():
    state = go.taken_away(go.with_best_line(at("take")))
    assert not done(state)
    assert not done(go.taken_away(state))  # the same line twice
    ended = go.finished(at("take"))
    for axis in (0, 1):
        ended = go.taken_away(go.with_plane(ended, axis, 3))
    assert done(ended)
    prices = go.finished(at("take", "three-prices"))
    prices = go.taken_away(go.taken_away(prices))
    assert check(prices).words == "0 is left; the least is 0."


def test_biplot_takes_negative_correlations_too():
    z = np.linspace(-1, 1, 12)
    rows = [(value, -value + 0.03 * (-1) ** n, np.cos(9 * value)) for n, value in enumerate(z.tolist())]
    state = go.finished(of(rows, "biplot"))
    assert done(go.with_arrow(go.with_arrow(state, 0), 1))
    wrong = go.with_arrow(go.with_arrow(state, 0), 2)
    assert not done(wrong)
    assert check(wrong).words == "The correlation of yours is 0; another pair has −0.999."
    five = go.finished(at("biplot", "five-features"))
    assert done(go.with_arrow(go.with_arrow(five, 0), 1))
    assert not done(go.with_arrow(go.with_arrow(five, 1), 2))
    raw = go.finished(at("biplot", "iris", Convention(centre=False)))
    assert check(go.with_arrow(go.with_arrow(raw, 0), 1)).words.startswith("The cosine of yours is 0.9")


def test_cost_asks_for_a_small_error_too_and_says_where_nothing_is_saved():
    state = at("cost")
    assert not any(done(go.with_k(state, k)) for k in (0, 1, 2))  # turned to nothing, losing most
    assert done(go.with_k(go.finished(state), 1))
    assert not done(go.with_k(go.finished(state), 4))
    assert check(go.finished(state)).words == "620 numbers instead of 600; 0.00\u00a0% is lost."
    for table, words in (
        ("three-prices", "Even PCA needs 9 numbers here, no fewer than 9. Take other samples."),
        ("five-features", "Even PCA needs 23 numbers here, no fewer than 20. Take other samples."),
    ):
        tried = go.finished(at("cost", table))
        assert not any(done(go.with_k(tried, k)) for k in range(len(tried.basis) + 1))
        assert check(tried).words == words
    assert done(go.with_k(go.finished(at("cost", "two-units")), 1))


def test_no_correlation_below_1_is_shown_as_1():
    rows = [(value, value + 0.003 * (-1) ** n) for n, value in enumerate(np.linspace(-1, 1, 12).tolist())]
    state = go.with_convention(go.finished(of(rows, "biplot")), Convention(sigma=Sigma.N_MINUS_1))
    chosen = go.finished(go.with_arrow(go.with_arrow(state, 0), 1))
    assert 0.9995 < closest(chosen)[0] < 1
    assert check(chosen).words.startswith("The correlation of yours is 0.9999")
    assert "= 0.9999" in live(chosen)
    shown = texts(chosen, Kind.CORRELATION)
    assert shown[0][1].startswith("0.9999")
    assert [correlation_figure(value) for value in (1.0, 1 - 1e-12, -1.0, 0.5)] == ["1", "1", "−1", "0.5"]
