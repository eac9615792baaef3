"""Reading and writing images in other formats, and measuring the difference between two images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.quality import psnr_of_mse as psnr_of_mse

if TYPE_CHECKING:
    from pcaimage.imaging.image.bands import *
    from pcaimage.imaging.image.contents import *
    from pcaimage.imaging.image.image import *
    from pcaimage.imaging.image.limits import *
    from pcaimage.imaging.image.pixels import *
    from pcaimage.imaging.image.timing import *
    from pcaimage.imaging.measures.metrics import *
    from pcaimage.imaging.reading.read import *
    from pcaimage.imaging.rivals.alternatives import *
    from pcaimage.imaging.writing.write import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "image.bands": "BandInfo",
        "image.contents": "Contents ReadAs",
        "image.image": "Image Stored",
        "image.limits": "Limits",
        "image.timing": "Timing",
        "image.pixels": "ImageHeader",
        "measures.metrics": "Comparison bits_per_pixel compare max_error mse psnr ssim",
        "reading.read": "inspect probe read_array read_image read_stack",
        "rivals.alternatives": "Alternative Trials as_written smallest",
        "writing.write": "encode_image write_image",
    },
    "psnr_of_mse",
)
