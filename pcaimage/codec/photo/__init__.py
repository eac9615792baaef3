"""The photo method: a cascade of trained principal components, coded with mixed contexts.

The way through it::

    array --Cascade--> scores --quantize--> PhotoModel --pack--> Compressed --container--> bytes

and back through ``unpack`` and ``PhotoModel.reconstruct``, in integer arithmetic alone.
"""

from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import pack, quantize, unpack
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.own import analyse
from pcaimage.codec.photo.preview import PhotoPreview
from pcaimage.codec.photo.rates import PhotoRates
from pcaimage.codec.photo.warm import warm_up

__all__ = [
    "PhotoAnalysis",
    "PhotoModel",
    "PhotoPreview",
    "PhotoRates",
    "analyse",
    "pack",
    "quantize",
    "unpack",
    "warm_up",
]
