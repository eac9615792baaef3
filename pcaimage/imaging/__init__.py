"""Reading and writing images in other formats, and measuring the difference between two images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.quality import psnr_of_mse as psnr_of_mse

if TYPE_CHECKING:
    from pcaimage.imaging.writing.adapt import Adaptation as Adaptation
    from pcaimage.imaging.rivals.alternatives import Alternative as Alternative, Trials as Trials
    from pcaimage.imaging.disk.atomic import (
        atomic_write as atomic_write,
        atomic_write_bytes as atomic_write_bytes,
    )
    from pcaimage.imaging.still.avif import lost_bits_text as lost_bits_text
    from pcaimage.imaging.image.bands import BandInfo as BandInfo
    from pcaimage.imaging.image.contents import Contents as Contents, ReadAs as ReadAs, Reading as Reading
    from pcaimage.imaging.cubes.envi import envi_values as envi_values
    from pcaimage.imaging.writing.folder_write import write_bands as write_bands
    from pcaimage.imaging.image.formats import (
        ARRAY_FORMATS as ARRAY_FORMATS,
        FORMATS as FORMATS,
        Format as Format,
        format_of_path as format_of_path,
    )
    from pcaimage.imaging.reading.glimpse import read_glimpse as read_glimpse
    from pcaimage.imaging.cubes.idx import read_labels as read_labels
    from pcaimage.imaging.image.image import Image as Image
    from pcaimage.imaging.image.limits import Limits as Limits
    from pcaimage.imaging.measures.metrics import (
        Comparison as Comparison,
        bits_per_pixel as bits_per_pixel,
        compare as compare,
        max_error as max_error,
        mse as mse,
        psnr as psnr,
        ssim as ssim,
    )
    from pcaimage.imaging.image.missing import (
        holds as holds,
        missing_pixels as missing_pixels,
        missing_values as missing_values,
    )
    from pcaimage.imaging.writing.privacy import Strip as Strip
    from pcaimage.imaging.measures.pyramid import Pyramid as Pyramid
    from pcaimage.imaging.reading.read import (
        PATTERNS as PATTERNS,
        inspect as inspect,
        probe as probe,
        read_image as read_image,
        read_stack as read_stack,
    )
    from pcaimage.imaging.reading.read_file import check_recognised as check_recognised
    from pcaimage.imaging.writing.adapt import Resize as Resize
    from pcaimage.imaging.reading.samples import read_sample as read_sample, sample_names as sample_names
    from pcaimage.imaging.measures.screen_colours import (
        ScreenColours as ScreenColours,
        screen_profile_name as screen_profile_name,
    )
    from pcaimage.imaging.rivals.sized import as_written as as_written, estimate_size as estimate_size
    from pcaimage.imaging.image.source import Source as Source
    from pcaimage.imaging.image.stream import ImageStream as ImageStream
    from pcaimage.imaging.image.timing import Timing as Timing
    from pcaimage.imaging.image.types import ImageHeader as ImageHeader
    from pcaimage.imaging.writing.write import encode_image as encode_image, write_image as write_image

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
