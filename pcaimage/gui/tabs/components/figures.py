"""The gallery's texts, and the order in which its pictures are made. No Qt here."""

from __future__ import annotations

from collections.abc import Container

from pcaimage.insight.components import Shares

KEPT, LEFT_OUT, BEHIND = "kept", "left out", "not kept"
EMPTY = "The components appear here as pictures once they are found."


def state_of(number: int, k: int, left_out: Container[int]) -> str:
    """Return whether a component is kept; one that the user left out stays left out beyond k, too."""
    if number in left_out:
        return LEFT_OUT
    return KEPT if number <= k else BEHIND


def spoken(number: int, shares: Shares, state: str) -> str:
    """Return a component's accessible name, such as ``Component 12, 0.21 % of the variance, left out``."""
    return f"Component {number}, {shares.share(number)} {shares.scale.of}, {state}"


def figures(number: int, shares: Shares, state: str) -> str:
    """Return a component's figures, and the effect of a click."""
    hint = "its box puts it back" if state == LEFT_OUT else "its box leaves it out"
    return f"{shares.describe(number)} · {state} · click to see it in the picture, {hint}"


def wanted(known: Container[int], first: int, last: int, count: int, most: int) -> tuple[int, ...]:
    """Return the components whose pictures are made next, `most` at once.

    These are the ones that are seen, `first` to `last`, counted from 1; where all of these are known, a page
    after them, and then a page before them.
    """
    page = last - first + 1
    if page < 1:
        return ()
    for numbers in (
        range(first, last + 1),
        range(last + 1, min(last + page, count) + 1),
        range(first - 1, max(first - page, 1) - 1, -1),
    ):
        missing = [number for number in numbers if number not in known]
        if missing:
            return tuple(missing[:most])
    return ()
