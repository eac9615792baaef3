"""What is to be sent of photographs, as one frozen value. No Qt here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import PurePath
from typing import Any, get_args

from pcaimage.api import Preset
from pcaimage.api.presets import BUILT_IN
from pcaimage.batching.recipes import Compress, Export, Recipe
from pcaimage.batching.sharing import Goal
from pcaimage.gui.export.plan import PCAI, format_called
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.imaging import Limits
from pcaimage.imaging.writing.adapt import Adaptation, Resize, Strip

FORMATS = ("JPEG", "WEBP", "AVIF", "PCAI")  # the formats that are offered, by name

MEASURES: Mapping[str, tuple[str, float, float, str]] = {
    "total": ("In all", 0.1, 10_000.0, "\u00a0MB"),
    "each": ("Each at most", 1.0, 100_000.0, "\u00a0KB"),
    "visible": ("Visible quality", 10.0, 95.0, ""),
}
"""What files can keep to: its name, the least and the greatest value, and its unit."""

EDGES = (0, 1280, 1920, 2048, 2560, 3840)  # longest edges that are offered, in pixels; 0 keeps the size

BALANCED = next(each for each in BUILT_IN if each.name == "balanced")
_MB, _KB, _DIRECTORY = 1_000_000, 1000, 300  # bytes, the last of a file's entry in a zip


@dataclass(frozen=True)
class SendPlan:
    """The files to be made of photographs."""

    format: str = "JPEG"
    measure: str = "total"  # of MEASURES; `.pcai` files are made as set in the strip
    total: float = 10.0  # in MB
    each: float = 500.0  # in KB
    visible: float = 80.0  # SSIMULACRA 2
    edge: int = 2048
    strip: Strip = "all"
    folder: str = ""

    @property
    def compresses(self) -> bool:
        """Whether `.pcai` files are made."""
        return self.format == PCAI.name

    @property
    def value(self) -> float:
        """The value of the measure."""
        return float(getattr(self, self.measure))

    def goal(self, photographs: int) -> Goal | None:
        """Return what the files keep to; those in all leave room for the directory of a zip."""
        if self.compresses:
            return None
        if self.measure == "total":
            return Goal(total=max(1, round(self.total * _MB) - _DIRECTORY * photographs))
        return Goal(each=round(self.each * _KB)) if self.measure == "each" else Goal(visible=self.visible)

    def recipe(self, shared: Preset | None, limits: Limits | None) -> Recipe:
        """Return how files are made of photographs without their own settings."""
        if self.compresses:
            return Compress(preset=shared or BALANCED, limits=limits)
        resize = Resize(self.edge, self.edge) if self.edge else Resize()
        suffix = format_called(self.format).suffixes[0]
        return Export(suffix, adaptation=Adaptation(resize, srgb=True, strip=self.strip), limits=limits)

    def own_recipes(self, photographs: Sequence[Photograph], limits: Limits | None) -> dict[str, Recipe]:
        """Return how files are made of photographs with their own settings, by their paths."""
        own = photographs if self.compresses else ()
        return {each.path: each.own.recipe(limits) for each in own if each.own is not None}

    def to_text(self) -> str:
        """Return what is remembered of the plan: all but the folder."""
        return json.dumps(asdict(replace(self, folder="")))

    @classmethod
    def recalled(cls, text: str) -> SendPlan:
        """Return the plan that was remembered; the usual one if the text makes no sense."""
        try:
            found: dict[str, Any] = json.loads(text)
            plan = cls(**found)
            values = ((name, getattr(plan, name)) for name in MEASURES)
            known = all(
                low <= value <= high for name, value in values for _, low, high, _ in [MEASURES[name]]
            )
        except (ValueError, TypeError):
            return cls()
        known = known and (plan.format, plan.edge) in {(name, edge) for name in FORMATS for edge in EDGES}
        return plan if known and plan.measure in MEASURES and plan.strip in get_args(Strip) else cls()


def folder_for(roll: Roll) -> str:
    """Return the folder that is proposed: a new one beside the photographs, which has no other files."""
    first = PurePath(roll.photographs[0].path).parent
    names = ("to send" if number == 1 else f"to send {number}" for number in count(1))
    return next(place for name in names if not os.path.lexists(place := str(first / name)))
