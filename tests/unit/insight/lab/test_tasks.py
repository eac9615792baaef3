"""A task is done if and only if it is solved: right and wrong solutions of every step."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pcaimage.insight.lab import STEPS, TABLES, LabData, LabState, built_in, check
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.figures import closest, code_figures, power_figures
from pcaimage.insight.lab.formula import correlation_figure
from pcaimage.insight.lab.live import live
from pcaimage.insight.lab.numbers import Kind, texts
from pcaimage.insight.numeric import Convention, Divisor, Sigma

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
        assert check(state).words == "There is nothing to choose from here. Take other samples."
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
