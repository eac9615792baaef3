"""Sentences and phrases that several tabs share. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from numpy.typing import NDArray

from pcaimage.insight.words import decibels

FITTING = "Finding the components…"
NOT_FITTED = (
    "There are no components yet: fitting was stopped. Choose a method or block size to fit the image."
)
STACK_NOT_FITTED = "There are no components yet: fitting was stopped."


def kept_words(count: int, k: int, left_out: Collection[int], total: int = 0) -> str:
    """Return how many components are kept and left out; `total` counts those that the image had."""
    out = sum(number <= k for number in left_out)
    words = f"{k} of {count} components are kept" + (f", {out} of them left out" if out else "")
    return words + (f" · {total - count} more are not in the file" if total > count else "")


def image_words(number: int, count: int, labels: NDArray[Any] | None) -> str:
    """Return which image of a stack is meant, such as ``image 17 of 10,000 · label 3``; it counts from 0."""
    words = f"image {number + 1:,} of {count:,}"
    return words if labels is None else f"{words} · label {labels[number]}"


def error_words(rms: float, peak: float, *, as_psnr: bool) -> str:
    """Return an image's root mean square error in levels, such as ``error 12.3``, or its PSNR.

    `peak` is the largest value that a pixel can have.
    """
    if not as_psnr:
        return f"error {rms:.1f}" if rms < 99.95 else f"error {rms:.0f}"
    return decibels(math.inf if rms == 0 else 20 * math.log10(peak / float(rms)))
