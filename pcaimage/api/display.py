"""Descriptions and pictures of compressed images for Python's prompt and notebooks."""

from __future__ import annotations

import base64
import html
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pcaimage.sampling import name_of

if TYPE_CHECKING:
    from pcaimage.codec import Compressed
    from pcaimage.imaging import Image
    from pcaimage.imaging.image.types import Pixels

SIDE = 1024
"""Longest side in pixels of a picture for a notebook."""


def described(compressed: Compressed, n_bytes: int) -> str:
    """Return size, type, method, k and bytes of a file in one line.

    Such as ``"768 × 512, 3 channels, uint8, photo, k = 187, 83,131 bytes"``.
    """
    *frames, height, width, channels = compressed.header.shape
    many = "".join(f"{count} × " for count in frames)
    plural = "channel" if channels == 1 else "channels"
    alpha = " and opacity" if compressed.alpha is not None else ""
    method = name_of(compressed.header.sampling)
    return (
        f"{many}{width} × {height}, {channels} {plural}{alpha}, {compressed.header.dtype}, {method}, "
        f"k = {compressed.k}, {n_bytes:,} bytes"
    )


def shown(image: Image) -> bytes:
    """Return a picture as a PNG of at most 1024 pixels a side.

    It is the first image of a stack, and three of many bands, stretched.
    """
    from pcaimage.imaging import BandInfo, encode_image  # noqa: PLC0415 - few files are shown
    from pcaimage.imaging.writing.adapt import Resize, resize_image  # noqa: PLC0415 - as above

    pixels, alpha = image.pixels, image.alpha
    if image.is_stack:
        pixels, alpha = pixels[0], None if alpha is None else alpha[0]
    if pixels.shape[-1] not in {1, 3} or pixels.dtype.kind != "u":
        pixels, alpha = _stretched(pixels), None
    bare = replace(image, timing=None, labels=None, bands=BandInfo(), exif=None)
    plain = replace(bare, pixels=pixels, alpha=alpha)
    return encode_image(resize_image(plain, Resize(SIDE, SIDE)), "png")


def page_of(picture: bytes, text: str) -> str:
    """Return a picture and its description as HTML."""
    source = base64.b64encode(picture).decode()
    return (
        f'<figure style="margin: 0"><img src="data:image/png;base64,{source}" alt="{html.escape(text)}" '
        f'style="max-width: 100%"><figcaption>{html.escape(text)}</figcaption></figure>'
    )


def _stretched(pixels: Pixels) -> Pixels:
    """Return three bands, or one, as bytes: stretched from the second to the ninety-eighth percentile."""
    count = pixels.shape[-1]
    chosen = [0] if count < 3 else [5 * count // 6, count // 2, count // 6]
    values = pixels[..., chosen].astype(np.float32)
    finite = values[np.isfinite(values)]
    low, high = np.percentile(finite, (2, 98)) if finite.size else (0.0, 1.0)
    scaled = np.nan_to_num((values - low) / ((high - low) or 1.0) * 255)
    return np.clip(scaled, 0, 255).astype(np.uint8)
