"""Where the names of curves stand: at their ends, and not on each other. No Qt here."""

from __future__ import annotations

Place = tuple[float, float]


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
