"""The figures of the block tab: a sample's stages and scores, as words and bars. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.formatting import levels
from pcaimage.insight.inspection import Inspection, PartialSum

Floats = NDArray[np.float64]

EMPTY = "The block under the cursor is taken apart here: move over the pictures."
WAITING = "Blocks can be taken apart as soon as all components are ready."
LAPPED_NOTE = (
    "Blocks of photos overlap: components of neighbouring blocks reach into the sums, "
    "and components not yet added are predicted from those that are."
)
_LOGARITHMIC_FROM = 512


def describe_place(inspection: Inspection) -> str:
    """Describe a sample and its position: ``"Block at (320, 96)"``."""
    region, size = inspection.place.region, inspection.samples.size
    if not size:
        return f"Image {inspection.place.column + 1} of the stack"
    return f"{'Pixel' if size == 1 else 'Block'} at ({region.left}, {region.top})"


def describe_stage(stage: PartialSum) -> str:
    """Return a stage and its figures in words.

    Such as ``"mean + components 1 to 7 · score of 7: −12.3 · RMS 3.2 levels"``.
    """
    if not stage.number:
        text = "mean alone"
    else:
        upto = "component 1" if stage.number == 1 else f"components 1 to {stage.number}"
        text = f"mean + {upto} · score of {stage.number}: {score_text(stage.score)}"
    return text if stage.rms is None else f"{text} · RMS {levels(stage.rms)}"


def stage_title(stage: PartialSum) -> str:
    """Return ``"mean"``, ``"+ 3"``, or ``"… + 3"`` where components before it were passed over."""
    if not stage.number:
        return "mean"
    return f"{'… ' if stage.skipped else ''}+ {stage.number}"


def score_text(score: float) -> str:
    """Return a score, in units of a pixel's value, with its sign and three or four figures."""
    digits = 0 if abs(score) >= 1000 else 1
    text = f"{score:+.{digits}f}".replace("-", "−")
    return "0" if float(f"{score:.{digits}f}") == 0 else text


def describe_score(inspection: Inspection, number: int) -> str:
    """Return a component's score and its fate: ``"component 12 · score −34.5 · kept"``."""
    view, score = inspection.view, float(inspection.scores[number - 1])
    if number in view.left_out:
        fate = "left out"
    elif number > view.k:
        fate = "not kept"
    elif view.step is not None and abs(score) < view.step / 2 and not inspection.lapped:
        fate = "kept, but rounded to 0"
    else:
        fate = "kept"
    return f"component {number} · score {score_text(score)} · {fate}"


def stage_for(inspection: Inspection, wanted: int | None) -> int:
    """Return the place of the stage to highlight, or of the nearest before it where a sample lacks it.

    `wanted` is the component that the user chose, 0 for the mean alone, or None for the sum of all.
    """
    if wanted is None:
        return len(inspection.stages) - 1
    return max(i for i, stage in enumerate(inspection.stages) if stage.number <= wanted)


@dataclass(frozen=True, eq=False)
class ScoreBars:
    """A sample's scores as bars, large and small ones on one axis.

    Bars lie between `edges`, shape (n + 1,), and have heights sign(s) · log10(1 + |s|), shape (n,). `kept`
    and `left_out` tell which components are kept, and which of the first k are left out. Where there are
    many, components are spread by their logarithm: of thousands, the first few dozen decide.
    """

    edges: Floats
    heights: Floats
    kept: NDArray[np.bool_]
    left_out: NDArray[np.bool_]
    logarithmic: bool

    @classmethod
    def of(cls, inspection: Inspection) -> ScoreBars:
        """Make a bar for each component."""
        scores, view = inspection.scores.astype(np.float64), inspection.view
        numbers = np.arange(scores.size) + 1
        left_out = np.isin(numbers, list(view.left_out)) & (numbers <= view.k)
        logarithmic = scores.size >= _LOGARITHMIC_FROM
        edges: Floats = np.arange(scores.size + 1, dtype=np.float64) + 0.5
        if logarithmic:
            np.log10(edges, out=edges)
        return cls(edges, compressed(scores), (numbers <= view.k) & ~left_out, left_out, logarithmic)

    def place(self, number: int) -> float:
        """Return where a component, from 1, stands on the horizontal axis; 0 is left of all."""
        return float(np.log10(max(number, 0.5))) if self.logarithmic else float(number)

    def number_at(self, x: float) -> int | None:
        """Return the component, from 1, at a place of the horizontal axis; None beside the bars."""
        place = int(np.searchsorted(self.edges, x, side="right"))
        return place if 1 <= place <= self.heights.size else None

    @property
    def reach(self) -> float:
        """The end of the vertical axis, which is as long downwards."""
        return max(float(np.abs(self.heights).max(initial=0.0)), 1.0) * 1.08

    def ticks(self, most: int = 7) -> list[tuple[float, str]]:
        """Return at most `most` ticks of the vertical axis: zero, and powers of ten on both sides."""
        powers = [p for p in range(1, 6) if float(compressed(np.float64(10.0**p))) <= self.reach] or [0]
        every = -(-len(powers) // max(1, (most - 1) // 2))
        shown = powers[len(powers) - 1 :: -every]
        ends = [(float(compressed(np.float64(10.0**p))), f"{10**p}") for p in shown]
        return [(0.0, "0"), *ends, *((-place, f"−{text}") for place, text in ends)]


def compressed(scores: Floats | np.float64) -> Floats:
    """Return sign(s) · log10(1 + |s|) of scores s: a logarithm that passes through zero."""
    result: Floats = np.sign(scores) * np.log10(1 + np.abs(scores))
    return result
