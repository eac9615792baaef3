"""From a state to what is shown: pure functions. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from pcaimage.gui.panel_view import PanelView, decibels, file_size
from pcaimage.gui.state import SessionState

LOSSLESS_FROM = 100.0
"""Estimates above so many decibels are not distinguished."""


@dataclass(frozen=True)
class Figures:
    """The numbers of the present setting, each None while it is not known.

    Parameters
    ----------
    size : int or None
        Bytes of the file.
    size_estimated : bool
        Whether that is an estimate.
    psnr : float or None
        Decibels.
    psnr_estimated : bool
        Whether that is an estimate.
    ssim : float or None
        Structural similarity.
    """

    size: int | None = None
    size_estimated: bool = False
    psnr: float | None = None
    psnr_estimated: bool = False
    ssim: float | None = None


def figures(state: SessionState) -> Figures:
    """Return the best that is known of the setting, by the components at hand.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    Figures
        Measured numbers before estimated ones.
    """
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


def panel_view(state: SessionState) -> PanelView:
    """Return what the settings panel shows.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    PanelView
        Everything in it.
    """
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
    )
    if fit is None or not state.fitted:
        return replace(common, hint=state.hint)
    return replace(
        common,
        k=state.setting.k,
        k_max=fit.n_components,
        variance=100 * fit.ratio(state.setting.k) if fit.whole else None,
        psnr=known.psnr,
        size=known.size,
        size_estimated=known.size_estimated,
        step=float(fit.step(state.setting.k, state.setting.step)),
        step_auto=state.setting.step is None,
        psnr_enabled=document.image is not None,
        step_enabled=fit.analysis is not None,
        hint=_hint(state, known),
        error=state.hint,
    )


def _hint(state: SessionState, known: Figures) -> str:
    document = state.document
    if document is None:
        return ""
    if document.image is None:
        if state.fit is not None and not state.fit.whole:
            return "Its first components are shown while the others are decoded."
        return "This file was opened without its original: fewer components can be kept, not more."
    if known.size is not None and document.file_size and known.size > document.file_size:
        return "The compressed file would be larger than the file that was opened."
    return ""


def original_caption(state: SessionState) -> list[str]:
    """Return the lines over the original.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    list of str
        Name; dimensions, kind and size.
    """
    document = state.document
    if document is None or document.image is None:
        return []
    parts = [_dimensions(state)]
    if document.file_size:
        parts.append(f"{file_size(document.file_size)} {document.format}".strip())
    else:
        parts.append(f"{file_size(document.raw_bytes)} uncompressed")
    return ["Original", " · ".join(parts)]


def _dimensions(state: SessionState) -> str:
    document = state.document
    if document is None:
        return ""
    width, height = document.size
    parts = [f"{width} × {height}"]
    if document.is_stack:
        parts.insert(0, f"image {state.frame + 1} of {document.frames}")
    channels = document.shape[-1]
    if channels not in {1, 3}:
        parts.append(f"{channels} bands")
    if document.deep:
        parts.append("16 bits")
    return " · ".join(parts)


def busy_hint(state: SessionState, kinds: Collection[str]) -> str:
    """Return what the reconstruction's caption says is going on.

    Parameters
    ----------
    state : SessionState
        The state.
    kinds : collection of str
        The kinds of work that are under way.

    Returns
    -------
    str
        Empty if the picture is what was asked for, or soon will be.
    """
    if state.document is None:
        return ""
    if "refine" in kinds:
        return "first components, refining"
    return "fitting" if "fit" in kinds and not state.fitted else ""


def reconstruction_caption(state: SessionState) -> list[str]:
    """Return the lines over the reconstruction, which is by the components at hand until others are there.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    list of str
        k; size and ratio; quality.
    """
    fit = state.fit
    if state.document is None or fit is None:
        return []
    known = figures(state)
    lines = [f"k = {state.setting.k} of {fit.n_components}"]
    if state.document.image is None:
        lines[0] += f" · {_dimensions(state)}"
    if known.size is not None:
        lines.append(_size_line(known, state.document.file_size, state.document.raw_bytes))
    quality = []
    if known.psnr is not None:
        quality.append(("≈ " if known.psnr_estimated else "") + decibels(known.psnr))
    if known.ssim is not None:
        quality.append(f"SSIM {known.ssim:.3f}")
    if quality:
        lines.append(" · ".join(quality))
    return lines


def _size_line(known: Figures, original: int | None, raw: int) -> str:
    size = max(known.size or 0, 1)
    about = "≈ " if known.size_estimated else ""
    ratio = f"{raw / size:.1f} : 1" if size <= raw else f"1 : {size / max(raw, 1):.1f}"
    line = f"{about}{file_size(size)} · {ratio}"
    if original and size > original:
        line += " · larger than the original file"
    elif original:
        share = 100 * size / original
        line += f" · {share:.{0 if share >= 9.95 else 1}f} % of the file"
    return line


def title(state: SessionState) -> str:
    """Return the window's title; ``[*]`` is where Qt marks unsaved changes.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    str
        The document's name, then the program's.
    """
    return "pcaimage" if state.document is None else f"{state.document.name}[*] – pcaimage"


def pixel_line(state: SessionState, x: int, y: int) -> str:
    """Return what the status bar says of a pixel.

    Parameters
    ----------
    state : SessionState
        The state.
    x, y : int
        The pixel.

    Returns
    -------
    str
        Its place, its values in the original and the exact reconstruction, and how far they are apart.
    """
    line = f"({x}, {y})"
    exact = state.exact
    before = None if state.original is None else state.original.pixels[y, x]
    after = None if exact is None else exact.pixels[y, x]
    bands = None if state.document is None else state.document.display.bands
    if before is not None:
        line += f"   original {_values(before, bands)}"
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
    """Return what is possible now, by the names that actions ask for.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    frozenset of str
        ``image``, ``original``, ``fitted``.
    """
    found = set()
    if state.document is not None:
        found.add("image")
        if state.document.image is not None:
            found.add("original")
        if state.ready:
            found.add("fitted")
    return frozenset(found)
