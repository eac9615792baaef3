"""Reading and writing images in other formats, and measuring the difference between two images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.quality import psnr_of_mse as psnr_of_mse

if TYPE_CHECKING:
    from pcaimage.imaging.cubes.envi import *
    from pcaimage.imaging.cubes.idx import read_labels as read_labels
    from pcaimage.imaging.disk.atomic import *
    from pcaimage.imaging.image.bands import *
    from pcaimage.imaging.image.contents import *
    from pcaimage.imaging.image.formats import *
    from pcaimage.imaging.image.image import *
    from pcaimage.imaging.image.limits import *
    from pcaimage.imaging.image.missing import *
    from pcaimage.imaging.image.source import *
    from pcaimage.imaging.image.stream import *
    from pcaimage.imaging.image.timing import *
    from pcaimage.imaging.image.types import *
    from pcaimage.imaging.measures.metrics import *
    from pcaimage.imaging.measures.pyramid import *
    from pcaimage.imaging.measures.screen_colours import *
    from pcaimage.imaging.reading.glimpse import *
    from pcaimage.imaging.reading.read import *
    from pcaimage.imaging.reading.read_file import *
    from pcaimage.imaging.reading.samples import *
    from pcaimage.imaging.rivals.alternatives import *
    from pcaimage.imaging.rivals.sized import *
    from pcaimage.imaging.still.avif import *
    from pcaimage.imaging.writing.adapt import *
    from pcaimage.imaging.writing.folder_write import *
    from pcaimage.imaging.writing.privacy import *
    from pcaimage.imaging.writing.write import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "rivals.alternatives": ("Alternative", "Trials"),
        "disk.atomic": ("atomic_write", "atomic_write_bytes"),
        "still.avif": ("lost_bits_text",),
        "image.bands": ("BandInfo",),
        "image.contents": ("Contents", "ReadAs", "Reading"),
        "cubes.envi": ("envi_values",),
        "writing.folder_write": ("write_bands",),
        "image.formats": ("ARRAY_FORMATS", "FORMATS", "Format", "format_of_path"),
        "reading.glimpse": ("read_glimpse",),
        "cubes.idx": ("read_labels",),
        "image.image": ("Image",),
        "image.limits": ("Limits",),
        "measures.metrics": ("Comparison", "bits_per_pixel", "compare", "max_error", "mse", "psnr", "ssim"),
        "image.missing": ("holds", "missing_pixels", "missing_values"),
        "writing.privacy": ("Strip",),
        "measures.pyramid": ("Pyramid",),
        "reading.read": ("PATTERNS", "inspect", "probe", "read_image", "read_stack"),
        "reading.read_file": ("check_recognised",),
        "writing.adapt": ("Adaptation", "Resize"),
        "reading.samples": ("read_sample", "sample_names"),
        "measures.screen_colours": ("ScreenColours", "screen_profile_name"),
        "rivals.sized": ("as_written", "estimate_size"),
        "image.source": ("Source",),
        "image.stream": ("ImageStream",),
        "image.timing": ("Timing",),
        "image.types": ("ImageHeader",),
        "writing.write": ("encode_image", "write_image"),
    },
    "psnr_of_mse",
)
