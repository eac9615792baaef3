"""Plays an animation: shows the images of a stack one after the other, each for its time."""

from __future__ import annotations

import math

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from pcaimage.gui.session.jobs import DIFFERENCE, LEFT, RIGHT
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState

_WAIT = 5
"""Milliseconds after which it is asked again whether a picture is complete."""


class Player(QObject):
    """Requests the images of an animation at their times, beginning with the one that is shown.

    It never begins by itself. The next image is requested when the pictures of the last one are complete;
    where that takes longer than the image is shown, others are skipped, so that the speed stays right. It
    stops when another image is chosen meanwhile, or another file is opened.
    """

    playingChanged = Signal(bool)  # noqa: N815
    """It has begun, or has stopped."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._clock, self._start, self._shown = QElapsedTimer(), 0.0, -1
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._show)
        session.watch("document", "frame").connect(self._follow)

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._timer.isActive()

    def set_playing(self, playing: bool) -> None:  # noqa: FBT001 - a slot of a switch
        """Play from the image that is shown, or from the first if that is the last; or stop."""
        document = self._session.state.document
        timing = None if document is None else document.timing
        if playing and timing is not None:
            frame = self._session.state.frame
            last = frame == len(timing.durations) - 1
            self._shown, self._start = frame, 0.0 if last else math.fsum(timing.shown[:frame])
            self._clock.start()
            self._timer.start(0 if last else math.ceil(timing.shown[frame]))
        else:
            self._timer.stop()
        self.playingChanged.emit(self.playing)

    def _show(self) -> None:
        state, jobs = self._session.state, self._session.jobs
        timing = None if state.document is None else state.document.timing
        found = None if timing is None else timing.at(self._start + self._clock.elapsed())
        if found is None:
            self.set_playing(False)
            return
        index, rest = found
        if index != state.frame and any(jobs.busy(kind) for kind in (LEFT, RIGHT, DIFFERENCE)):
            self._timer.start(_WAIT)
            return
        self._timer.start(math.ceil(rest))
        self._shown = index
        self._session.request(ShowFrame(index))

    def _follow(self, state: SessionState, before: SessionState) -> None:
        """Stop if another file was opened, or the user chose an image."""
        if self.playing and (state.document is not before.document or state.frame != self._shown):
            self.set_playing(False)
