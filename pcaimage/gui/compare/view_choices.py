"""What the two views can show, as data for their menus. No Qt here."""

from __future__ import annotations

from pcaimage.gui.compare.picker import ViewOption
from pcaimage.gui.session.choice import METHODS
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.state import Rival, SessionState
from pcaimage.imaging.rivals import RIVALS, obstacle


def left_options(state: SessionState) -> tuple[ViewOption, ...]:
    """Return what the left view can show.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    tuple of ViewOption
        None without an original: then there is no left view.
    """
    if state.document is None or state.document.image is None:
        return ()
    return (
        ViewOption("original", "Original"),
        ViewOption("reconstruction", "Reconstruction", tip="To compare it with what the right view shows."),
    )


def right_options(state: SessionState) -> tuple[ViewOption, ...]:
    """Return what the right view can show.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    tuple of ViewOption
        The reconstruction; another k; with an original also other methods and formats of the same size.
    """
    document = state.document
    if document is None or state.fit is None:
        return ()
    rival = state.rival
    other = rival if rival is not None and rival.kind == "k" else Rival("k", k=other_k(state))
    options = [
        ViewOption(None, "Reconstruction"),
        ViewOption(other, "Another k", tip="Two values of k against each other."),
    ]
    if document.image is not None:
        options += [_methods(document, state.choice.method), *_formats(document)]
    return tuple(options)


def other_k(state: SessionState) -> int:
    """Return the k that is compared with at first.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    int
        About half as many components as are kept, or all.
    """
    k = state.setting.k
    return k // 2 if k > 1 or state.fit is None else state.fit.n_components


def _methods(document: Document, present: str) -> ViewOption:
    others = tuple(
        ViewOption(Rival("method", method=method), METHODS[method])
        for method in document.methods
        if method != present
    )
    tip = "The image compressed by another method to the same number of bytes."
    if not others:
        return ViewOption("", "Other method of the same size", enabled=False, tip="There is no other.")
    return ViewOption("", "Other method of the same size", tip=tip, options=others)


def _formats(document: Document) -> list[ViewOption]:
    image = document.image
    if image is None:
        return []
    shape = image.pixels.shape[1:] if document.is_stack else image.pixels.shape
    found = []
    for format_ in RIVALS:
        reason = obstacle(format_.name, shape, image.pixels.dtype)
        tip = reason or f"{format_.title} ({format_.note}) in as many bytes as the compressed file has."
        text = f"{format_.title} of the same size"
        found.append(ViewOption(Rival(format_.name), text, reason is None, tip))
    return found
