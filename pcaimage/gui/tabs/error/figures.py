"""The figures of the error tab: a histogram, and words. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.differences import ErrorCounts
from pcaimage.insight.error_map import ErrorMap, WorstBlock
from pcaimage.insight.formatting import decibels, levels, short_figure
from pcaimage.progress import Progress, no_progress, part
from pcaimage.quality import psnr_of_mse

EMPTY = "The errors appear here once an image is reconstructed."
WORST = 50  # the number of blocks in the list of the worst
MOST_BARS = 201  # largest number of bars; more would be too narrow to distinguish
_SMALLEST_BLOCK, _USUAL_BLOCK = 4, 8


@dataclass(frozen=True, eq=False)
class Histogram:
    """A histogram of errors that is drawn: it has bars of several differences where there are too many.

    `edges`, shape (n + 1,), bound the bars, in levels; `counts`, shape (n,), are the numbers of values in
    them. `whole` says whether differences are whole numbers.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    whole: bool = True

    @classmethod
    def of(cls, counts: ErrorCounts, most: int = MOST_BARS) -> Histogram:
        """Make bars of one width, as many to the left of 0 as to the right, the middle one centred at 0."""
        places = np.arange(counts.counts.size) + counts.lowest
        reach = max(-counts.lowest, int(places[-1]), 1)
        width = max(1, -(-(2 * reach + 1) // most)) | 1
        side = -(-(reach - width // 2) // width) if reach > width // 2 else 0
        bars = np.zeros(2 * side + 1, np.int64)
        np.add.at(bars, (places + width // 2) // width + side, counts.counts)
        edges = (np.arange(2 * side + 2, dtype=np.float64) - side - 0.5) * width * counts.unit
        return cls(edges, bars, counts.unit == 1)

    def describe(self, x: float) -> str:
        """Return a sentence about the bar at a place in levels; empty beside the bars.

        Such as ``"error −3: 12 345 values, 1.2 %"``.
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


@dataclass(frozen=True, eq=False)
class ErrorFigures:
    """The errors of one reconstruction, as the error tab shows them.

    `peak` is the value that PSNR refers to, and `image` names an image of a stack.
    """

    peak: float
    counts: ErrorCounts
    worst: tuple[WorstBlock, ...]
    image: str = ""

    @classmethod
    def of(
        cls,
        errors: ErrorMap,
        block: int,
        progress: Progress = no_progress,
        *,
        peak: float | None = None,
        image: str = "",
    ) -> ErrorFigures:
        """Find the figures of an image's errors; they keep no reference to the images.

        `block` is the side of a sample in pixels; where that is too small to tell blocks from pixels, blocks
        of 8 are used. PSNR refers to `peak`, or else to the largest value that a pixel can have.
        """
        block = block if block >= _SMALLEST_BLOCK else _USUAL_BLOCK
        counts = errors.histogram(part(progress, 0.0, 0.8))
        worst = tuple(errors.worst(WORST, block))
        peak = errors.peak if peak is None else peak
        return cls(peak, counts, worst, image)

    @property
    def exact(self) -> bool:
        """Whether there is no error at all."""
        return bool(self.counts.largest == 0)

    @property
    def summary(self) -> str:
        """The figures of the whole image in one line."""
        counts, name = self.counts, f"{self.image}: " if self.image else ""
        return (
            f"{name}RMS {self._levels(counts.rms)} · 95\u00a0% within ±{difference(counts.within(0.95))} · "
            f"largest {difference(counts.largest)} · {decibels(counts.psnr(self.peak))}"
        )

    def _levels(self, value: float) -> str:
        return levels(value) if self.counts.unit == 1 else short_figure(value)  # real numbers have no unit


def difference(value: float) -> str:
    """Return the absolute difference of two values, with all figures of whole numbers."""
    return str(value) if isinstance(value, int) else short_figure(value)


def worst_row(block: WorstBlock, peak: float) -> tuple[str, ...]:
    """Return the rank, place, root mean square, largest difference and PSNR of a block."""
    psnr = psnr_of_mse(block.rms**2, peak)
    return (
        str(block.rank),
        f"({block.left}, {block.top})",
        short_figure(block.rms),
        difference(block.largest),
        f"{psnr:.1f}",
    )
