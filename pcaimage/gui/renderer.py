"""Keeps both views supplied with pictures of what they show."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal, SignalInstance

from pcaimage.gui.display import Layers, Shown
from pcaimage.gui.document import Document
from pcaimage.gui.geometry import Region
from pcaimage.gui.picture import Picture
from pcaimage.gui.session import Session
from pcaimage.gui.state import SessionState
from pcaimage.gui.work import Task
from pcaimage.progress import Progress

BACKDROP = 512
"""Pixels along the longer side of the picture behind the picture."""


class Renderer(QObject):
    """Has pictures made on other threads, the newest wish first.

    Parameters
    ----------
    session : Session
        Whose image is shown.
    parent : QObject, optional
        The owner.
    """

    originalReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of the visible part of the original."""
    reconstructionReady = Signal(object)  # noqa: N815
    """A :class:`Picture` of the visible part of the reconstruction."""
    originalBackdropReady = Signal(object)  # noqa: N815
    """A coarse :class:`Picture` of all of the original."""
    reconstructionBackdropReady = Signal(object)  # noqa: N815
    """A coarse :class:`Picture` of all of the reconstruction."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = session.jobs
        self._wanted: tuple[Region, float] | None = None
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
        self._wanted = region, scale
        self._render_original()
        self._render_reconstruction()

    def _follow(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._wanted = None
            for kind in ("original", "picture", "backdrop", "original backdrop"):
                self._jobs.cancel(kind)
        if state.original is not before.original and state.original is not None:
            self._render_original()
            self._render_backdrop("original backdrop", state.original, self.originalBackdropReady)
        if (state.exact, state.setting, state.fit, state.frame) != (
            before.exact,
            before.setting,
            before.fit,
            before.frame,
        ):
            self._render_reconstruction()
            if state.exact is not None:
                self._render_backdrop("backdrop", state.exact, self.reconstructionBackdropReady)

    def _render_original(self) -> None:
        state = self._session.state
        if state.original is None or state.document is None or self._wanted is None:
            return
        region, scale = self._wanted
        self._jobs.submit(
            "original",
            partial(_render_layers, state.original, region, scale),
            on_done=partial(self._deliver, state.document, self.originalReady),
            finish_running=True,
        )

    def _render_reconstruction(self) -> None:
        state = self._session.state
        if state.document is None or state.fit is None or self._wanted is None:
            return
        # While others are being found, the components at hand are shown.
        task = Task(state.document, state.fit, state.setting, state.frame)
        region, scale = self._wanted
        self._jobs.submit(
            "picture",
            lambda _: task.render(state.exact, region, scale),
            on_done=partial(self._deliver, task.document, self.reconstructionReady),
            finish_running=True,
        )

    def _render_backdrop(self, kind: str, layers: Layers, ready: SignalInstance) -> None:
        document = self._session.state.document
        if document is None:
            return
        width, height = document.size
        self._jobs.submit(
            kind,
            partial(_render_layers, layers, (0, 0, width, height), BACKDROP / max(width, height)),
            on_done=partial(self._deliver, document, ready),
        )

    def _deliver(self, document: Document, signal: SignalInstance, shown: Shown) -> None:
        if document is self._session.state.document:
            signal.emit(Picture(shown.pixels, shown.region))


def _render_layers(
    layers: Layers, region: tuple[int, int, int, int], scale: float, progress: Progress
) -> Shown:
    progress(0, 0)
    return layers.render(region, scale)
