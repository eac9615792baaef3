"""The photo method: a cascade of trained principal components, coded by context mixing.

Encoding::

    array --Cascade--> scores --quantize--> PhotoModel --pack--> Compressed --container--> bytes

Decoding goes back through ``unpack`` and ``PhotoModel.reconstruct``, in integer arithmetic alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.codec.photo.analysis import PhotoAnalysis
    from pcaimage.codec.photo.coding import pack, quantize, unpack
    from pcaimage.codec.photo.model import PhotoModel
    from pcaimage.codec.photo.own_bases import analyse
    from pcaimage.codec.photo.preview import PhotoPreview
    from pcaimage.codec.photo.rates import PhotoRates

__getattr__, __dir__ = importing(
    __name__,
    {
        "analysis": ("PhotoAnalysis",),
        "coding": ("pack", "quantize", "unpack"),
        "model": ("PhotoModel",),
        "own_bases": ("analyse",),
        "preview": ("PhotoPreview",),
        "rates": ("PhotoRates",),
    },
)

__all__ = [
    "PhotoAnalysis",
    "PhotoModel",
    "PhotoPreview",
    "PhotoRates",
    "analyse",
    "pack",
    "quantize",
    "unpack",
]
