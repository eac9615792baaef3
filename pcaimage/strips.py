"""Images in strips: runs of whole lines, or of a stack's images, from the first to the last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from numpy.typing import NDArray


def recut(strips: Iterable[NDArray[Any]], lengths: Iterable[int]) -> Generator[NDArray[Any]]:
    """Yield the same lines in strips of other lengths, each as soon as its last line is there.

    Parameters
    ----------
    strips : iterable of ndarray, shape (n, ...)
        They must not change after they were yielded: what is cut from one of them is a view.
    lengths : iterable of int
        The lengths wanted. Lines that are left over are not yielded.

    Yields
    ------
    ndarray
        A strip of each length; a shorter one where the lines run out.
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
