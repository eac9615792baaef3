"""Keep the plot of size and quality supplied: the image's own curve, and those of other codecs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.requests import Keep
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.curve.figures import Present
from pcaimage.gui.tabs.curve.page import EMPTY, CurvePlot
from pcaimage.gui.tabs.curve.rivals_feed import RivalsFeed
from pcaimage.gui.tabs.shared.feed import Feed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.imaging import Image
from pcaimage.insight.curve import Curve, curve_of_file, trace_curve
from pcaimage.insight.curve_ssim import with_similarity
from pcaimage.insight.references import Reference
from pcaimage.progress import Progress

FITTING = "Finding the components…"
DECODING = "The curve appears once all components are decoded."
NOT_FITTED = (
    "There are no components yet: fitting was stopped. Choose a method or block size to fit the image."
)
ESTIMATING = "Estimating sizes…"
NO_ORIGINAL = (
    "This file was opened without its original, so its PSNR is not known; the share of the variance is shown."
)


class CurveFeed(Feed[Any]):
    """Finds the image's own curve, which grows while it is found, and shows the setting on it.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : CurvePlot
        Where it is shown.
    parent : QObject, optional
        The owner.
    """

    _grown = Signal(object, object)

    def __init__(self, session: Session, widget: CurvePlot, parent: QObject | None = None) -> None:
        super().__init__(session, "curve", parent or widget)
        self._widget = widget
        self._curve: tuple[Fit, Curve] | None = None
        """The last that was complete."""
        self._grown.connect(self._on_grown)
        widget.measureChanged.connect(lambda _: self.refresh())
        self._show_state(session.state)

    @property
    def known(self) -> Curve | None:
        """The whole curve of the components at hand, if it was found."""
        known = self._curve
        return known[1] if known is not None and known[0] is self.session.state.fit else None

    def _follow(self, state: SessionState, before: SessionState) -> None:
        self._show_state(state)
        super()._follow(state, before)

    def _show_state(self, state: SessionState) -> None:
        document = state.document
        if document is not None:
            name = f"original {document.format}" if document.image is not None else "original"
            whole = document.image is None or document.image.pixels.dtype.kind == "u"
            similar = whole and not document.is_stack
            self._widget.set_original(document.file_size, name, deep=document.deep, similar=similar)
        else:
            self._widget.set_original(None)
        self._widget.say(self._why_empty(state))
        self._widget.set_present(present_of(state))

    def _why_empty(self, state: SessionState) -> str:
        if state.document is None:
            return EMPTY
        if state.fit is None:
            return FITTING if self.session.jobs.busy("fit") else NOT_FITTED
        return ESTIMATING if state.fit.whole else DECODING

    def _key(self, state: SessionState) -> object | None:
        if state.fit is None or not state.fit.whole:
            return None
        return state.fit, self._widget.data.shown == "ssim"

    def _work(self, state: SessionState) -> Work:
        fit, document, key = state.fit, state.document, self._key(state)
        if fit is None or document is None:
            raise ValueError("Without components there is no curve.")
        known = self._curve[1] if self._curve is not None and self._curve[0] is fit else None
        similar = self._widget.data.shown == "ssim"

        def deliver(curve: Curve) -> None:
            with suppress(RuntimeError):  # the feed has gone, and nobody waits
                self._grown.emit(key, curve)

        if document.image is None:
            return partial(_of_file, fit)
        return partial(find_curve, fit, document.image, known, state.setting.k, similar, deliver)

    @Slot(object, object)
    def _on_grown(self, key: object, curve: Curve) -> None:
        if key == self._asked:
            self._draw(curve)

    def _show(self, result: Any) -> None:
        fit = self.session.state.fit
        if fit is not None:
            self._curve = fit, result
        self._draw(result)

    def _draw(self, curve: Curve) -> None:
        self._widget.set_curve(curve)
        if curve.exact:
            self._widget.set_note("curve", "without original", NO_ORIGINAL)
        elif curve.progress < 1:
            self._widget.set_note("curve", f"estimating, {100 * curve.progress:.0f}\u00a0%")
        else:
            lacking = self._widget.data.shown == "ssim" and not curve.ssim.size
            self._widget.set_note("curve", "estimating SSIM…" if lacking else "")

    def _clear(self) -> None:
        self._curve = None
        self._widget.set_curve(None)
        self._widget.set_note("curve", "")

    def _say(self, sentence: str) -> None:
        self._widget.set_curve(None)
        self._widget.say(sentence)
        self._widget.set_note("curve", "no curve", sentence)


def present_of(state: SessionState) -> Present:
    """Return the setting, with what is known of its file.

    Parameters
    ----------
    state : SessionState
        What is open, chosen and known.

    Returns
    -------
    Present
        Measured figures, else estimates of a step that the curve does not have.
    """
    setting = state.setting
    if state.fit is None or not setting.k:
        return Present()
    found = dict[str, float | None]()
    if state.measured is not None and state.measured.setting == setting:
        found["n_bytes"] = state.measured.n_bytes
    if state.settled is not None and state.settled.setting == setting:
        found["psnr"] = state.settled.psnr
    if state.similarity is not None and state.similarity.setting == setting:
        found["ssim"] = state.similarity.ssim
    measured = frozenset(name for name, value in found.items() if value is not None)
    if setting.chosen_step is not None and state.estimated is not None:
        estimate = state.estimated.estimate
        if state.estimated.setting == setting:
            found.setdefault("n_bytes", estimate.n_bytes)
            found.setdefault("psnr", estimate.psnr)
    return Present(setting.k, measured=measured, **found)


def find_curve(
    fit: Fit,
    image: Image,
    known: Curve | None,
    first: int,
    similar: bool,  # noqa: FBT001 - bound by position
    deliver: Callable[[Curve], None],
    progress: Progress,
) -> Curve:
    """Find the curve of an image.

    Parameters
    ----------
    fit : Fit
        Its components.
    image : Image
        The image.
    known : Curve or None
        The curve, where it is known already.
    first : int
        The k to begin with: others want to know it too.
    similar : bool
        Whether structural similarities are wanted.
    deliver : callable
        Given the curve as it is known so far.
    progress : Progress
        Told of the work done.

    Returns
    -------
    Curve
        All of it.
    """
    analysis, rates = fit.analysis, fit.rates
    if analysis is None or rates is None:
        raise ValueError("A compressed file needs no estimates.")
    if known is None:
        extra = fit.carried_bytes(image)
        known = trace_curve(
            analysis, rates, extra_bytes=extra, first=first, progress=progress, deliver=deliver
        )
        deliver(known)
    if not similar or known.ssim.size:
        return known
    deliver(known)
    return with_similarity(
        known, analysis, rates, fit.preview, image.pixels, progress=progress, deliver=deliver
    )


def _of_file(fit: Fit, progress: Progress) -> Curve:
    progress(0, 1)
    sizes = [fit.file_size(k) or 0 for k in range(1, fit.n_components + 1)]
    return replace(curve_of_file(sizes, fit.ratios), of=fit.scale.of)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = CurvePlot()
    page.componentsRequested.connect(lambda k: context.request(Keep(k, final=False)))
    page.componentsCommitted.connect(lambda k: context.request(Keep(k)))
    return Tab(page, (CurveFeed(context.session, page), RivalsFeed(context.session, page)))


def known_curve(tab: Tab | None) -> Curve | None:
    """Return the curve of the image's own files that a tab has found."""
    feeds = () if tab is None else tab.feeds
    return next((feed.known for feed in feeds if isinstance(feed, CurveFeed)), None)


def known_references(tab: Tab | None) -> tuple[Reference, ...]:
    """Return the curves of other codecs that a tab has found."""
    feeds = () if tab is None else tab.feeds
    return next((feed.known for feed in feeds if isinstance(feed, RivalsFeed)), ())
