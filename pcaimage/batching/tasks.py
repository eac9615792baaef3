"""Tasks, one for each image of a batch, their results, and the event that stops them."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from pcaimage.batching.recipes import Recipe
    from pcaimage.batching.record import Entry


class State(StrEnum):
    """The outcome of a task."""

    MADE = "made"  # the output was written
    KEPT = "kept"  # the output had been written before, from the same image by the same settings
    NOT_SMALLER = "not smaller"  # the output would not have been smaller than the image, and was not written
    FAILED = "failed"


@dataclass(frozen=True)
class Task:
    """An image of a batch, and how to make its output; the other fields are those of the batch."""

    source: str  # path or URL
    target: str  # path within `folder`
    folder: str  # path or URL, where the record is
    recipe: Recipe
    known: Entry | None = None  # of the record, for the output
    overwrite: bool = False
    skip_larger: bool = False
    keep_dates: bool = False
    spread: bool = False  # whether tasks run on several machines


@dataclass(frozen=True)
class Result:
    """The outcome of a task."""

    source: str
    target: str
    state: State
    source_bytes: int | None = None  # None if there is no file
    target_bytes: int | None = None
    psnr: float | None = None  # in decibels, of compressed images
    seconds: float = 0.0
    reason: str = ""  # why it failed, or that bits of its values were not read

    @property
    def is_done(self) -> bool:
        """Whether the output exists."""
        return self.state in {State.MADE, State.KEPT}

    def values(self) -> dict[str, Any]:
        """Return the fields by their names, with the state as text."""
        return {**asdict(self), "state": self.state.value}


reported: ContextVar[Progress] = ContextVar("reported", default=no_progress)
"""What is told how far a call is: the parent process, if one waits for it."""
stopped = threading.Event()  # set when the parent process has ended, or no longer wants results
