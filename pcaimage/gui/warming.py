"""Making photographs quick from the first one on. No Qt here."""

from __future__ import annotations

import os
import subprocess
import sys

from pcaimage import codec
from pcaimage.progress import Progress

_POLL = 0.05
_CODE = "import os; getattr(os, 'nice', int)(10); from pcaimage import codec; codec.warm_up()"


def warm_up(progress: Progress) -> None:
    """Have compiled what photographs need, and load it.

    Compiling holds up all threads for a moment now and then, so another process does that, whenever nobody
    else wants the processor. What it compiled is on the disk; on later starts it finds it there.

    Parameters
    ----------
    progress : Progress
        Asked whether to go on.
    """
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(  # noqa: S603 - it is this program
        [sys.executable, "-c", _CODE], env=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while _runs(process):
            progress(0, 1)
    finally:
        process.kill()
        process.wait()
    codec.warm_up(progress)


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """Wait a moment; tell whether a process still runs then."""
    try:
        process.wait(_POLL)
    except subprocess.TimeoutExpired:
        return True
    return False
