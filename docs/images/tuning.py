"""Draws parts of ten of Kodak's photographs beside what codecs make of them in as many bytes.

``python docs/images/tuning.py FOLDER`` writes ``docs/images/tuning-0.15.webp``, ``-0.3`` and ``-0.6``, by
bits per pixel, from the folder's photographs. It needs the plugin for JPEG XL.
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
from pcaimage.codec import Effort, Tune
from pcaimage.imaging import read_image

Pixels = NDArray[Any]

RATES = 0.15, 0.3, 0.6
"""Bits per pixel."""

_PARTS = {
    "kodim01": (250, 420),
    "kodim04": (290, 190),
    "kodim05": (290, 300),
    "kodim08": (290, 590),
    "kodim13": (290, 330),
    "kodim15": (110, 380),
    "kodim19": (300, 240),
    "kodim20": (180, 130),
    "kodim22": (50, 220),
    "kodim23": (180, 110),
}
"""Photographs, which are coded whole, and the upper left corners of the parts that are shown."""

_SHOWN, _SCALE = (92, 140), 2
"""Size of what is shown, and its magnification."""


def _pillow(pixels: Pixels, size: int, name: str, **options: Any) -> bytes:
    """Return an image by a codec of Pillow at the best quality that fits a size, or at the worst."""
    low, high, best = 0, 96, b""
    while low < high:
        quality = (low + high) // 2
        file = io.BytesIO()
        Pillow.fromarray(pixels).save(file, name, quality=quality, **options)
        if file.tell() <= size or quality == 0:
            low, best = quality + 1, file.getvalue()
        else:
            high = quality
    return best


def _row(file: Path, rate: float, corner: tuple[int, int]) -> Pixels:
    pixels = read_image(file).pixels
    size = int(rate * pixels.shape[0] * pixels.shape[1] / 8)
    settings = Settings(size=size, tune=Tune.EYE, effort=Effort.BEST)
    ours = np.asarray(pcaimage.decode(pcaimage.encode(pixels, settings)))
    pictures = {f"{file.stem}, original": pixels, f"pcaimage, {rate} bits a pixel": ours}
    others: dict[str, dict[str, Any]] = {
        "AVIF": {"subsampling": "4:4:4", "speed": 4},
        "JPEG XL": {"name": "JXL", "effort": 9},
    }
    for name, options in others.items():
        data = _pillow(pixels, size, **{"name": name, **options})
        more = "" if len(data) <= size else f", {rate * len(data) / size:.2f} bits"
        pictures[name + more] = np.asarray(Pillow.open(io.BytesIO(data)).convert("RGB"))
    return np.hstack([_labelled(each, corner, label) for label, each in pictures.items()])


def _labelled(pixels: Pixels, corner: tuple[int, int], label: str) -> Pixels:
    (top, left), (height, width) = corner, _SHOWN
    crop = Pillow.fromarray(pixels[top : top + height, left : left + width])
    crop = crop.resize((_SCALE * width, _SCALE * height), Pillow.Resampling.NEAREST)
    draw = ImageDraw.Draw(crop)
    draw.rectangle((0, 0, 12 + draw.textlength(label), 18), fill="black")
    draw.text((6, 3), label, fill="white")
    return np.asarray(crop)


def main(folder: Path) -> None:
    """Write the pictures."""
    importlib.import_module("pillow_jxl")
    for rate in RATES:
        rows = [_row(folder / f"{name}.png", rate, corner) for name, corner in _PARTS.items()]
        place = Path(__file__).with_name(f"tuning-{rate}.webp")
        Pillow.fromarray(np.vstack(rows)).save(place, quality=78, method=6)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
