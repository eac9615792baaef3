"""Small PNGs of the window: exact for its surfaces and letters, with few colours for photographs."""

from __future__ import annotations

import io

import numpy as np
import oxipng
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtGui import QImage
from scipy.spatial import KDTree

Pixels = NDArray[np.uint8]

MOST_BYTES = 300_000
"""Largest size of a picture in bytes."""
MOST_TRUE = 100_000
"""Largest size in bytes of a picture that keeps all its colours."""


def reduced(picture: QImage) -> bytes:
    """Return a picture as a small PNG, with fewer colours if all of them would take too many bytes.

    Colours of surfaces stay exact; the others, of photographs and of the edges of letters, share the rest of
    the palette. Nothing is dithered.
    """
    opaque = picture.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(opaque.constBits(), np.uint8).reshape(opaque.height(), opaque.bytesPerLine())
    pixels = rows[:, : 3 * opaque.width()].reshape(opaque.height(), opaque.width(), 3)
    data = _png(Image.fromarray(pixels))
    for colours in (256, 192, 128):
        if len(data) <= (MOST_TRUE if colours == 256 else MOST_BYTES):
            break
        data = _png(_with_palette(pixels, _palette(pixels, colours)))
    return data


def _palette(pixels: Pixels, size: int) -> Pixels:
    inner = pixels[1:-1, 1:-1]
    beside = (pixels[:-2, 1:-1], pixels[2:, 1:-1], pixels[1:-1, :-2], pixels[1:-1, 2:])
    flat = np.all([np.all(inner == other, axis=2) for other in beside], axis=0)
    surfaces, counts = np.unique(inner[flat], axis=0, return_counts=True)
    surfaces = surfaces[np.argsort(-counts)][: size // 3]
    # Frequent colours must not take all palette entries from rare ones, such as a legend's.
    others, counts = np.unique(inner[~flat], axis=0, return_counts=True)
    weighed = Image.fromarray(np.repeat(others, np.sqrt(counts).astype(int), axis=0)[None])
    mixed = weighed.quantize(size - len(surfaces), method=Image.Quantize.MEDIANCUT, kmeans=2).getpalette()
    return np.concatenate([surfaces, np.array(mixed, np.uint8).reshape(-1, 3)])


def _with_palette(pixels: Pixels, palette: Pixels) -> Image.Image:
    colours, places = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    nearest = np.asarray(KDTree(palette.astype(float)).query(colours)[1], np.uint8)
    image = Image.fromarray(nearest[places].reshape(pixels.shape[:2]), "P")
    image.putpalette(palette.tobytes())
    return image


def _png(image: Image.Image) -> bytes:
    result = io.BytesIO()
    image.save(result, "PNG")
    return oxipng.optimize_from_memory(result.getvalue(), level=5)
