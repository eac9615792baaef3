"""The figures and words of the breakdown of a file's bytes. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcaimage.gui.colours import Colours, mixed
from pcaimage.insight.formatting import file_size
from pcaimage.insight.size_breakdown import BreakdownItem, SizeBreakdown, items_of

EMPTY = "What takes how many bytes is told here once the size of the compressed file is known."
WAITING = "What they are for is told once the file has been measured."

_TINTS = (255, 190, 130, 80)  # the strength of the accent colour for each group of scores in turn


@dataclass(frozen=True, eq=False)
class Account:
    """A file's bytes, prepared to be shown."""

    parts: SizeBreakdown | None  # the measured file's; None while there is only an estimate
    shares: tuple[BreakdownItem, ...]  # its parts as lines; none while there is only an estimate
    total: int  # the file's size; 0 for no file
    original: int  # the original file's size; 0 where it is not known
    compared: str = "the original"  # description of the file that the original size belongs to

    @classmethod
    def of(
        cls,
        parts: SizeBreakdown | None,
        original_size: int | None,
        estimated_total: int | None,
        compared: str = "the original",
    ) -> Account:
        """Prepare the figures known so far; the total is estimated until the parts are measured.

        `compared` is the file that the original size belongs to.
        """
        original = original_size or 0
        if parts is None:
            return cls(None, (), estimated_total or 0, original, compared)
        return cls(parts, tuple(items_of(parts)), parts.total, original, compared)

    @property
    def ends(self) -> list[float]:
        """The end of each share on a bar of length 1."""
        sizes = np.array([share.n_bytes for share in self.shares], np.float64)
        ends: list[float] = (np.cumsum(sizes) / max(self.total, 1)).tolist()
        return ends

    @property
    def of_original(self) -> float:
        """The length of the file on a line as long as the larger of it and the original."""
        return self.total / max(self.total, self.original, 1)

    @property
    def original_end(self) -> float:
        """The length of the original on that line."""
        return self.original / max(self.total, self.original, 1)

    @property
    def caption(self) -> str:
        """The size, and its share of the original."""
        if not self.total:
            return EMPTY
        size = ("" if self.parts else "≈ ") + file_size(self.total)
        if self.parts is not None and self.parts.lender:
            return f"{self._compared(size)}; basis in model file, id {self.parts.lender}"
        return self._compared(size)

    def _compared(self, size: str) -> str:
        if not self.original:
            return size
        if self.total > self.original:
            return f"{size}, larger than {self.compared} {file_size(self.original)}"
        share = share_text(self.total, self.original)
        return f"{size} · {share} of {self.compared} {file_size(self.original)}"

    @property
    def description(self) -> str:
        """A sentence with all figures, for screen readers."""
        lines = [f"{share.name} {file_size(share.n_bytes)}" for share in self.shares]
        return ": ".join([self.caption, ", ".join(lines)]) if lines else self.caption

    def share_at(self, place: float) -> int | None:
        """Return the index of the share at a place from 0 to 1 on the bar; None if there is none."""
        if not self.shares or not 0 <= place < 1:
            return None
        return min(int(np.searchsorted(self.ends, place, side="right")), len(self.shares) - 1)

    def tell(self, index: int, place: float | None = None) -> str:
        """Describe one share in a line with its components, size and share, and a sentence.

        At a `place` on the bar within it, the component there is described too.
        """
        share = self.shares[index]
        name = share.name
        if share.kind == "scores":
            name = f"Scores of {_components(share.first, share.last)}"
        lines = [f"{name}: {_exactly(share.n_bytes)}, {share_text(share.n_bytes, self.total)} of the file"]
        if share.kind == "scores" and share.last > share.first and place is not None and self.parts:
            begin = self.ends[index] - share.n_bytes / self.total
            of_each = self.parts.scores[share.first - 1 : share.last]
            within = np.searchsorted(np.cumsum(of_each), (place - begin) * self.total, side="right")
            number = min(int(within), len(of_each) - 1)
            lines.append(f"Here: component {share.first + number}, {_exactly(int(of_each[number]))}")
        return "\n".join([*lines, share.about])

    def colours(self, scheme: Colours) -> list[str]:
        """Return the colour of each share."""
        fixed = {
            "mean": scheme.planes[2],
            "basis": scheme.curve,
            "residual": scheme.references[0],
            "tiles": scheme.references[4],
            "opacity": scheme.planes[3],
            "metadata": scheme.references[3],
            "rest": scheme.bar,
        }
        tints = iter(_TINTS)
        return [
            mixed(scheme.accent, scheme.window, next(tints)) if share.kind == "scores" else fixed[share.kind]
            for share in self.shares
        ]


def share_text(n_bytes: int, total: int) -> str:
    """Format a share of a size in percent, with one decimal below 10."""
    percent = 100 * n_bytes / max(total, 1)
    if 0 < percent < 0.05:
        return "< 0.1\u00a0%"
    return f"{percent:.{1 if percent < 9.95 else 0}f}\u00a0%"


def _components(first: int, last: int) -> str:
    return f"component {first}" if first == last else f"components {first}\u2013{last}"


def _exactly(n_bytes: int) -> str:
    if n_bytes < 1000:
        return f"{n_bytes} byte{'' if n_bytes == 1 else 's'}"
    return f"{file_size(n_bytes)} ({n_bytes:,} bytes)".replace(",", "\u202f")
