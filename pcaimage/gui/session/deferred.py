"""Defers states of a drag, for plots, until the picture has been painted."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from pcaimage.gui.session.jobs import PICTURES, JobRunner
from pcaimage.gui.session.state import SessionState

LATEST = 40
"""The longest delay during a drag, in milliseconds: a drag without a pause still updates the plots."""
FIRST = 500
"""The longest delay of new components, in milliseconds, while their first picture is rendered."""


class DeferredStates(QObject):
    """Coalesces the states of a drag, and passes the newest on when its picture is painted.

    Drawing a plot takes as long as painting a picture, so the picture comes first. Other changes are passed
    on at once.
    """

    stateChanged = Signal(object, object)  # noqa: N815
    """The new :class:`SessionState`, and the one emitted before."""

    def __init__(self, jobs: JobRunner, state: SessionState, parent: QObject) -> None:
        super().__init__(parent)
        self._newest = self._told = state
        self._timer = QTimer(self, singleShot=True, interval=LATEST)
        self._timer.timeout.connect(self._tell)
        jobs.finished.connect(self._hurry)

    def follow(self, state: SessionState, before: SessionState) -> None:
        """Pass a state on, now or when its picture is painted."""
        self._newest = state
        found = state.fit is not before.fit and state.fit is not None
        if state.document is not before.document or not (state.moving or found):
            self._tell()
        elif not self._timer.isActive():
            self._timer.start(FIRST if found else LATEST)

    def _hurry(self, kind: str) -> None:
        if kind in PICTURES and self._timer.isActive():
            self._timer.start(0)  # after the paint event, which is already queued

    def _tell(self) -> None:
        self._timer.stop()
        before, self._told = self._told, self._newest
        if before is not self._told:
            self.stateChanged.emit(self._told, before)
