"""The view models of the window, as pure functions of the state. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Basis, Tune
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.gui.session.choice import METHODS, NO_GOAL, SEARCHED, Choice, Goal, Setting
from pcaimage.gui.session.command_line import has_command
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.sources import left_of, right_of
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.targets import OFFERED, PRESETS, looks_of
from pcaimage.gui.session.transitions import BOUNDED
from pcaimage.gui.session.work import Task
from pcaimage.imaging.image.formats import title_of
from pcaimage.imaging.image.image import RAW
from pcaimage.insight.bands import SpectralAngles
from pcaimage.insight.component_table import PLAIN, TERMS
from pcaimage.insight.formatting import decibels, file_size

LOSSY = frozenset({"JPEG", "MPO", "WEBP", "AVIF", "HEIF", "JXL", RAW})
"""Formats that have usually lost something."""
EXPORT = "export"  # the link of a warning that leads to other formats
_LOSSLESS = Goal("preset", preset="lossless")
EXACT = "Flat colours take less without loss than with it here, so every pixel is kept exactly."
"""The hint where the exact file was smaller than the one that was asked for."""
LOSSLESS_FROM = 100.0  # the PSNR in decibels above which an estimate counts as lossless


@dataclass(frozen=True)
class Figures:
    """The figures of the present setting, each None while it is unknown."""

    size: int | None = None  # bytes of the file
    size_estimated: bool = False
    psnr: float | None = None  # decibels
    psnr_estimated: bool = False
    unrounded: float | None = None
    """Decibels that leaving components out costs alone, before their scores are rounded."""
    ssim: float | None = None
    angles: SpectralAngles | None = None  # the spectral angle of many bands, before and after


def figures(state: SessionState) -> Figures:
    """Return the best known figures of the setting."""
    if state.fit is None:
        return Figures()
    exact, measured = state.current(state.settled), state.current(state.measured)
    similarity, estimated = state.current(state.similarity), state.current(state.estimated)
    guessed = state.current(state.guessed)
    size = state.fit.file_size(state.setting.k)
    if size is None and measured is not None:
        size = measured.n_bytes
    psnr = None if exact is None else exact.psnr
    guess = None if estimated is None else estimated.estimate
    rough = guess.n_bytes if guess else None if guessed is None else guessed.n_bytes
    return Figures(
        size=rough if size is None else size,
        size_estimated=size is None,
        psnr=_guessed(guess.psnr) if psnr is None and guess else psnr,
        psnr_estimated=psnr is None,
        unrounded=None if state.bounded or state.lossless else state.fit.unrounded(state.setting),
        ssim=None if similarity is None else similarity.ssim,
        angles=None if similarity is None else similarity.angles,
    )


def looks(state: SessionState, known: Figures) -> str:
    """Say in words how the present picture looks; empty while it is not known."""
    if state.document is None or state.fit is None or not state.has_original:
        return ""
    if state.lossless or known.psnr == math.inf:
        return "lossless"
    return looks_of(Task(state.document, state.fit, state.setting, state.frame), known.psnr)


def _guessed(psnr: float) -> float:
    """Return an estimated PSNR, infinite if less than one wrong value is expected in the image."""
    return math.inf if psnr > LOSSLESS_FROM else psnr


@dataclass(frozen=True, slots=True)
class PanelView:
    """The view model of the settings panel."""

    enabled: bool = False  # whether an image is open; False greys everything out
    settings_enabled: bool = True  # whether the method may be changed; not without the original
    methods: tuple[str, ...] = ("photo", "blocks", "channels", "stack")
    """The methods that the image allows, of :data:`METHODS`."""
    method: str = "photo"
    block: int = 8
    standardize: bool = False
    """The sampling of the image: its method, the side of blocks, and whether features are standardised."""
    basis: Basis = Basis.AUTO  # the source of a photo's components
    tune: Tune = Tune.AUTO  # the measure that a photo's loss is optimised for
    mnf: bool = False
    max_error: float | None = None  # the greatest error of any value; None for no limit
    error_offer: float = 1.0  # the greatest error to request when it is switched on
    nodata: float | None = None
    file_nodata: float | None = None
    """The value that marks missing data, and the one named by the image's file."""
    model: str = ""
    model_about: str = ""  # the model file in use, and a sentence about it; empty if there is none
    k: int = 0
    k_max: int = 0  # the number of components that are kept, and that exist
    variance: float | None = None  # percent of the variance that is kept, 0 to 100; None while unknown
    variance_of: str = PLAIN.of  # the variance that it is a share of, in words
    psnr: float | None = None  # the PSNR in decibels; infinite if nothing is lost; None while unknown
    psnr_estimated: bool = False  # whether the PSNR is an estimate, shown with ≈
    ssim: float | None = None  # structural similarity, at most 1; None while unknown
    size: int | None = None  # bytes; None while unknown
    size_estimated: bool = True  # whether the size is an estimate, shown with ≈
    original_size: int | None = None
    """The size of the original file in bytes, for targets in per cent; None if it is unknown."""
    step: float | None = None  # the quantiser's step; None while unknown
    step_auto: bool = True  # whether the step follows from k
    bounded: str = ""
    """The reason why no quality or size can be requested, if the greatest error is limited; else empty."""
    psnr_enabled: bool = True  # whether PSNR and SSIM can be requested; not without the original
    step_enabled: bool = True  # whether the step can be changed; a compressed file's cannot
    about: Mapping[str, str] = field(default_factory=dict)
    """Description of a file that was opened without its original: short texts by name."""
    lossless: bool = False  # whether nothing is lost
    hint: str = ""
    error: str = ""
    warning: str = ""  # a note, the reason why a target was not reached, and a warning whose links lead out
    variances: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    """The explained variances, for the slider's scale; None while unknown."""
    offers: Mapping[str, int] = field(default_factory=dict)
    """Approximate sizes of the files of presets, by name, as far as they are known."""
    by_noise: bool = False  # whether presets refer to the noise of many bands
    goal: Goal = NO_GOAL  # the goal of the settings, from which all other figures follow
    points: OperatingPoints | None = field(default=None, compare=False, repr=False)
    """A photo's operating points, along which the slider moves; None where it moves k."""

    @property
    def editing(self) -> bool:
        """Whether there are settings: without its original, a file is looked at rather than compressed."""
        return self.settings_enabled or not self.enabled


