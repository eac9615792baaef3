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
    """An image of a batch, and how to make its output; the other fields are those of the batch.

    Parameters
    ----------
    source : str
        The image's path or URL.
    target : str
        The output's path within `folder`.
    folder : str
        The path or URL of the output folder, which has the record.
    recipe : Recipe
        The recipe by which the output is made.
    known : Entry, optional
        The record's entry for the output.
    spread : bool, default False
        Whether tasks run on several machines.
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
        Sizes of the files; None if there is none.
    psnr : float, optional
        For compressed images, in decibels; infinite if every pixel is exact.
    seconds : float
        Duration.
    reason : str
        A sentence that says why it failed, or that bits of its values were not read; otherwise empty.
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
        """Whether the output exists."""
        return self.state in {State.MADE, State.KEPT}

    def values(self) -> dict[str, Any]:
        """Return the fields by their names, with the state as text."""
        return {**asdict(self), "state": self.state.value}
