"""The course's words: why a step is made, what is drawn in it, and where to read on."""

from __future__ import annotations

from functools import cache

from pcaimage.insight.numeric import Convention
from pcaimage.machine.folders import asset

_BELOW = {"power": "power", "encode": "code", "decode": "parts", "take": "taken", "cost": "cost"}
"""The pane of its own that a step has below the scatter plot, instead of the curves over the angle."""


def lesson(step: str, by: Convention) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a few sentences about a step, by its key, and its sources by title and address.

    Names of commands stand between asterisks; squares and products are called what they are by a convention.
    """
    words, *sources = _chapters()[step].split("\n\n> ")
    read_on = [line.rpartition(" <") for line in "".join(sources).split("\n> ") if line]
    named = tuple((title, address.rstrip(">")) for title, _, address in read_on)
    return _said(words.replace("\n", " "), by), named


def legend(step: str, by: Convention) -> tuple[tuple[str, str, str], ...]:
    """Return the legend of a step's panes: the names of colours, the signs drawn in them, what they mean."""
    drawn = ("biplot",) if step == "biplot" else ("plane", _BELOW.get(step, "angles"))
    lines = [line.split(" ", 3) for line in _chapters()["legend"].splitlines()]
    panes = (*drawn, "matrix", "spectrum")
    found = ((colour, sign, words) for pane in panes for of, colour, sign, words in lines if of == pane)
    return tuple((colour, sign, _said(words, by)) for colour, sign, words in found)


def _said(words: str, by: Convention) -> str:
    return words.format(squares=by.squares, products=by.products)


@cache
def _chapters() -> dict[str, str]:
    text = asset("resources", "lab", "lessons.md").read_text("utf-8")
    parts = text.removeprefix("# ").split("\n# ")
    return {key: body.strip() for key, _, body in (part.partition("\n") for part in parts)}
