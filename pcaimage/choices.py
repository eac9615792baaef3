"""What there is to choose from, for options, codec and messages, without loading any of them.

Settings of a photo's compression with a fixed set of values, and the kinds of files.
"""

from __future__ import annotations

from collections.abc import Sequence
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


READABLE = (
    *("PNG", "JPEG", "WebP", "AVIF", "HEIC", "GIF", "BMP", "TIFF", "JPEG 2000", "PNM", "QOI"),
    *("ENVI", "NPY", "NPZ", "IDX", "HDF5", "NetCDF", "MATLAB", ".pcai"),
)
"""Kinds of files that are read, some only with a package that is not always installed."""

WRITABLE = (".png", ".jpg", ".webp", ".avif", ".tif", ".bmp", ".jp2", ".jxl", ".hdr", ".npy", ".npz")
"""Endings of the formats that images are written in; animations also as GIF."""


def listed(names: Sequence[str]) -> str:
    """Return names as a choice, such as ``PNG, JPEG or TIFF``."""
    return f"{', '.join(names[:-1])} or {names[-1]}"
