"""The view model of the settings panel. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Basis
from pcaimage.insight.formatting import decibels, file_size, percent
from pcaimage.insight.variance_terms import PLAIN

__all__ = [
    "BASES",
    "BLOCKS",
    "METHODS",
    "PanelView",
    "decibels",
    "file_size",
    "percent",
]

METHODS = {
    "photo": "Photo",
    "blocks": "Blocks",
    "channels": "Channels",
    "bands": "Bands",
    "stack": "Stack",
}
"""The ways to sample an image, and what they are called in the window."""
BASES = {Basis.AUTO: "Automatic", Basis.BUILTIN: "Built-in", Basis.OWN: "The image's own"}
"""Whose components a photo's blocks have, and what that is called in the window."""
BLOCKS = (2, 4, 8, 16, 32, 64)
"""Block sizes on offer."""


@dataclass(frozen=True, slots=True)
class PanelView:
    """Everything that the settings panel shows."""

    enabled: bool = False
    """Whether there is something to compress; False greys all out."""
    settings_enabled: bool = True
    """Whether the method may change; not without the original."""
    methods: tuple[str, ...] = ("photo", "blocks", "channels", "stack")
    """The methods that the image allows, of :data:`METHODS`."""
    method: str = "photo"
    block: int = 8
    standardize: bool = False
    """How the image is sampled."""
    basis: Basis = Basis.AUTO
    """Whose components a photo's blocks have."""
    mnf: bool = False
    max_error: float | None = None
    """How far values may be off; None where nothing is promised."""
    error_offer: float = 1.0
    """What is asked for where nothing is typed yet."""
    nodata: float | None = None
    nodata_said: float | None = None
    """What stands where nothing was measured, and what the image's file says of it."""
    model: str = ""
    model_about: str = ""
    """The file whose components are used, and a sentence about it; empty for the image's own."""
    k: int = 0
    k_max: int = 0
    """How many components are kept, of how many."""
    variance: float | None = None
    """Percent of the variance that is kept, 0 to 100; None while unknown."""
    variance_of: str = PLAIN.of
    """What that is a share of."""
    psnr: float | None = None
    """In dB; infinite if nothing is lost; None while unknown."""
    psnr_estimated: bool = False
    """Whether that is an estimate, and shown with ≈."""
    ssim: float | None = None
    """Structural similarity, at most 1; None while unknown."""
    size: int | None = None
    """Bytes; None while unknown."""
    size_estimated: bool = True
    """Whether the size is an estimate, and shown with ≈."""
    original_size: int | None = None
    """Bytes of the original, of which a share can be asked for; None if there is no such file."""
    step: float | None = None
    """The quantiser's step; None while unknown."""
    step_auto: bool = True
    """Whether the step follows from k."""
    bounded: str = ""
    """Why no other quality or size can be asked for, where values are near enough anyway; else empty."""
    psnr_enabled: bool = True
    """Whether PSNR and SSIM can be asked for; not without the original."""
    step_enabled: bool = True
    """Whether the step can be changed; a compressed file's cannot."""
    hint: str = ""
    error: str = ""
    """A sentence worth knowing, and one that says why a target is not reached."""
    variances: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
    """Explained variances, by which the slider's scale is made; None while unknown."""
