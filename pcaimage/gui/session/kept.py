"""The state needed to reopen an image as it was: its files and all settings, but no pixels. No Qt here."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pcaimage.gui.session.choice import METHODS, NO_GOAL, Choice, Goal, Setting
from pcaimage.gui.session.display import Look
from pcaimage.gui.session.opening import OpenOptions
from pcaimage.gui.session.state import History, SessionState
from pcaimage.gui.session.targets import PRESETS
from pcaimage.imaging import ReadAs
from pcaimage.imaging.reading.samples import sample_names
from pcaimage.machine.handover import PART
from pcaimage.typed import as_type

MOST_STEPS = 20  # the number of steps that can be undone or redone after an image was opened again
VERSION = 2  # increases when older programs would misread a stored state


@dataclass(frozen=True)
class Kept:
    """An open image with its settings."""

    name: str
    paths: tuple[str, ...]  # the files; none for a sample photograph
    choice: Choice
    setting: Setting | None  # none while the components are not known
    goal: Goal = NO_GOAL  # the goal of the setting
    model: str | None = None  # the model file whose components are used
    planes: ReadAs = "image"
    salvage: bool = False  # whether a damaged file is opened as far as it is intact
    frame: int = 0  # the image of a stack that is shown
    alone: int | None = None  # the only image that is open of a file of several
    look: Look | None = None
    touched: bool = False  # whether settings were changed since the image was opened
    seal: tuple[int, ...] = ()  # length and time of change of the files: for others the settings do not hold
    history: History = field(default=History(), compare=False)  # what can be undone and redone; not stored

    @property
    def files(self) -> tuple[str, ...]:
        """What tells the image from others: its files, or the name of a sample."""
        return self.paths or (self.name,)

    @property
    def options(self) -> OpenOptions:
        """How the files are opened again."""
        return OpenOptions(
            salvage=self.salvage,
            planes=self.planes,
            frame=self.alone,
            together=self.planes == "stack" and len(self.paths) == 1,
            model=None if self.model is None else Path(self.model),
            several="bands" if self.planes == "bands" else "stack",
        )

    def to_values(self) -> dict[str, Any]:
        """Return the values for JSON."""
        values = asdict(replace(self, history=History()))
        del values["history"], values["choice"]["model"]
        if self.setting is not None:
            values["setting"]["left_out"] = sorted(self.setting.left_out)
        return {"version": VERSION, **values}


def kept_of(state: SessionState) -> Kept | None:
    """Return the storable part of a state; None if nothing is open, or the image has no file."""
    document = state.document
    if document is None:
        return None
    inputs = (document.path,) if document.path is not None else document.inputs
    if not inputs and document.name not in sample_names():
        return None
    settled = state.fitted and not state.moving
    paths = tuple(map(os.path.abspath, inputs))
    if document.member:
        paths = (PART.join((*paths, document.member)),)
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
        seal=document.seal,
        history=_without_models(state.history),
    )


def _without_models(history: History) -> History:
    """Return the newest part of a history, or none of it if models belong to it, which may be large."""
    points = (*history.past, *filter(None, [history.present]), *history.future)
    if any(point.choice.model is not None for point in points):
        return History()
    return History(history.present, history.past[-MOST_STEPS:], history.future[-MOST_STEPS:])


def kept_from(values: dict[str, Any]) -> Kept | None:
    """Return the state stored as JSON; None if it is invalid."""
    stored = {each.name: values.get(each.name, ...) for each in fields(Kept) if each.name != "history"}
    try:
        kept: Kept | None = as_type(Kept, stored) if values.get("version") == VERSION else None
    except ValueError:
        return None
    if kept is None or kept.choice.method not in METHODS or not (kept.paths or kept.name in sample_names()):
        return None
    return kept if (kept.goal.measure == "preset") == (kept.goal.preset in PRESETS) else None
