"""The encoder's choice of the strengths with which a photo's channels are shrunk after decoding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import SHRUNK, STRENGTHS, Header
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.picture import WHOLE, Picture
from pcaimage.machine.parallel import side_by_side

MOST = 16  # the largest strength, in eighths; the smallest is as far below zero
STEPS = (1.0, 300.0)  # photos are shrunk whose step, on a scale of 255, lies between these
_GROUPS, _LARGE = 8, 1 << 19  # groups of lines that are looked at together; pixels from which not all are


def shrunk(
    header: Header,
    coded: Callable[[Header], Picture],
    planes: NDArray[Any],
    parts: Sequence[tuple[int, int]],
) -> Header:
    """Return a header with the best strengths; the same if nothing is to be shrunk.

    `coded` gives the picture by a header, which need not be of all of the photo; `planes` are its true
    scores, in :data:`.analysis.UNIT`, and `parts` ranges of groups of lines to look at (see
    :meth:`.Picture.channel_planes`).
    """
    pictures = of_one_strength(header, coded)
    if not pictures:
        return header
    height, width, _ = pictures[0].header.shape
    every = -(-(height * width) // _LARGE)

    def of_part(number: int) -> NDArray[np.float64]:
        groups, exponent = parts[number * every], round(np.log2(UNIT))
        wanted = pictures[0].planes_of(planes, groups, (1, exponent))
        before = pictures[0].known_planes(groups)
        top = max(8 * groups[0] - 4, 0)
        return products([wanted - before, *(picture.shrunk(before, top) - before for picture in pictures)])

    found = np.asarray(sum(side_by_side(of_part, -(-len(parts) // every))))
    strengths = tuple(value for channel in found for value in best(channel))
    return replace(header, tools=header.tools | SHRUNK, strengths=strengths) if any(strengths) else header


def of_one_strength(header: Header, coded: Callable[[Header], Picture]) -> list[Picture]:
    """Return a picture by each of the strengths alone; none if it is not to be shrunk."""
    if not STEPS[0] <= float(header.step) * 255 / header.peak <= STEPS[1]:
        return []
    count, tools = header.shape[-1], header.tools | SHRUNK
    alone: list[list[int]] = (WHOLE * np.eye(STRENGTHS, dtype=np.int64)).tolist()
    return [coded(replace(header, tools=tools, strengths=tuple(each) * count)) for each in alone]


def products(planes: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the products of what is missing and of corrections, planes (C, H, W), for each channel."""
    each = [plane.reshape(len(plane), -1) for plane in planes]  # BLAS would copy them, and start threads
    found = [[np.einsum("ci,ci->c", one, other) for other in each] for one in each]
    return np.array(found).transpose(2, 0, 1)


def best(products: NDArray[np.float64]) -> list[int]:
    """Fit a channel's strengths, given the products of the error and all corrections with each other."""
    helped, squares = products[0, 1:], products[1:, 1:]
    ridge = (1e-6 * np.trace(squares) + 1e-9) * np.eye(STRENGTHS)
    best = np.rint(WHOLE * np.linalg.solve(squares + ridge, helped))
    strengths: list[int] = np.clip(best, -MOST, MOST).astype(int).tolist()
    return strengths


def ranges(first: int, last: int) -> list[tuple[int, int]]:
    """Divide a range of groups of lines into those that are processed together."""
    return [(start, min(start + _GROUPS, last)) for start in range(first, last, _GROUPS)]
