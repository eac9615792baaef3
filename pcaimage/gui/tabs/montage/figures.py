"""The montage's texts, and the order in which its pictures are made. No Qt here."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.formatting import error_words
from pcaimage.insight.stack import Order

EMPTY = "Originals and reconstructions of a stack's images appear here side by side."
ORDERS: tuple[tuple[Order, str], ...] = (
    ("number", "In their order"),
    ("worst", "Worst first"),
    ("best", "Best first"),
    ("label", "By label"),
)
"""Orders and their titles."""


def orders(*, errors: bool, labels: bool) -> list[tuple[Order, str]]:
    """Return the orders that need no more than is known: errors, labels."""
    possible = {"number": True, "worst": errors, "best": errors, "label": labels}
    return [(by, name) for by, name in ORDERS if possible[by]]


def summary(errors: NDArray[np.float32] | None, peak: float, *, exact: bool, as_psnr: bool) -> str:
    """Return the range and the median of root mean square errors, in levels or as PSNR.

    `peak` is the largest value that a pixel can have; `exact` says whether the errors are those of the exact
    reconstruction.
    """
    if errors is None or not len(errors):
        return ""
    best, middle, worst = (
        error_words(float(value), peak, as_psnr=as_psnr).removeprefix("error ")
        for value in (errors.min(), np.median(errors), errors.max())
    )
    about, measure = "" if exact else "≈ ", "PSNR" if as_psnr else "Error"
    return f"{measure} {about}{best} to {worst} · half of the images are better than {middle}"


def caption(number: int, labels: NDArray[Any] | None) -> str:
    """Return the text beneath an image, counted from 0: its number, from 1, and its label."""
    return f"{number + 1:,}" if labels is None else f"{number + 1:,} · label {labels[number]}"


def spoken(number: int, labels: NDArray[Any] | None, error: str) -> str:
    """Return the accessible name of an image, counted from 0, such as ``Image 17, label 3, error 12.3``."""
    parts = [f"Image {number + 1}", "" if labels is None else f"label {labels[number]}", error]
    return ", ".join(filter(None, parts))


def wanted(
    order: Sequence[int] | NDArray[np.intp], first: int, last: int, fresh: Container[int], most: int
) -> tuple[int, ...]:
    """Return the images whose pictures are made next, `most` at once.

    These are the ones in the rows that are seen, `first` to `last`; where all of these are fresh, those of a
    page after them.
    """
    page = last - first + 1
    for rows in (order[first : last + 1], order[last + 1 : last + 1 + page]):
        missing = [int(number) for number in rows if number not in fresh]
        if missing:
            return tuple(missing[:most])
    return ()