def panel_view(state: SessionState) -> PanelView:
    """Return the view model of the settings panel."""
    document, fit = state.document, state.fit
    if document is None:
        return PanelView()
    choice = state.choice
    common = PanelView(
        enabled=True,
        settings_enabled=document.image is not None,
        methods=document.methods,
        about=_about(document, choice),
        method=choice.method,
        block=choice.block,
        standardize=choice.standardize,
        basis=choice.basis,
        tune=choice.tune,
        model="" if choice.model is None else choice.model.path.name,
        model_about="" if choice.model is None else choice.model.about,
        **_of_values(state, document),
    )
    if fit is None or not state.fitted:
        return replace(common, hint=state.hint)
    return _with_figures(common, state, document, fit)


def _with_figures(view: PanelView, state: SessionState, document: Document, fit: Fit) -> PanelView:
    """Return the panel of an image whose components are known, with the figures of its setting."""
    known, lossless = figures(state), state.lossless
    # A lossless file also stores the residual, so nothing is left out.
    k = fit.n_components if lossless else state.setting.k
    variance = 100.0 if lossless else 100 * fit.ratio(k, state.setting.left_out)
    return replace(
        view,
        k=k,
        k_max=fit.n_components,
        variance=variance if fit.whole else None,
        variance_of=TERMS[fit.choice.prepared].of,
        psnr=known.psnr,
        psnr_estimated=known.psnr_estimated,
        ssim=known.ssim,
        size=known.size,
        size_estimated=known.size_estimated,
        original_size=document.file_size,
        variances=fit.variances if fit.whole else None,
        step=None if lossless else float(fit.step(k, state.setting.chosen_step)),
        step_auto=not lossless and _follows(fit, state.setting),
        lossless=lossless,
        points=fit.points if fit.points.by_step else None,
        offers=state.offers,
        by_noise=fit.by_noise,
        goal=state.goal if state.goal.measure in SEARCHED or not state.setting.lossless else _LOSSLESS,
        psnr_enabled=document.image is not None,
        step_enabled=fit.analysis is not None,
        hint=_hint(state),
        error=state.hint,
        warning=_larger(state, known),
    )


