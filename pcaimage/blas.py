"""How many threads linear algebra takes.

The programs share the processor out themselves: the window works on several things at once, each on a thread
of its own. Were each product of matrices to wait for threads of its own as well, a machine that is busy
otherwise could make it tens of times slower. So each takes one, unless the user says otherwise. As a
library, pcaimage leaves this to the program that imports it.
"""

from __future__ import annotations

import os

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def use_one_thread() -> None:
    """Let products of matrices take one thread each; NumPy reads this when it is imported.

    What the environment says already is left as it is.
    """
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
