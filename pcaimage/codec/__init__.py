"""The codec: from an image to the integers of a file, and back.

Encoding::

    array --sampling--> samples --Analysis--> components, scores
          --Quantizer--> IntegerModel --pack--> Compressed --container--> bytes

Decoding goes back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# Functions that share a name with a module: importing the module later would replace the function.
from pcaimage.codec.methods import estimates as estimates, pictures as pictures
from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.choices import Basis as Basis, Effort as Effort, Tune as Tune
    from pcaimage.codec.blocks.analysis import Analysis as Analysis
    from pcaimage.codec.blocks.external_basis import (
        attach_basis as attach_basis,
        basis_id as basis_id,
        copy_basis as copy_basis,
        has_basis as has_basis,
    )
    from pcaimage.codec.blocks.model import IntegerModel as IntegerModel
    from pcaimage.codec.blocks.preview import Preview as Preview
    from pcaimage.codec.blocks.quantizer import Quantizer as Quantizer
    from pcaimage.codec.blocks.rates import RateModel as RateModel
    from pcaimage.codec.coding.rounding import dead_zone as dead_zone
    from pcaimage.codec.compressed import (
        BasisId as BasisId,
        Component as Component,
        Compressed as Compressed,
        Header as Header,
        Metadata as Metadata,
    )
    from pcaimage.codec.decoder import decompress as decompress, decompress_frame as decompress_frame
    from pcaimage.codec.encoder import (
        analyse_for as analyse_for,
        complete as complete,
        compress as compress,
        resolve as resolve,
    )
    from pcaimage.codec.encoding import Encoding as Encoding
    from pcaimage.codec.estimates import Corrections as Corrections, Estimate as Estimate, Rates as Rates
    from pcaimage.codec.methods import (
        analyse as analyse,
        corrections as corrections,
        decode_strips as decode_strips,
        exact as exact,
        gives as gives,
        holds as holds,
        pack as pack,
        quantize as quantize,
        unpack as unpack,
    )
    from pcaimage.codec.model import Model as Model
    from pcaimage.codec.pictures import Pictures as Pictures
    from pcaimage.codec.properties import (
        Preparation as Preparation,
        error_bound as error_bound,
        k_max as k_max,
        nodata_of as nodata_of,
        preparation_of as preparation_of,
        unrounded_psnr_of as unrounded_psnr_of,
    )
    from pcaimage.codec.settings import Settings as Settings
    from pcaimage.codec.spectrum import Spectrum as Spectrum
    from pcaimage.codec.step import Step as Step
    from pcaimage.codec.view import Region as Region, Screen as Screen, View as View

__getattr__, __dir__, __all__ = importing(
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
    "estimates",
    "pictures",
)