def _about(document: Document, choice: Choice) -> dict[str, str]:
    """Return the description of a compressed file that was opened without its original."""
    if document.image is not None:
        return {}
    width, height = document.size
    count, channels = document.frames, document.shape[-1]
    parts = [f"{width:,} × {height:,}"]
    if count > 1:
        parts.insert(0, f"{count:,} images")
    if channels not in {1, 3}:
        parts.append(f"{channels:,} bands")
    if document.deep:
        parts.append(document.bits)
    original = document.file_size
    return {
        "Image": ", ".join(parts),
        "Method": METHODS[choice.method],
        "Made from": "" if original is None else f"a file of {file_size(original)}",
    }


def _follows(fit: Fit, setting: Setting) -> bool:
    """Return whether the step follows from k; of a photo, whether k follows from the step."""
    if fit.analysis is None or not fit.points.by_step:
        return setting.step is None
    return setting.k == fit.analysis.k_for_step(float(fit.step(setting.k, setting.chosen_step)))


def _of_values(state: SessionState, document: Document) -> dict[str, Any]:
    """Return the fields of the panel about the values of many bands."""
    if "bands" not in document.methods:
        return {}
    choice, fit = state.choice, state.fit
    peak = fit.preview.header.peak if fit is not None else 1.0
    return {
        "mnf": choice.mnf,
        "max_error": bound_of(state, choice),
        "error_offer": _offer(peak, whole=document.dtype.kind != "f"),
        "nodata": state.nodata,
        "file_nodata": document.bands.nodata,
        "bounded": f"{BOUNDED}. Untick it to ask for something else." if state.bounded else "",
    }


def bound_of(state: SessionState, choice: Choice) -> float | None:
    """Return the error bound of every value for a choice; None if there is none.

    A trimmed compressed file has none, as trimming drops its corrections.
    """
    document, fit = state.document, state.fit
    cut = fit is not None and state.setting.k < fit.n_components
    return None if cut and document is not None and document.image is None else choice.bound


def _offer(peak: float, *, whole: bool) -> float:
    """Return a useful greatest error: about a thousandth of the largest value, to one significant digit."""
    offer = float(f"{peak / 1000:.0e}")
    return max(1.0, float(round(offer))) if whole else offer


def _hint(state: SessionState) -> str:
    document = state.document
    if document is None:
        return ""
    if document.image is None:
        if state.fit is not None and not state.fit.whole:
            return "Its first components are shown while the others are decoded."
        if state.left_out_lost:
            return "Components are left out of the picture only; put them back to save or export."
        return "This file was opened without its original: fewer components can be kept, not more."
    asked = state.goal.measure in SEARCHED and state.goal != _LOSSLESS
    return EXACT if state.setting.lossless and asked else _about_goal(state) or _about_tiles(state)


def _about_goal(state: SessionState) -> str:
    """Return what was asked for beside what was reached, where these differ."""
    goal, known = state.goal, figures(state)
    words, found = {"size": (file_size, known.size), "psnr": (decibels, known.psnr)}.get(
        goal.measure, (str, None)
    )
    if found is None or state.hint or words(goal.value) == words(found):
        return ""
    return f"{words(goal.value)} asked, {words(found)} reached."


