"""The course's words: why a step is made, what is drawn in it, and where to read on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from pcaimage.insight.numeric import Convention
from pcaimage.machine.folders import asset

_BELOW = {"power": "power", "encode": "code", "decode": "parts", "take": "taken", "cost": "cost"}
"""The pane of its own that a step has below the scatter plot, instead of the curves over the angle."""


@dataclass(frozen=True)
class Lesson:
    """A few sentences about a step, in which names of commands stand between asterisks, and its sources."""

    words: str
    sources: tuple[tuple[str, str], ...]  # titles and addresses


@dataclass(frozen=True)
class Sign:
    """A line of a legend: the name of a colour, the sign that is drawn in it, and what that means."""

    colour: str
    sign: str
    words: str


def lesson(step: str, by: Convention) -> Lesson:
    """Return the lesson of a step, by its key, with what squares and products are by a convention."""
    words, *sources = _chapters()[step].split("\n\n> ")
    read_on = [line.rpartition(" <") for line in "".join(sources).split("\n> ") if line]
    named = tuple((title, address.rstrip(">")) for title, _, address in read_on)
    return Lesson(_said(words.replace("\n", " "), by), named)


def legend(step: str, by: Convention) -> tuple[Sign, ...]:
    """Return the legend of the panes that are seen in a step, from the scatter plot on."""
    drawn = ("biplot",) if step == "biplot" else ("plane", _BELOW.get(step, "angles"))
    lines = [line.split(" ", 3) for line in _chapters()["legend"].splitlines()]
    panes = (*drawn, "matrix", "spectrum")
    return tuple(
        Sign(colour, sign, _said(words, by))
        for pane in panes
        for of, colour, sign, words in lines
        if of == pane
    )


def _said(words: str, by: Convention) -> str:
    return words.format(squares=by.squares, products=by.products)


@cache
def _chapters() -> dict[str, str]:
    text = asset("resources", "lab", "lessons.md").read_text("utf-8")
    parts = text.removeprefix("# ").split("\n# ")
    return {key: body.strip() for key, _, body in (part.partition("\n") for part in parts)}
