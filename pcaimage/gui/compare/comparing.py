"""Connects the two views with the session: pictures, captions, and what each view shows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from pcaimage.gui.compare import captions
from pcaimage.gui.compare.compare_view import CompareView, Mode
from pcaimage.gui.compare.options import left_options, right_options
from pcaimage.gui.compare.peek_key import PeekKey
from pcaimage.gui.compare.renderer import Renderer
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.requests import ShowLeft, ShowRight
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.sources import DifferenceScale
from pcaimage.gui.session.state import SessionState

if TYPE_CHECKING:
    from pcaimage.insight.components import Overlay


class Comparing(QObject):
    """Controls the views: shows the session's state on them, and passes requests to the session.

    Space, anywhere in the window, shows the left picture for as long as it is held.
    """

    def __init__(self, session: Session, view: CompareView, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._view = session, view
        self.renderer = renderer = Renderer(session, self)
        view.pictureNeeded.connect(renderer.show_region)
        renderer.leftReady.connect(view.original.set_picture)
        renderer.rightReady.connect(view.reconstruction.set_picture)
        renderer.differenceReady.connect(view.difference.set_picture)
        renderer.leftBackdropReady.connect(view.original.set_backdrop)
        renderer.rightBackdropReady.connect(view.reconstruction.set_backdrop)
        renderer.scaleReady.connect(self._show_scale)
        view.legend.scaleRequested.connect(renderer.set_full_scale)
        view.magnifier.needed.connect(renderer.magnify)
        renderer.magnifiedReady.connect(view.magnifier.set_magnified)
        view.left_picker.requested.connect(lambda name: session.request(ShowLeft(name)))
        view.rightRequested.connect(lambda rival: session.request(ShowRight(rival)))
        session.watch("document").connect(self._show_document)
        offered = ("document", "left", "rival", "fit", "choice", "setting", "moving")
        session.afterwards.watch(*offered).connect(self._show_offers)
        session.afterwards.stateChanged.connect(self._show_captions)
        key = PeekKey(window)
        key.pressed.connect(partial(view.peek, True))
        key.released.connect(partial(view.peek, False))

    def set_mode(self, mode: Mode) -> None:
        """Choose an arrangement of the views.

        A rival stands beside the reconstruction, but its difference is that from the original.
        """
        if self._session.state.rival is not None and self._session.state.has_original:
            self._session.request(ShowLeft("original" if mode == "difference" else "reconstruction"))
        self._view.set_mode(mode)
        self.renderer.set_comparing(mode == "difference")
        self._view.request_picture()

    def _show_document(self, state: SessionState) -> None:
        view, document = self._view, state.document
        view.set_original_available(document is not None and document.image is not None)
        view.set_image_size(*((0, 0) if document is None else document.size))
        view.set_marker(None)
        view.legend.set_full_scale(0.0, automatic=True)
        if document is not None:
            view.fit()

    def _show_offers(self, state: SessionState) -> None:
        """Show what the views can show; menus are not opened while k is dragged."""
        view, rival = self._view, state.rival
        if not state.moving:
            view.left_picker.set_choices(left_options(state), state.left)
            view.set_right_choices(right_options(state), state.rival)
        if rival is not None and rival.kind == "k" and state.fit is not None:
            view.set_right_components(rival.k, state.fit.n_components)
        else:
            view.set_right_components(None)

    def show_overlay(self, overlay: Overlay | None, text: str) -> None:
        """Show where a component is strong, or marks upon both pictures, with a text that names it."""
        picture = None if overlay is None else Picture(overlay.pixels, overlay.region)
        self._view.reconstruction.set_overlay(picture, text)
        if overlay is not None and overlay.before is not None:
            picture = Picture(overlay.before, overlay.region)
        self._view.original.set_overlay(None if overlay is None or overlay.full_scale else picture)

    def _show_captions(self, state: SessionState) -> None:
        view = self._view
        view.original.set_caption(captions.left_caption(state))
        view.reconstruction.set_caption(captions.right_caption(state))
        view.difference.set_caption(captions.difference_caption(state))

    def _show_scale(self, scale: DifferenceScale) -> None:
        document = self._session.state.document
        deep = document is not None and document.deep
        self._view.legend.set_full_scale(scale.full, automatic=scale.automatic, deep=deep)
