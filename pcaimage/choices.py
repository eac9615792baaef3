"""Settings of a photo's compression with a fixed set of values, which the command line also offers."""

from __future__ import annotations

from enum import StrEnum


class Basis(StrEnum):
    """The origin of the components of a photo's blocks."""

    AUTO = "auto"
    BUILTIN = "builtin"
    OWN = "own"


class Tune(StrEnum):
    """The measure that the loss of a photo is optimised for."""

    AUTO = "auto"
    EYE = "eye"
    PSNR = "psnr"


class Effort(StrEnum):
    """The time a photo's encoder takes to make its file small; decoding takes the same for all."""

    FAST = "fast"
    STANDARD = "standard"
    BEST = "best"
