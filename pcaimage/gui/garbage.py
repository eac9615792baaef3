"""Collects cyclic garbage in the thread of the window only."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY = 500
"""Milliseconds between two looks."""


class GarbageCollector(QObject):
    """Looks from time to time whether garbage is due, in place of Python's own collector.

    That one runs in whatever thread makes an object too many. In a worker thread it would free widgets and
    timers, which only the thread that made them may do: the process would end.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=_EVERY)
        self._timer.timeout.connect(collect_due)
        self._timer.start()


def collect_due() -> None:
    """Collect the oldest generation of objects that has as many new ones as Python's collector waits for."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if 0 < thresholds[generation] < counts[generation]:
            gc.collect(generation)
            return
