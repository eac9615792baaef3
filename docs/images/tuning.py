"""Draws parts of Kodak's photographs beside what codecs make of them in as many bytes.

``python docs/images/tuning.py FOLDER`` writes ``docs/images/tuning.jpg`` from the folder's kodim13.png,
kodim15.png and kodim19.png. It needs the plugin for JPEG XL.
"""

from __future__ import annotations

import importlib
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw

import pcaimage
from pcaimage import Settings
from pcaimage.codec import Tune
from pcaimage.imaging import read_image

Pixels = NDArray[Any]

_CROPS = (("kodim15", 0.15, (40, 200)), ("kodim19", 0.3, (256, 100)), ("kodim13", 0.6, (200, 300)))
"""Photographs, bits per pixel, and the upper left corners of the parts that are coded."""

_CODED, _SHOWN, _WITHIN, _SCALE = (256, 384), (130, 190), (30, 60), 2
"""Sizes of what is coded and of what is shown of it, the place of the latter, and its magnification."""


def _for_the_eye(pixels: Pixels, size: int) -> Pixels:
    return np.asarray(pcaimage.decode(pcaimage.encode(pixels, Settings(size=size, tune=Tune.EYE))))


def _pillow(pixels: Pixels, size: int, name: str, **options: Any) -> Pixels:
    """Return an image as a codec of Pillow has it at the best quality that fits a size, or at the worst."""
    low, high, best = 0, 96, b""
    while low < high:
        quality = (low + high) // 2
        file = io.BytesIO()
        Pillow.fromarray(pixels).save(file, name, quality=quality, **options)
        if file.tell() <= size or quality == 0:
            low, best = quality + 1, file.getvalue()
        else:
            high = quality
    return np.asarray(Pillow.open(io.BytesIO(best)).convert("RGB"))


def _row(folder: Path, name: str, rate: float, corner: tuple[int, int]) -> Pixels:
    (top, left), (height, width) = corner, _CODED
    photograph = read_image(folder / f"{name}.png").pixels
    pixels = np.ascontiguousarray(photograph[top : top + height, left : left + width])
    size = int(rate * height * width / 8)
    pictures = {
        "original": pixels,
        f"pcaimage, {rate} bits a pixel": _for_the_eye(pixels, size),
        "AVIF": _pillow(pixels, size, "AVIF", subsampling="4:4:4"),
        "JPEG XL": _pillow(pixels, size, "JXL"),
        "WebP": _pillow(pixels, size, "WEBP", method=6),
    }
    return np.hstack([_labelled(each, label) for label, each in pictures.items()])


def _labelled(pixels: Pixels, label: str) -> Pixels:
    (top, left), (height, width) = _WITHIN, _SHOWN
    crop = Pillow.fromarray(pixels[top : top + height, left : left + width])
    crop = crop.resize((_SCALE * width, _SCALE * height), Pillow.Resampling.NEAREST)
    draw = ImageDraw.Draw(crop)
    draw.rectangle((0, 0, 12 + draw.textlength(label), 18), fill="black")
    draw.text((6, 3), label, fill="white")
    return np.asarray(crop)


def main(folder: Path) -> None:
    """Write the picture."""
    importlib.import_module("pillow_jxl")
    rows = np.vstack([_row(folder, *crop) for crop in _CROPS])
    picture = Pillow.fromarray(rows)
    picture.save(Path(__file__).with_name("tuning.jpg"), quality=82, subsampling="4:4:4", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
