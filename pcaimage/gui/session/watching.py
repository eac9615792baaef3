"""Changes of the state, for those whom they concern."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from pcaimage.gui.session.jobs import PICTURES, JobRunner
from pcaimage.gui.session.state import SessionState

LATEST = 40
"""The longest delay during a drag, and the least time between two states, in milliseconds: a drag without a
pause still updates the plots, and most of its pictures need not wait for them."""
FIRST = 500  # the longest delay of new components, in milliseconds, while their first picture is rendered
_TURNS = 3
"""Turns of the event loop after a picture: time to paint it, and to begin the next if k has moved again."""


class _Watch(QObject):
    changed = Signal(object, object)


class Watched(QObject):
    """Emits each change of the state, and those of some attributes to who watches these."""

    stateChanged = Signal(object, object)  # noqa: N815
    """The new :class:`SessionState`, and the one before."""

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._watches: dict[tuple[str, ...], _Watch] = {}

    def watch(self, *names: str) -> SignalInstance:
        """Return a signal of the new state and the one before, for changes of attributes with these names."""
        if names not in self._watches:
            self._watches[names] = _Watch(self)
        return self._watches[names].changed

    def _emit_watched(self, state: SessionState, before: SessionState) -> None:
        for names, watch in list(self._watches.items()):
            both = ((getattr(state, name), getattr(before, name)) for name in names)
            if any(new is not old and new != old for new, old in both):
                watch.changed.emit(state, before)


class DeferredStates(Watched):
    """Coalesces the states of a drag, and passes the newest on when its picture is painted.

    Drawing a plot takes as long as painting a picture, so the picture comes first. Other changes are passed
    on at once; the state before is the one that was passed on before.
    """

    def __init__(self, jobs: JobRunner, state: SessionState, parent: QObject) -> None:
        super().__init__(parent)
        self._newest = self._emitted = state
        self._timer = QTimer(self, singleShot=True, interval=LATEST)
        self._turns, self._passed = 0, 0.0
        self._timer.timeout.connect(self._pass_on)
        jobs.finished.connect(self._hurry)

    def follow(self, state: SessionState, before: SessionState) -> None:
        """Pass a state on, now or when its picture is painted."""
        self._newest = state
        found = state.fit is not before.fit and state.fit is not None
        if state.document is not before.document or not (state.moving or found):
            self._turns = 0
            self._pass_on()
        elif not self._timer.isActive():
            self._timer.start(FIRST if found else LATEST)

    def _hurry(self, kind: str) -> None:
        due = not self._newest.moving or monotonic() - self._passed >= LATEST / 1000
        if due and kind in PICTURES and self._timer.isActive():
            self._turns = _TURNS if self._newest.moving else 1
            self._timer.start(0)

    def _pass_on(self) -> None:
        self._turns -= 1
        if self._turns > 0:
            self._timer.start(0)
            return
        self._timer.stop()
        self._passed = monotonic()
        before, self._emitted = self._emitted, self._newest
        if before is not self._emitted:
            self.stateChanged.emit(self._emitted, before)
            self._emit_watched(self._emitted, before)
