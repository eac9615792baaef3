"""Feeds of the tab of size and quality: the image's own curve, and those of other codecs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal, Slot

from pcaimage.errors import PcaImageError
from pcaimage.gui.session.feed import Feed, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.curve.figures import Present
from pcaimage.gui.tabs.curve.page import CurvePage
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.imaging import Image
from pcaimage.imaging.image.formats import title_of
from pcaimage.imaging.rivals.rivals import RIVALS
from pcaimage.insight.curve import Curve, curve_of_file, trace_curve, with_similarity
from pcaimage.insight.references import Reference, obstacles, reference_curve
from pcaimage.insight.references import with_similarity as reference_with_similarity
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted

EMPTY = "Size and quality of every k appear here once the components of an image are found."
DECODING = "The curve appears once all components are decoded."
ESTIMATING = "Estimating sizes…"
NO_ORIGINAL = (
    "This file was opened without its original, so its PSNR is not known; the share of the variance is shown."
)

References = dict[str, Reference]  # other codecs' curves, by the codecs' names
TITLES = {codec.name: codec.title for codec in RIVALS}


class CurveFeed(Feed[CurvePage, Curve]):
    """Finds the image's own curve, which grows while it is found, and shows the setting on it."""

    kind = "curve"
    _grown = Signal(object, object)

    def __init__(self, session: Session, page: CurvePage) -> None:
        super().__init__(session, page)
        self._complete: tuple[Fit, Curve] | None = None
        """The last complete curve, and the fit that it is of."""
        self._grown.connect(self._on_grown)
        page.measureChanged.connect(lambda _: self.refresh())
        self._show_state(session.state)

    @property
    def known(self) -> Curve | None:
        """The complete curve of the present components, if it was found."""
        complete, fit = self._complete, self.session.state.fit
        return complete[1] if complete is not None and complete[0] is fit else None

    def _show_state(self, state: SessionState) -> None:
        document = state.document
        if document is not None:
            name = f"original {title_of(document.format)}" if document.image is not None else "original"
            whole = document.image is None or document.image.pixels.dtype.kind == "u"
            similar = whole and not document.is_stack
            self._page.set_original(document.file_size, name, deep=document.deep, similar=similar)
        else:
            self._page.set_original(None)
        whole = state.fit is not None and state.fit.whole
        self._page.set_message(self._why_empty(state, EMPTY, ESTIMATING if whole else DECODING))
        self._page.set_present(present_of(state))

    def _want(self, state: SessionState) -> Want[Curve] | None:
        fit, document = state.fit, state.document
        if fit is None or not fit.whole or document is None:
            return None
        similar = self._page.data.shown == "ssim"
        key = fit, similar
        if document.image is None:
            return Want(key, lambda _: _curve_of_file(fit))

        def deliver(curve: Curve) -> None:
            with suppress(RuntimeError):  # the feed has been deleted meanwhile
                self._grown.emit(key, curve)

        image, setting = document.image, state.setting
        first = fit.points.nearest(setting.k, setting.chosen_step)
        work = partial(find_curve, fit, image, self.known, first, similar=similar, deliver=deliver)
        return Want(key, work)

    @Slot(object, object)
    def _on_grown(self, key: object, curve: Curve) -> None:
        if key == self._asked:
            self._draw(curve)

    def _show(self, result: Curve) -> None:
        fit = self.session.state.fit
        if fit is not None:
            self._complete = fit, result
        self._draw(result)

    def _draw(self, curve: Curve) -> None:
        self._page.set_curve(curve)
        if curve.exact:
            self._page.set_note("curve", "without original", NO_ORIGINAL)
        elif curve.progress < 1:
            self._page.set_note("curve", f"estimating, {100 * curve.progress:.0f}\u00a0%")
        else:
            lacking = self._page.data.shown == "ssim" and not curve.ssim.size
            self._page.set_note("curve", "estimating SSIM…" if lacking else "")

    def _clear(self) -> None:
        self._complete = None
        self._page.set_curve(None)
        self._page.set_note("curve", "")

    def _say(self, sentence: str) -> None:
        self._page.set_curve(None)
        self._page.set_message(sentence)
        self._page.set_note("curve", "no curve", sentence)


