"""Pure functions from one state of the session to the next. No Qt here.

A transition that changes nothing returns the state it was given, so that no change is emitted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pcaimage.codec import Settings
from pcaimage.codec.encoder import resolve
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.history import History, Point
from pcaimage.gui.session.kept import Kept, Reopened
from pcaimage.gui.session.state import ExactReconstruction, SessionState
from pcaimage.gui.session.targets import Target

BOUNDED = "The greatest error determines how exact the file is"
"""Why requests for quality or size are refused."""
FIRST_ONLY = "Only the first components are shown; open the file again to decode all."
"""The hint after the decoding of a large file was stopped."""

FIRST_VARIANCE = 0.99
"""The initial share of the variance."""
FIRST_RATIO = 1.0
"""The least signal-to-noise ratio of the initial components if noise is whitened."""
FIRST_STEP = 32.0
"""The initial step of a photo of 8 bits: some 35 dB."""


def opened(document: Document, choice: Choice, fit: Fit | None = None) -> SessionState:
    """Open a compressed file with its components, or an image, whose components are yet to be found."""
    if fit is not None:
        setting = Setting(fit.n_components, None)
        history = History(Point(fit.choice, setting))
        return SessionState(document, choice=fit.choice, fit=fit, setting=setting, history=history)
    if choice.method not in document.methods:
        choice = replace(choice, method=document.methods[0])
    return SessionState(document, document.layers(0), choice=choice)


def reopened(noted: Kept, found: Reopened) -> SessionState:
    """Open an image again, with the settings that it had."""
    document, fit, choice = found.opened.document, found.opened.fit, found.choice
    state = opened(document, choice, fit)
    if fit is not None and found.setting is not None:
        # Of a large photo's file the first components come first.
        setting = replace(found.setting, k=min(found.setting.k, fit.n_components))
        state = replace(state, setting=setting, history=state.history.recorded(Point(fit.choice, setting)))
    elif fit is None and state.choice == choice:
        history = History() if found.setting is None else History(Point(choice, found.setting))
        state = replace(state, history=history, touched=noted.touched)
    return framed(state, noted.frame)


def kept(state: SessionState, setting: Setting, *, final: bool = True) -> SessionState:
    """Apply a setting; a final one can be undone."""
    history = state.history
    if final and state.fitted:
        history = history.recorded(Point(state.choice, setting))
    if (setting, not final, "", history) == (state.setting, state.moving, state.hint, state.history):
        return state
    touched = state.touched if setting == state.setting else state.has_original
    return replace(state, setting=setting, moving=not final, touched=touched, hint="", history=history)


def with_k(state: SessionState, k: int, *, final: bool) -> SessionState:
    """Keep the first k components; k is clamped."""
    if state.fit is None or not state.fitted:
        return state
    k = min(max(k, 1), state.fit.n_components)
    setting = state.setting
    if k != setting.k:
        setting = replace(setting, k=k, tuned=None, lossless=False)
    return kept(state, setting, final=final)


def with_variance(state: SessionState, percent: float) -> SessionState:
    """Keep the fewest components that explain a share of the variance, in per cent."""
    fit, left_out = state.fit, state.setting.left_out
    if fit is None or not state.ready:
        return state
    state = with_k(state, fit.k_for_variance(percent / 100, left_out), final=True)
    most = 100 * fit.ratio(fit.n_components, left_out)
    if percent > most + 1e-6:
        return hinted(state, f"{percent:.2f} % cannot be reached; {most:.2f} % is the most.")
    return state


def with_step(state: SessionState, step: float | None) -> SessionState:
    """Set the quantiser's step; None lets it follow from k."""
    if not state.fitted or (step is not None and step <= 0):
        return state
    return kept(state, replace(state.setting, step=step, tuned=None, lossless=False))


def without(state: SessionState, numbers: frozenset[int]) -> SessionState:
    """Leave out exactly these components, counted from 1; numbers beyond the image's are ignored."""
    if numbers and state.bounded:
        return hinted(state, f"{BOUNDED}, so no component can be left out. Untick it first.")
    if state.fit is None or not state.fitted:
        return state
    known = frozenset(number for number in numbers if 1 <= number <= state.fit.n_components)
    return kept(state, replace(state.setting, left_out=known, lossless=False))


def aimed(state: SessionState, target: Target) -> SessionState:
    """Apply the setting of a target."""
    return hinted(kept(state, target.applied(state.setting)), target.hint)


def hinted(state: SessionState, hint: str) -> SessionState:
    """Show why a request was not met."""
    return state if hint == state.hint else replace(state, hint=hint)


def chosen(state: SessionState, choice: Choice) -> SessionState:
    """Choose how the image is fitted; without effect for a compressed file."""
    if not state.has_original or choice == state.choice:
        return state
    return replace(state, choice=choice, touched=True, hint="")


def fitted(state: SessionState, fit: Fit) -> SessionState:
    """Take new components, with the setting that belongs to them."""
    present = state.history.present
    if present is not None and present.choice == fit.choice:
        setting = present.setting  # undo or redo led here
    elif state.fit is None:
        setting = first_setting(fit, state.setting.step)
    else:
        setting = setting_like(fit, state.fit, state.setting)
    setting = replace(setting, k=min(setting.k, fit.n_components))
    return replace(
        state,
        fit=fit,
        setting=setting,
        moving=False,
        hint="",
        history=state.history.recorded(Point(fit.choice, setting)),
        settled=None,
        measured=None,
        similarity=None,
        estimated=None,
        rivalry=None,
    )


