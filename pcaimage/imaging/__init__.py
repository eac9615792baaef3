"""Reading and writing images of other formats, and measuring how far two images are apart."""

from __future__ import annotations

from pcaimage.imaging.atomic import atomic_write
from pcaimage.imaging.image import Image
from pcaimage.imaging.limits import Limits
from pcaimage.imaging.read import probe, read_image
from pcaimage.imaging.types import ImageHeader
from pcaimage.imaging.write import encode_image, write_image

__all__ = [
    "Image",
    "ImageHeader",
    "Limits",
    "atomic_write",
    "encode_image",
    "probe",
    "read_image",
    "write_image",
]
