"""Keeps the views supplied with pictures of what they show."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, SignalInstance

from pcaimage.codec import Region
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.kinds import DIFFERENCE, LEFT, MAGNIFIED, RIGHT
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.sources import DifferenceRenderer, DifferenceScale, Source, left_of, right_of
from pcaimage.gui.session.state import SessionState
from pcaimage.insight.errors import ErrorMap
from pcaimage.progress import Progress

BACKDROP = 512
"""Pixels along the longer side of the picture behind the picture."""

ERRORS = "exact difference"
"""The work that makes the difference exact."""


class _Wanted(NamedTuple):
    region: Region
    scale: float


class Renderer(QObject):
    """Has pictures made on other threads, the newest wish first.

    Parameters
    ----------
    session : Session
        Whose image is shown.
    parent : QObject, optional
        The owner.
    """

    leftReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of the visible part, for the left view."""
    rightReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of the visible part, for the right view."""
    differenceReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of how far they are apart."""
    scaleReady = Signal(object)  # noqa: N815
    """The :class:`DifferenceScale` of that picture's colours."""
    magnifiedReady = Signal(object, object)  # noqa: N815
    """Both views' :class:`Picture` in full resolution, each or None, as :meth:`magnify` asked for."""
    leftBackdropReady = Signal(object)  # noqa: N815
    """A coarse :class:`Picture` of all of what the left view shows."""
    rightBackdropReady = Signal(object)  # noqa: N815
    """A coarse :class:`Picture` of all of what the right view shows."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, session.jobs
        self._wanted: _Wanted | None = None
        self._differing = DifferenceRenderer()
        self._comparing = False
        session.stateChanged.connect(self._follow)

    def show_region(self, region: Region, scale: float) -> None:
        """Supply pictures of another part.

        Parameters
        ----------
        region : Region
            What is visible, in pixels of the image.
        scale : float
            Screen pixels to an image pixel.
        """
        self._wanted = _Wanted(region, scale)
        self._render_left()
        self._render_right()
        self._render_difference()

    def set_comparing(self, comparing: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Supply pictures of the difference, or stop.

        Parameters
        ----------
        comparing : bool
            Whether they are seen.
        """
        if comparing == self._comparing:
            return
        self._comparing = comparing
        if comparing:
            self._jobs.cancel(RIGHT)
            self._render_difference()
        else:
            self._jobs.cancel(DIFFERENCE)
            self._render_right()

    def set_full_scale(self, full_scale: float | None) -> None:
        """Choose which difference is shown brightest.

        Parameters
        ----------
        full_scale : float or None
            In levels of the image; None to have it chosen.
        """
        self._differing.full_scale = full_scale
        self._render_difference()

    def magnify(self, region: Region) -> None:
        """Supply both views' pictures of a small part in full resolution.

        Parameters
        ----------
        region : Region
            The part, in pixels of the image.
        """
        state = self._session.state
        sources = left_of(state), right_of(state)
        self._jobs.submit(
            MAGNIFIED,
            lambda _: [None if each is None else each.render(region, 1.0) for each in sources],
            on_done=partial(self._deliver_magnified, state.document),
            finish_running=True,
        )

    def _follow(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._wanted = None
            self._differing.forget()
            for kind in (LEFT, RIGHT, DIFFERENCE, MAGNIFIED, ERRORS, "backdrop", "original backdrop"):
                self._jobs.cancel(kind)
        left, right = left_of(state), right_of(state)
        new_left = left is not None and not left.same_as(left_of(before))
        new_right = right is not None and not right.same_as(right_of(before))
        if left is not None and new_left:
            self._render_left()
            self._render_backdrop("original backdrop", left, self.leftBackdropReady)
        if right is not None and new_right:
            self._render_right()
            self._render_backdrop("backdrop", right, self.rightBackdropReady)
        if new_left or new_right:
            self._render_difference()

    def _render_left(self) -> None:
        source = left_of(self._session.state)
        if source is not None and self._wanted is not None:
            self._render(LEFT, source, self._wanted, self.leftReady)

    def _render_right(self) -> None:
        source = right_of(self._session.state)
        # Beside the difference nobody sees it; it comes when the difference goes.
        if source is not None and self._wanted is not None and not self._comparing:
            self._render(RIGHT, source, self._wanted, self.rightReady)

    def _render(self, kind: str, source: Source, wanted: _Wanted, ready: SignalInstance) -> None:
        deliver = partial(self._deliver, self._session.state.document, ready)
        work = partial(_render, source, wanted.region, wanted.scale)
        self._jobs.submit(kind, work, on_done=deliver, finish_running=True)

    def _render_difference(self) -> None:
        state = self._session.state
        left, right, document = left_of(state), right_of(state), state.document
        if not self._comparing or left is None or right is None or document is None or self._wanted is None:
            return
        region, scale = self._wanted
        display = state.display or document.display
        # The picture at once; exact figures as soon as there is time for them.
        self._jobs.submit(
            DIFFERENCE,
            lambda _: self._differing.render(left, right, region, scale, 255 * display.unit),
            on_done=partial(self._deliver_difference, document),
            finish_running=True,
        )
        if not state.moving and self._differing.can_measure(left, right):
            self._jobs.submit(
                ERRORS,
                partial(self._differing.measure, left, right),
                on_done=partial(self._learn_errors, left, right),
                patient=True,
            )

    def _learn_errors(self, left: Source, right: Source, errors: ErrorMap | None) -> None:
        self._differing.learn(left, right, errors)
        self._render_difference()

    def _render_backdrop(self, kind: str, source: Source, ready: SignalInstance) -> None:
        document = self._session.state.document
        if document is None or source.layers is None:
            return
        width, height = document.size
        wanted = _Wanted(Region(0, 0, width, height), BACKDROP / max(width, height))
        self._render(kind, source, wanted, ready)

    def _deliver(self, document: object, ready: SignalInstance, shown: Picture) -> None:
        if document is self._session.state.document:
            ready.emit(shown)

    def _deliver_magnified(self, document: object, found: list[Picture | None]) -> None:
        if document is self._session.state.document:
            self.magnifiedReady.emit(*found)

    def _deliver_difference(self, document: object, found: tuple[Picture, DifferenceScale]) -> None:
        shown, scale = found
        if document is self._session.state.document:
            self.scaleReady.emit(scale)
            self.differenceReady.emit(shown)


def _render(source: Source, region: Region, scale: float, progress: Progress) -> Picture:
    progress(0, 0)
    return source.render(region, scale)
