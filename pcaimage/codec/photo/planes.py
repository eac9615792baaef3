"""Scores that are found again rather than kept, where that takes less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from numpy.typing import NDArray

Scores = NDArray[Any]


class Planes:
    """Scores of all components, (C * 64, rows, columns); kept for good unless `find` returns them anew."""

    def __init__(self, array: Scores, find: Callable[[], Scores] | None = None) -> None:
        self._kept: Scores | None = array
        self._known, self._find = ref(array), find

    @property
    def array(self) -> Scores:
        """The scores; those that were released are shared with whoever still uses them."""
        known = self._known()
        if known is None and self._find is not None:
            known = self._kept = self._find()
            self._known = ref(known)
        assert known is not None  # noqa: S101 - what cannot be found again is kept
        return known

    def release(self) -> None:
        """Keep the scores only as long as somebody else uses them, if they can be found again."""
        if self._find is not None:
            self._kept = None
