"""Renders the pictures that the views show, on worker threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal, SignalInstance

from pcaimage.codec import Region
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.display import Layers, Rendering
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.jobs import DIFFERENCE, LEFT, MAGNIFIED, RIGHT
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.sources import DifferenceRenderer, DifferenceScale, Source, left_of, right_of
from pcaimage.gui.session.state import SessionState
from pcaimage.insight.error_map import ErrorMap
from pcaimage.progress import Progress

_BACKDROP = 512  # pixels along the longer side of the picture behind the picture
_LEFT_BACKDROP, _RIGHT_BACKDROP, _ERRORS = "original backdrop", "backdrop", "exact difference"
_KINDS = (LEFT, RIGHT, DIFFERENCE, MAGNIFIED, _ERRORS, _LEFT_BACKDROP, _RIGHT_BACKDROP)
"""The kinds of its jobs."""


class Renderer(QObject):
    """Submits a job for every picture that a new state or another viewport needs, and reports the results.

    A result is stale once another image is open, and is dropped.
    """

    leftReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of the visible part for the left view."""
    rightReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of the visible part for the right view."""
    differenceReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of the difference of the two."""
    scaleReady = Signal(object)  # noqa: N815
    """The :class:`DifferenceScale` of that picture's colours."""
    magnifiedReady = Signal(object, object)  # noqa: N815
    """Both views' :class:`Picture` in full resolution, each or None, as :meth:`magnify` requested."""
    leftBackdropReady = Signal(object)  # noqa: N815
    """A coarse :class:`Picture` of the whole image for the left view."""
    rightBackdropReady = Signal(object)  # noqa: N815
    """A coarse :class:`Picture` of the whole image for the right view."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, session.jobs
        self._wanted: tuple[Region, float] | None = None
        self._difference = DifferenceRenderer()
        self._comparing = False
        self._screen: bytes | None = None
        session.stateChanged.connect(self._follow)

    def show_region(self, region: Region, scale: float) -> None:
        """Render another part of the image, at a scale of so many screen pixels per image pixel."""
        self._wanted = region, scale
        self._render_left()
        self._render_right()
        self._render_difference()

    def set_comparing(self, comparing: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Render the difference instead of the right view, or the right view again, for the next region."""
        if comparing != self._comparing:
            self._comparing, self._wanted = comparing, None
            self._jobs.cancel(RIGHT if comparing else DIFFERENCE)

    def set_screen(self, profile: bytes | None) -> None:
        """Show pictures on a screen with another ICC profile; None for sRGB."""
        if profile == self._screen:
            return
        self._screen = profile
        self._render_left()
        self._render_right()
        state = self._session.state
        for kind, source, ready in (
            (_LEFT_BACKDROP, left_of(state), self.leftBackdropReady),
            (_RIGHT_BACKDROP, right_of(state), self.rightBackdropReady),
        ):
            if source is not None:
                self._render_backdrop(kind, source, ready)

    def set_full_scale(self, full_scale: float | None) -> None:
        """Choose the error that is shown brightest, in levels of the image; None chooses automatically."""
        self._difference.full_scale = full_scale
        self._render_difference()

    def magnify(self, region: Region) -> None:
        """Render a small part of both views in full resolution."""
        state = self._session.state
        sources, document, screen = (left_of(state), right_of(state)), state.document, self._screen
        self._submit(
            MAGNIFIED,
            lambda _: [
                None
                if each is None or document is None
                else document.on_screen(each.render(region, 1.0), screen)
                for each in sources
            ],
            lambda pictures: self.magnifiedReady.emit(*pictures),
        )

    def _follow(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._wanted = None
            self._difference.forget()
            self._jobs.cancel(*_KINDS)
        left, right = left_of(state), right_of(state)
        new_left = left is not None and not left.same_as(left_of(before))
        new_right = right is not None and not right.same_as(right_of(before))
        if left is not None and new_left:
            self._render_left()
            self._render_backdrop(_LEFT_BACKDROP, left, self.leftBackdropReady)
        if right is not None and new_right:
            self._render_right()
            self._render_backdrop(_RIGHT_BACKDROP, right, self.rightBackdropReady)
        if new_left or new_right:
            self._render_difference()

    def _render_left(self) -> None:
        self._render_view(LEFT, left_of(self._session.state), self.leftReady)

    def _render_right(self) -> None:
        # The difference hides it; it is rendered when the difference goes.
        if not self._comparing:
            self._render_view(RIGHT, right_of(self._session.state), self.rightReady)

    def _render_view(self, kind: str, source: Source | None, ready: SignalInstance) -> None:
        document = self._session.state.document
        if source is not None and document is not None and self._wanted is not None:
            self._submit(kind, self._rendering(document, source.renderable, *self._wanted), ready.emit)

    def _render_backdrop(self, kind: str, source: Source, ready: SignalInstance) -> None:
        document = self._session.state.document
        if document is None or source.layers is None:
            return
        region, scale = Region(0, 0, *document.size), _BACKDROP / max(document.size)
        self._submit(kind, self._rendering(document, source.layers, region, scale), ready.emit)

    def _rendering(
        self, document: Document, source: Layers | Rendering, region: Region, scale: float
    ) -> Callable[[Progress], Picture]:
        screen = self._screen
        return lambda _: document.on_screen(source.render(region, scale), screen)

    def _render_difference(self) -> None:
        state = self._session.state
        left, right, display = left_of(state), right_of(state), state.shown_by
        if not self._comparing or left is None or right is None or display is None or self._wanted is None:
            return
        region, scale = self._wanted
        # The picture at once; exact figures as soon as there is time for them.
        self._submit(
            DIFFERENCE,
            lambda _: self._difference.render(left, right, region, scale, 255 * display.unit),
            self._deliver_difference,
        )
        if not state.moving and self._difference.can_measure(left, right):
            self._jobs.submit(
                _ERRORS,
                partial(self._difference.measure, left, right),
                on_done=partial(self._learn_errors, left, right),
                patient=True,
            )

    def _learn_errors(self, left: Source, right: Source, errors: ErrorMap | None) -> None:
        self._difference.learn(left, right, errors)
        self._render_difference()

    def _deliver_difference(self, found: tuple[Picture, DifferenceScale]) -> None:
        picture, scale = found
        self.scaleReady.emit(scale)
        self.differenceReady.emit(picture)

    def _submit(self, kind: str, work: Callable[[Progress], Any], deliver: Callable[[Any], object]) -> None:
        document = self._session.state.document

        def deliver_fresh(result: Any) -> None:
            if document is self._session.state.document:
                deliver(result)

        # A job that runs is finished: a drag that never rests would otherwise never show a picture.
        self._jobs.submit(kind, work, on_done=deliver_fresh, finish_running=True)
