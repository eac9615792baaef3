"""Many images at once: plans, workers, the record by which a batch is resumed, and the report.

A batch is planned (:mod:`~pcaimage.batching.plan`) into tasks, one for each image; tasks are worked on
(:mod:`~pcaimage.batching.work`) by any executor, by default processes of one core each
(:mod:`~pcaimage.batching.processes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.batching.bases import Trained, train
    from pcaimage.batching.batches import Batch, batch
    from pcaimage.batching.plan import Plan
    from pcaimage.batching.processes import Processes
    from pcaimage.batching.recipes import Compress, Export
    from pcaimage.batching.report import Report
    from pcaimage.batching.tasks import Result, State, Task

__getattr__, __dir__ = importing(
    __name__,
    {
        "bases": ("Trained", "train"),
        "batches": ("Batch", "batch"),
        "plan": ("Plan",),
        "processes": ("Processes",),
        "recipes": ("Compress", "Export"),
        "report": ("Report",),
        "tasks": ("Result", "State", "Task"),
    },
)

__all__ = [
    "Batch",
    "Compress",
    "Export",
    "Plan",
    "Processes",
    "Report",
    "Result",
    "State",
    "Task",
    "Trained",
    "batch",
    "train",
]
