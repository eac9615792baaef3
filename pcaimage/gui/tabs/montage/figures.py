"""What the montage says of a stack's images, and which pictures it wants first. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.formatting import decibels
from pcaimage.insight.stack_errors import Order

Floats = NDArray[np.float32]

EMPTY = "Originals and reconstructions of a stack's images appear here side by side."
FITTING = "Finding the components…"
NOT_FITTED = "There are no components yet: fitting was stopped."
ORDERS: tuple[tuple[Order, str], ...] = (
    ("number", "In their order"),
    ("worst", "Worst first"),
    ("best", "Best first"),
    ("label", "By label"),
)
"""Orders, and what they are called."""


def orders(*, errors: bool, labels: bool) -> list[tuple[Order, str]]:
    """Return the orders that make sense.

    Parameters
    ----------
    errors : bool
        Whether there are originals to compare with.
    labels : bool
        Whether it is known what images show.

    Returns
    -------
    list of (str, str)
        Of :data:`ORDERS`.
    """
    possible = {"number": True, "worst": errors, "best": errors, "label": labels}
    return [(by, name) for by, name in ORDERS if possible[by]]


def error_words(rms: float, peak: float, *, as_psnr: bool) -> str:
    """Return an image's error as text.

    Parameters
    ----------
    rms : float
        Root mean square, in levels.
    peak : float
        The largest value that a pixel can have.
    as_psnr : bool
        Whether it is told as a peak signal-to-noise ratio.

    Returns
    -------
    str
        Such as ``error 12.3`` or ``28.1 dB``.
    """
    if not as_psnr:
        return f"error {rms:.1f}" if rms < 99.95 else f"error {rms:.0f}"
    return decibels(math.inf if rms == 0 else 20 * math.log10(peak / float(rms)))


def summary(errors: Floats | None, peak: float, *, exact: bool, as_psnr: bool) -> str:
    """Return what is said of all errors.

    Parameters
    ----------
    errors : ndarray, shape (N,), or None
        Root mean squares, in levels; None while they are not known.
    peak : float
        The largest value that a pixel can have.
    exact : bool
        Whether they are of the exact reconstruction.
    as_psnr : bool
        Whether they are told as peak signal-to-noise ratios.

    Returns
    -------
    str
        One line; empty without errors.
    """
    if errors is None or not len(errors):
        return ""
    best, middle, worst = (float(value) for value in (errors.min(), np.median(errors), errors.max()))
    words = [
        error_words(value, peak, as_psnr=as_psnr).removeprefix("error ") for value in (best, middle, worst)
    ]
    about = "" if exact else "≈ "
    what = "PSNR" if as_psnr else "Error"
    return f"{what} {about}{words[0]} to {words[2]} · half of the images are better than {words[1]}"


def caption(number: int, labels: NDArray[Any] | None) -> str:
    """Return what stands beneath an image.

    Parameters
    ----------
    number : int
        Which one, from 0.
    labels : ndarray, shape (N,), or None
        What images show.

    Returns
    -------
    str
        Its number, from 1, and its label.
    """
    return f"{number + 1:,}" if labels is None else f"{number + 1:,} · label {labels[number]}"


def spoken(number: int, labels: NDArray[Any] | None, error: str) -> str:
    """Return an image's name for people who cannot see it.

    Parameters
    ----------
    number : int
        Which one, from 0.
    labels : ndarray, shape (N,), or None
        What images show.
    error : str
        From :func:`error_words`; empty where it is not known.

    Returns
    -------
    str
        Such as ``Image 17, label 3, error 12.3``.
    """
    parts = [f"Image {number + 1}", "" if labels is None else f"label {labels[number]}", error]
    return ", ".join(filter(None, parts))


def wanted(
    order: Sequence[int] | NDArray[np.intp], first: int, last: int, fresh: Container[int], most: int
) -> tuple[int, ...]:
    """Return the images whose pictures are to be made next.

    Parameters
    ----------
    order : sequence of int
        All images in the order shown.
    first, last : int
        The first and the last row that are seen.
    fresh : container of int
        Images whose pictures are those of the present setting.
    most : int
        How many to make at once.

    Returns
    -------
    tuple of int
        Those that are seen; where these are known, those of a page behind.
    """
    page = last - first + 1
    for rows in (order[first : last + 1], order[last + 1 : last + 1 + page]):
        missing = [int(number) for number in rows if number not in fresh]
        if missing:
            return tuple(missing[:most])
    return ()
