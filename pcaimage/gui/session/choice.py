"""The choices that an image's components depend on. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pcaimage.codec import Basis, Preparation, Settings
from pcaimage.gui.session.model import ModelFile
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Sampling, Stack

FROM_FILE: Final = "file"
"""The no-data value is the one that the image's file names."""

NoData = float | Literal["file"] | None
"""The value of pixels that were not measured; None where all were."""


@dataclass(frozen=True)
class Choice:
    """Everything that the components of an image depend on."""

    method: str = "photo"
    """``"photo"``, ``"bands"``, ``"blocks"``, ``"channels"`` or ``"stack"``."""
    block: int = 8
    """Pixels along a block's side."""
    standardize: bool = False
    """Whether features are divided by their standard deviations."""
    basis: Basis = Basis.AUTO
    """Whose components a photo's blocks have."""
    mnf: bool = False
    """Whether the noise of many bands is whitened."""
    max_error: float | None = None
    """How far values of many bands may be off in the file; None where nothing is promised."""
    nodata: NoData = FROM_FILE
    """What stands in many bands where nothing was measured."""
    model: ModelFile | None = None
    """The file whose components are used; it says method, block size and standardisation."""

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
        """The greatest error of any value; only the method of many bands promises one."""
        return self.max_error if self.method == "bands" else None

    @property
    def usual(self) -> Choice:
        """The choice without the fields that depend on the values of this image, for other images."""
        return replace(self, max_error=None, nodata=FROM_FILE, model=None)

    def changed(self, **fields: Any) -> Choice:
        """Return another choice; of standardising and whitening, the one that was asked for last stays.

        Another method leaves the model.
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

    def nodata_of(self, said: float | None) -> float | None:
        """Return what stands where nothing was measured."""
        return said if isinstance(self.nodata, str) else self.nodata

    @property
    def settings(self) -> Settings:
        """The library's settings of the no-data value."""
        named = self.method == "bands" and not isinstance(self.nodata, str)
        return Settings(nodata=self.nodata_of(None) if named else None, all_measured=self.nodata is None)

    def sampling(self) -> Sampling:
        """Return what a sample is."""
        return {
            "photo": Lapped(),
            "blocks": Blocks(self.block),
            "channels": Channels(),
            "bands": Bands(),
            "stack": Stack(),
        }[self.method]

    @classmethod
    def of(cls, sampling: Sampling, *, standardize: bool) -> Choice:
        """Return the choice that a file was made with."""
        if isinstance(sampling, Blocks):
            return cls("blocks", sampling.size, standardize)
        names: dict[type[Sampling], str] = {
            Lapped: "photo",
            Channels: "channels",
            Bands: "bands",
            Stack: "stack",
        }
        return cls(names[type(sampling)], standardize=standardize)
