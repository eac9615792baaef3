"""Making photographs quick from the first one on. No Qt here."""

from __future__ import annotations

from pcaimage import codec
from pcaimage.parallel import run_apart
from pcaimage.progress import Progress

_CODE = "import os; getattr(os, 'nice', int)(10); from pcaimage import codec; codec.warm_up()"


def warm_up(progress: Progress) -> None:
    """Have compiled what photographs need, and load it.

    Compiling holds up all threads for a moment now and then, so another process does that, whenever nobody
    else wants the processor. What it compiled is on the disk; on later starts it finds it there.
    """
    run_apart(["-c", _CODE], lambda: progress(0, 1))
    codec.warm_up(progress)
