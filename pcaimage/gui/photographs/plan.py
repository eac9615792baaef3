"""A plan for many photographs, as one frozen value. No Qt here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePath
from typing import Any

from pcaimage.api import Preset
from pcaimage.api.presets import BUILT_IN
from pcaimage.batching.recipes import Compress, Export, Recipe
from pcaimage.gui.export.plan import PCAI, ExportPlan
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.imaging import Limits
from pcaimage.imaging.writing.adapt import Adaptation

FORMATS = ("JPEG", "WEBP", "AVIF", "JXL", "PNG", "JPEG2000", "TIFF", "PCAI")
"""The formats that are offered, by name."""

SHARED = "shared"
"""The goal that was applied to all photographs in the strip."""

MEASURES: Mapping[str, tuple[str, float, float, float]] = {
    "psnr": ("A PSNR", 20.0, 60.0, 38.0),
    "size": ("A size", 1.0, 100_000.0, 500.0),
}
"""Goals with a number: their names, the least, the greatest and the usual value, in decibels and KB."""

_KB = 1000


@dataclass(frozen=True)
class QueuePlan:
    """The files to be made of several photographs."""

    export: ExportPlan = field(default_factory=ExportPlan)
    goal: str = "balanced"  # of `.pcai` files: ``"shared"``, a preset's name, or one of MEASURES
    value: float = 38.0  # of such a measure, in decibels or KB
    folder: str = ""
    keeps_own: bool = True  # whether photographs with their own settings keep them
    skip_larger: bool = False  # this and those below as in Batch
    keep_dates: bool = False
    overwrite: bool = False

    @property
    def compresses(self) -> bool:
        """Whether `.pcai` files are made."""
        return self.export.format == PCAI.name

    def preset(self, presets: Sequence[Preset], shared: Preset | None) -> Preset:
        """Return the goal as a preset; the first that is built in stands for one that is gone."""
        if self.goal in MEASURES:
            value = self.value if self.goal == "psnr" else round(self.value * _KB)
            return Preset(self.goal, **{self.goal: value})  # type: ignore[arg-type]  # as it is named
        if self.goal == SHARED and shared is not None:
            return shared
        known = {each.name: each for each in (*BUILT_IN, *presets)}
        return known.get(self.goal, known["balanced"])

    def recipe(self, presets: Sequence[Preset], shared: Preset | None, limits: Limits | None) -> Recipe:
        """Return how files are made of photographs without their own settings."""
        if self.compresses:
            return Compress(preset=self.preset(presets, shared), limits=limits)
        target = self.export.target
        srgb = self.export.srgb or not target.profile  # without the profile colours would be wrong
        return Export(
            target.suffixes[0],
            self.export.quality,
            adaptation=Adaptation(self.export.resize, srgb, self.export.strip),
            limits=limits,
        )

    def own_recipes(self, photographs: Sequence[Photograph], limits: Limits | None) -> dict[str, Recipe]:
        """Return how files are made of photographs with their own settings, by their paths."""
        if not (self.compresses and self.keeps_own):
            return {}
        return {each.path: each.own.recipe(limits) for each in photographs if each.own is not None}

    def to_text(self) -> str:
        """Return what is remembered of the plan: all but the folder and the format's own fields."""
        values = asdict(replace(self, folder="", overwrite=False))
        del values["export"]
        return json.dumps(values)

    def recalled(self, text: str) -> QueuePlan:
        """Return the plan with what was remembered; the same if the text makes no sense."""
        try:
            found: dict[str, Any] = json.loads(text)
            goal, value = str(found["goal"]), float(found["value"])
            flags = {name: found[name] for name in ("keeps_own", "skip_larger", "keep_dates")}
        except (ValueError, TypeError, KeyError):
            return self
        if not all(flag in (True, False) for flag in flags.values()):
            return self
        if goal in MEASURES:
            _, least, greatest, _ = MEASURES[goal]
            value = min(max(value, least), greatest)
        return replace(self, goal=goal, value=value, **flags)


def folder_for(roll: Roll, plan: QueuePlan) -> str:
    """Return the folder that is proposed: one beside the photographs, named by what is made of them."""
    first = PurePath(roll.photographs[0].path).parent
    return str(first / ("compressed" if plan.compresses else plan.export.target.title.lower()))