class RivalsFeed(Feed[CurvePage, References]):
    """Finds other codecs' curves and shows each as soon as it is found.

    They depend on the image alone: they are kept while it is open, whatever the method and k.
    """

    kind = "references"
    _found = Signal(object, str, object)

    def __init__(self, session: Session, page: CurvePage) -> None:
        super().__init__(session, page)
        self._image: Image | None = None
        self._known: References = {}
        self._reasons: dict[str, str] = {}
        """The reasons why codecs have no curve, by their names."""
        self._found.connect(self._on_found)
        page.measureChanged.connect(lambda _: self.refresh())
        page.curveAppeared.connect(self.refresh)
        self._show_state(session.state)

    @property
    def known(self) -> tuple[Reference, ...]:
        """The curves that were found for the image."""
        return tuple(self._known.values())

    def _show_state(self, state: SessionState) -> None:
        image = state.document.image if state.document is not None else None
        if image is self._image:
            return
        self._image, self._known = image, {}
        self._reasons = {} if image is None else obstacles(image.pixels.shape, image.pixels.dtype)
        self._draw()

    def _want(self, state: SessionState) -> Want[References] | None:
        image, names = self._image, [name for name in TITLES if name not in self._reasons]
        # The image's own curve comes first.
        if image is None or state.fit is None or not self._page.data.most or not names:
            return None

        def deliver(name: str, found: Reference | str) -> None:
            with suppress(RuntimeError):  # the feed has been deleted meanwhile
                self._found.emit(image, name, found)

        similar = self._page.data.shown == "ssim"
        work = partial(find_references, image, names, dict(self._known), similar=similar, deliver=deliver)
        return Want((image, similar), work)

    @Slot(object, str, object)
    def _on_found(self, image: Image, name: str, found: Reference | str) -> None:
        if image is not self._image:
            return
        if isinstance(found, Reference):
            self._known[name] = found
        else:
            self._reasons[name] = found
        self._draw()

    def _show(self, result: References) -> None:
        self._known = result
        self._draw()

    def _draw(self) -> None:
        self._page.set_references(self._known[name] for name in TITLES if name in self._known)
        waiting = [name for name in TITLES if name not in self._known and name not in self._reasons]
        sentence = " ".join(self._reasons.values())
        if self._image is not None and self._page.data.most and waiting:
            self._page.set_note("references", f"trying {TITLES[waiting[0]]}…", sentence)
        elif len(self._reasons) == len(TITLES):
            self._page.set_note("references", "no other codecs", sentence)
        else:
            missing = ", ".join(TITLES[name] for name in self._reasons)
            self._page.set_note("references", f"without {missing}" if missing else "", sentence)

    def _clear(self) -> None:
        self._draw()

    def _say(self, sentence: str) -> None:
        self._page.set_note("references", "other codecs failed", sentence)


def present_of(state: SessionState) -> Present:
    """Return the setting with the measured figures of its file, or estimates for a step that no curve has."""
    setting = state.setting
    if state.fit is None or not setting.k:
        return Present()
    found = dict[str, float | None]()
    if (measured := state.current(state.measured)) is not None:
        found["n_bytes"] = measured.n_bytes
    if (settled := state.current(state.settled)) is not None:
        found["psnr"] = settled.psnr
    if (similarity := state.current(state.similarity)) is not None:
        found["ssim"] = similarity.ssim
    certain = frozenset(name for name, value in found.items() if value is not None)
    if setting.chosen_step is not None and (estimated := state.current(state.estimated)) is not None:
        found.setdefault("n_bytes", estimated.estimate.n_bytes)
        found.setdefault("psnr", estimated.estimate.psnr)
    step = float(state.fit.step(setting.k, setting.chosen_step)) if state.fit.points.by_step else None
    return Present(setting.k, step, lossless=setting.lossless, measured=certain, **found)


def find_curve(
    fit: Fit,
    image: Image,
    known: Curve | None,
    first: int,
    progress: Progress,
    *,
    similar: bool,
    deliver: Callable[[Curve], None],
) -> Curve:
    """Find the curve of an image, if it is not known, and its structural similarities, if they are wanted.

    The point to begin with is that of interest elsewhere, too; the curve is delivered whenever it has grown.
    """
    analysis, rates = fit.analysis, fit.rates
    if analysis is None or rates is None:
        raise ValueError("A compressed file needs no estimates.")
    if known is None:
        extra = fit.carried_bytes(image)
        known = trace_curve(
            analysis, rates, extra_bytes=extra, first=first, progress=progress, deliver=deliver
        )
    if not similar or known.ssim.size:
        return known
    deliver(known)
    return with_similarity(
        known, analysis, rates, fit.preview, image.pixels, progress=progress, deliver=deliver
    )


def _curve_of_file(fit: Fit) -> Curve:
    sizes = [fit.file_size(k) or 0 for k in range(1, fit.n_components + 1)]
    return replace(curve_of_file(sizes, fit.ratios), of=fit.scale.of)


def find_references(
    image: Image,
    names: list[str],
    known: References,
    progress: Progress,
    *,
    similar: bool,
    deliver: Callable[[str, Reference | str], None],
) -> References:
    """Complete the curves of other codecs: by their errors, then by structural similarity too.

    Each is delivered by name as soon as it is found, or else a sentence why there is none. Most codecs use
    one core, so as many are asked at a time as there are cores.
    """
    pixels, white = image.pixels, image.peak

    def plain(name: str, progress: Progress) -> Reference:
        return known[name] if name in known else reference_curve(pixels, name, progress, white=white)

    def alike(name: str, progress: Progress) -> Reference:
        before = known[name]
        return before if before.ssim else reference_with_similarity(pixels, before, progress, white=white)

    stages = [plain, alike] if similar else [plain]
    ended = counted(progress, len(stages) * len(names))

    def find(stage: Callable[[str, Progress], Reference], names: list[str], number: int) -> None:
        name = names[number]
        try:
            found = stage(name, lambda _done, _total: ended(0))
        except PcaImageError as error:
            deliver(name, str(error))
        else:
            if found is not known.get(name):
                known[name] = found
                deliver(name, found)
        ended(1)

    for stage in stages:
        side_by_side(partial(find, stage, names), len(names))
        names = [name for name in names if name in known]
    return known


make = tab_of(CurvePage, CurveFeed, RivalsFeed)
