"""Images in strips: ranges of whole lines, or of a stack's images, from first to last."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def recut(strips: Iterable[NDArray[Any]], lengths: Iterable[int]) -> Generator[NDArray[Any]]:
    """Yield the same lines in strips of other lengths, each as soon as its last line is available.

    Strips must not be modified afterwards, as results may be views of them. The last of the new lengths is
    cut short if lines run out; surplus lines are dropped.
    """
    source, rest = iter(strips), None
    for length in lengths:
        held, lacking = list[Any](), length
        while lacking:
            if rest is None or not len(rest):
                rest = next(source, None)
                if rest is None:
                    break
            held.append(rest[:lacking])
            lacking -= len(held[-1])
            rest = rest[len(held[-1]) :]
        if held:
            yield held[0] if len(held) == 1 else np.concatenate(held)
