"""Scatter plot of a stack's images by their scores on two components, with room for thumbnails."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Pictures
from pcaimage.errors import SettingsError

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Scatter:
    """Images as points: the scores of each, in pixel values, on two components, counted from 1."""

    across: int
    up: int
    points: Floats = field(repr=False)
    labels: NDArray[Any] | None = field(default=None, repr=False)  # class of each image

    @classmethod
    def of(cls, preview: Pictures, across: int, up: int, labels: NDArray[Any] | None = None) -> Scatter:
        """Return the scatter of a stack's scores on two components, from 1, which may be the same.

        Raises SettingsError if there is no such component, or the number of labels is wrong.
        """
        count = preview.header.shape[0]
        if labels is not None and labels.shape != (count,):
            raise SettingsError(f"There are {count} images, but labels of shape {labels.shape}.")
        planes = [preview.score_plane(number, count).reshape(-1) for number in (across, up)]
        return cls(across, up, np.stack(planes, axis=1), labels)

    @cached_property
    def groups(self) -> tuple[tuple[Any, Numbers], ...]:
        """Labels in ascending order, each with its images; without labels all images under None."""
        if self.labels is None:
            return ((None, np.arange(len(self.points))),)
        values, inverse = np.unique(self.labels, return_inverse=True)
        order = np.argsort(inverse, kind="stable")
        starts = np.searchsorted(inverse[order], np.arange(1, len(values)))
        members = np.split(order, starts)
        return tuple(zip(values.tolist(), members, strict=True))

    @cached_property
    def places(self) -> Numbers:
        """Index of each image's group: (N,)."""
        places = np.zeros(len(self.points), np.intp)
        for place, (_, members) in enumerate(self.groups):
            places[members] = place
        return places

    @cached_property
    def centres(self) -> Floats:
        """The median point of each group: (n_groups, 2)."""
        return np.stack([np.median(self.points[members], axis=0) for _, members in self.groups])

    def nearest(self, x: float, y: float, scale: tuple[float, float], reach: float) -> int | None:
        """Return the image, from 0, whose point is nearest to (x, y) in scores; None if none is within reach.

        `scale` is the number of screen pixels in a score of one, across and up; `reach` is in screen pixels.
        """
        if not len(self.points):
            return None
        distances = np.square((self.points[:, 0] - np.float32(x)) * np.float32(scale[0]))
        distances += np.square((self.points[:, 1] - np.float32(y)) * np.float32(scale[1]))
        number = int(np.argmin(distances))
        return number if distances[number] <= reach**2 else None

    def limits(self) -> tuple[float, float, float, float]:
        """Return the left, right, lower and upper bound of all points, never of zero extent."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        room = np.maximum(high - low, 1.0)
        middle = (low + high) / 2
        low, high = middle - room / 2, middle + room / 2
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def without_overlap(places: NDArray[Any], side: float, most: int, first: int | None = None) -> Numbers:
    """Choose at most `most` points at which pictures can be drawn without overlap.

    `places`, (n, 2), are their centres in screen pixels; `side` is the width and height of a picture; `first`
    is a point that is always chosen. Of two points that exclude each other the earlier is preferred.
    """
    cells = np.floor(places / side).astype(np.int64)
    if first is not None:
        cells = np.concatenate((cells[first : first + 1], cells))
    order = np.arange(len(places)) if first is None else np.concatenate(([first], np.arange(len(places))))
    # The first point of each picture-sized cell is tried; it can overlap only those of adjacent cells.
    _, tried = np.unique(cells, axis=0, return_index=True)
    taken: dict[tuple[int, int], tuple[float, float]] = {}
    chosen: list[int] = []
    for place in np.sort(tried).tolist():
        if len(chosen) >= most:
            break
        column, row = cells[place].tolist()
        x, y = places[order[place]].tolist()
        around = (taken.get((column + i, row + j)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        if all(other is None or max(abs(other[0] - x), abs(other[1] - y)) >= side for other in around):
            taken[column, row] = x, y
            chosen.append(int(order[place]))
    return np.array(chosen, np.intp)
