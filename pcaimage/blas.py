"""Thread count of linear algebra.

The programs schedule their own threads: the window works on several things at once, each in a worker thread.
If BLAS started threads of its own in each of them, a busy machine could become tens of times slower. So BLAS
uses one thread, unless the user sets another number. As a library, pcaimage leaves this to the program that
imports it.
"""

from __future__ import annotations

import os

VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def use_one_thread() -> None:
    """Limit BLAS to one thread unless the environment says otherwise; must run before NumPy is imported."""
    for name in VARIABLES:
        os.environ.setdefault(name, "1")
