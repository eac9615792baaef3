"""Exercises as files: samples, convention, basis, step and questions; typed answers; a student at one."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from pcaimage.errors import DataError, PcaImageError, SettingsError
from pcaimage.insight.lab import plain
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import Basis
from pcaimage.insight.lab.data import Floats, LabData, built_in
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.steps import check, step_named
from pcaimage.insight.numeric import Convention
from pcaimage.pca import components_for_ratio, cumulative_shares


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and a sentence about it."""

    right: bool
    words: str


@dataclass(frozen=True)
class Quantity:
    """A quantity of the PCA of a state, however far its basis is turned; signs of rows may be arbitrary."""

    title: str
    of: Callable[[LabState], Floats]
    either_sign: bool = False

    def at(self, state: LabState, places: tuple[int, ...]) -> Floats:
        """Return its entries, flat; places from 1 choose a row, and an entry of it. SettingsError if none."""
        found = np.atleast_1d(self.of(state))
        for place in places:
            if not found.ndim or not 1 <= place <= len(found):
                raise SettingsError(f"There is no number {place} of the {self.title.lower()}.")
            found = found[place - 1]
        return np.ravel(found)


def _scores(state: LabState) -> Floats:
    """Return the scores, a row for each component."""
    return state.prepared.pca.components @ state.prepared.samples.T


def _reconstruction(state: LabState) -> Floats:
    kept = state.prepared.pca.components[: state.k]
    found: Floats = state.prepared.samples @ kept.T @ kept * state.prepared.widths + state.prepared.shift
    return found


def _first_angle(state: LabState) -> Floats:
    """Return the angle of the line of most variance in the plane, in degrees."""
    return np.array([np.degrees(state.basis.best_angle(*state.plane))])


QUANTITIES: dict[str, Quantity] = {
    "mean": Quantity("Mean of each feature", lambda s: s.prepared.mean),
    "deviations": Quantity("Standard deviation of each feature", lambda s: s.prepared.deviations),
    "prepared": Quantity("Prepared samples", lambda s: s.prepared.samples),
    "matrix": Quantity("Matrix C", lambda s: s.prepared.matrix),
    "correlation": Quantity("Correlations", lambda s: s.prepared.correlation),
    "trace": Quantity("Trace of C", lambda s: np.array(s.prepared.trace)),
    "angle": Quantity("Angle of the best line in degrees", _first_angle),
    "eigenvalues": Quantity("Eigenvalues", lambda s: s.prepared.pca.variances),
    "components": Quantity("Components", lambda s: s.prepared.pca.components, either_sign=True),
    "scores": Quantity("Scores on each component", _scores, either_sign=True),
    "shares": Quantity(
        "Share that the first k components keep", lambda s: cumulative_shares(s.prepared.pca.variances)[1:]
    ),
    "k95": Quantity(
        "Fewest components for 95 %", lambda s: np.array(components_for_ratio(s.prepared.pca.variances, 0.95))
    ),
    "error": Quantity(
        "Variance that k components leave out", lambda s: np.array(s.prepared.pca.variances[s.k :].sum())
    ),
    "reconstruction": Quantity("Reconstruction from k components", _reconstruction),
}
"""The quantities by name; each is computed from the samples, so that a table can be exchanged."""

_PART = re.compile(r"([+-]?)(√?)([0-9]+[.,]?[0-9]*|[.,][0-9]+)(e[+-]?[0-9]+)?(%?)", re.IGNORECASE)
_ROOT = re.compile(r"(?:√|sqrt)\s*\(?\s*", re.IGNORECASE)
_SIGNS = str.maketrans("−–;[](){}", "--" + " " * 7)
_LONGEST = 40  # letters of a number


def judged(typed: str, wanted: tuple[float, ...] | str, tolerance: float, *, either_sign: bool) -> Verdict:
    """Compare an answer with the right one: a word letter by letter, numbers within a tolerance."""
    if isinstance(wanted, str):
        right = "".join(typed.split()).casefold() == "".join(wanted.split()).casefold()
        return Verdict(right, "Right." if right else "That is not it.")
    found = numbers_in(typed, len(wanted))
    if found is None:
        count = "a number" if len(wanted) == 1 else f"{len(wanted)} numbers, with spaces between them"
        return Verdict(False, f"Type {count}.")
    off = np.abs(np.array(found) - wanted)
    if either_sign:
        off = min(off, np.abs(np.array(found) + wanted), key=lambda each: float(each.max()))
    wrong = np.flatnonzero(~(off <= tolerance * (1 + 1e-9) + 1e-12))
    if not wrong.size:
        return Verdict(True, "Right.")
    which = "" if len(wanted) == 1 else f" Number {wrong[0] + 1} is off."
    return Verdict(False, f"Not yet.{which}")


