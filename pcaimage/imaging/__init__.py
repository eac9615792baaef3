"""Reading and writing images in other formats, and measuring the difference between two images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.quality import psnr_of_mse as psnr_of_mse

if TYPE_CHECKING:
    from pcaimage.imaging.adapt import Adaptation as Adaptation
    from pcaimage.imaging.alternatives import Alternative as Alternative, Trials as Trials
    from pcaimage.imaging.atomic import atomic_write as atomic_write, atomic_write_bytes as atomic_write_bytes
    from pcaimage.imaging.avif import avif_bits as avif_bits, lost_bits_text as lost_bits_text
    from pcaimage.imaging.bands import BandInfo as BandInfo
    from pcaimage.imaging.contents import Contents as Contents, ReadAs as ReadAs, Reading as Reading
    from pcaimage.imaging.envi import envi_values as envi_values
    from pcaimage.imaging.folder_write import write_bands as write_bands
    from pcaimage.imaging.formats import (
        ARRAY_FORMATS as ARRAY_FORMATS,
        FORMATS as FORMATS,
        Format as Format,
        format_of_path as format_of_path,
    )
    from pcaimage.imaging.glimpse import read_glimpse as read_glimpse
    from pcaimage.imaging.idx import read_labels as read_labels
    from pcaimage.imaging.image import Image as Image
    from pcaimage.imaging.limits import Limits as Limits
    from pcaimage.imaging.metrics import (
        Comparison as Comparison,
        bits_per_pixel as bits_per_pixel,
        compare as compare,
        max_error as max_error,
        mse as mse,
        psnr as psnr,
        ssim as ssim,
    )
    from pcaimage.imaging.missing import (
        holds as holds,
        missing_pixels as missing_pixels,
        missing_values as missing_values,
    )
    from pcaimage.imaging.privacy import Strip as Strip
    from pcaimage.imaging.pyramid import Pyramid as Pyramid
    from pcaimage.imaging.read import (
        PATTERNS as PATTERNS,
        inspect as inspect,
        probe as probe,
        read_image as read_image,
        read_stack as read_stack,
    )
    from pcaimage.imaging.read_file import check_recognised as check_recognised
    from pcaimage.imaging.resize import Resize as Resize
    from pcaimage.imaging.samples import read_sample as read_sample, sample_names as sample_names
    from pcaimage.imaging.screen_colours import (
        ScreenColours as ScreenColours,
        screen_profile_name as screen_profile_name,
    )
    from pcaimage.imaging.sized import as_written as as_written, estimate_size as estimate_size
    from pcaimage.imaging.source import Source as Source
    from pcaimage.imaging.stream import ImageStream as ImageStream
    from pcaimage.imaging.timing import Timing as Timing
    from pcaimage.imaging.types import ImageHeader as ImageHeader
    from pcaimage.imaging.write import encode_image as encode_image, write_image as write_image

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "adapt": ("Adaptation",),
        "alternatives": ("Alternative", "Trials"),
        "atomic": ("atomic_write", "atomic_write_bytes"),
        "avif": ("avif_bits", "lost_bits_text"),
        "bands": ("BandInfo",),
        "contents": ("Contents", "ReadAs", "Reading"),
        "envi": ("envi_values",),
        "folder_write": ("write_bands",),
        "formats": ("ARRAY_FORMATS", "FORMATS", "Format", "format_of_path"),
        "glimpse": ("read_glimpse",),
        "idx": ("read_labels",),
        "image": ("Image",),
        "limits": ("Limits",),
        "metrics": ("Comparison", "bits_per_pixel", "compare", "max_error", "mse", "psnr", "ssim"),
        "missing": ("holds", "missing_pixels", "missing_values"),
        "privacy": ("Strip",),
        "pyramid": ("Pyramid",),
        "read": ("PATTERNS", "inspect", "probe", "read_image", "read_stack"),
        "read_file": ("check_recognised",),
        "resize": ("Resize",),
        "samples": ("read_sample", "sample_names"),
        "screen_colours": ("ScreenColours", "screen_profile_name"),
        "sized": ("as_written", "estimate_size"),
        "source": ("Source",),
        "stream": ("ImageStream",),
        "timing": ("Timing",),
        "types": ("ImageHeader",),
        "write": ("encode_image", "write_image"),
    },
    "psnr_of_mse",
)
