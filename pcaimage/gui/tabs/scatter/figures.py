"""The scatter plot's texts, the look of its points, and which images have room for a picture. No Qt here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.colours import Colours
from pcaimage.insight.stack import Scatter, without_overlap

EMPTY = "The scores of a stack's images on two components appear here as points."
HELP = "click a point to see its image · wheel to zoom, drag to move · Left and Right for the next image"
BORDER = 2
"""The width of the frame around a picture, in pixels."""
_MOST_PICTURES = 300
_SHAPES = ("o", "s", "t", "d", "+", "t1", "x", "p", "t2", "star")  # as pyqtgraph names them
_LIGHT = (
    "#0b6bb8",
    "#b5531c",
    "#117733",
    "#aa2277",
    "#8a6100",
    "#332288",
    "#0a8080",
    "#cc3344",
    "#5a6169",
    "#6b8e00",
)
_DARK = (
    "#57aef2",
    "#f2a65a",
    "#5fc98f",
    "#f08cc4",
    "#f3d969",
    "#9d92ff",
    "#59d6d6",
    "#ff8f8f",
    "#b8bec6",
    "#b5d334",
)


class PointStyle(NamedTuple):
    """The colour of a label's points as ``#rrggbb``, and their shape as pyqtgraph names it."""

    colour: str
    shape: str


def beside_each_other(
    centres: list[tuple[float, float]], sizes: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return centres moved as little as possible, so that boxes of these sizes around them do not overlap.

    Each box goes to the nearest of some places around its centre that none before it has taken; it stays
    where all are taken.
    """
    taken: list[tuple[float, float, float, float]] = []
    places = []
    for (x, y), (width, height) in zip(centres, sizes, strict=True):
        steps = [(i * width / 2, j * height / 2) for i in range(-4, 5) for j in range(-4, 5)]
        steps.sort(key=lambda step: step[0] ** 2 + step[1] ** 2)
        boxes = [(x + dx, y + dy, width, height) for dx, dy in steps]
        box = next((box for box in boxes if not any(_overlap(box, other) for other in taken)), boxes[0])
        taken.append(box)
        places.append(box[:2])
    return places


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Return whether two boxes overlap, given by their centres and sizes."""
    return (
        abs(one[0] - other[0]) < (one[2] + other[2]) / 2 and abs(one[1] - other[1]) < (one[3] + other[3]) / 2
    )


def point_style(place: int, colours: Colours) -> PointStyle:
    """Return how the points of a label look, by its place among all; the first hundred differ.

    Of ten labels no two share a colour or a shape: no ten colours can be told apart by everybody, so shapes,
    and names at the points, say the same.
    """
    palette = _DARK if colours.dark else _LIGHT
    turn, first = divmod(place, len(palette))
    return PointStyle(palette[first], _SHAPES[(first + turn) % len(_SHAPES)])


def kept_inside(
    centre: tuple[float, float], size: tuple[float, float], room: tuple[float, float, float, float]
) -> tuple[float, float]:
    """Return the centre of a box, moved so far that no edge of a room cuts the box off.

    `room` is left, top, right and bottom. A centre that is outside itself is not moved: it is not seen.
    """
    (x, y), (width, height), (left, top, right, bottom) = centre, size, room
    if not (left <= x <= right and top <= y <= bottom):
        return centre
    x = min(max(x, left + width / 2), max(right - width / 2, left + width / 2))
    y = min(max(y, top + height / 2), max(bottom - height / 2, top + height / 2))
    return x, y


def axis_words(number: int, share: str) -> str:
    """Return the title of a component's axis, such as ``Component 1 · 9.70 %``."""
    return f"Component {number} · {share}"


def short_axis_words(number: int, share: str) -> str:
    """Return the title of an axis that has little room, such as ``c1 · 9.70 %``."""
    return f"c{number} · {share}"


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
