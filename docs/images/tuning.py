"""Draws crops of sample photographs beside what codecs make of them in as many bytes.

``python docs/images/tuning.py`` writes ``docs/images/tuning.png``.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw

import pcaimage
from pcaimage import Settings
from pcaimage.codec import Tune
from pcaimage.imaging import read_sample

Pixels = NDArray[Any]

_CROPS = (("rocket", 0.15, (290, 110)), ("coffee", 0.25, (120, 250)), ("cat", 0.4, (60, 90)))
"""Samples, bits per pixel, and the crops' upper left corners."""

_SIDE, _SCALE = (130, 190), 2


def _tuned(pixels: Pixels, size: int, tune: Tune) -> Pixels:
    return np.asarray(pcaimage.decode(pcaimage.encode(pixels, Settings(size=size, tune=tune))))


def _pillow(pixels: Pixels, size: int, name: str, **options: Any) -> Pixels:
    """Return what a codec of Pillow's makes of an image at the best quality that fits a size."""
    low, high, best = 0, 96, b""
    while low < high:
        quality = (low + high) // 2
        file = io.BytesIO()
        Pillow.fromarray(pixels).save(file, name, quality=quality, **options)
        if file.tell() <= size:
            low, best = quality + 1, file.getvalue()
        else:
            high = quality
    return np.asarray(Pillow.open(io.BytesIO(best)).convert("RGB"))


def _row(name: str, rate: float, corner: tuple[int, int]) -> Pixels:
    pixels = np.ascontiguousarray(read_sample(name).pixels)
    size = int(rate * pixels.shape[0] * pixels.shape[1] / 8)
    pictures = {
        "original": pixels,
        "for the eye": _tuned(pixels, size, Tune.EYE),
        "for the PSNR": _tuned(pixels, size, Tune.PSNR),
        "AVIF": _pillow(pixels, size, "AVIF", subsampling="4:4:4"),
        "WebP": _pillow(pixels, size, "WEBP", method=6),
    }
    return np.hstack([_labelled(each, corner, label) for label, each in pictures.items()])


def _labelled(pixels: Pixels, corner: tuple[int, int], label: str) -> Pixels:
    (top, left), (height, width) = corner, _SIDE
    crop = Pillow.fromarray(pixels[top : top + height, left : left + width])
    crop = crop.resize((_SCALE * width, _SCALE * height), Pillow.Resampling.NEAREST)
    draw = ImageDraw.Draw(crop)
    draw.rectangle((0, 0, 12 + draw.textlength(label), 18), fill="black")
    draw.text((6, 3), label, fill="white")
    return np.asarray(crop)


def main() -> None:
    """Write the picture."""
    rows = np.vstack([_row(*crop) for crop in _CROPS])
    Pillow.fromarray(rows).quantize(256, dither=Pillow.Dither.FLOYDSTEINBERG).save(
        Path(__file__).with_name("tuning.png"), optimize=True
    )


if __name__ == "__main__":
    main()
