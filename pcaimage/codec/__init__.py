"""The codec: from an image to the integers of a file, and back.

The way through it::

    array --sampling--> samples --Analysis--> components, scores
          --Quantizer--> IntegerModel --pack--> Compressed --container--> bytes

and back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone.
"""

from pcaimage.codec.analysis import Analysis
from pcaimage.codec.compressed import BasisId, Component, Compressed, Header, Metadata
from pcaimage.codec.decoder import decompress, decompress_frame
from pcaimage.codec.encoder import Encoding, complete, compress, resolve
from pcaimage.codec.estimates import Estimate
from pcaimage.codec.fitting import analyse_for
from pcaimage.codec.given import attached, basis_id, has_basis, lend
from pcaimage.codec.integers import IntegerModel
from pcaimage.codec.lossless import error_bound, exact, gives, nodata_of
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
from pcaimage.codec.prepared import Preparation, preparation_of
from pcaimage.codec.preview import Preview
from pcaimage.codec.quantizer import Quantizer
from pcaimage.codec.rate import RateModel
from pcaimage.codec.settings import Basis, Settings
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.codec.view import Region, Screen, View

__all__ = [
    "Analysis",
    "Basis",
    "BasisId",
    "Component",
    "Compressed",
    "Encoding",
    "Estimate",
    "Header",
    "IntegerModel",
    "Metadata",
    "Model",
    "Pictures",
    "Preparation",
    "Preview",
    "Quantizer",
    "RateModel",
    "Rates",
    "Region",
    "Screen",
    "Settings",
    "Spectrum",
    "Step",
    "View",
    "analyse",
    "analyse_for",
    "attached",
    "basis_id",
    "complete",
    "compress",
    "decompress",
    "decompress_frame",
    "error_bound",
    "estimates",
    "exact",
    "gives",
    "has_basis",
    "lend",
    "nodata_of",
    "pack",
    "pictures",
    "preparation_of",
    "quantize",
    "resolve",
    "unpack",
    "warm_up",
]
