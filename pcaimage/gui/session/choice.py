"""What a user sets: the choice of components, the setting of a reconstruction, and its goal. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pcaimage.codec import Basis, Effort, Preparation, Settings, Tune
from pcaimage.gui.session.model import ModelFile
from pcaimage.sampling import SAMPLINGS, Blocks, Sampling, name_of, sampling_named

METHODS = {name: name.capitalize() for name in SAMPLINGS}
"""The ways to sample an image, and their names in the window."""
BASES = {Basis.AUTO: "Automatic", Basis.BUILTIN: "Built-in", Basis.OWN: "The image's own"}
"""The sources of a photo's components, and their names in the window."""
EFFORTS = {Effort.FAST: "Fast", Effort.STANDARD: "Standard", Effort.BEST: "Best"}
"""Times that a photo's encoder takes, with their names in the window."""
TUNES = {Tune.AUTO: "Automatic", Tune.EYE: "The eye", Tune.PSNR: "PSNR"}
"""Measures that a photo's loss is optimised for, with their names in the window."""
BLOCKS = (2, 4, 8, 16, 32, 64)  # the block sizes on offer
FROM_FILE: Final = "file"  # the no-data value is the one that the image's file names

NoData = float | Literal["file"] | None
"""The value that marks pixels without a measurement; None if all were measured."""


@dataclass(frozen=True)
class Choice:
    """Everything that the components of an image depend on."""

    method: str = "photo"  # one of METHODS
    block: int = 8  # pixels along a block's side
    standardize: bool = False  # whether features are divided by their standard deviations
    basis: Basis = Basis.AUTO  # the source of a photo's components
    mnf: bool = False  # whether the noise of many bands is whitened
    max_error: float | None = None
    """The greatest error of any value in a file of many bands; None for no limit."""
    nodata: NoData = FROM_FILE  # the value that marks missing data in many bands
    effort: Effort = Effort.STANDARD  # the time that a photo's encoder takes for a small file
    tune: Tune = Tune.AUTO  # the measure that a photo's loss is optimised for
    model: ModelFile | None = None
    """The file whose components are used; it determines method, block size and standardisation."""

    def __post_init__(self) -> None:
        Blocks(self.block)  # refuses sides that no block has, for whatever method is chosen later

    @property
    def whitens(self) -> bool:
        """Whether noise is whitened; only the method of many bands does that."""
        return self.mnf and self.method == "bands"

    @property
    def prepared(self) -> Preparation:
        """The preparation of features before the analysis."""
        if self.whitens:
            return Preparation.MNF
        divides = self.standardize and self.method != "photo"
        return Preparation.STANDARDIZED if divides else Preparation.NONE

    @property
    def bound(self) -> float | None:
        """The greatest error of any value; only the method of many bands can limit it."""
        return self.max_error if self.method == "bands" else None

    def for_the_eye(self, setting: Setting) -> bool:
        """Return whether the file of a setting is a photo's that is optimised for the eye."""
        if self.tune is Tune.AUTO:
            return self.method == "photo" and not (setting.lossless or setting.for_psnr)
        return self.method == "photo" and self.tune is Tune.EYE

    def tune_of(self, setting: Setting) -> Tune:
        """Return what the file of a setting is optimised for; AUTO if it is not a photo's."""
        if self.method != "photo":
            return Tune.AUTO
        return Tune.EYE if self.for_the_eye(setting) else Tune.PSNR

    @property
    def usual(self) -> Choice:
        """The choice without the fields that depend on the values of this image, for other images."""
        return replace(self, max_error=None, nodata=FROM_FILE, model=None)

    def changed(self, **fields: Any) -> Choice:
        """Return another choice, in which a new standardisation replaces whitening and vice versa.

        Another method, block size or standardisation leaves the model.
        """
        if fields.get("mnf"):
            fields["standardize"] = False
        elif fields.get("standardize"):
            fields["mnf"] = False
        if {"method", "block", "standardize"} & set(fields):
            fields.setdefault("model", None)
        return replace(self, **fields)

    def with_model(self, model: ModelFile) -> Choice:
        """Return the choice to use a model."""
        found = Choice.of(model.sampling, standardize=model.standardize)
        block = found.block if found.method == "blocks" else self.block
        return replace(
            self, method=found.method, block=block, standardize=found.standardize, mnf=False, model=model
        )

    def nodata_of(self, from_file: float | None) -> float | None:
        """Return the no-data value of an image whose file names `from_file`."""
        return from_file if isinstance(self.nodata, str) else self.nodata

    @property
    def settings(self) -> Settings:
        """The library's settings of the no-data value."""
        named = self.method == "bands" and not isinstance(self.nodata, str)
        return Settings(nodata=self.nodata_of(None) if named else None, all_measured=self.nodata is None)

    def sampling(self) -> Sampling:
        """Return the sampling, which defines what one observation is."""
        return sampling_named(self.method, self.block)

    @classmethod
    def of(cls, sampling: Sampling, *, standardize: bool) -> Choice:
        """Return the choice that a file was made with."""
        block = sampling.size if isinstance(sampling, Blocks) else cls.block
        return cls(name_of(sampling), block, standardize)


@dataclass(frozen=True)
class Setting:
    """The components that a reconstruction keeps, and the step that quantises them."""

    k: int
    step: float | None  # the step set by the user; None if it follows from k, or for a photo k from it
    left_out: frozenset[int] = frozenset()
    """Components among the first k, counted from 1, whose scores are replaced by zero."""
    tuned: float | None = None
    """The step at which a target is met exactly, which is dropped when k moves; of a photo any step."""
    lossless: bool = False  # whether the file also holds the residual; it is dropped when anything moves
    for_psnr: bool = False
    """Whether it reaches a PSNR that was asked for, for which a photo is then optimised by default."""

    @property
    def chosen_step(self) -> float | None:
        """The step that does not follow from k, if there is one."""
        return self.step if self.tuned is None else self.tuned


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


NO_GOAL = Goal("k")  # the goal before anything was set: k, which every image has
