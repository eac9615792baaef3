"""The one place that knows Numba: loops over single numbers, compiled.

Context modelling decides bit after bit, each by what the last one taught; no array operation can do that. All
of it is integer arithmetic, so that every machine decodes the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function on its first call; what was compiled is kept for the next start of the program.

    It lets go of Python while it runs, so that several run at once.
    """
    return cast("F", numba.njit(cache=True, nogil=True)(function))


def hot(function: F) -> F:
    """Compile a function that makes no arrays, without the counting of references.

    Counting takes atomic instructions; in loops that do little per number they would take ten times as long
    as all else.
    """
    compiled: Any = numba.njit
    return cast("F", compiled(cache=True, nogil=True, _nrt=False)(function))


def inline(function: F) -> F:
    """Compile a function into the kernels that call it."""
    return cast("F", numba.njit(cache=True, nogil=True, inline="always")(function))
