"""The codec: from an image to the integers of a file, and back.

The way through it::

    array --sampling--> samples --Analysis--> components, scores
          --Quantizer--> IntegerModel --pack--> Compressed --container--> bytes

and back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone.
"""

from pcaimage.codec.analysis import Analysis
from pcaimage.codec.compressed import Component, Compressed, Header, Metadata
from pcaimage.codec.encoder import Encoding, complete, compress, decompress, resolve
from pcaimage.codec.integers import IntegerModel
from pcaimage.codec.lossless import exact
from pcaimage.codec.methods import (
    Model,
    Pictures,
    Rates,
    analyse,
    estimates,
    pictures,
    quantize,
    unpack,
    warm_up,
)
from pcaimage.codec.pack import pack
from pcaimage.codec.preview import Preview, Region, View
from pcaimage.codec.quantizer import Quantizer
from pcaimage.codec.rate import Estimate, RateModel
from pcaimage.codec.settings import Basis, Settings
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step

__all__ = [
    "Analysis",
    "Basis",
    "Component",
    "Compressed",
    "Encoding",
    "Estimate",
    "Header",
    "IntegerModel",
    "Metadata",
    "Model",
    "Pictures",
    "Preview",
    "Quantizer",
    "RateModel",
    "Rates",
    "Region",
    "Settings",
    "Spectrum",
    "Step",
    "View",
    "analyse",
    "complete",
    "compress",
    "decompress",
    "estimates",
    "exact",
    "pack",
    "pictures",
    "quantize",
    "resolve",
    "unpack",
    "warm_up",
]
