"""The state needed to reopen an image as it was: its files and all settings, but no pixels. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from pcaimage.codec import Basis, Effort, Tune
from pcaimage.gui.session.choice import FROM_FILE, METHODS, Choice, Setting
from pcaimage.gui.session.goal import NO_GOAL, Goal, Measure
from pcaimage.gui.session.look import LOOK_PRESETS, Look
from pcaimage.gui.session.model import open_model
from pcaimage.gui.session.opening import Opened, load_sample, open_document
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.targets import PRESETS
from pcaimage.imaging import Limits, ReadAs, sample_names
from pcaimage.progress import Progress

VERSION = 1
"""Increases when older programs would misread a stored state."""


@dataclass(frozen=True)
class Kept:
    """An open image with its settings."""

    name: str
    paths: tuple[str, ...]
    """The files; none for a sample photograph."""
    choice: Choice
    setting: Setting | None
    """None while the components are not known."""
    goal: Goal = NO_GOAL
    """The goal of the setting."""
    model: str | None = None
    """The model file whose components are used."""
    planes: ReadAs = "image"
    salvage: bool = False
    """Whether a damaged file is opened as far as it is intact."""
    frame: int = 0
    """The image of a stack that is shown."""
    alone: int | None = None
    """The only image that is open of a file of several."""
    look: Look | None = None
    touched: bool = False
    """Whether settings were changed since the image was opened or saved."""
    seal: tuple[int, ...] = ()
    """Length and time of change of the first file: for another one the settings do not hold."""

    def to_values(self) -> dict[str, Any]:
        """Return the values for JSON."""
        choice, setting, look = self.choice, self.setting, self.look
        return {
            "version": VERSION,
            "name": self.name,
            "paths": list(self.paths),
            "choice": {
                "method": choice.method,
                "block": choice.block,
                "standardize": choice.standardize,
                "basis": choice.basis.value,
                "mnf": choice.mnf,
                "max_error": choice.max_error,
                "nodata": choice.nodata,
                "effort": choice.effort.value,
                "tune": choice.tune.value,
            },
            "setting": None
            if setting is None
            else {
                "k": setting.k,
                "step": setting.step,
                "left_out": sorted(setting.left_out),
                "tuned": setting.tuned,
                "lossless": setting.lossless,
                "for_psnr": setting.for_psnr,
            },
            "goal": [self.goal.measure, self.goal.value, self.goal.preset],
            "model": self.model,
            "planes": self.planes,
            "salvage": self.salvage,
            "frame": self.frame,
            "alone": self.alone,
            "look": None if look is None else [look.preset, list(look.bands), list(look.percentiles)],
            "touched": self.touched,
            "seal": list(self.seal),
        }


def kept_of(state: SessionState) -> Kept | None:
    """Return the storable part of a state; None if nothing is open, or the image has no file."""
    document = state.document
    if document is None:
        return None
    inputs = (document.path,) if document.path is not None else document.inputs
    if not inputs and document.name not in sample_names():
        return None
    settled = state.fitted and not state.moving
    paths = tuple(str(path.absolute()) for path in inputs)
    model = state.choice.model
    if model is None and len(document.inputs) > 1 and document.path is not None:
        model_path: Path | None = document.inputs[1]  # the one with a compressed file's components
    else:
        model_path = None if model is None else model.path
    return Kept(
        document.name,
        paths,
        replace(state.choice, model=None),
        state.setting if settled else None,
        state.goal,
        None if model_path is None else str(model_path.absolute()),
        "stack" if document.is_stack else "bands" if document.many_bands else "image",
        salvage=document.damaged or (document.compressed is not None and document.compressed.damaged),
        frame=state.frame,
        alone=document.image_in_file if document.images_in_file > 1 else None,
        look=state.look,
        touched=state.touched,
        seal=_seal(paths),
    )


def kept_from(values: dict[str, Any]) -> Kept | None:
    """Return the state stored as JSON; None if it is invalid."""
    try:
        return _kept_from(values) if values.get("version") == VERSION else None
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _kept_from(values: dict[str, Any]) -> Kept | None:
    choice, setting, look = values["choice"], values["setting"], values["look"]
    nodata, model, max_error = choice["nodata"], values["model"], choice["max_error"]
    kept = Kept(
        str(values["name"]),
        tuple(map(str, values["paths"])),
        Choice(
            str(choice["method"]),
            int(choice["block"]),
            bool(choice["standardize"]),
            Basis(choice["basis"]),
            bool(choice["mnf"]),
            _number(max_error),
            FROM_FILE if nodata == FROM_FILE else _number(nodata),
            Effort(choice.get("effort", Effort.STANDARD)),
            Tune(choice.get("tune", Tune.AUTO)),
        ),
        None
        if setting is None
        else Setting(
            int(setting["k"]),
            _number(setting["step"]),
            frozenset(map(int, setting["left_out"])),
            _number(setting["tuned"]),
            bool(setting["lossless"]),
            bool(setting.get("for_psnr", False)),
        ),
        _goal_from(*values["goal"]),
        None if model is None else str(model),
        values["planes"],
        salvage=bool(values["salvage"]),
        frame=int(values["frame"]),
        alone=None if values["alone"] is None else int(values["alone"]),
        look=None if look is None else _look_from(*look),
        touched=bool(values["touched"]),
        seal=tuple(map(int, values["seal"])),
    )
    sound = kept.choice.method in METHODS and kept.planes in get_args(ReadAs)
    return kept if sound and (kept.paths or kept.name in sample_names()) else None


def _goal_from(measure: Any, value: Any, preset: Any) -> Goal:
    if measure not in get_args(Measure) or (measure == "preset") != (preset in PRESETS):
        raise ValueError(measure)
    return Goal(measure, float(value), str(preset))


def _look_from(preset: Any, bands: Any, percentiles: Any) -> Look:
    red, green, blue = map(int, bands)
    black, white = map(float, percentiles)
    if preset not in LOOK_PRESETS:
        raise ValueError(preset)
    return Look(preset, (red, green, blue), (black, white))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _seal(paths: tuple[str, ...]) -> tuple[int, ...]:
    try:
        found = Path(paths[0]).stat()
    except (OSError, IndexError):
        return ()
    return found.st_size, found.st_mtime_ns


@dataclass(frozen=True, eq=False)
class Reopened:
    """An image that was opened again, with what still holds of its choice and its setting."""

    opened: Opened
    choice: Choice
    setting: Setting | None


def reopen(kept: Kept, progress: Progress, *, limits: Limits | None) -> Reopened:
    """Open an image again.

    Raises PcaImageError if it cannot be opened, or the model that it was fitted with.
    """
    lender = None if kept.model is None else Path(kept.model)
    if not kept.paths:
        opened = Opened(load_sample(kept.name))
    else:
        opened = open_document(
            list(kept.paths),
            progress,
            salvage=kept.salvage,
            limits=limits,
            planes=kept.planes,
            frame=kept.alone,
            together=kept.planes == "stack" and len(kept.paths) == 1,
            model=lender,
            several="bands" if kept.planes == "bands" else "stack",
        )
    choice = kept.choice
    if lender is not None and opened.document.compressed is None:
        choice = choice.with_model(open_model(lender, progress))
    return Reopened(opened, choice, kept.setting if _seal(kept.paths) == kept.seal else None)
