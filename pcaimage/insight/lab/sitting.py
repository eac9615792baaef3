"""A student at an exercise: the question at hand, what was answered, and the record of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pcaimage.insight.lab.answers import Verdict
from pcaimage.insight.lab.exercise import Exercise, Question
from pcaimage.insight.lab.state import LabState

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
