"""From a state to what is shown: pure functions. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Basis
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.command_line import has_command
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.sources import left_of, right_of
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.transitions import BOUNDED
from pcaimage.insight.scale import PLAIN, SCALES

LOSSLESS_FROM = 100.0
"""Estimates above so many decibels are not distinguished."""


@dataclass(frozen=True)
class Figures:
    """The numbers of the present setting, each None while it is not known."""

    size: int | None = None
    """Bytes of the file."""
    size_estimated: bool = False
    psnr: float | None = None
    """Decibels."""
    psnr_estimated: bool = False
    ssim: float | None = None


def figures(state: SessionState) -> Figures:
    """Return the best that is known of the setting, by the components at hand."""
    if state.fit is None:
        return Figures()
    now = state.setting
    size, psnr, ssim = state.fit.file_size(now.k), None, None
    if size is None and state.measured is not None and state.measured.setting == now:
        size = state.measured.n_bytes
    if state.settled is not None and state.settled.setting == now:
        psnr = state.settled.psnr
    if state.similarity is not None and state.similarity.setting == now:
        ssim = state.similarity.ssim
    guess = None
    if state.estimated is not None and state.estimated.setting == now:
        guess = state.estimated.estimate
    return Figures(
        size=guess.n_bytes if size is None and guess else size,
        size_estimated=size is None,
        psnr=_guessed(guess.psnr) if psnr is None and guess else psnr,
        psnr_estimated=psnr is None,
        ssim=ssim,
    )


def _guessed(psnr: float) -> float:
    """Return an estimated quality; one that leaves less than a wrong value in the image is lossless."""
    return math.inf if psnr > LOSSLESS_FROM else psnr


@dataclass(frozen=True, slots=True)
class PanelView:
    """Everything that the settings panel shows."""

    enabled: bool = False
    """Whether there is something to compress; False greys all out."""
    settings_enabled: bool = True
    """Whether the method may change; not without the original."""
    methods: tuple[str, ...] = ("photo", "blocks", "channels", "stack")
    """The methods that the image allows, of :data:`METHODS`."""
    method: str = "photo"
    block: int = 8
    standardize: bool = False
    """How the image is sampled."""
    basis: Basis = Basis.AUTO
    """Whose components a photo's blocks have."""
    mnf: bool = False
    max_error: float | None = None
    """How far values may be off; None where nothing is promised."""
    error_offer: float = 1.0
    """What is asked for where nothing is typed yet."""
    nodata: float | None = None
    file_nodata: float | None = None
    """What stands where nothing was measured, and what the image's file says of it."""
    model: str = ""
    model_about: str = ""
    """The file whose components are used, and a sentence about it; empty for the image's own."""
    k: int = 0
    k_max: int = 0
    """How many components are kept, of how many."""
    variance: float | None = None
    """Percent of the variance that is kept, 0 to 100; None while unknown."""
    variance_of: str = PLAIN.of
    """What that is a share of."""
    psnr: float | None = None
    """In dB; infinite if nothing is lost; None while unknown."""
    psnr_estimated: bool = False
    """Whether that is an estimate, and shown with ≈."""
    ssim: float | None = None
    """Structural similarity, at most 1; None while unknown."""
    size: int | None = None
    """Bytes; None while unknown."""
    size_estimated: bool = True
    """Whether the size is an estimate, and shown with ≈."""
    original_size: int | None = None
    """Bytes of the original, of which a share can be asked for; None if there is no such file."""
    step: float | None = None
    """The quantiser's step; None while unknown."""
    step_auto: bool = True
    """Whether the step follows from k."""
    bounded: str = ""
    """Why no other quality or size can be asked for, where values are near enough anyway; else empty."""
    psnr_enabled: bool = True
    """Whether PSNR and SSIM can be asked for; not without the original."""
    step_enabled: bool = True
    """Whether the step can be changed; a compressed file's cannot."""
    hint: str = ""
    error: str = ""
    """A sentence worth knowing, and one that says why a target is not reached."""
    variances: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    """Explained variances, by which the slider's scale is made; None while unknown."""


