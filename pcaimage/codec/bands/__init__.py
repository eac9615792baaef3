"""The method for images of many bands: PCA over the bands, planes of scores coded in context."""

from pcaimage.codec.bands.analysis import BandsAnalysis
from pcaimage.codec.bands.coding import pack, quantize, unpack
from pcaimage.codec.bands.model import BandsModel
from pcaimage.codec.bands.rates import BandsRates
from pcaimage.codec.bands.residual import corrected, decodes_to, encode_residual, unit_error

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
