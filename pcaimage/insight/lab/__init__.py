"""The PCA lab: PCA found by hand, on one's own data. No Qt here.

A basis of the features is the state. It begins as the features themselves and is turned plane by plane until
no covariance is left; it is then the PCA. All figures, numbers and formulas follow from :class:`LabState`;
:mod:`~pcaimage.insight.lab.transitions` lead from one state to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.insight.lab.basis import Basis as Basis
    from pcaimage.insight.lab.data import LabData as LabData
    from pcaimage.insight.lab.prepared import Prepared as Prepared
    from pcaimage.insight.lab.sources import (
        blocks as blocks,
        channels as channels,
        in_file as in_file,
        neighbours as neighbours,
        pasted as pasted,
        stack as stack,
    )
    from pcaimage.insight.lab.state import LabState as LabState
    from pcaimage.insight.lab.steps import STEPS as STEPS, check as check
    from pcaimage.insight.lab.tables import TABLES as TABLES, built_in as built_in
    from pcaimage.insight.lab.texts import TEXTS as TEXTS

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "basis": ("Basis",),
        "data": ("LabData",),
        "prepared": ("Prepared",),
        "sources": ("blocks", "channels", "in_file", "neighbours", "pasted", "stack"),
        "state": ("LabState",),
        "steps": ("STEPS", "check"),
        "tables": ("TABLES", "built_in"),
        "texts": ("TEXTS",),
    },
)
