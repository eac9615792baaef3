"""Choosing which bands are shown, and how."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject

from pcaimage.gui.session.adjusting import Adjusting
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.session.look import Look, display_of
from pcaimage.gui.session.state import SessionState
from pcaimage.progress import Progress


class Looking(Adjusting):
    """A state that can be looked at in several ways, which are no part of what is undone.

    Parameters
    ----------
    jobs : JobRunner
        Who does the work.
    choice : Choice
        How images are fitted at first.
    parent : QObject, optional
        The owner.
    """

    def __init__(self, jobs: JobRunner, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(jobs, choice, parent)
        self._usual_look: Look | None = None
        """What was chosen last; images that allow it are shown like this."""

    def show_bands(self, look: Look) -> None:
        """Show other bands, or the same ones darker or brighter.

        Parameters
        ----------
        look : Look
            What to show; without effect where the image does not have it.
        """
        document = self._state.document
        if document is None or not document.many_bands or not look.fits(document.bands.names):
            return
        self._usual_look = look
        self._look(document, look)

    def _look(self, document: Document, look: Look) -> None:
        if look != self._state.look:
            self._change(look=look)
            self._stretch(document, look)

    def _stretch(self, document: Document, look: Look) -> None:
        self.jobs.submit(
            "look",
            partial(_display, document, look, self._state.nodata),
            on_done=partial(self._looked, document),
            on_failed=self._report,
            finish_running=True,
        )

    def _looked(self, document: Document, display: Display) -> None:
        if document is self._state.document:
            self._change(display=display)

    def _become(self, state: SessionState) -> None:
        before = self._state
        super()._become(_as_shown(state))
        document, usual = state.document, self._usual_look
        if document is None or not document.many_bands:
            return
        if document is before.document:
            if state.choice.nodata != before.choice.nodata:
                self._stretch(document, state.look or document.look)
        elif usual is not None and usual.fits(document.bands.names):
            self._look(document, usual)


def _as_shown(state: SessionState) -> SessionState:
    """Return a state all of whose pictures are shown in one way, wherever they come from."""
    display = state.display
    if display is None:
        return state
    original, settled, rivalry = state.original, state.settled, state.rivalry
    if original is not None and original.display is not display:
        state = replace(state, original=original.shown(display))
    if settled is not None and settled.layers.display is not display:
        state = replace(state, settled=replace(settled, layers=settled.layers.shown(display)))
    if rivalry is not None and rivalry.layers.display is not display:
        state = replace(state, rivalry=replace(rivalry, layers=rivalry.layers.shown(display)))
    return state


def _display(document: Document, look: Look, nodata: float | None, progress: Progress) -> Display:
    progress(0, 1)
    return display_of(look, document.bands.names, document.fair_pixels, nodata)
