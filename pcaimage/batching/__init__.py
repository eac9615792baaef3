"""Batches: plans, workers, the record from which a batch is resumed, and the report.

A batch is planned (:mod:`~pcaimage.batching.plan`) as one task for each image. Any executor can run the tasks
(:mod:`~pcaimage.batching.work`); by default they run in processes of one core each
(:mod:`~pcaimage.batching.processes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.batching.bases import *
    from pcaimage.batching.batches import *
    from pcaimage.batching.plan import *
    from pcaimage.batching.processes import *
    from pcaimage.batching.recipes import *
    from pcaimage.batching.report import *
    from pcaimage.batching.sharing import *
    from pcaimage.batching.tasks import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "bases": "Trained train",
        "batches": "Batch batch",
        "plan": "Plan",
        "processes": "Processes",
        "recipes": "Compress Export",
        "report": "Report",
        "sharing": "Goal",
        "tasks": "Result State Task",
    },
)
