"""The result of storing an image in another format: its approximate size, and its pixels."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image as PillowImage

from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.formats import ARRAY_FORMATS, JXL_MODULE, Format, resolve_quality
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.measures.mosaic import Mosaic
from pcaimage.imaging.still.pillow import arrays_of, open_pillow
from pcaimage.imaging.writing.write import encode_image
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from pcaimage.imaging.image.image import Image
    from pcaimage.imaging.image.types import Pixels

SAMPLE_PIXELS = 3 << 19
"""Pixels of the sample that represents a large picture; a third of it was wrong by up to 45 %."""
_COLOURS = 3


def estimate_size(
    image: Image, target: Format, quality: int | None = None, progress: Progress = no_progress
) -> tuple[int, bool]:
    """Estimate the bytes of an image's file in another format from a sample of the image.

    The flag says whether the sample was the whole image, so that the size is exact.
    """
    if target in ARRAY_FORMATS:
        return image.raw_bytes, False
    sample, whole = _sample(image)
    n_bytes = len(encode_image(sample, target.name, quality, progress=progress))
    if whole:
        return n_bytes, True
    return round(n_bytes * image.pixels.size / sample.pixels.size) + carried_bytes(image, target), False


def without_metadata(image: Image) -> Image:
    """Return an image with only its pixels and its opacity."""
    bare = replace(image, icc_profile=None, exif=None, xmp=None, iptc=None, bands=BandInfo(), labels=None)
    return replace(bare, timing=None)


def carried_bytes(image: Image, target: Format) -> int:
    """Return an upper bound on the bytes of metadata that a format stores."""
    carried = len(image.icc_profile or b"") * target.profile + len(image.exif or b"") * target.exif
    return carried + (len(image.xmp or b"") + len(image.iptc or b"")) * target.exif


def _sample(image: Image) -> tuple[Image, bool]:
    """Return an image of tiles from all over an image, or the image itself, and whether it is the latter."""
    frames, values = 1, _COLOURS * SAMPLE_PIXELS
    if image.is_stack:
        frames = max(1, min(image.frames, values * image.frames // image.pixels.size))
    mosaic = Mosaic.of(image.pixels.shape[-3:], values // max(image.channels, _COLOURS))
    if mosaic.is_whole and frames == image.frames:
        return image, True
    places = np.linspace(0, image.frames - 1, frames).astype(int) if image.is_stack else None
    pixels = image.pixels if places is None else image.pixels[places]
    alpha = image.alpha if image.alpha is None or places is None else image.alpha[places]
    if places is None:
        pixels = np.ascontiguousarray(mosaic.cut(pixels))
        alpha = None if alpha is None else mosaic.cut(alpha)
    sample = replace(without_metadata(image), pixels=pixels, alpha=alpha)
    if image.timing is None or places is None:
        return sample, False
    durations = tuple(image.timing.durations[place] for place in places)
    return replace(sample, timing=Timing(durations, image.timing.plays)), False


def as_written(image: Image, target: Format, quality: int | None = None) -> Pixels:
    """Return the pixels (H, W, C) of a grey or RGB picture as stored in another format, without alpha."""
    if resolve_quality(target, quality) is None:
        return image.pixels
    return written_and_read(image, target, quality)[1]


def written_and_read(image: Image, target: Format, quality: int | None = None) -> tuple[int, Pixels]:
    """Write a grey or RGB picture in another format; return the file's size and its pixels.

    The pixels (H, W, C) are those that reading the file gives, without alpha.
    """
    encoded = encode_image(image, target.name, quality)
    if resolve_quality(target, quality) is None:
        return len(encoded), image.pixels
    data = BytesIO(encoded)
    if target.name == "JXL":
        import_module(JXL_MODULE)  # registers the format with Pillow
        read: PillowImage.Image = PillowImage.open(data)
    else:
        read = open_pillow(data, target.title)
    pixels, _ = arrays_of(read, target.title)
    # Formats without grey return it as three equal channels.
    shown = pixels[..., : image.channels]
    if math.prod(shown.shape) != image.pixels.size:
        raise ValueError(f"{target.title} gave back pixels of shape {pixels.shape}.")
    return len(encoded), shown
