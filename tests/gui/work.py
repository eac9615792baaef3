"""Counts work, so that tests can say that it does not grow; seconds would depend on the machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def calls_of(act: Callable[[], object]) -> int:
    """Return how many functions, of Python and of C, an action calls on this thread."""
    count, before = 0, sys.getprofile()

    def seen(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count
