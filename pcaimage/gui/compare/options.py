"""The options of the two views, and of the rival to compare with. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from pcaimage.gui.session.choice import METHODS
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.state import Rival, SessionState
from pcaimage.imaging import Image
from pcaimage.imaging.rivals.rivals import RIVALS, obstacle

_FORMATS = tuple(Rival(codec.name) for codec in RIVALS)


class ViewOption(NamedTuple):
    """One thing that a view can show, as an entry of a menu."""

    value: object  # requested when the option is chosen; comparable
    text: str
    enabled: bool = True
    tip: str = ""  # an explanation, or why the option cannot be chosen
    options: tuple[ViewOption, ...] = ()  # the entries of its submenu; its own value is then never requested
    name: str = ""
    """The name of a rival in a sentence, such as ``"JPEG"``; empty for options that are not rivals."""


def left_options(state: SessionState) -> tuple[ViewOption, ...]:
    """Return what the left view can show; nothing without an original, for then there is no left view."""
    if state.document is None or state.document.image is None:
        return ()
    return (
        ViewOption("original", "Original"),
        ViewOption("reconstruction", "Reconstruction", tip="Compare it with the picture in the right view."),
    )


def right_options(state: SessionState) -> tuple[ViewOption, ...]:
    """Return what the right view can show.

    The reconstruction; another k; the same without rounding; with an original also other methods and formats
    at the same size.
    """
    document = state.document
    if document is None or state.fit is None:
        return ()
    rival = state.rival
    other = rival if rival is not None and rival.kind == "k" else Rival("k", k=_other_k(state))
    options = [
        ViewOption(None, "Reconstruction"),
        ViewOption(other, "Another k", tip="Two values of k against each other.", name=f"k = {other.k}"),
    ]
    if state.fit.unrounded(state.setting) is not None:
        tip = "The same components with exact scores: what is missing then, PCA alone has left out."
        options.append(ViewOption(Rival("unrounded"), "Unrounded", tip=tip, name="unrounded scores"))
    if rival is not None and rival.kind == "file":
        name = PurePath(rival.path).name
        options.append(ViewOption(rival, name, tip="The exported file.", name=name))
    if document.image is not None:
        options += [_methods(document, state.choice.method), *_formats(document, document.image)]
    return tuple(options)


def _other_k(state: SessionState) -> int:
    """Return the k to compare with at first: about half as many components as are kept, or all."""
    k = state.setting.k
    return k // 2 if k > 1 or state.fit is None else state.fit.n_components


def _methods(document: Document, present: str) -> ViewOption:
    others = tuple(
        ViewOption(Rival("method", method=method), METHODS[method], name=METHODS[method])
        for method in document.methods
        if method != present
    )
    tip = "The image compressed by another method to the same number of bytes."
    if not others:
        return ViewOption("", "Other method of the same size", enabled=False, tip="There is no other.")
    return ViewOption("", "Other method of the same size", tip=tip, options=others)


def _formats(document: Document, image: Image) -> Iterable[ViewOption]:
    shape = image.pixels.shape[1:] if document.is_stack else image.pixels.shape
    for format_ in RIVALS:
        reason = obstacle(format_.name, shape, image.pixels.dtype)
        tip = reason or f"{format_.title} ({format_.note}) in as many bytes as the compressed file has."
        text = f"{format_.title} of the same size"
        yield ViewOption(Rival(format_.name), text, reason is None, tip, name=format_.title)


def flat(options: Iterable[ViewOption]) -> Iterable[ViewOption]:
    """Yield options with those of their submenus."""
    for option in options:
        yield option
        yield from flat(option.options)


def rival_options(state: SessionState) -> tuple[ViewOption, ...]:
    """Return what the reconstruction can be compared with: formats, then other methods and another k."""
    others = [option for option in right_options(state) if option.value is not None]
    return tuple(sorted(others, key=lambda option: option.value not in _FORMATS))


def key_of(rival: Rival) -> str:
    """Return the text by which a kind of rival is remembered, such as ``"jpeg"``, or ``"k"`` for any k."""
    return f"{rival.kind} {rival.method}".strip()


def usual_rival(state: SessionState, remembered: str) -> ViewOption | None:
    """Return the rival that comparing begins with.

    It is the one that is shown, else the one that was remembered by :func:`key_of`, else the first format
    that can hold the image, else another k. None while nothing can be compared.
    """
    options = [each for each in flat(rival_options(state)) if isinstance(each.value, Rival) and each.enabled]
    found = {key_of(each.value): each for each in options if isinstance(each.value, Rival)}
    wanted = remembered if state.rival is None else key_of(state.rival)
    formats = (rival.kind for rival in _FORMATS)
    return next((found[key] for key in (wanted, *formats, "k") if key in found), None)