def numbers_in(text: str, count: int) -> list[float] | None:
    """Return so many numbers of a text, or None: with points or commas, fractions, roots, and per cent."""
    plain = _ROOT.sub("√", text).translate(_SIGNS)
    # Commas stand between numbers, or before decimals.
    for pieces in (re.split(r"[,\s]+", plain), re.split(r"(?:,\s|\s)+", plain)):
        found = [_number(each) for each in pieces if each]
        if len(found) == count and None not in found:
            return [each for each in found if each is not None]
    return None


def _number(text: str) -> float | None:
    above, slash, below = text.partition("/")
    one, other = _plain(above), _plain(below) if slash else 1.0
    return one / other if one is not None and other else None


def _plain(text: str) -> float | None:
    found = _PART.fullmatch(text)
    if found is None or len(text) > _LONGEST:
        return None
    sign, root, digits, power, percent = found.groups()
    value = float(digits.replace(",", ".") + (power or ""))
    value = (value**0.5 if root else value) / (100 if percent else 1)
    return -value if sign == "-" else value


SUFFIX = ".pcalab"
MAX_BYTES = 8 << 20  # most bytes of a file, whose objects then take some hundred megabytes at worst
VERSION = 1
HIDDEN = ("finish", "numbers", "answers")
"""What a teacher can hide: commands that solve a task at once, all numbers, and what the best would be."""

_MOST_QUESTIONS = 50


@dataclass(frozen=True)
class Question:
    """A question: its own words, and what answers it.

    That is a quantity of the PCA by its name, of which `at` chooses a row and an entry, from 1; or an answer
    of its own, numbers or a word; or without both the task of the step. Numbers may be off by the tolerance.
    """

    text: str
    quantity: str = ""
    at: tuple[int, ...] = ()
    answer: tuple[float, ...] | str = ()
    tolerance: float = 0.01
    either_sign: bool = False
    step: str = ""
    hints: tuple[str, ...] = ()

    @property
    def is_typed(self) -> bool:
        """Whether an answer is typed; else the task of the step has to be done."""
        return bool(self.quantity or self.answer)

    def wanted(self, state: LabState) -> tuple[float, ...] | str:
        """Return the right answer; SettingsError if the samples have no such quantity."""
        if not self.quantity:
            return self.answer
        if self.quantity not in QUANTITIES:
            raise DataError(f"There is no quantity {self.quantity!r}; there are {', '.join(QUANTITIES)}.")
        return tuple(QUANTITIES[self.quantity].at(state, self.at).tolist())

    def judge(self, typed: str, state: LabState) -> Verdict:
        """Return whether an answer, or what was done, is right."""
        if not self.is_typed:
            found = check(state)
            return Verdict(found.done, found.words)
        signs = self.quantity in QUANTITIES and QUANTITIES[self.quantity].either_sign
        return judged(typed, self.wanted(state), self.tolerance, either_sign=signs or self.either_sign)


@dataclass(frozen=True, eq=False)
class Exercise:
    """Samples as they are to be looked at first, and questions about them.

    The samples are its own, or those of a built-in table. DataError or SettingsError if parts do not fit each
    other, or a question has no answer.
    """

    title: str
    pcalab: int = VERSION
    text: str = ""
    source: str = ""
    table: str = ""
    data: LabData | None = None
    convention: Convention = field(default_factory=Convention)
    step: str = "data"
    plane: tuple[int, ...] = ()  # two axes, from 1
    angle: float = 0.0  # of the line, in degrees
    k: int | None = None
    axes: Floats | None = field(default=None, repr=False)
    questions: tuple[Question, ...] = ()
    hidden: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.pcalab != VERSION:
            raise DataError(f"This version reads exercises of version {VERSION}, not {self.pcalab}.")
        if len(self.plane) not in {0, 2} or len(self.questions) > _MOST_QUESTIONS:
            raise DataError(f"A plane has two axes, and an exercise at most {_MOST_QUESTIONS} questions.")
        if not self.hidden <= set(HIDDEN):
            raise DataError(f"What can be hidden is {', '.join(HIDDEN)}.")
        state, axes = self.state(), self.axes
        if axes is not None and not np.allclose(axes @ axes.T, np.eye(len(state.basis)), atol=1e-6):
            raise DataError("Axes are directions at right angles to each other, of length 1.")
        for question in self.questions:
            step_named(question.step or self.step)
            question.wanted(state)

    @classmethod
    def of(
        cls, state: LabState, title: str, questions: tuple[Question, ...], hidden: frozenset[str]
    ) -> Exercise:
        """Return an exercise that begins with a state."""
        begun = np.array_equal(state.basis.axes, np.eye(len(state.basis)))
        return cls(
            title,
            data=state.data,
            convention=state.convention,
            step=state.step,
            plane=tuple(axis + 1 for axis in state.plane),
            angle=float(np.degrees(state.angle)),
            k=state.k,
            axes=None if begun else state.basis.axes,
            questions=questions,
            hidden=hidden,
        )

    @classmethod
    def read(cls, data: bytes, name: str) -> Exercise:
        """Read the bytes of a file; DataError says what is wrong with it."""
        if len(data) > MAX_BYTES:
            raise DataError(f"{name} is larger than {MAX_BYTES >> 20} MiB, too large for an exercise.")
        try:
            return plain.read(cls, data)
        except (ValueError, RecursionError, PcaImageError) as error:
            raise DataError(f"{name} is no exercise: {str(error).rstrip('.')}.") from error

    def written(self) -> bytes:
        """Return the bytes of its file."""
        return plain.written(self)

    @cached_property
    def key(self) -> str:
        """A name by which its answers are kept: it is the same for the same exercise."""
        return hashlib.sha256(self.written()).hexdigest()[:16]

    def state(self) -> LabState:
        """Return the state with which it begins."""
        state = LabState.of(self.data or built_in(self.table), self.convention)
        if self.axes is not None:
            if self.axes.shape != state.basis.axes.shape:
                raise DataError(f"There must be {len(state.basis)} axes of as many numbers.")
            state = replace(state, basis=Basis.of_axes(self.axes, state.prepared.matrix))
        if self.plane and len(state.basis) > 1:
            state = go.with_plane(state, *(axis - 1 for axis in self.plane))
        if self.k is not None:
            state = go.with_k(state, self.k)
        laid = replace(state, angle=float(np.radians(self.angle)))
        return replace(go.with_step(laid, self.step), visited=frozenset())


