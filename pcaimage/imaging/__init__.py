"""Reading and writing images of other formats, and measuring how far two images are apart."""

from __future__ import annotations

from pcaimage.imaging.atomic import atomic_write
from pcaimage.imaging.formats import FORMATS, Format, format_of_path
from pcaimage.imaging.image import Image
from pcaimage.imaging.limits import Limits
from pcaimage.imaging.metrics import (
    Comparison,
    bits_per_pixel,
    compare,
    max_error,
    mse,
    psnr,
    ssim,
)
from pcaimage.imaging.pyramid import Pyramid
from pcaimage.imaging.read import probe, read_image
from pcaimage.imaging.samples import read_sample, sample_names
from pcaimage.imaging.source import Source
from pcaimage.imaging.stack import read_stack
from pcaimage.imaging.types import ImageHeader
from pcaimage.imaging.write import encode_image, write_image
from pcaimage.quality import psnr_of_mse

__all__ = [
    "FORMATS",
    "Comparison",
    "Format",
    "Image",
    "ImageHeader",
    "Limits",
    "Pyramid",
    "Source",
    "atomic_write",
    "bits_per_pixel",
    "compare",
    "encode_image",
    "format_of_path",
    "max_error",
    "mse",
    "probe",
    "psnr",
    "psnr_of_mse",
    "read_image",
    "read_sample",
    "read_stack",
    "sample_names",
    "ssim",
    "write_image",
]