def not_fitted(state: SessionState) -> SessionState:
    """Go back to the choice of the components at hand, if there are any."""
    if state.fit is None:
        return hinted(state, "Choose another method or block size.")
    return replace(state, choice=state.fit.choice)


def stopped(state: SessionState) -> SessionState:
    """Go back to the settings that are shown, after all jobs were cancelled."""
    if state.document is None:
        return state
    if state.fit is None:
        return hinted(state, "Fitting was stopped. Choose a method or block size to fit the image.")
    return replace(
        state,
        choice=state.fit.choice,
        moving=False,
        hint=state.hint if state.fit.whole else FIRST_ONLY,
        history=state.history.recorded(Point(state.fit.choice, state.setting)),
    )


def undone(state: SessionState) -> SessionState:
    """Go one step back; a choice that is still being fitted is abandoned first."""
    present = state.history.present
    if present is not None and present.choice != state.choice:
        return chosen(state, present.choice)
    return _gone(state, state.history.undone())


def redone(state: SessionState) -> SessionState:
    """Go one step forward, to the settings that were just undone."""
    return _gone(state, state.history.redone())


def _gone(state: SessionState, history: History) -> SessionState:
    point = history.present
    if point is None or history is state.history:
        return state
    state = chosen(replace(state, history=history), point.choice)
    # Otherwise the components are found first, and take their setting from the history.
    return kept(state, point.setting) if state.fitted else state


def framed(state: SessionState, frame: int) -> SessionState:
    """Show another image of a stack, counted from 0 and clamped."""
    document, settled = state.document, state.settled
    if document is None or not document.is_stack:
        return state
    frame = min(max(frame, 0), document.frames - 1)
    if settled is not None:
        settled = replace(settled, layers=document.layers_of(settled.pixels, frame))
    original = None if document.image is None else document.layers(frame)
    return replace(state, frame=frame, original=original, settled=settled)


def settled(state: SessionState, found: ExactReconstruction) -> SessionState:
    """Take the exact reconstruction."""
    if state.document is not None and state.document.is_stack:
        # Another image may have been chosen meanwhile.
        layers = state.document.layers_of(found.pixels, state.frame)
        found = replace(found, layers=layers)
    return replace(state, settled=found)


def displayed(state: SessionState) -> SessionState:
    """Apply the display of a state to all of its pictures."""
    display = state.display
    if display is None:
        return state
    original, exact, rivalry = state.original, state.settled, state.rivalry
    if original is not None and original.display is not display:
        state = replace(state, original=original.shown(display))
    if exact is not None and exact.layers.display is not display:
        state = replace(state, settled=replace(exact, layers=exact.layers.shown(display)))
    if rivalry is not None and rivalry.layers.display is not display:
        state = replace(state, rivalry=replace(rivalry, layers=rivalry.layers.shown(display)))
    return state


def first_setting(fit: Fit, step: float | None = None) -> Setting:
    """Return the initial setting of an image, with the step set by the user, if any."""
    return _within_bound(fit) or Setting(first_k(fit), step)


def setting_like(fit: Fit, other: Fit, setting: Setting) -> Setting:
    """Return the setting that keeps about as much of an image as a setting of another fit."""
    return _within_bound(fit) or Setting(k_like(fit, other, setting.k), setting.step)


def first_k(fit: Fit) -> int:
    """Return the initial number of components.

    They explain enough of the variance; if noise is whitened, they have more signal than noise; for a photo,
    which needs nearly all of the variance, they are those that a step of little visible loss does not round
    to zero.
    """
    header = fit.preview.header
    if fit.choice.whitens:
        return max(1, int(np.count_nonzero(fit.variances > 1 + FIRST_RATIO)))
    if fit.choice.method == "photo":
        return _k_for_step(fit, FIRST_STEP * header.peak / 255)
    return fit.k_for_variance(FIRST_VARIANCE)


def _within_bound(fit: Fit) -> Setting | None:
    """Return k and step as chosen by the library if there is a greatest error, else None."""
    if fit.choice.bound is None or fit.analysis is None:
        return None
    k, step = resolve(fit.analysis, Settings(max_error=fit.choice.bound))
    return Setting(k, None, tuned=None if step == fit.analysis.step_for(k) else float(step))


def k_like(fit: Fit, other: Fit, k: int) -> int:
    """Return the number of components that keep about as much as k components of another fit."""
    if fit.choice.whitens != other.choice.whitens:
        return first_k(fit)  # their shares are of different variances
    photos = [each.choice.method == "photo" for each in (fit, other)]
    if all(photos) or not any(photos):
        return fit.k_for_variance(other.ratio(k))
    if fit.choice.standardize or other.choice.standardize:
        return first_k(fit)  # their steps are in different units
    return _k_for_step(fit, float(other.step(k, None)))


def _k_for_step(fit: Fit, step: float) -> int:
    """Return the number of components that a step does not round to zero, but never all of them."""
    found = fit.n_components if fit.analysis is None else fit.analysis.k_for_step(step)
    return max(1, min(found, fit.n_components - 1))
