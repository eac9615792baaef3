"""Measures how long the event loop is blocked, and by what."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer

BEAT = 2
"""Milliseconds between two beats."""

SAMPLES = 0.001
"""Seconds between two samples of the thread's stack."""

LONG = 0.016
"""Length in seconds from which a gap is reported."""

_HERE = str(Path(__file__).parents[1])


class Gap(NamedTuple):
    """An interval without a turn of the event loop.

    Parameters
    ----------
    seconds : float
        Its length.
    work : float
        Processor seconds of the thread within it; the rest it spent waiting, for a core or another thread.
    """

    seconds: float
    work: float


class Heart(QObject):
    """A timer in the event loop: nothing else can run between two of its beats either.

    Parameters
    ----------
    watcher : Watcher, optional
        Sampler of the thread's stack.
    """

    def __init__(self, parent: QObject | None = None, watcher: Watcher | None = None) -> None:
        super().__init__(parent)
        self._gaps: list[Gap] | None = None
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._watcher = watcher
        self._timer = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    @contextmanager
    def watched(self) -> Iterator[list[Gap]]:
        """Collect the gaps between beats within the block; the one that lasts until its end is included."""
        gaps: list[Gap] = []
        self._gaps = gaps
        self._last, self._worked = time.perf_counter(), time.thread_time()
        yield gaps
        self._beat()
        self._gaps = None

    def _beat(self) -> None:
        if self._gaps is None:
            return
        now, worked = time.perf_counter(), time.thread_time()
        self._gaps.append(Gap(now - self._last, worked - self._worked))
        if self._watcher is not None and now - self._last > LONG:
            self._watcher.note(self._last, now, self._gaps[-1])
        self._last, self._worked = now, worked


class Watcher:
    """Samples the stack of the thread that created it during long gaps.

    It competes with that thread for the interpreter, so gaps become slightly longer.
    """

    def __init__(self) -> None:
        self._long: list[tuple[Gap, Counter[str]]] = []
        self._watched = threading.get_ident()
        self._seen: list[tuple[float, str]] = []
        self._over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def note(self, start: float, stop: float, gap: Gap) -> None:
        """Keep the samples of a gap between two values of the performance counter."""
        self._long.append((gap, Counter(what for when, what in self._seen if start <= when <= stop)))
        self._seen.clear()

    def worst(self, count: int) -> list[tuple[Gap, str]]:
        """Return at most `count` gaps with the most work, and each one's most frequent places with shares."""
        found = sorted(self._long, key=lambda each: -each[0].work)[:count]
        return [(gap, _described(places)) for gap, places in found]

    def stop(self) -> None:
        """Stop sampling."""
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(SAMPLES):
            places = _places(sys._current_frames().get(self._watched))  # noqa: SLF001 - there is no other way
            self._seen.append((time.perf_counter(), places))
            if len(self._seen) > 100_000:
                del self._seen[:50_000]


def _places(frame: FrameType | None) -> str:
    """Return the innermost functions of the program and its libraries on a thread's stack."""
    names: list[str] = []
    while frame is not None and len(names) < 6:
        file = frame.f_code.co_filename
        if "/benchmarks/" not in file:
            short = Path(file).stem if file.startswith(_HERE) else file.rsplit("/", 2)[-1]
            names.append(f"{short}.{frame.f_code.co_name}:{frame.f_lineno}")
        frame = frame.f_back
    return " ← ".join(names) or "Qt"


def _described(places: Counter[str]) -> str:
    total = sum(places.values())
    return "\n".join(f"{count / total:.0%} {place}" for place, count in places.most_common(4)) or "nothing"