def panel_view(state: SessionState) -> PanelView:
    """Return what the settings panel shows."""
    document, fit = state.document, state.fit
    if document is None:
        return PanelView()
    choice, known = state.choice, figures(state)
    common = PanelView(
        enabled=True,
        settings_enabled=document.image is not None,
        methods=document.methods,
        method=choice.method,
        block=choice.block,
        standardize=choice.standardize,
        basis=choice.basis,
        model="" if choice.model is None else choice.model.path.name,
        model_about="" if choice.model is None else choice.model.about,
        **_of_values(state, document),
    )
    if fit is None or not state.fitted:
        return replace(common, hint=state.hint)
    return replace(
        common,
        k=state.setting.k,
        k_max=fit.n_components,
        variance=100 * fit.ratio(state.setting.k, state.setting.left_out) if fit.whole else None,
        variance_of=SCALES[fit.choice.prepared].of,
        psnr=known.psnr,
        psnr_estimated=known.psnr_estimated,
        ssim=known.ssim,
        size=known.size,
        size_estimated=known.size_estimated,
        original_size=document.file_size,
        variances=fit.variances if fit.whole else None,
        step=float(fit.step(state.setting.k, state.setting.chosen_step)),
        step_auto=state.setting.step is None,
        psnr_enabled=document.image is not None,
        step_enabled=fit.analysis is not None,
        hint=_hint(state, known),
        error=state.hint,
    )


def _of_values(state: SessionState, document: Document) -> dict[str, Any]:
    """Return what the panel shows of the values of many bands."""
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
    """Return how far any value may be off.

    Parameters
    ----------
    choice : Choice
        The one that is chosen, or that of the components at hand.

    Returns
    -------
    float or None
        None where nothing is promised: also of a compressed file that loses its corrections when it is cut.
    """
    document, fit = state.document, state.fit
    cut = fit is not None and state.setting.k < fit.n_components
    return None if cut and document is not None and document.image is None else choice.bound


def _offer(peak: float, *, whole: bool) -> float:
    """Return an error worth trying: about a thousandth of the largest value, in one figure."""
    offer = float(f"{peak / 1000:.0e}")
    return max(1.0, float(round(offer))) if whole else offer


def _hint(state: SessionState, known: Figures) -> str:
    document = state.document
    if document is None:
        return ""
    if document.image is None:
        if state.fit is not None and not state.fit.whole:
            return "Its first components are shown while the others are decoded."
        if state.left_out_lost:
            return "Components are left out of the picture only; put them back to save or export."
        return "This file was opened without its original: fewer components can be kept, not more."
    if known.size is not None and document.file_size and known.size > document.file_size:
        return "The compressed file would be larger than the file that was opened."
    return ""


def title(state: SessionState) -> str:
    """Return the window's title; ``[*]`` is where Qt marks unsaved changes."""
    return "pcaimage" if state.document is None else f"{state.document.name}[*] – pcaimage"


def pixel_line(state: SessionState, x: int, y: int) -> str:
    """Return what the status bar says of a pixel.

    Parameters
    ----------
    x, y : int
        The pixel.

    Returns
    -------
    str
        Its place, its exact values in both views, and how far they are apart.
    """
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
    """Return all values of a colour; of many bands, those that are shown."""
    if len(values) <= 4 or bands is None:
        return " ".join(map(str, values.tolist()))
    return " ".join(map(str, values[list(bands)].tolist())) + " …"


def flags(state: SessionState) -> frozenset[str]:
    """Return what is possible now, by the names that actions ask for."""
    document = state.document
    if document is None:
        return frozenset()
    original = document.image is not None
    holds = {
        "image": True,
        "original": original,
        "stack": document.is_stack,
        "bands": document.many_bands,
        "fitted": state.ready,
        "command": state.ready and has_command(state),
        "comparable": state.ready and original,
        "undoable": bool(state.history.past),
        "redoable": bool(state.history.future),
        "lent": original and state.choice.model is not None,
        "left-out": bool(state.setting.left_out),
    }
    return frozenset(flag for flag, true in holds.items() if true)
