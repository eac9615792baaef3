"""What the gallery of components says, and which pictures it wants first. No Qt here."""

from __future__ import annotations

from collections.abc import Collection, Container

from pcaimage.insight.components import Shares

KEPT, LEFT_OUT, BEHIND = "kept", "left out", "not kept"
EMPTY = "The components appear here as pictures when an image is open."


def state_of(number: int, k: int, left_out: Container[int]) -> str:
    """Return what is done with a component.

    Parameters
    ----------
    number : int
        Which one, from 1.
    k : int
        How many are kept.
    left_out : container of int
        Those that are left out by hand.

    Returns
    -------
    str
        :data:`LEFT_OUT`, also behind k, else :data:`KEPT` or :data:`BEHIND`.
    """
    if number in left_out:
        return LEFT_OUT
    return KEPT if number <= k else BEHIND


def spoken(number: int, shares: Shares, state: str) -> str:
    """Return a component's name for people who cannot see it.

    Parameters
    ----------
    number : int
        Which one, from 1.
    shares : Shares
        What each explains.
    state : str
        From :func:`state_of`.

    Returns
    -------
    str
        Such as ``Component 12, 0.21 % of the variance, left out``.
    """
    return f"Component {number}, {shares.share(number)} {shares.scale.of}, {state}"


def figures(number: int, shares: Shares, state: str) -> str:
    """Return a component's figures, and what a click does.

    Parameters
    ----------
    number : int
        Which one, from 1.
    shares : Shares
        What each explains.
    state : str
        From :func:`state_of`.

    Returns
    -------
    str
        One line.
    """
    wish = "click to put it back" if state == LEFT_OUT else "click to leave it out"
    return f"{shares.describe(number)} · {state} · {wish}"


def summary(count: int, k: int, left_out: Collection[int], total: int = 0) -> str:
    """Return what is done with all components.

    Parameters
    ----------
    count : int
        How many there are.
    k : int
        How many are kept.
    left_out : collection of int
        Those that are left out by hand.
    total : int, optional
        How many the image had, where a file holds fewer.

    Returns
    -------
    str
        One line.
    """
    out = sum(number <= k for number in left_out)
    words = f"{k} of {count} components are kept" + (f", {out} of them left out" if out else "")
    return words + (f" · {total - count} more are not in the file" if total > count else "")


def wanted(known: Container[int], first: int, last: int, count: int, most: int) -> tuple[int, ...]:
    """Return the components whose pictures are to be made next.

    Parameters
    ----------
    known : container of int
        Those whose pictures are there.
    first, last : int
        Those that are seen, both counted from 1.
    count : int
        How many there are.
    most : int
        How many pictures to make at once.

    Returns
    -------
    tuple of int
        Those that are seen; where these are known, those of a page behind and then of one before them.
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
