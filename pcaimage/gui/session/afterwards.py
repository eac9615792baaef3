"""Tells of states what can wait until the picture is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from pcaimage.gui.session.kinds import PICTURES

if TYPE_CHECKING:
    from pcaimage.gui.session.findings import Findings
    from pcaimage.gui.session.state import SessionState

LATEST = 40
"""Milliseconds after which nothing waits: a hand that never rests leaves no gap between pictures."""
FIRST = 500
"""Milliseconds for which new components wait for their first picture."""


class Afterwards(QObject):
    """Passes states on; while a slider moves, and when components are found, pictures come first.

    Drawing a plot anew takes as long as painting a picture. All that shows k beside the picture does so
    when that is painted, and is told of the newest of several states only.

    Parameters
    ----------
    session : Findings
        Whose states; it becomes the owner.
    """

    stateChanged = Signal(object, object)  # noqa: N815
    """The new :class:`SessionState`, and the one that was told before."""

    def __init__(self, session: Findings) -> None:
        super().__init__(session)
        self._session, self._told = session, session.state
        self._timer = QTimer(self, singleShot=True, interval=LATEST)
        self._timer.timeout.connect(self._tell)
        session.stateChanged.connect(self._follow)
        session.jobs.finished.connect(self._hurry)

    def _follow(self, state: SessionState, before: SessionState) -> None:
        found = state.fit is not before.fit and state.fit is not None
        if state.document is not before.document or not (state.moving or found):
            self._tell()
        elif not self._timer.isActive():
            self._timer.start(FIRST if found else LATEST)

    def _hurry(self, kind: str) -> None:
        if kind in PICTURES and self._timer.isActive():
            self._timer.start(0)  # behind the painting, which is asked for already

    def _tell(self) -> None:
        self._timer.stop()
        before, self._told = self._told, self._session.state
        if before is not self._told:
            self.stateChanged.emit(self._told, before)
