"""Exercises that are shipped can be solved, wrong answers are refused, broken files end in a sentence."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from pcaimage.errors import DataError
from pcaimage.insight.lab import TEXTS, LabData, LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.by_hand import to_latex, to_markdown, worksheet
from pcaimage.insight.lab.exercise import (
    HIDDEN,
    MAX_BYTES,
    QUANTITIES,
    Exercise,
    Question,
    Sitting,
    judged,
    numbers_in,
    records_of,
    report,
)
from pcaimage.insight.numeric import Convention, Divisor, Sigma
from pcaimage.machine.folders import asset

FILES = sorted(asset("resources", "lab", "exercises").iterdir())
EXERCISES = {path.stem: Exercise.read(path.read_bytes(), path.name) for path in FILES}


def solved(exercise):
    """Return the quantities of an exercise, worked out anew from its samples, in the order of columns."""
    x = exercise.data.samples if exercise.data is not None else built_in(exercise.table).samples
    by, n = exercise.convention, len(x)
    sigma = x.std(axis=0, ddof=0 if by.sigma.value == "n" else 1)
    z = x - x.mean(axis=0) if by.centre else x.copy()
    z = z / sigma if by.sigma.value != "none" else z
    c = z.T @ z / {"n-1": n - 1, "n": n, "none": 1}[by.divisor.value]
    values, vectors = np.linalg.eigh(c)
    values, vectors = values[::-1], vectors[:, ::-1]
    k = exercise.k or len(values)
    kept = vectors[:, :k]
    rebuilt = z @ kept @ kept.T * (sigma if by.sigma.value != "none" else 1) + by.centre * x.mean(axis=0)
    shares = np.cumsum(values) / values.sum()
    i, j = (axis - 1 for axis in exercise.plane or (1, 2))
    return {
        "mean": x.mean(axis=0),
        "deviations": sigma,
        "prepared": z,
        "matrix": c,
        "correlation": np.corrcoef(x.T) if len(values) < 64 else None,
        "trace": [np.trace(c)],
        "angle": [np.degrees(0.5 * np.arctan2(2 * c[i, j], c[i, i] - c[j, j]))],
        "eigenvalues": values,
        "components": vectors.T,
        "scores": (z @ vectors).T,
        "shares": shares,
        "k95": [np.argmax(shares >= 0.95) + 1],
        "error": [values[k:].sum()],
        "reconstruction": rebuilt,
    }


def product(one, other):
    return float(np.dot(one, other))


FIRST = [-0.075, -0.025, -0.025, 1.025, 0.75]
FIVE = np.array([[2.3, 4.9, 5.1, 8.2, 4.4], [2.6, 5.3, 5.2, 6.3, 3.1], [1.5, 3.2, 4.9, 7.4, 3.6]])
EIGEN = np.linalg.eigh(np.cov(built_in("five-features").samples.T))
SCORE = product(FIRST, EIGEN[1][:, -1]) ** 2
OWN = {
    ("linear-algebra-3-eigenvalues", 1): 3 * EIGEN[0][:-4:-1],
    ("linear-algebra-4-choose-k", 2): [np.linalg.matrix_rank(FIVE - FIVE.mean(axis=0)) + 1],
    ("encoder-1-code", 1): [product((0.6, 0.8), (2, 1))],
    ("encoder-1-code", 2): [5 - product((0.6, 0.8), (2, 1)) ** 2],
    ("encoder-2-orthogonal", 0): [product((1, 0), (0.6, 0.8))],
    ("encoder-2-orthogonal", 1): [product((0.8, -0.6), (0.6, 0.8))],
    ("encoder-4-run-lengths", 0): "6w 7b 4w 4b",
    ("encoder-4-run-lengths", 1): [len("6W7B4W4B")],
    ("tacos-2-covariance", 1): [np.corrcoef([1, 4, 7], [2, 5, 8])[0, 1]],
    ("tacos-3-eigenvalues", 2): [product((-1, 1, 0), (-1, 0, 1))],
    ("tacos-4-transform", 1): [3 * 3 / np.sqrt(6)],
    ("tacos-5-predict", 0): [np.linalg.matrix_rank([[-1, -1, -1], [0, 0, 0], [1, 1, 1]])],
    ("tacos-5-predict", 1): np.linalg.lstsq(np.array([[-3], [0], [3]]) / 2**0.5, [-3, 0, 3], rcond=None)[0],
    ("tacos-5-predict", 2): [13 + 2**0.5],
    ("notes-2-units", 2): [30.48**2],
    ("notes-3-deflate", 2): [product(EIGEN[1][:, 0], EIGEN[1][:, 1])],
    ("notes-5-pythagoras", 0): [product(FIRST, FIRST)],
    ("notes-5-pythagoras", 1): [SCORE],
    ("notes-5-pythagoras", 2): [product(FIRST, FIRST) - SCORE],
    ("notes-6-power", 1): [EIGEN[0][-2] / EIGEN[0][-1]],
}
"""Right answers to questions that bring their own, worked out anew."""


def twice_away(state):
    state = go.finished(state)
    return go.taken_away(go.with_line(go.taken_away(go.with_line(state, 0.0)), np.pi / 2))


def multiplied(state):
    for _ in range(9):
        state = go.powered(state)
    return state


DONE = {
    "turn": go.with_best_line,
    "diagonal": go.finished,
    "encode": lambda state: go.with_code(state, 2.01),
    "keep": lambda state: go.with_k(go.finished(state), 2),
    "power": multiplied,
    "take": twice_away,
    "standardise": lambda state: go.with_convention(state, Convention(sigma=Sigma.N, divisor=Divisor.N)),
}
"""What solves the task of a step."""


def typed(values):
    return " ".join(repr(float(value)) for value in np.ravel(values))


@pytest.mark.parametrize("name", EXERCISES)
def test_every_question_is_solved_rightly_and_refused_wrongly(name):
    exercise = EXERCISES[name]
    right = solved(exercise)
    for number, question in enumerate(exercise.questions):
        begin = go.with_step(exercise.state(), question.step or exercise.step)
        if not question.is_typed:
            assert not question.judge("", begin).right
            assert question.judge("", DONE[begin.step](begin)).right
            continue
        wanted = OWN.get((name, number))
        if question.quantity:
            wanted = right[question.quantity]
            for place in question.at:
                wanted = wanted[place - 1]
        if isinstance(wanted, str):
            assert question.judge(wanted, begin).right
            assert not question.judge("7W6B4W4B", begin).right
            continue
        assert question.judge(typed(wanted), begin).right, (question.text, wanted, question.wanted(begin))
        off = np.ravel(wanted) + max(3 * question.tolerance, 0.1)
        assert not question.judge(typed(off), begin).right
        assert not question.judge("", begin).right
        assert not question.judge("rubbish", begin).right


def test_every_text_has_exercises_which_are_read_as_they_are_written():
    assert {exercise.source for exercise in EXERCISES.values()} == {text.title for text in TEXTS}
    for name, exercise in EXERCISES.items():
        again = Exercise.read(exercise.written(), name)
        assert again.written() == exercise.written()
        assert again.key == exercise.key
        assert len({each.title for each in EXERCISES.values()}) == len(EXERCISES)


def test_a_state_becomes_an_exercise_and_comes_back():
    state = go.with_line(go.with_k(go.turned_best(LabState.of(built_in("iris"))), 2), 0.3)
    state = go.with_step(go.with_plane(state, 2, 0), "keep")
    question = Question("What?", "shares", (2,), hints=("Add.",))
    exercise = Exercise.of(state, "Mine", (question,), frozenset({"finish"}))
    found = Exercise.read(exercise.written(), "mine")
    begin = found.state()
    assert begin.basis.axes == pytest.approx(state.basis.axes, abs=0)
    assert (begin.plane, begin.k, begin.step) == (state.plane, 2, "keep")
    assert begin.angle == pytest.approx(state.angle)
    assert begin.data.groups == state.data.groups
    assert found.questions == (question,)
    assert found.hidden == {"finish"}
    assert not begin.visited


NUMBERS = {
    "1.5": [1.5], "1,5": [1.5], "1,5; −2,25": [1.5, -2.25], "(1, 2, 3)": [1, 2, 3], "[1.0 2e-3]": [1, 0.002],
    "459/125": [3.672], "√6": [6**0.5], "-1/sqrt(3)": [-(3**-0.5)], "95%": [0.95], ".5": [0.5], "1 5": [1, 5],
}  # fmt: skip


@pytest.mark.parametrize("text", [*NUMBERS, "1/0", "9" * 5000, "nan", "", "one"])
def test_numbers_are_read_as_people_type_them(text):
    wanted = NUMBERS.get(text)
    found = numbers_in(text, len(wanted or "1"))
    assert found == (None if wanted is None else pytest.approx(wanted))
    assert numbers_in("1,5", 2) == [1, 5]
    # A tolerance is met at its edge, and one wrong number is named.
    assert judged("1.01", (1.0,), 0.01, either_sign=False).right
    assert not judged("1.0101", (1.0,), 0.01, either_sign=False).right
    assert judged("1 2 4", (1, 2, 3), 0.1, either_sign=False).words == "Not yet. Number 3 is off."


GOOD = {"pcalab": 1, "title": "t", "data": {"name": "d", "features": ["a", "b"], "samples": [[1, 2], [3, 5]]}}
BROKEN = {
    "nothing": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "bytes": b"\xff\xfe\x00",
    "nested": b"[" * 100_000,
    "nested objects": b'{"data":' * 50_000,
    "too large": b" " * (MAX_BYTES + 1),
    "huge digits": b'{"pcalab": 1, "title": "t", "k": ' + b"9" * 10_000 + b"}",
}
WRONG = (Path(__file__).parent / "wrong.txt").read_text()
for change in re.findall(r"\{.+?\}(?= \{|\n)", WRONG):
    BROKEN[change] = (json.dumps(GOOD)[:-1] + ", " + change[1:]).encode()
BROKEN["long title"] = json.dumps(GOOD | {"title": "t" * 10_000}).encode()
BROKEN["many questions"] = json.dumps(GOOD | {"questions": [{"text": "?"}] * 51}).encode()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_ends_in_a_sentence(name):
    with pytest.raises(DataError, match=r"^x\.pcalab .{10,}\.$"):
        Exercise.read(BROKEN[name], "x.pcalab")


def test_the_example_of_the_documentation_and_the_file_that_is_broken_above_are_exercises():
    text = (Path(__file__).parents[4] / "docs" / "exercises.md").read_text("utf-8")
    example = Exercise.read(re.findall(r"```json\n(.+?)```", text, re.DOTALL)[0].encode(), "example")
    assert example.questions[1].judge(typed(solved(example)["eigenvalues"][0]), example.state()).right
    assert all(f"`{name}`" in text for name in (*QUANTITIES, *vars(example), *vars(example.questions[0])))
    assert Exercise.read(json.dumps(GOOD).encode(), "x").state().data.samples.tolist() == [[1, 2], [3, 5]]
    assert HIDDEN == ("finish", "numbers", "answers")


def test_a_sitting_goes_on_where_it_ended():
    exercise = EXERCISES["tacos-1-normalise"]
    sitting = Sitting.begun(exercise, {})
    sitting, verdict = sitting.tried("4 5 7", sitting.begin)
    assert not verdict.right
    sitting, verdict = sitting.tried("4 5 6", sitting.begin)
    assert verdict.right
    assert sitting.at(1).hints == ()
    sitting = sitting.at(1).hinted()
    assert sitting.hints == exercise.questions[1].hints
    records = sitting.recorded({"other": {"title": "o", "answers": [], "questions": []}})
    again = Sitting.begun(exercise, records_of(json.dumps(records)))
    assert again.number == 1
    assert again.given[0] == sitting.given[0]
    assert (again.given[0].tries, again.given[0].typed) == (2, "4 5 6")
    text = report(records, frozenset({"turn"}))
    assert "| What are the means? | 4 5 6 | yes | 2 | 0 |" in text
    assert records_of("{") == records_of('{"a": 1}') == records_of('{"a": {"answers": [{"x": 1}]}}') == {}


def test_a_task_counts_when_it_is_done():
    exercise = EXERCISES["notes-1-line"]
    sitting = Sitting.begun(exercise, {})
    same, verdict = sitting.tried("", sitting.begin)
    assert same is sitting
    assert not verdict.right
    sitting, verdict = sitting.tried("", go.with_best_line(sitting.begin))
    assert verdict.right
    assert sitting.given[0].right


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
