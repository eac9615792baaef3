"""Where the names of curves stand: at their ends, and not on each other. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Place = tuple[float, float]
Line = tuple[NDArray[np.float64], NDArray[np.float64]]

_LOOKS = 24


def spread(
    ends: dict[str, Place],
    widths: dict[str, float],
    height: float,
    right: float,
    limits: tuple[float, float],
) -> dict[str, tuple[float, float, bool]]:
    """Move names apart upwards and downwards where they would cover each other.

    Parameters
    ----------
    ends : dict
        Where each curve ends.
    widths : dict
        How wide each name is, in the same units.
    height : float
        How high names are.
    right : float
        The right edge; a name that would stand out over it stands to the left of its place.
    limits : (float, float)
        The lower and the upper edge.

    Returns
    -------
    dict
        Place of each name's end or beginning, and whether it is the end.
    """
    flipped = {name: x + widths[name] > right for name, (x, _) in ends.items()}
    spans = {
        name: (x - widths[name], x) if flipped[name] else (x, x + widths[name])
        for name, (x, _) in ends.items()
    }
    low, high = limits[0] + height / 2, limits[1] - height / 2
    heights = {name: min(max(y, low), high) for name, (_, y) in ends.items()}
    placed = list[str]()
    for name in sorted(ends, key=lambda name: -heights[name]):
        above = [heights[other] for other in placed if _meet(spans[name], spans[other])]
        if above:
            heights[name] = min(heights[name], min(above) - height)
        placed.append(name)
    # What was pushed over the lower edge pushes back.
    floor = low
    for name in sorted(ends, key=lambda name: heights[name]):
        if heights[name] < floor:
            heights[name] = floor
            floor += height
    return {name: (ends[name][0], heights[name], flipped[name]) for name in ends}


def _meet(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]


class Box(NamedTuple):
    """A rectangle of the plot.

    Parameters
    ----------
    left, right, low, high : float
        Its edges.
    """

    left: float
    right: float
    low: float
    high: float

    @property
    def area(self) -> float:
        """How large it is; 0 for one that is turned inside out."""
        return max(self.right - self.left, 0.0) * max(self.high - self.low, 0.0)

    def within(self, other: Box) -> Box:
        """Return what two have in common.

        Parameters
        ----------
        other : Box
            The other one.

        Returns
        -------
        Box
            Without area where they have nothing in common.
        """
        left, low = max(self.left, other.left), max(self.low, other.low)
        return Box(left, min(self.right, other.right), low, min(self.high, other.high))


def freest(places: Sequence[Box], taken: Sequence[Box], lines: Sequence[Line], limits: Box) -> int:
    """Return the place where a name covers least, and lies inside.

    Parameters
    ----------
    places : sequence of Box
        Where the name may stand, of one size, the best first.
    taken : sequence of Box
        What is not to be covered.
    lines : sequence of (ndarray, ndarray)
        Curves, ascending along the axis, that are not to be covered.
    limits : Box
        What is seen of the plot.

    Returns
    -------
    int
        Which place.
    """

    def cost(place: Box) -> float:
        outside = place.area - place.within(limits).area
        covered = sum(place.within(other).area for other in taken)
        return 10 * outside + covered + place.area * sum(_share(place, line) for line in lines)

    costs = [round(cost(place) / (place.area or 1.0), 6) for place in places]
    return costs.index(min(costs))


def _share(place: Box, line: Line) -> float:
    """Return over how much of its width a place covers a curve."""
    across = np.linspace(place.left, place.right, _LOOKS)
    values = np.interp(across, *line, left=np.nan, right=np.nan)
    return float(np.mean((values > place.low) & (values < place.high)))
