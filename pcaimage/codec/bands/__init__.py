"""The method for images of many bands: PCA over the bands, and context coding of the score planes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.codec.bands.analysis import BandsAnalysis
    from pcaimage.codec.bands.coding import pack, quantize, unpack
    from pcaimage.codec.bands.model import BandsModel
    from pcaimage.codec.bands.rates import BandsRates
    from pcaimage.codec.bands.residual import corrected, decodes_to, encode_residual, unit_error

__getattr__, __dir__ = importing(
    __name__,
    {
        "analysis": ("BandsAnalysis",),
        "coding": ("pack", "quantize", "unpack"),
        "model": ("BandsModel",),
        "rates": ("BandsRates",),
        "residual": ("corrected", "decodes_to", "encode_residual", "unit_error"),
    },
)

__all__ = [
    "BandsAnalysis",
    "BandsModel",
    "BandsRates",
    "corrected",
    "decodes_to",
    "encode_residual",
    "pack",
    "quantize",
    "unit_error",
    "unpack",
]
