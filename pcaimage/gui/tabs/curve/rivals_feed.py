"""Keeps other codecs' curves supplied, one after another."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from pcaimage.errors import PcaImageError
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.curve.page import CurvePlot
from pcaimage.gui.tabs.curve.words import hindrances
from pcaimage.gui.tabs.shared.feed import Feed
from pcaimage.imaging import Image
from pcaimage.imaging.rivals import RIVALS
from pcaimage.insight.references import Reference, obstacles, quick_curve, refined, with_similarity
from pcaimage.progress import Progress, part

Known = dict[str, Reference]
TITLES = {rival.name: rival.title for rival in RIVALS}


class RivalsFeed(Feed[Any]):
    """Finds other codecs' curves, keeps them while an image is open, and shows each as soon as it is there.

    They depend on the image alone, so neither k nor the method makes them be found again.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : CurvePlot
        Where they are shown.
    parent : QObject, optional
        The owner.
    """

    _found = Signal(object, str, object)

    def __init__(self, session: Session, widget: CurvePlot, parent: QObject | None = None) -> None:
        super().__init__(session, "references", parent or widget)
        self._widget = widget
        self._image: Image | None = None
        self._known: Known = {}
        self._reasons: dict[str, str] = {}
        """Why codecs have no curve."""
        self._found.connect(self._on_found)
        widget.measureChanged.connect(lambda _: self.refresh())
        widget.curveAppeared.connect(self.refresh)
        self._show_image(session.state)

    @property
    def known(self) -> tuple[Reference, ...]:
        """The curves of other codecs that were found for the image."""
        return tuple(self._known.values())

    def _follow(self, state: SessionState, before: SessionState) -> None:
        self._show_image(state)
        super()._follow(state, before)

    def _show_image(self, state: SessionState) -> None:
        image = state.document.image if state.document is not None else None
        if image is self._image:
            return
        self._image, self._known = image, {}
        self._reasons = {} if image is None else obstacles(image.pixels.shape, image.pixels.dtype)
        self._draw()

    def _key(self, state: SessionState) -> object | None:
        # The image's own curve comes first.
        if self._image is None or state.fit is None or not self._widget.data.most:
            return None
        if len(self._reasons) == len(RIVALS):
            return None
        return self._image, self._widget.data.shown == "ssim"

    def _work(self, state: SessionState) -> Work:
        image = self._image
        if image is None or state.document is None:
            raise ValueError("Without an image there is nothing to compare with.")

        def deliver(name: str, found: Reference | str) -> None:
            with suppress(RuntimeError):  # the feed has gone, and nobody waits
                self._found.emit(image, name, found)

        names = [rival.name for rival in RIVALS if rival.name not in self._reasons]
        similar = self._widget.data.shown == "ssim"
        return partial(find_references, image, names, dict(self._known), similar, deliver)

    @Slot(object, str, object)
    def _on_found(self, image: Image, name: str, found: Reference | str) -> None:
        if image is not self._image:
            return
        if isinstance(found, Reference):
            self._known[name] = found
        else:
            self._reasons[name] = found
        self._draw()

    def _show(self, result: Any) -> None:
        self._known = result
        self._draw()

    def _draw(self) -> None:
        self._widget.set_references(self._known[name] for name in TITLES if name in self._known)
        waiting = [name for name in TITLES if name not in self._known and name not in self._reasons]
        rough = any(each.rough for each in self._known.values())
        sentence = hindrances(self._reasons, TITLES)
        if self._image is not None and self._widget.data.most and waiting:
            self._widget.set_note("references", f"trying {TITLES[waiting[0]]}…", sentence)
        elif rough:
            tip = "Dotted curves are from a sample of the image; files of all of it are being made."
            self._widget.set_note("references", "trying other codecs…", f"{tip} {sentence}".strip())
        elif len(self._reasons) == len(TITLES):
            self._widget.set_note("references", "no other codecs", sentence)
        else:
            missing = ", ".join(TITLES[name] for name in self._reasons)
            self._widget.set_note("references", f"without {missing}" if missing else "", sentence)

    def _clear(self) -> None:
        self._draw()

    def _say(self, sentence: str) -> None:
        self._widget.set_note("references", "other codecs failed", sentence)


def find_references(
    image: Image,
    names: list[str],
    known: Known,
    similar: bool,  # noqa: FBT001 - bound by position
    deliver: Callable[[str, Reference | str], None],
    progress: Progress,
) -> Known:
    """Find the curves of other codecs: roughly all, then well, then by structural similarity too.

    Parameters
    ----------
    image : Image
        The image.
    names : list of str
        Which codecs.
    known : dict
        What is known already; it is completed.
    similar : bool
        Whether structural similarities are wanted.
    deliver : callable
        Given the name and the curve of each, or a sentence why there is none, as soon as it is found.
    progress : Progress
        Told of the work done.

    Returns
    -------
    dict
        All that could be found.
    """
    pixels = image.pixels

    def quick(name: str, progress: Progress) -> Reference:
        return known[name] if name in known else quick_curve(pixels, name, progress)

    def well(name: str, progress: Progress) -> Reference:
        before = known[name]
        return replace(refined(pixels, before, progress), ssim=before.ssim) if before.rough else before

    def alike(name: str, progress: Progress) -> Reference:
        return known[name] if known[name].ssim else with_similarity(pixels, known[name], progress)

    stages = [quick, alike, well] if similar else [quick, well]
    names, count = list(names), len(names)
    for number, stage in enumerate(stages):
        for place, name in enumerate(tuple(names)):
            done = (number * count + place) / (len(stages) * count)
            try:
                found = stage(name, part(progress, done, done + 1 / (len(stages) * count)))
            except PcaImageError as error:
                names.remove(name)
                deliver(name, str(error))
                continue
            if found is not known.get(name):
                known[name] = found
                deliver(name, found)
    return known
