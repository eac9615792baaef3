"""Settings that photographs share, those of one alone, and what is remembered of each. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from pcaimage.api import Preset
from pcaimage.codec import Basis, Preparation, Settings
from pcaimage.errors import SettingsError
from pcaimage.gui.session.choice import Choice, Setting
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.kept import Kept, kept_of
from pcaimage.gui.session.own_presets import preset_from
from pcaimage.gui.session.state import SessionState
from pcaimage.imaging import Limits

if TYPE_CHECKING:
    from pcaimage.batching.recipes import Compress

MOST = 1000  # the number of images whose settings are remembered, those that were open last
_NAME = "shared"
_NEAR = 1e-6


@dataclass(frozen=True)
class Own:
    """Settings of one image, the last two None until it has been opened with these."""

    preset: Preset | None  # in the form that suits other photographs, too; None where none can have them
    kept: Kept | None = None  # the image with all that was set for it
    settings: Settings | None = None  # of its file

    def recipe(self, limits: Limits | None) -> Compress:
        """Return how the photograph's file is made; if it was opened, exactly as saving it does."""
        from pcaimage.batching.recipes import Compress  # noqa: PLC0415 - most windows make no batches

        if self.settings is None:
            return Compress(preset=self.preset, limits=limits)
        return Compress(self.settings, model=None if self.kept is None else self.kept.model, limits=limits)


class Memory:
    """What was set for the images that were open in a window, by their files; no pixels, no components."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, ...], Own] = {}

    def put(self, files: tuple[str, ...], own: Own | None) -> None:
        """Remember the settings of an image; with None, forget them."""
        self._own.pop(files, None)
        if own is not None:
            self._own[files] = own
        if len(self._own) > MOST:
            del self._own[next(iter(self._own))]

    def leave(self, state: SessionState) -> None:
        """Remember what was set for the image of a state, unless that is nothing."""
        state = replace(state, moving=False)
        kept = kept_of(state)
        if kept is None or not (state.touched or state.look is not None or state.frame):
            return
        before = self.of(state.document) if state.fit is None and state.document is not None else None
        if before is None or before.kept is None or before.kept.choice != kept.choice:
            self.put(kept.files, own_of(state) or Own(None, kept))

    def of(self, document: Document) -> Own | None:
        """Return the settings of an image; None if its files have changed, or are read in another way."""
        now = kept_of(SessionState(document))
        own = None if now is None else self._own.get(now.files)
        if now is None or own is None or own.kept is None:
            return own
        then = own.kept
        same = (then.seal, then.planes, then.alone) == (now.seal, now.planes, now.alone)
        return own if same else None

    def of_file(self, path: str, n_bytes: int) -> Own | None:
        """Return the settings of a file of a length that other photographs can share."""
        own = self._own.get((path,))
        if own is None or own.preset is None or (own.kept is not None and own.kept.seal[:1] != (n_bytes,)):
            return None
        return own


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
