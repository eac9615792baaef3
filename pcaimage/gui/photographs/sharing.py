"""Settings that photographs share, and those of one photograph alone. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from pcaimage.batching.recipes import Compress
from pcaimage.codec import Basis, Preparation, Settings
from pcaimage.errors import SettingsError
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.kept import kept_of
from pcaimage.gui.session.own_presets import preset_from

if TYPE_CHECKING:
    from pcaimage.api import Preset
    from pcaimage.gui.session.choice import Setting
    from pcaimage.gui.session.fit import Fit
    from pcaimage.gui.session.kept import Kept
    from pcaimage.gui.session.state import SessionState
    from pcaimage.imaging import Limits

_NAME = "shared"
_NEAR = 1e-6


@dataclass(frozen=True)
class Own:
    """Settings of one photograph.

    Parameters
    ----------
    preset : Preset
        Method and goal, in the form that suits other photographs, too.
    kept : Kept, optional
        The photograph with all that was set for it; None until it has been opened with these settings.
    settings : Settings, optional
        The settings of its file; None until then.
    """

    preset: Preset
    kept: Kept | None = None
    settings: Settings | None = None

    def recipe(self, limits: Limits | None) -> Compress:
        """Return how the photograph's file is made; if it was opened, exactly as saving it does."""
        if self.settings is None:
            return Compress(preset=self.preset, limits=limits)
        return Compress(self.settings, model=None if self.kept is None else self.kept.model, limits=limits)


def own_of(state: SessionState) -> Own | None:
    """Return the settings of the open photograph; None while they are not known, or of a compressed file."""
    fit = state.fit
    if fit is None or not state.ready or state.moving or not state.has_original:
        return None
    kept, preset = kept_of(state), shared_of(state)
    if kept is None or preset is None:
        return None
    return Own(preset, kept, _settings(state.choice, state.setting, fit))


def shared_of(state: SessionState) -> Preset | None:
    """Return the settings of the open photograph for others; None while they are not known."""
    try:
        return preset_from(state, _NAME) if state.has_original else None
    except SettingsError:
        return None


def choice_of(preset: Preset) -> Choice:
    """Return what the components of a photograph depend on by settings that are shared."""
    return Choice(
        preset.method or "photo",
        preset.block or Choice.block,
        standardize=preset.standardize and preset.method not in (None, "photo"),
        basis=Basis(preset.basis),
        mnf=preset.mnf,
    )


def differs(own: Own, shared: Preset) -> bool:
    """Return whether settings of a photograph are others than those that are shared."""
    setting = None if own.kept is None else own.kept.setting
    model = None if own.kept is None else own.kept.model
    if model is not None or (setting is not None and setting.left_out):
        return True
    names = (field.name for field in fields(shared) if field.name != "name")
    return not all(_alike(getattr(own.preset, name), getattr(shared, name)) for name in names)


def _alike(one: object, other: object) -> bool:
    """Return whether values are equal, numbers but for their rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_NEAR)
    return one == other


def _settings(choice: Choice, setting: Setting, fit: Fit) -> Settings:
    """Return the settings of the file that saving writes."""
    if setting.lossless:
        return Settings(
            choice.sampling(), basis=choice.basis, effort=choice.effort, tune=choice.tune, lossless=True
        )
    step = setting.chosen_step
    return replace(
        choice.settings,
        sampling=choice.sampling(),
        k=setting.k,
        step=None if step is None else float(fit.step(setting.k, step)),
        standardize=choice.prepared is Preparation.STANDARDIZED,
        mnf=choice.whitens,
        basis=choice.basis if choice.method == "photo" else Basis.AUTO,
        effort=choice.effort,
        tune=choice.tune_of(setting),
        max_error=choice.bound,
        leave_out=tuple(sorted(setting.left_out)),
    )
