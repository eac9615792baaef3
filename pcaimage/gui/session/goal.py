"""The goal of the settings: the value set last, from which all others follow. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Measure = Literal["k", "variance", "psnr", "ssim", "size", "step", "preset"]

SEARCHED = frozenset({"psnr", "ssim", "size", "preset"})
"""Measures that are searched for again when the image gets other components."""


@dataclass(frozen=True)
class Goal:
    """The value that the settings must reach."""

    measure: Measure
    value: float = 0.0
    """The value in the units of the measure's field: per cent, decibels, bytes; unused for a preset."""
    preset: str = ""  # the name of a preset of :data:`~pcaimage.gui.session.targets.PRESETS`


NO_GOAL = Goal("k")
"""The goal before anything was set: k, which every image has."""