MOST_KEPT = 200  # exercises whose answers are kept


@dataclass(frozen=True)
class Given:
    """An answer that was given: what was typed, whether it is right, and how many hints were shown before."""

    typed: str = ""
    right: bool = False
    tries: int = 0
    hints: int = 0


@dataclass(frozen=True, eq=False)
class Sitting:
    """An exercise, one of its questions, from 0, and the answers so far, one for each question."""

    exercise: Exercise
    number: int = 0
    given: tuple[Given, ...] = field(default=())

    @classmethod
    def begun(cls, exercise: Exercise, records: dict[str, Any]) -> Sitting:
        """Return a sitting that goes on where an earlier one of the same exercise ended."""
        kept = records.get(exercise.key, {}).get("answers", [])
        blank = [Given()] * len(exercise.questions)
        given = [Given(**each) for each in kept] if len(kept) == len(blank) else blank
        left = [number for number, each in enumerate(given) if not each.right]
        return cls(exercise, left[0] if left else 0, tuple(given))

    @property
    def question(self) -> Question | None:
        """The question at hand; None if the exercise has none."""
        return self.exercise.questions[self.number] if self.exercise.questions else None

    @cached_property
    def begin(self) -> LabState:
        """The state that quantities are taken from, whatever is done with the basis later."""
        return self.exercise.state()

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints that were shown."""
        return self.question.hints[: self.given[self.number].hints] if self.question else ()

    def tried(self, typed: str, state: LabState) -> tuple[Sitting, Verdict]:
        """Return the sitting after an answer, or after what was done in a state, and the verdict."""
        question = self.question
        if question is None:
            return self, Verdict(False, "")
        verdict = question.judge(typed, self.begin if question.is_typed else state)
        now = self.given[self.number]
        if now.right or not (question.is_typed or verdict.right):
            return self, verdict
        return self._with(replace(now, typed=typed, right=verdict.right, tries=now.tries + 1)), verdict

    def hinted(self) -> Sitting:
        """Return the sitting with one more hint shown."""
        now = self.given[self.number]
        return self._with(replace(now, hints=now.hints + 1))

    def at(self, number: int) -> Sitting:
        """Return the sitting at another question, from 0."""
        return replace(self, number=number)

    def recorded(self, records: dict[str, Any]) -> dict[str, Any]:
        """Return records, by the keys of exercises, with this one as the newest."""
        title = self.exercise.title
        mine = {"title": title, "answers": [vars(each) for each in self.given]}
        questions = [question.text for question in self.exercise.questions]
        found = {key: kept for key, kept in records.items() if key != self.exercise.key}
        found[self.exercise.key] = {**mine, "questions": questions}
        return dict(list(found.items())[-MOST_KEPT:])

    def _with(self, now: Given) -> Sitting:
        given = (*self.given[: self.number], now, *self.given[self.number + 1 :])
        return replace(self, given=given)


def records_of(text: str) -> dict[str, Any]:
    """Return the records that were kept as text; none if it is damaged."""
    try:
        found = json.loads(text)
        for record in found.values():
            [Given(**each) for each in record["answers"]]
            str(record["title"]), [str(each) for each in record["questions"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}
    return dict(found)


def report(records: dict[str, Any], ticks: frozenset[str]) -> str:
    """Return everything that was answered and done as a text in Markdown, for a teacher."""
    lines = ["# Answers", "", f"Steps done: {', '.join(sorted(ticks)) or 'none'}."]
    for record in records.values():
        lines += ["", f"## {record['title']}", "", "| question | answer | right | tries | hints |"]
        lines.append("|---|---|---|---|---|")
        for text, given in zip(record["questions"], record["answers"], strict=True):
            cells = (text, given["typed"], "yes" if given["right"] else "no", given["tries"], given["hints"])
            lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])
