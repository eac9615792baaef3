"""What there is to choose from, for options, codec and messages, without loading any of them.

Settings of a photo's compression with a fixed set of values, divisors of a table, and the kinds of files.
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
    """The time an encoder takes to make a file small; those of photos all decode in the same time."""

    FAST = "fast"
    STANDARD = "standard"
    BEST = "best"


class Divisor(StrEnum):
    """Divisor of sums of squares and products, for n samples."""

    N_MINUS_1 = "n-1"  # the unbiased estimate, as in `numpy.cov`, scikit-learn and R
    N = "n"  # the mean of the products, the maximum-likelihood estimate
    NONE = "none"  # the undivided sums: the scatter matrix, XᵀX

    def of(self, count: int) -> int:
        """Return the divisor for a number of samples; 1 for undivided sums."""
        return {Divisor.N_MINUS_1: count - 1, Divisor.N: count, Divisor.NONE: 1}[self]

    @property
    def words(self) -> str:
        """Its notation in formulas: ``n − 1``, ``n`` or ``1``."""
        return {Divisor.N_MINUS_1: "n − 1", Divisor.N: "n", Divisor.NONE: "1"}[self]


READABLE = (
    *("PNG", "JPEG", "WebP", "AVIF", "HEIC", "JPEG XL", "GIF", "BMP", "TIFF", "JPEG 2000", "PNM", "QOI"),
    *("DNG", "NEF", "CR2", "ARW", "RAF", "ENVI", "NPY", "NPZ", "IDX", "HDF5", "NetCDF", "MATLAB", ".pcai"),
)
"""Kinds of files that are read, some only with a package that is not always installed."""

WRITABLE = (".png", ".jpg", ".webp", ".avif", ".tif", ".bmp", ".jp2", ".jxl", ".hdr", ".npy", ".npz", ".zarr")
"""Endings of the formats that images are written in; animations also as GIF."""


def listed(names: Sequence[str]) -> str:
    """Return names as a choice, such as ``PNG, JPEG or TIFF``."""
    return f"{', '.join(names[:-1])} or {names[-1]}"
