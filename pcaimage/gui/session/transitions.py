"""Pure functions from one state of the session to the next. No Qt here.

A transition that changes nothing returns the state it was given, so that no change is emitted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pcaimage.codec import Settings, Step
from pcaimage.codec.encoder import resolve
from pcaimage.gui.session.choice import Choice, Goal, Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.kept import Kept
from pcaimage.gui.session.model import ModelFile
from pcaimage.gui.session.opening import Opened
from pcaimage.gui.session.state import ExactReconstruction, History, Point, Rival, SessionState
from pcaimage.gui.session.targets import PRESETS, Target

BOUNDED = "The greatest error determines how exact the file is"
"""The reason why requests for quality or size are refused."""
NO_COMPONENTS = (
    "There are no components yet: their search was stopped. Choose a method or block size to begin again."
)
FIRST_ONLY = "Only the first components are shown; open the file again to decode all."
"""The hint after the decoding of a large file was stopped."""

FIRST_VARIANCE = 0.99  # the initial share of the variance
FIRST_RATIO = 1.0  # the least signal-to-noise ratio of the initial components if noise is whitened
FIRST_PRESET = "balanced"  # the initial quality of a photo, and of many bands whose noise is known


def opened(document: Document, choice: Choice, fit: Fit | None = None) -> SessionState:
    """Open a compressed file with its components, or an image, whose components are yet to be found."""
    if fit is not None:
        setting = Setting(fit.n_components, None)
        history = History(Point(fit.choice, setting))
        return SessionState(document, choice=fit.choice, fit=fit, setting=setting, history=history)
    if choice.method not in document.methods:
        choice = replace(choice, method=document.methods[0])
    return SessionState(document, document.layers(0), choice=choice)


def reopened(found: Opened, noted: Kept, model: ModelFile | None = None) -> SessionState:
    """Open an image again, with the settings that it had; those of an image with a model need it."""
    fit = found.fit
    choice = noted.choice if model is None else noted.choice.with_model(model)
    state = opened(found.document, choice, fit)
    if fit is None and state.choice != choice:
        return state
    history, setting = noted.history, noted.setting
    if history.present is None:
        history = state.history
    if setting is not None:
        # Of a large photo's file the first components come first.
        k = setting.k if fit is None else min(setting.k, fit.n_components)
        setting = replace(setting, k=k)
        history = history.recorded(Point(state.choice, setting, noted.goal))
        if fit is not None:
            state = replace(state, setting=setting, goal=noted.goal)
    return framed(replace(state, history=history, touched=noted.touched), noted.frame)


def kept(
    state: SessionState,
    setting: Setting,
    goal: Goal | None = None,
    *,
    final: bool = True,
    amend: bool = False,
) -> SessionState:
    """Apply a setting, and a goal unless it stays.

    A final one can be undone; one that amends the present takes its place in the history.
    """
    history, goal = state.history, goal or state.goal
    if final and state.fitted:
        point = Point(state.choice, setting, goal)
        history = history.amended(point) if amend else history.recorded(point)
    before = state.setting, state.goal, state.moving, state.hint, state.history
    if (setting, goal, not final, "", history) == before:
        return state
    touched = state.touched or setting != state.setting
    return replace(
        state, setting=setting, goal=goal, moving=not final, touched=touched, hint="", history=history
    )


def with_k(state: SessionState, k: int, *, final: bool) -> SessionState:
    """Keep the first k components; k is clamped."""
    if state.fit is None or not state.fitted:
        return state
    k = min(max(k, 1), state.fit.n_components)
    setting = state.setting
    if k != setting.k or setting.lossless or setting.for_psnr:
        tuned = _held_step(state.fit, setting)
        setting = replace(setting, k=k, tuned=tuned, lossless=False, for_psnr=False)
    return kept(state, setting, Goal("k", k), final=final)


def moved(state: SessionState, by: int) -> SessionState:
    """Go on by some k, each of which makes another file; a photo's step goes with it.

    A step that was chosen for another image stays until it would round the next component to zero.
    """
    fit, setting = state.fit, state.setting
    if fit is None or not state.fitted:
        return state
    k, held = (fit.n_components, None) if setting.lossless else (setting.k, setting.chosen_step)
    if by < 0 and held is not None and fit.analysis is not None:
        k = min(k, fit.analysis.k_for_step(held))  # nobody misses what is rounded to zero
    k = fit.next_k(k, by)
    own, step, tuned = float(fit.step(k, None)), setting.step, None
    if fit.points.by_step:
        tuned = own if held is None else min(own, held) if by > 0 else max(own, held)
    elif step is not None and by > 0:
        step = min(own, step)
    return kept(state, Setting(k, step, setting.left_out, tuned), Goal("k", k))


def with_quality(state: SessionState, step: float, *, final: bool) -> SessionState:
    """Quantise a photo with a step, and keep the components that it does not round to zero."""
    fit = state.fit
    if fit is None or fit.analysis is None or not state.fitted:
        return state
    step = float(Step.nearest(step))
    k = fit.analysis.k_for_step(step)
    setting = replace(state.setting, k=k, step=None, tuned=step, lossless=False, for_psnr=False)
    return kept(state, setting, Goal("step", step), final=final)


def with_variance(state: SessionState, percent: float, *, amend: bool = False) -> SessionState:
    """Keep the fewest components that explain a share of the variance, in per cent."""
    fit, left_out = state.fit, state.setting.left_out
    if fit is None or not state.ready:
        return state
    k = fit.k_for_variance(percent / 100, left_out)
    state = kept(state, with_k(state, k, final=False).setting, Goal("variance", percent), amend=amend)
    most = 100 * fit.ratio(fit.n_components, left_out)
    if percent > most + 1e-6:
        return hinted(state, f"{percent:.2f} % cannot be reached; {most:.2f} % is the most.")
    return state


def with_step(state: SessionState, step: float | None) -> SessionState:
    """Set the quantiser's step; None lets it follow from k, or k of a photo from it."""
    fit = state.fit
    if fit is None or not state.fitted or (step is not None and step <= 0):
        return state
    if fit.points.by_step:
        if step is None:
            return with_quality(state, _step_like(fit, state.setting), final=True)
        step = float(Step.nearest(step))
        setting = replace(state.setting, step=None, tuned=step, lossless=False, for_psnr=False)
    else:
        setting = replace(state.setting, step=step, tuned=None, lossless=False)
    return kept(state, setting, Goal("k", setting.k) if step is None else Goal("step", step))


