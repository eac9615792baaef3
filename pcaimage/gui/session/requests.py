"""Requests of widgets to the session or the window, as frozen values. No Qt here.

A widget has one signal, ``requested``, whose value is a request. It is connected to the receiver once, so
that no widget in between has to relay it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum, auto
from pathlib import Path
from typing import Any, Literal

from pcaimage.api import Preset as OwnPreset
from pcaimage.codec import Basis, Region, Tune
from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.gui.session.choice import Measure
from pcaimage.gui.session.display import Look
from pcaimage.gui.session.state import Rival


class Unchanged(Enum):
    """The type of :data:`UNCHANGED`."""

    UNCHANGED = auto()


UNCHANGED = Unchanged.UNCHANGED  # marks a field that a request leaves as it is


class Request:
    """What a widget asks for."""


class SessionRequest(Request):
    """A request that changes the session."""


@dataclass(frozen=True)
class Keep(SessionRequest):
    """Keep the first k components; not final while k is being dragged."""

    k: int
    final: bool = True


@dataclass(frozen=True)
class Move(SessionRequest):
    """Go on by some k, each of which makes another file than the one before it."""

    by: int


@dataclass(frozen=True)
class Quantise(SessionRequest):
    """Quantise a photo with a step, from which k follows; not final while the slider is being dragged."""

    step: float
    final: bool = True


@dataclass(frozen=True)
class Reach(SessionRequest):
    """Reach a target: a share of the variance in per cent, a PSNR in dB, an SSIM, or a size in bytes."""

    measure: Literal["variance", "psnr", "ssim", "size"]
    value: float


@dataclass(frozen=True)
class Aim(SessionRequest):
    """Make a measure at its present value the goal, which all else follows."""

    measure: Measure


@dataclass(frozen=True)
class UsePreset(SessionRequest):
    """Compress with a preset of :data:`~pcaimage.gui.session.targets.PRESETS`."""

    name: str


@dataclass(frozen=True)
class UseOwnPreset(SessionRequest):
    """Compress with a preset of the user's own."""

    preset: OwnPreset


@dataclass(frozen=True)
class SetStep(SessionRequest):
    """Set the quantiser's step Δ and leave k; with None the one follows from the other again."""

    step: float | None


@dataclass(frozen=True)
class LeaveOut(SessionRequest):
    """Leave out exactly these components, counted from 1, and put all others back."""

    numbers: frozenset[int]


@dataclass(frozen=True)
class Toggle(SessionRequest):
    """Leave a component out, counted from 1, or put it back."""

    number: int
    out: bool


@dataclass(frozen=True)
class KeepOnly(SessionRequest):
    """Leave out every component but one, counted from 1."""

    number: int


@dataclass(frozen=True)
class Choose(SessionRequest):
    """Change how the image is fitted; fields that are :data:`UNCHANGED` keep their values."""

    method: str | Unchanged = UNCHANGED
    block: int | Unchanged = UNCHANGED
    basis: Basis | Unchanged = UNCHANGED
    tune: Tune | Unchanged = UNCHANGED
    standardize: bool | Unchanged = UNCHANGED
    mnf: bool | Unchanged = UNCHANGED
    max_error: float | Unchanged | None = UNCHANGED

    @property
    def changes(self) -> dict[str, Any]:
        """The fields of a choice that change."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not UNCHANGED}


@dataclass(frozen=True)
class UseModel(SessionRequest):
    """Use the components of another ``.pcai`` file, which are not stored again."""

    path: Path


@dataclass(frozen=True)
class LeaveModel(SessionRequest):
    """Find the image's own components again, instead of those of a model file."""


@dataclass(frozen=True)
class SetNoData(SessionRequest):
    """Set the value that marks missing data; None if all pixels were measured."""

    value: float | None


@dataclass(frozen=True)
class ShowFrame(SessionRequest):
    """Show another image of a stack, counted from 0."""

    frame: int


@dataclass(frozen=True)
class ShowBands(SessionRequest):
    """Show other bands of an image, or stretch them differently."""

    look: Look


@dataclass(frozen=True)
class ShowBand(SessionRequest):
    """Show one band, counted from 0, in grey, with the present stretch."""

    band: int


@dataclass(frozen=True)
class ShowLeft(SessionRequest):
    """Show ``"original"`` or ``"reconstruction"`` in the left view."""

    name: str


@dataclass(frozen=True)
class ShowRight(SessionRequest):
    """Show a rival in the right view; None for the reconstruction."""

    rival: Rival | None


@dataclass(frozen=True)
class Compare(SessionRequest):
    """Show the reconstruction beside a rival; None for the original beside the reconstruction again."""

    rival: Rival | None


@dataclass(frozen=True)
class ShowRegion(Request):
    """Bring a region of the image into view; the window does this, and the request below."""

    region: Region


@dataclass(frozen=True)
class ExportTable(Request):
    """Write the table of components to a file."""


@dataclass(frozen=True)
class ExportScores(Request):
    """Write the scores of all pixels on a component, from 1, as an image; 0 for all that are kept."""

    number: int = 0


def request_of(points: OperatingPoints, number: int, *, final: bool) -> Keep | Quantise:
    """Return the request for one of an image's operating points, counted from 1."""
    step = points.step(number - 1)
    return Keep(int(points.ks[number - 1]), final) if step is None else Quantise(step, final)
