"""Connects the two views with what is open: pictures, what they show, magnifier and difference."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pcaimage.gui.compare import captions
from pcaimage.gui.compare.peek_key import PeekKey
from pcaimage.gui.compare.renderer import Renderer
from pcaimage.gui.compare.view_choices import left_options, right_options
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.state import Rival

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from pcaimage.gui.compare.compare_view import CompareView
    from pcaimage.gui.compare.stage import Mode
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.session.sources import DifferenceScale
    from pcaimage.gui.session.state import SessionState
    from pcaimage.insight.components import Overlay


class Comparing(QObject):
    """Keeps the views showing what they should.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    view : CompareView
        The views.
    window : QWidget
        The window in which Space shows the original.
    """

    def __init__(self, session: Session, view: CompareView, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._view = session, view
        self.renderer = renderer = Renderer(session, self)
        view.pictureNeeded.connect(renderer.show_region)
        renderer.leftReady.connect(view.original.set_picture)
        renderer.rightReady.connect(view.reconstruction.set_picture)
        renderer.leftBackdropReady.connect(view.original.set_backdrop)
        renderer.rightBackdropReady.connect(view.reconstruction.set_backdrop)
        renderer.differenceReady.connect(view.set_difference_picture)
        renderer.scaleReady.connect(self._show_scale)
        view.scaleRequested.connect(renderer.set_full_scale)
        view.magnifierNeeded.connect(renderer.magnify)
        renderer.magnifiedReady.connect(view.set_magnified)
        view.leftRequested.connect(session.show_left)
        view.rightRequested.connect(session.show_right)
        view.rightComponentsRequested.connect(lambda k: session.show_right(Rival("k", k=k)))
        session.afterwards.stateChanged.connect(self._show_captions)
        key = PeekKey(window)
        key.pressed.connect(partial(self._peek, True))
        key.released.connect(partial(self._peek, False))

    def set_mode(self, mode: Mode) -> None:
        """Compare in another way.

        Parameters
        ----------
        mode : {"side-by-side", "split", "difference"}
            The way.
        """
        self._view.set_mode(mode)
        self.renderer.set_comparing(mode == "difference")

    def show_state(self, state: SessionState, before: SessionState) -> None:
        """Show what a state says of the views.

        Parameters
        ----------
        state, before : SessionState
            The state, and the one that is shown.
        """
        view, document = self._view, state.document
        if document is not before.document:
            view.set_original_available(document is not None and document.image is not None)
            view.set_image_size(*((0, 0) if document is None else document.size))
            view.set_marker(None)
            view.set_full_scale(None, automatic=True)
            if document is not None:
                view.fit()
        if _offered(state) != _offered(before) or document is not before.document:
            view.set_left_choices(left_options(state), state.left)
            view.set_right_choices(right_options(state), state.rival)
        rival = state.rival
        if rival is not None and rival.kind == "k" and state.fit is not None:
            view.set_right_components(rival.k, state.fit.n_components)
        elif before.rival is not None:
            view.set_right_components(None)

    def _show_captions(self, state: SessionState) -> None:
        """Say what the pictures show, when they do."""
        view = self._view
        view.original.set_caption(captions.left_caption(state))
        view.reconstruction.set_caption(captions.right_caption(state))
        view.difference.set_caption(captions.difference_caption(state))

    def show_overlay(self, overlay: Overlay | None, text: str) -> None:
        """Show where a component is strong.

        Parameters
        ----------
        overlay : Overlay or None
            The translucent picture; None for none.
        text : str
            What it is.
        """
        picture = None if overlay is None else Picture(overlay.pixels, overlay.region)
        self._view.reconstruction.set_overlay(picture, text)

    def _show_scale(self, scale: DifferenceScale) -> None:
        document = self._session.state.document
        self._view.set_full_scale(scale.full, scale.automatic, document is not None and document.deep)

    def _peek(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        self._view.peek(on)


def _offered(state: SessionState) -> object:
    """Return what the menus depend on; nobody opens one while k is dragged."""
    present = None if state.fit is None else state.choice.method
    k = state.setting.k if state.rival is None and not state.moving else None
    return state.left, state.rival, present, k