def without(state: SessionState, numbers: frozenset[int]) -> SessionState:
    """Leave out exactly these components, counted from 1; numbers beyond the image's are ignored."""
    if numbers and state.bounded:
        return hinted(state, f"{BOUNDED}, so no component can be left out. Untick it first.")
    if state.fit is None or not state.fitted:
        return state
    known = frozenset(number for number in numbers if 1 <= number <= state.fit.n_components)
    return kept(state, replace(state.setting, left_out=known, lossless=False))


def aimed(state: SessionState, target: Target, goal: Goal, *, amend: bool = False) -> SessionState:
    """Apply the setting of a target, and its goal; where that is a k alone, the step of a photo stays."""
    setting = target.applied(state.setting)
    if setting.tuned is None and state.fit is not None:
        setting = replace(setting, tuned=_held_step(state.fit, state.setting))
    return hinted(kept(state, setting, goal, amend=amend), target.hint)


def with_rival(state: SessionState, rival: Rival | None) -> SessionState:
    """Show a rival in the right view; None for the reconstruction."""
    return state if rival == state.rival else replace(state, rival=rival, rivalry=None)


def compared(state: SessionState, rival: Rival | None) -> SessionState:
    """Show the reconstruction beside a rival; with None the original beside the reconstruction again."""
    left = "reconstruction" if rival is not None and state.has_original else "original"
    return with_rival(state if left == state.left else replace(state, left=left), rival)


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
    present, goal = state.history.present, state.goal
    if present is not None and present.choice == fit.choice:
        setting, goal = present.setting, present.goal  # undo or redo led here
    elif state.fit is None:
        setting, goal = first_setting(fit, state.setting.step), first_goal(fit)
    else:
        setting = setting_like(fit, state.fit, state.setting)
        if goal.measure == "variance" and fit.choice.whitens != state.fit.choice.whitens:
            goal = first_goal(fit)  # it was a share of other variances
    setting = replace(setting, k=min(setting.k, fit.n_components))
    return replace(
        state,
        fit=fit,
        setting=setting,
        goal=goal,
        moving=False,
        hint="",
        history=state.history.recorded(Point(fit.choice, setting, goal)),
        settled=None,
        measured=None,
        similarity=None,
        estimated=None,
        guessed=None,
        offers={},
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
        return hinted(state, NO_COMPONENTS)
    return replace(
        state,
        choice=state.fit.choice,
        moving=False,
        hint=state.hint if state.fit.whole else FIRST_ONLY,
        history=state.history.recorded(Point(state.fit.choice, state.setting, state.goal)),
    )


def undone(state: SessionState) -> SessionState:
    """Go one step back; a choice that is still being analysed is abandoned first."""
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
    return kept(state, point.setting, point.goal) if state.fitted else state


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
    if fit.points.by_step:
        return _of_step(fit, _first_step(fit) if step is None else step)
    quiet = _within_noise(fit) if step is None else None
    return _within_bound(fit) or quiet or Setting(first_k(fit), step)


def setting_like(fit: Fit, other: Fit, setting: Setting) -> Setting:
    """Return the setting that keeps about as much of an image as a setting of another fit."""
    if replace(fit.choice, tune=other.choice.tune) == other.choice:
        return setting  # the components are the same
    scaled = other.choice.standardize or other.choice.whitens
    if fit.points.by_step:
        # Steps of standardised features are in other units.
        return first_setting(fit) if scaled else _of_step(fit, _step_like(other, setting))
    if other.points.by_step:
        k = first_k(fit) if fit.choice.standardize else _k_for_step(fit, _step_like(other, setting))
        return _within_bound(fit) or Setting(k, None)
    # If one whitens and the other does not, their shares are of different variances.
    alike = fit.choice.whitens == other.choice.whitens
    k = fit.k_for_variance(other.ratio(setting.k)) if alike else first_k(fit)
    return _within_bound(fit) or Setting(k, setting.step)


def first_goal(fit: Fit) -> Goal:
    """Return the initial goal of an image."""
    if fit.points.by_step or (fit.choice.bound is None and fit.step_for_noise(1.0) is not None):
        return Goal("preset", preset=FIRST_PRESET)
    if fit.choice.whitens or fit.choice.bound is not None:
        return Goal("k")
    return Goal("variance", 100 * FIRST_VARIANCE)


def first_k(fit: Fit) -> int:
    """Return the initial number of components where neither a photo's quality nor the noise determines it.

    They explain enough of the variance; if noise is whitened, they have more signal than noise.
    """
    if fit.choice.whitens:
        return max(1, int(np.count_nonzero(fit.variances > 1 + FIRST_RATIO)))
    return fit.k_for_variance(FIRST_VARIANCE)


def _within_bound(fit: Fit) -> Setting | None:
    """Return k and step as chosen by the library if there is a greatest error, else None."""
    if fit.choice.bound is None or fit.analysis is None:
        return None
    k, step = resolve(fit.analysis, Settings(max_error=fit.choice.bound))
    return Setting(k, None, tuned=None if step == fit.analysis.step_for(k) else float(step))


def _within_noise(fit: Fit) -> Setting | None:
    """Return k and step of many bands at which no band's error exceeds its noise; None if it is unknown."""
    step = fit.step_for_noise(PRESETS[FIRST_PRESET].noise or 1.0)
    return None if step is None or fit.analysis is None else _of_step(fit, step)


def _of_step(fit: Fit, step: float) -> Setting:
    """Return the setting of a step: with the components that it does not round to zero."""
    step = float(Step.nearest(step))
    k = fit.n_components if fit.analysis is None else fit.analysis.k_for_step(step)
    return Setting(k, None, tuned=step)


def _first_step(fit: Fit) -> float:
    return (PRESETS[FIRST_PRESET].step or 1.0) * fit.preview.header.peak / 255


def _held_step(fit: Fit, setting: Setting) -> float | None:
    """Return the step that a photo keeps while k moves; None for other images, whose step follows."""
    return _step_like(fit, setting) if fit.points.by_step else None


def _step_like(fit: Fit, setting: Setting) -> float:
    """Return the step of a setting; of a lossless one, whose step says nothing, the initial step."""
    return _first_step(fit) if setting.lossless else float(fit.step(setting.k, setting.chosen_step))


def _k_for_step(fit: Fit, step: float) -> int:
    """Return the number of components that a step does not round to zero, but never all of them."""
    found = fit.n_components if fit.analysis is None else fit.analysis.k_for_step(step)
    return max(1, min(found, fit.n_components - 1))
