"""What the block inspector says. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.tabs.error.figures import levels
from pcaimage.insight.inspection import Inspection, PartialSum

Floats = NDArray[np.float64]

LAPPED_NOTE = (
    "Blocks of photos overlap: components of the blocks around reach into the sums, "
    "and what is not yet added is predicted from what is."
)
_LOGARITHMIC_FROM = 512


def what_sample(inspection: Inspection) -> str:
    """Return what a sample is, and where, as words.

    Parameters
    ----------
    inspection : Inspection
        The sample.

    Returns
    -------
    str
        Such as ``"Block at (320, 96)"``.
    """
    region, size = inspection.place.region, inspection.samples.size
    if not size:
        return f"Image {inspection.place.column + 1} of the stack"
    return f"{'Pixel' if size == 1 else 'Block'} at ({region.left}, {region.top})"


def describe_stage(stage: PartialSum) -> str:
    """Return a stage and its figures as words.

    Parameters
    ----------
    stage : PartialSum
        The stage.

    Returns
    -------
    str
        Such as ``"mean + components 1 to 7 · score of 7: −12.3 · RMS 3.2 levels"``.
    """
    if not stage.number:
        text = "mean alone"
    else:
        upto = "component 1" if stage.number == 1 else f"components 1 to {stage.number}"
        text = f"mean + {upto} · score of {stage.number}: {score_text(stage.score)}"
    return text if stage.rms is None else f"{text} · RMS {levels(stage.rms)}"


def stage_title(stage: PartialSum) -> str:
    """Return a stage's name in the strip.

    Parameters
    ----------
    stage : PartialSum
        The stage.

    Returns
    -------
    str
        ``"mean"``, ``"+ 3"``, or with an ellipsis where components were passed over.
    """
    if not stage.number:
        return "mean"
    return f"{'… ' if stage.skipped else ''}+ {stage.number}"


def score_text(score: float) -> str:
    """Return a score as text.

    Parameters
    ----------
    score : float
        In units of a pixel's value.

    Returns
    -------
    str
        With its sign and three or four figures.
    """
    digits = 0 if abs(score) >= 1000 else 1
    text = f"{score:+.{digits}f}".replace("-", "−")
    return "0" if float(f"{score:.{digits}f}") == 0 else text


def describe_score(inspection: Inspection, number: int) -> str:
    """Return a component's score on a sample as words.

    Parameters
    ----------
    inspection : Inspection
        The sample.
    number : int
        Which component, from 1.

    Returns
    -------
    str
        Such as ``"component 12 · score −34.5 · kept"``.
    """
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
    """Return which stage is highlighted.

    Parameters
    ----------
    inspection : Inspection
        The sample.
    wanted : int or None
        The component whose stage the user chose, of this or of another sample; 0 for the mean, None for all.

    Returns
    -------
    int
        Its place among the stages; the nearest before it, where it has none here.
    """
    if wanted is None:
        return len(inspection.stages) - 1
    return max(i for i, stage in enumerate(inspection.stages) if stage.number <= wanted)


@dataclass(frozen=True, eq=False)
class ScoreBars:
    """A sample's scores as bars, large and small ones on one axis.

    Parameters
    ----------
    edges : ndarray, shape (n + 1,)
        Where bars begin and end on the horizontal axis.
    heights : ndarray, shape (n,)
        sign(s) · log10(1 + |s|) of each score s.
    kept, left_out : ndarray of bool, shape (n,)
        Which are kept, and which are left out although they are among the first k.
    logarithmic : bool
        Whether components are spread by their logarithm: of thousands, the first few dozen decide.
    """

    edges: Floats
    heights: Floats
    kept: NDArray[np.bool_]
    left_out: NDArray[np.bool_]
    logarithmic: bool

    @classmethod
    def of(cls, inspection: Inspection) -> ScoreBars:
        """Make the bars of a sample.

        Parameters
        ----------
        inspection : Inspection
            The sample.

        Returns
        -------
        ScoreBars
            One for each component.
        """
        scores, view = inspection.scores.astype(np.float64), inspection.view
        numbers = np.arange(scores.size) + 1
        left_out = np.isin(numbers, list(view.left_out)) & (numbers <= view.k)
        logarithmic = scores.size >= _LOGARITHMIC_FROM
        edges: Floats = np.arange(scores.size + 1, dtype=np.float64) + 0.5
        if logarithmic:
            np.log10(edges, out=edges)
        return cls(
            edges,
            compressed(scores),
            (numbers <= view.k) & ~left_out,
            left_out,
            logarithmic,
        )

    def place(self, number: int) -> float:
        """Return where a component stands on the horizontal axis.

        Parameters
        ----------
        number : int
            From 1; 0 is left of all.

        Returns
        -------
        float
            In the coordinates of the plot.
        """
        return float(np.log10(max(number, 0.5))) if self.logarithmic else float(number)

    def number_at(self, x: float) -> int | None:
        """Return the component at a place of the horizontal axis.

        Parameters
        ----------
        x : float
            In the coordinates of the plot.

        Returns
        -------
        int or None
            From 1; None beside the bars.
        """
        place = int(np.searchsorted(self.edges, x, side="right"))
        return place if 1 <= place <= self.heights.size else None

    @property
    def reach(self) -> float:
        """The end of the vertical axis, which is as long downwards."""
        return max(float(np.abs(self.heights).max(initial=0.0)), 1.0) * 1.08

    def ticks(self, most: int = 7) -> list[tuple[float, str]]:
        """Return where the vertical axis is labelled, and how.

        Parameters
        ----------
        most : int, default 7
            How many labels there is room for.

        Returns
        -------
        list of tuple of float and str
            Zero, and powers of ten to both sides.
        """
        powers = [p for p in range(1, 6) if float(compressed(np.float64(10.0**p))) <= self.reach] or [0]
        every = -(-len(powers) // max(1, (most - 1) // 2))
        shown = powers[len(powers) - 1 :: -every]
        ends = [(float(compressed(np.float64(10.0**p))), f"{10**p}") for p in shown]
        return [(0.0, "0"), *ends, *((-place, f"−{text}") for place, text in ends)]


def compressed(scores: Floats | np.float64) -> Floats:
    """Return where scores stand on the axis: logarithms that pass through zero.

    Parameters
    ----------
    scores : ndarray
        Of either sign.

    Returns
    -------
    ndarray
        sign(s) · log10(1 + |s|).
    """
    result: Floats = np.sign(scores) * np.log10(1 + np.abs(scores))
    return result
