"""The codec: from an image to the integers of a file, and back.

Encoding::

    array --sampling--> samples --Analysis--> components, scores
          --quantize--> IntegerModel --pack--> Compressed --container--> bytes

Decoding goes back through ``unpack`` and ``IntegerModel.reconstruct``, in integer arithmetic alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# The function shares its module's name: importing the module later would replace the function.
from pcaimage.codec.methods import estimates as estimates
from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.choices import *
    from pcaimage.codec.compressed import *
    from pcaimage.codec.encoder import *
    from pcaimage.codec.estimates import *
    from pcaimage.codec.linear.analysis import *
    from pcaimage.codec.linear.external_basis import *
    from pcaimage.codec.linear.model import *
    from pcaimage.codec.linear.preview import *
    from pcaimage.codec.linear.rates import *
    from pcaimage.codec.method import *
    from pcaimage.codec.methods import *
    from pcaimage.codec.properties import *
    from pcaimage.codec.settings import *
    from pcaimage.codec.spectrum import *
    from pcaimage.codec.step import *
    from pcaimage.codec.view import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "linear.analysis": "Analysis",
        "linear.external_basis": "attach_basis basis_id copy_basis has_basis",
        "linear.model": "IntegerModel",
        "linear.preview": "Preview",
        "linear.rates": "RateModel",
        "compressed": "BasisId Component Compressed Header Metadata",
        "encoder": "analyse_for complete compress resolve",
        "estimates": "Corrections Estimate Rates",
        "method": "Encoding Model",
        "methods": """
            analyse corrections decode_strips decompress decompress_frame gives holds pack
            pictures quantize unpack
        """,
        "properties": """
            Preparation error_bound k_max nodata_of peak_of pixels_of preparation_of
            unrounded_psnr_of
        """,
        "settings": "Basis Effort Settings Tune",
        "spectrum": "Spectrum",
        "step": "Step dead_zone",
        "view": "Drawing Pictures Region Screen View",
    },
    "estimates",
)