def _about_tiles(state: SessionState) -> str:
    """Return what k does not change, of an image some of which is coded without components; else nothing."""
    analysis = None if state.fit is None else state.fit.analysis
    share = 0.0 if analysis is None or state.lossless else analysis.apart
    if share == 1.0:
        return "This image is coded without components: k changes nothing here. Choose Blocks to see its PCA."
    what = f"{100 * share:.0f}\u00a0% of the image"
    return f"{what}, flat colours or clean edges, do not change with k." if share else ""


def _larger(state: SessionState, known: Figures) -> str:
    """Return a warning if the file would be larger than the original; else nothing.

    Its links lead out: to a preset by its name, or to :data:`EXPORT`.
    """
    document, offers = state.document, state.offers
    if document is None or document.image is None or not document.file_size or known.size is None:
        return ""
    original = document.file_size
    if known.size <= original:
        return ""
    times = known.size / original
    by = f"{times:.1f} times as large as" if times >= 1.1 else "larger than"
    opened = f"the {title_of(document.format)} that was opened ({file_size(original)})".replace("  ", " ")
    text = f"The file would be {by} {opened}. "
    if state.setting.lossless and document.format in LOSSY:
        text += f"Keeping every value of the {title_of(document.format)} takes more than it does. "
    fitting = [name for name in OFFERED if offers.get(name, math.inf) < original]
    if not fitting:
        return f'{text}Keep that file, or see what <a href="{EXPORT}">other formats</a> take.'
    title = PRESETS[fitting[-1]].text.replace("&", "")
    return f'{text}Take <a href="{fitting[-1]}">{title}</a>, or type a size such as 50\u00a0%.'


def title(state: SessionState) -> str:
    """Return the window's title. No mark is for changes: settings need not be saved."""
    return "pcaimage" if state.document is None else f"{state.document.name} – pcaimage"


def pixel_line(state: SessionState, x: int, y: int) -> str:
    """Return the status bar's text about a pixel: place, exact values in both views, and error."""
    line = f"({x}, {y})"
    left, right = left_of(state), right_of(state)
    if state.document is None or state.document.image is None:
        left = None
    before = None if left is None or left.layers is None else left.layers.pixels[y, x]
    after = None if right is None or right.layers is None else right.layers.pixels[y, x]
    bands = None if state.shown_by is None else state.shown_by.bands
    if before is not None:
        line += f"   {state.left} {_values(before, bands)}"
    if after is not None:
        line += (" → " if before is not None else "   ") + _values(after, bands)
    if before is not None and after is not None:
        difference = before.astype(float) - after
        line += f"   error {float((difference @ difference / difference.size) ** 0.5):.1f}"
    return line


def _values(values: NDArray[Any], bands: tuple[int, ...] | None) -> str:
    """Return all values of a colour, or those of many bands that are shown."""
    if len(values) <= 4 or bands is None:
        return " ".join(map(str, values.tolist()))
    return " ".join(map(str, values[list(bands)].tolist())) + " …"


def flags(state: SessionState) -> frozenset[str]:
    """Return the flags that enable actions."""
    document = state.document
    if document is None:
        return frozenset()
    original = document.image is not None
    holds = {
        "image": True,
        "original": original,
        "stack": document.is_stack,
        "animation": document.timing is not None,
        "in-file": document.is_stack and original,
        "bands": document.many_bands,
        "fitted": state.ready,
        "scored": state.ready and state.fit is not None and state.fit.has_score_images,
        "command": state.ready and has_command(state),
        "comparable": state.ready and original,
        "undoable": bool(state.history.past),
        "redoable": bool(state.history.future),
        "with-model": original and state.choice.model is not None,
        "left-out": bool(state.setting.left_out),
    }
    return frozenset(flag for flag, true in holds.items() if true)
