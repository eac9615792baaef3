"""Reading and writing images in other formats, and measuring the difference between two images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing
from pcaimage.quality import psnr_of_mse

if TYPE_CHECKING:
    from pcaimage.imaging.adapt import Adaptation
    from pcaimage.imaging.alternatives import Alternative, Trials
    from pcaimage.imaging.atomic import atomic_write, atomic_write_bytes
    from pcaimage.imaging.avif import avif_bits, lost_bits_text
    from pcaimage.imaging.bands import BandInfo
    from pcaimage.imaging.contents import Contents, ReadAs, Reading
    from pcaimage.imaging.envi import envi_values
    from pcaimage.imaging.folder_write import write_bands
    from pcaimage.imaging.formats import ARRAY_FORMATS, FORMATS, Format, format_of_path
    from pcaimage.imaging.glimpse import read_glimpse
    from pcaimage.imaging.idx import read_labels
    from pcaimage.imaging.image import Image
    from pcaimage.imaging.limits import Limits
    from pcaimage.imaging.metrics import Comparison, bits_per_pixel, compare, max_error, mse, psnr, ssim
    from pcaimage.imaging.missing import highest, holds, missing_pixels, missing_values
    from pcaimage.imaging.privacy import Strip
    from pcaimage.imaging.pyramid import Pyramid
    from pcaimage.imaging.read import PATTERNS, inspect, probe, read_image, read_stack
    from pcaimage.imaging.read_file import check_recognised
    from pcaimage.imaging.resize import Resize
    from pcaimage.imaging.samples import read_sample, sample_names
    from pcaimage.imaging.screen_colours import ScreenColours, screen_profile_name
    from pcaimage.imaging.sized import as_written, estimate_size
    from pcaimage.imaging.source import Source
    from pcaimage.imaging.stream import ImageStream
    from pcaimage.imaging.timing import Timing
    from pcaimage.imaging.types import ImageHeader
    from pcaimage.imaging.write import encode_image, write_image

__getattr__, __dir__ = importing(
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
        "missing": ("highest", "holds", "missing_pixels", "missing_values"),
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
)

__all__ = [
    "ARRAY_FORMATS",
    "FORMATS",
    "PATTERNS",
    "Adaptation",
    "Alternative",
    "BandInfo",
    "Comparison",
    "Contents",
    "Format",
    "Image",
    "ImageHeader",
    "ImageStream",
    "Limits",
    "Pyramid",
    "ReadAs",
    "Reading",
    "Resize",
    "ScreenColours",
    "Source",
    "Strip",
    "Timing",
    "Trials",
    "as_written",
    "atomic_write",
    "atomic_write_bytes",
    "avif_bits",
    "bits_per_pixel",
    "check_recognised",
    "compare",
    "encode_image",
    "envi_values",
    "estimate_size",
    "format_of_path",
    "highest",
    "holds",
    "inspect",
    "lost_bits_text",
    "max_error",
    "missing_pixels",
    "missing_values",
    "mse",
    "probe",
    "psnr",
    "psnr_of_mse",
    "read_glimpse",
    "read_image",
    "read_labels",
    "read_sample",
    "read_stack",
    "sample_names",
    "screen_profile_name",
    "ssim",
    "write_bands",
    "write_image",
]
