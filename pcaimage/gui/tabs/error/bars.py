"""The bars of the histogram of errors. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.error_counts import ErrorCounts

MOST_BARS = 201
"""More bars would be narrower than the eye tells apart."""


@dataclass(frozen=True, eq=False)
class Bars:
    """A histogram that is drawn: differences are put together where there are too many to show.

    Parameters
    ----------
    edges : ndarray of float64, shape (n + 1,)
        Where bars begin and end, in levels.
    counts : ndarray of int64, shape (n,)
        How many values each has.
    whole : bool
        Whether differences are whole numbers.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    whole: bool = True

    @classmethod
    def of(cls, counts: ErrorCounts, most: int = MOST_BARS) -> Bars:
        """Make bars from a histogram.

        Parameters
        ----------
        counts : ErrorCounts
            The histogram.
        most : int
            How many bars there is room for.

        Returns
        -------
        Bars
            As many to the left of 0 as to the right, all of one width; the middle one is centred at 0.
        """
        places = np.arange(counts.counts.size) + counts.lowest
        reach = max(-counts.lowest, int(places[-1]), 1)
        width = max(1, -(-(2 * reach + 1) // most)) | 1
        side = -(-(reach - width // 2) // width) if reach > width // 2 else 0
        bars = np.zeros(2 * side + 1, np.int64)
        np.add.at(bars, (places + width // 2) // width + side, counts.counts)
        edges = (np.arange(2 * side + 2, dtype=np.float64) - side - 0.5) * width * counts.unit
        return cls(edges, bars, counts.unit == 1)

    def describe(self, x: float) -> str:
        """Return what a bar says as words.

        Parameters
        ----------
        x : float
            A place on the axis, in levels.

        Returns
        -------
        str
            Such as ``"error −3: 12 345 values, 1.2 %"``; empty beside the bars.
        """
        place = int(np.searchsorted(self.edges, x, side="right")) - 1
        if not 0 <= place < self.counts.size:
            return ""
        low, high = self.edges[place], self.edges[place + 1]
        first, last = int(np.ceil(low)), int(np.floor(high))
        which = f"{first:+d}" if first == last else f"{first:+d} to {last:+d}"
        if not self.whole:
            which = f"{low:+.3g} to {high:+.3g}"
        which = "0" if which == "+0" else which.replace("-", "−")
        number = int(self.counts[place])
        share = 100 * number / max(int(self.counts.sum()), 1)
        shown = "< 0.01" if 0 < share < 0.005 else f"{share:.2f}"
        counted = f"{number:,}".replace(",", "\u202f")
        return f"error {which}: {counted} values, {shown}\u00a0%"
