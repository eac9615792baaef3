"""The photo method: a cascade of trained principal components, coded with mixed contexts.

The way through it::

    array --Cascade--> scores --quantize--> PhotoModel --pack--> Compressed --container--> bytes

and back through ``unpack`` and ``PhotoModel.reconstruct``, in integer arithmetic alone.
"""

from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import pack, quantize, unpack
from pcaimage.codec.photo.model import PhotoModel

__all__ = ["PhotoAnalysis", "PhotoModel", "pack", "quantize", "unpack"]
