"""The user's own presets: made from the settings of an image, and used for others. No Qt here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pcaimage.api import Preset, bytes_of
from pcaimage.codec import Basis, Effort, Preparation, Tune
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.gui.session.choice import METHODS, Choice
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.requests import Keep, Quantise, Reach, SessionRequest, SetStep, UsePreset
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.targets import PRESETS
from pcaimage.gui.session.targets import Preset as Target


def preset_from(state: SessionState, name: str) -> Preset:
    """Return the preset of an image's settings and their goal.

    SettingsError if the name cannot be one, or the components are not known yet.
    """
    document, fit, choice = state.document, state.fit, state.choice
    if document is None or fit is None or not state.fitted:
        raise SettingsError("The image is still being analysed; try again when its reconstruction is shown.")
    return Preset(
        name,
        method=None if choice.method == document.methods[0] else choice.method,
        block=choice.block if choice.method == "blocks" and document.methods[0] != "blocks" else None,
        basis=choice.basis.value if choice.method == "photo" else Basis.AUTO.value,
        tune=choice.tune.value if choice.method == "photo" else Tune.AUTO.value,
        effort=None if choice.effort is Effort.STANDARD or choice.method != "photo" else choice.effort.value,
        standardize=choice.prepared is Preparation.STANDARDIZED,
        mnf=choice.whitens,
        max_error=choice.bound,
        **_amount(state, fit),
    )


def _amount(state: SessionState, fit: Fit) -> dict[str, Any]:
    """Return how much is kept, as fields of a preset."""
    goal, setting = state.goal, state.setting
    if setting.lossless:
        return {"lossless": True}
    if goal.measure == "preset":
        preset = PRESETS[goal.preset]
        bits = preset.bits if preset.psnr is None else None
        found = {"variance": preset.variance, "step": preset.step, "psnr": preset.psnr, "bits": bits}
    elif goal.measure in ("psnr", "ssim"):
        found = {goal.measure: goal.value}
    elif goal.measure in ("variance", "size"):
        found = {"variance": goal.value / 100} if goal.measure == "variance" else {"size": int(goal.value)}
    else:
        step = float(fit.step(setting.k, setting.chosen_step)) * 255 / fit.preview.header.peak
        found = {"step": step} if setting.chosen_step is not None else {}
        if goal.measure == "k" or not fit.points.by_step:
            found["k"] = setting.k
    return {} if state.bounded and "k" not in found else found


def choice_by(preset: Preset, choice: Choice, document: Document) -> Choice:
    """Return a preset's choice for an image; SettingsError if the image does not allow its method."""
    method = preset.method or document.methods[0]
    if method not in document.methods:
        raise SettingsError(
            f"The preset {preset.name} is for the method {METHODS[method]}, which is not for this image."
        )
    error = preset.max_error if method == "bands" else None
    return replace(choice_of(preset, method, choice), max_error=error, nodata=choice.nodata)


def choice_of(preset: Preset, method: str, present: Choice) -> Choice:
    """Return what a preset says of the components of an image, and for what it leaves open the present."""
    return Choice(
        method,
        preset.block or present.block,
        standardize=preset.standardize and method != "photo",
        basis=Basis(preset.basis),
        mnf=preset.mnf and method == "bands",
        tune=Tune(preset.tune),
        effort=present.effort if preset.effort is None else Effort(preset.effort),
    )


def requests_by(preset: Preset, document: Document, fit: Fit) -> list[SessionRequest]:
    """Return the requests that keep as much of an image with these components as a preset says."""
    name = next((name for name, each in PRESETS.items() if _amount_of(each) == _amount_of(preset)), "")
    if name or preset.lossless:
        return [UsePreset(name or "lossless")]
    step = None if preset.step is None else float(Step.nearest(preset.step * fit.preview.header.peak / 255))
    if preset.k is not None:
        asked: list[SessionRequest] = [Keep(preset.k)]
        if step is not None:
            asked = [Quantise(step), Keep(preset.k)] if fit.points.by_step else [*asked, SetStep(step)]
        return asked
    if step is not None and fit.points.by_step:
        return [Quantise(step)]
    if preset.bits is not None:
        return [Reach("size", bytes_of(preset.bits, document.shape))]
    if preset.variance is not None:
        return [Reach("variance", 100 * preset.variance)]
    named = {"psnr": preset.psnr, "ssim": preset.ssim, "size": preset.size}
    return [Reach(measure, value) for measure, value in named.items() if value is not None]  # type: ignore[arg-type]


def _amount_of(preset: Preset | Target) -> tuple[object, ...]:
    """Return how much a preset keeps, for comparison with those of the window."""
    bits = preset.bits if preset.psnr is None else None
    others = (preset.k, preset.ssim, preset.size) if isinstance(preset, Preset) else (None, None, None)
    return preset.lossless, preset.variance, preset.psnr, preset.step, bits, *others
