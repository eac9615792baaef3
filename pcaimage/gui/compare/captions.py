"""The captions of the views, as pure functions of the state. No Qt here."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.resolve import Figures, bound_of, figures, looks
from pcaimage.gui.session.state import SessionState
from pcaimage.imaging.image.formats import title_of
from pcaimage.insight.formatting import decibels, file_size, image_words

ROUNDING = 0.1  # least loss by rounding, in decibels, that is mentioned


def original_caption(state: SessionState) -> list[str]:
    """Return the lines over the original: its name; dimensions, kind and size."""
    document = state.document
    if document is None or document.image is None:
        return []
    parts = [_dimensions(state)]
    if document.image.file_size:
        packed = " gzip" if document.name.lower().endswith(".gz") else ""
        parts.append(f"{file_size(document.image.file_size)} {title_of(document.format)}{packed}".strip())
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
        parts.insert(0, image_words(state.frame, document.frames, document.labels))
    elif document.images_in_file > 1:
        parts.insert(
            0, f"{document.image_word} {document.image_in_file + 1:,} of {document.images_in_file:,}"
        )
    channels = document.shape[-1]
    if channels not in {1, 3}:
        parts.append(f"{channels} bands")
    if document.bits:
        parts.append(document.bits)
    return " · ".join(parts)


def busy_hint(state: SessionState, kinds: Collection[str]) -> str:
    """Return the reconstruction's caption about the kinds of running jobs.

    Empty if the picture is exact, or soon will be.
    """
    if state.document is None:
        return ""
    if "refine" in kinds:
        return "first components, refining"
    if "rival" in kinds:
        return "preparing the comparison"
    return "finding components" if "fit" in kinds and not state.fitted else ""


def left_caption(state: SessionState) -> list[str]:
    """Return the lines over the left view."""
    if state.left != "reconstruction":
        return original_caption(state)
    lines = reconstruction_caption(state)
    return [f"pcaimage · {lines[0]}", *lines[1:]] if lines and state.rival is not None else lines


def right_caption(state: SessionState) -> list[str]:
    """Return the lines over the right view: of the reconstruction, or of its rival."""
    rival, rivalry = state.rival, state.rivalry
    if rival is None or state.fit is None:
        return reconstruction_caption(state)
    if rivalry is not None and rivalry.rival == rival:
        return [*rivalry.lines, *_line(_similarity(rivalry.psnr, rivalry.ssim))]
    if rival.kind == "unrounded":
        psnr = state.fit.unrounded(state.setting)
        lines = [f"k = {state.setting.k} of {state.fit.n_components} · unrounded"]
        return lines if psnr is None else [*lines, f"{decibels(psnr)} by PCA alone"]
    return [f"k = {rival.k} of {state.fit.n_components}"] if rival.kind == "k" else []


def difference_caption(state: SessionState) -> list[str]:
    """Return the lines over the difference: what is compared; the right view's size and quality.

    Beside a rival's quality stands that of the reconstruction, which has no view of its own then.
    """
    if state.fit is None:
        return []
    first, *others = right_caption(state) or [""]
    own = _line(_quality(state, figures(state)))
    if state.rivalry is not None and len(others) == 2 and own:
        others[1] += f" · pcaimage {own[0]}"
    return [" · ".join(filter(None, ("Difference", first))), *others]


def reconstruction_caption(state: SessionState) -> list[str]:
    """Return the lines over the reconstruction: size, saving and quality in words; k and quality in figures.

    Of the current components, also while others are computed.
    """
    fit = state.fit
    if state.document is None or fit is None:
        return []
    known = figures(state)
    words = _line(["" if known.size is None else _size_words(known, state.document), looks(state, known)])
    dimensions = _dimensions(state) if state.document.image is None else ""
    if state.lossless:
        return [*words, *_line(["every value is that of the original", dimensions])]
    figured = [f"k = {state.setting.k} of {fit.n_components}"]
    if fit.points.by_step:
        figured.append(f"Δ {float(fit.step(state.setting.k, state.setting.chosen_step)):.3g}")
    missing = sum(number <= state.setting.k for number in state.setting.left_out)
    figured += [f"{missing} left out" if missing else "", dimensions]
    return [*words, *_line([*figured, *_quality(state, known)])]


def _quality(state: SessionState, known: Figures) -> list[str]:
    """Return the figures of quality that are known."""
    unrounded, angle = "", ""
    if known.psnr is not None and known.unrounded is not None and known.unrounded > known.psnr + ROUNDING:
        unrounded = f" ({decibels(known.unrounded)} before rounding)"
    psnr, ssim = _similarity(known.psnr, known.ssim, "≈ " if known.psnr_estimated else "")
    if known.angles is not None:
        mean, largest = known.angles
        angle = f"spectral angle {mean:.2f}° (worst {largest:.{1 if largest >= 1 else 2}f}°)"
    within = None if state.fit is None else bound_of(state, state.fit.choice)
    return [psnr + unrounded, angle, ssim, f"within ±{within:.6g}" if within else ""]


def _similarity(psnr: float | None, ssim: float | None, about: str = "") -> tuple[str, str]:
    """Return PSNR and SSIM in words; empty if they are not known."""
    return "" if psnr is None else about + decibels(psnr), "" if ssim is None else f"SSIM {ssim:.3f}"


def _line(parts: Iterable[str]) -> list[str]:
    """Return a line of the parts that are not empty; no line if all are."""
    line = " · ".join(filter(None, parts))
    return [line] if line else []


def _size_words(known: Figures, document: Document) -> str:
    """Return the size, and the saving beside the original file, or without one beside its raw pixels."""
    size, original, raw = max(known.size or 0, 1), document.file_size, document.raw_bytes
    line = f"{'≈ ' if known.size_estimated else ''}{file_size(size)}"
    if not original:
        ratio = f"{raw / size:.1f} : 1" if size <= raw else f"1 : {size / max(raw, 1):.1f}"
        return f"{line} · {ratio} of raw pixels"
    of = document.original_words
    if size >= 1.1 * original:
        return f"{line} · {size / original:.1f} times {of}"
    if size > original:
        return f"{line} · larger than {of}"
    share = 100 * size / original
    than = f" than {of}" if document.images_in_file > 1 else ""
    return f"{line} · {100 - share:.{0 if share >= 9.95 else 1}f}\u00a0% smaller{than}"
