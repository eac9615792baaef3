"""Tasks, one for each image of a batch, and their results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pcaimage.batching.recipes import Recipe
    from pcaimage.batching.record import Entry


class State(StrEnum):
    """The outcome of a task."""

    MADE = "made"
    """The output was written."""
    KEPT = "kept"
    """The output had been written before, from the same image by the same settings."""
    NOT_SMALLER = "not smaller"
    """The output would not have been smaller than the image, and was not written."""
    FAILED = "failed"


@dataclass(frozen=True)
class Task:
    """One image, and what is to be made of it.

    Parameters
    ----------
    source : str
        The image's path or URL.
    target : str
        The output's path, within `folder`.
    folder : str
        The path or URL of the folder of all outputs, which has the record.
    recipe : Recipe
        How the output is made.
    known : Entry, optional
        What the record says of the output.
    overwrite : bool, default False
        Whether a file that is in the output's place may be replaced, though this batch has not made it.
    skip_larger : bool, default False
        Whether outputs that are not smaller than the image are left out.
    keep_dates : bool, default False
        Whether the output gets the image's time of modification.
    spread : bool, default False
        Whether tasks are done on several machines.
    """

    source: str
    target: str
    folder: str
    recipe: Recipe
    known: Entry | None = None
    overwrite: bool = False
    skip_larger: bool = False
    keep_dates: bool = False
    spread: bool = False


@dataclass(frozen=True)
class Result:
    """The outcome of a task.

    Parameters
    ----------
    source, target : str
        Paths of image and output.
    state : State
        The outcome.
    source_bytes, target_bytes : int, optional
        Sizes of the files; None where there is none.
    psnr : float, optional
        Of compressed images, in decibels; infinite if every pixel is kept.
    seconds : float
        The time that it took.
    reason : str
        A sentence that says why it failed; empty otherwise.
    """

    source: str
    target: str
    state: State
    source_bytes: int | None = None
    target_bytes: int | None = None
    psnr: float | None = None
    seconds: float = 0.0
    reason: str = ""

    @property
    def is_done(self) -> bool:
        """Whether the output is there."""
        return self.state in {State.MADE, State.KEPT}

    def values(self) -> dict[str, Any]:
        """Return the fields by their names, with the state as text."""
        return {**asdict(self), "state": self.state.value}
