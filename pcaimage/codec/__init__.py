"""The codec: from an image to the integers of a file, and back.

Encoding::

    array --sampling--> samples --Analysis--> components, scores
          --Quantizer--> IntegerModel --pack--> Compressed --container--> bytes

Decoding goes back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# Functions that share a name with a module: importing the module later would replace the function.
from pcaimage.codec.methods import estimates, pictures
from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.choices import Basis, Effort, Tune
    from pcaimage.codec.blocks.analysis import Analysis
    from pcaimage.codec.blocks.external_basis import attach_basis, basis_id, copy_basis, has_basis
    from pcaimage.codec.blocks.model import IntegerModel
    from pcaimage.codec.blocks.preview import Preview
    from pcaimage.codec.blocks.quantizer import Quantizer
    from pcaimage.codec.blocks.rates import RateModel
    from pcaimage.codec.coding.rounding import dead_zone
    from pcaimage.codec.compressed import BasisId, Component, Compressed, Header, Metadata
    from pcaimage.codec.decoder import decompress, decompress_frame
    from pcaimage.codec.encoder import analyse_for, complete, compress, resolve
    from pcaimage.codec.encoding import Encoding
    from pcaimage.codec.estimates import Corrections, Estimate, Rates
    from pcaimage.codec.methods import (
        analyse,
        corrections,
        decode_strips,
        exact,
        gives,
        holds,
        pack,
        quantize,
        unpack,
    )
    from pcaimage.codec.model import Model
    from pcaimage.codec.pictures import Pictures
    from pcaimage.codec.properties import (
        Preparation,
        error_bound,
        k_max,
        nodata_of,
        preparation_of,
        unrounded_psnr_of,
    )
    from pcaimage.codec.settings import Settings
    from pcaimage.codec.spectrum import Spectrum
    from pcaimage.codec.step import Step
    from pcaimage.codec.view import Region, Screen, View

__getattr__, __dir__ = importing(
    __name__,
    {
        "blocks.analysis": ("Analysis",),
        "blocks.external_basis": ("attach_basis", "basis_id", "copy_basis", "has_basis"),
        "blocks.model": ("IntegerModel",),
        "blocks.preview": ("Preview",),
        "blocks.quantizer": ("Quantizer",),
        "blocks.rates": ("RateModel",),
        "coding.rounding": ("dead_zone",),
        "compressed": ("BasisId", "Component", "Compressed", "Header", "Metadata"),
        "decoder": ("decompress", "decompress_frame"),
        "encoder": ("analyse_for", "complete", "compress", "resolve"),
        "encoding": ("Encoding",),
        "estimates": ("Corrections", "Estimate", "Rates"),
        "methods": (
            "analyse",
            "corrections",
            "decode_strips",
            "exact",
            "gives",
            "holds",
            "pack",
            "quantize",
            "unpack",
        ),
        "model": ("Model",),
        "pictures": ("Pictures",),
        "properties": (
            "Preparation",
            "error_bound",
            "k_max",
            "nodata_of",
            "preparation_of",
            "unrounded_psnr_of",
        ),
        "settings": ("Basis", "Effort", "Settings", "Tune"),
        "spectrum": ("Spectrum",),
        "step": ("Step",),
        "view": ("Region", "Screen", "View"),
    },
)

__all__ = [
    "Analysis",
    "Basis",
    "BasisId",
    "Component",
    "Compressed",
    "Corrections",
    "Effort",
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
    "Tune",
    "View",
    "analyse",
    "analyse_for",
    "attach_basis",
    "basis_id",
    "complete",
    "compress",
    "copy_basis",
    "corrections",
    "dead_zone",
    "decode_strips",
    "decompress",
    "decompress_frame",
    "error_bound",
    "estimates",
    "exact",
    "gives",
    "has_basis",
    "holds",
    "k_max",
    "nodata_of",
    "pack",
    "pictures",
    "preparation_of",
    "quantize",
    "resolve",
    "unpack",
    "unrounded_psnr_of",
]
