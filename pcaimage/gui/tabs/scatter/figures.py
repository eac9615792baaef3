"""The scatter plot's texts, the look of its points, and which images have room for a picture. No Qt here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.colours import Colours
from pcaimage.insight.stack import Scatter, without_overlap

EMPTY = "The scores of a stack's images on two components appear here as points."
HELP = "click a point to see its image · wheel to zoom, drag to move · Left and Right for the next image"
BORDER = 2  # the width of the frame around a picture, in pixels
_MOST_PICTURES = 300
_SHAPES = ("o", "s", "t", "d", "+", "t1", "x", "p", "t2", "star")  # as pyqtgraph names them


class PointStyle(NamedTuple):
    """The colour of a label's points as ``#rrggbb``, and their shape as pyqtgraph names it."""

    colour: str
    shape: str


def point_style(place: int, colours: Colours) -> PointStyle:
    """Return how the points of a label look, by its place among all; the first hundred differ.

    Of ten labels no two share a colour or a shape: no ten colours can be told apart by everybody, so shapes,
    and names at the points, say the same.
    """
    turn, first = divmod(place, len(colours.labels))
    return PointStyle(colours.labels[first], _SHAPES[(first + turn) % len(_SHAPES)])


def point_words(image: str, error: str, scores: tuple[float, float], axes: tuple[int, int]) -> str:
    """Return an image's number, its error if it is known, and its scores on the components shown."""
    parts = [
        image,
        error,
        *(f"c{axis} {score:+.0f}".replace("-", "−") for axis, score in zip(axes, scores, strict=True)),
    ]
    return " · ".join(filter(None, parts))


def seen_in(
    scatter: Scatter, across: tuple[float, float], up: tuple[float, float], only: int | None
) -> NDArray[np.intp]:
    """Return the images within limits of their scores; of one group only, unless that is None."""
    x, y = scatter.points.T
    within = (x >= across[0]) & (x <= across[1]) & (y >= up[0]) & (y <= up[1])
    if only is not None:
        within &= scatter.places == only
    return np.flatnonzero(within)


def with_pictures(
    scatter: Scatter, seen: NDArray[np.intp], scale: tuple[float, float], side: float, first: int
) -> list[int]:
    """Return which of the images that are seen have room for a picture of a side in pixels.

    `scale` is in pixels per unit of score, across and up; the image `first` comes before all others.
    """
    at = np.flatnonzero(seen == first)
    places = scatter.points[seen] * np.array(scale, np.float32)
    room = without_overlap(places, side + 2 * BORDER + 2, _MOST_PICTURES, int(at[0]) if at.size else None)
    chosen: list[int] = seen[room].tolist()
    return chosen
