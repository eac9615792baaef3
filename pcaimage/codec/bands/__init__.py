"""The method for images of many bands: PCA over the bands, planes of scores coded in context."""

from pcaimage.codec.bands.analysis import BandsAnalysis
from pcaimage.codec.bands.coding import pack, quantize, unpack
from pcaimage.codec.bands.model import BandsModel
from pcaimage.codec.bands.rates import BandsRates
from pcaimage.codec.bands.residual import corrected, encode_residual, gives, unit_error
from pcaimage.codec.bands.room import Room

__all__ = [
    "BandsAnalysis",
    "BandsModel",
    "BandsRates",
    "Room",
    "corrected",
    "encode_residual",
    "gives",
    "pack",
    "quantize",
    "unit_error",
    "unpack",
]
