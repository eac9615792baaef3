"""Times and memory of the photo method, from small photographs to large ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image as Pillow

from benchmarks.photo_memory import Footprint, footprints
from benchmarks.photo_stages import Coded, equals, step_for, time_codecs
from benchmarks.photographs import Bytes

MEGA = 1e6


@dataclass(frozen=True)
class Size:
    """Times and memory at one size.

    Parameters
    ----------
    megapixels : float
        Millions of pixels.
    own, other : Coded
        The photo method, and JPEG 2000 with a file of the same size.
    encode, decode : Footprint
        Memory of the photo method.
    """

    megapixels: float
    own: Coded
    other: Coded
    encode: Footprint
    decode: Footprint

    @property
    def bytes(self) -> tuple[int, int, int, int]:
        """Memory of encoding, without and with libraries, and of decoding likewise."""
        return self.encode.job, self.encode.total, self.decode.job, self.decode.total


def growth(pixels: Sequence[float], costs: Sequence[float]) -> float:
    """Return the exponent of the growth of costs with pixels: the slope of the log-log regression line."""
    return float(np.polyfit(np.log(pixels), np.log(costs), 1)[0])


def resized(array: Bytes, megapixels: float) -> Bytes:
    """Return a photograph scaled down, or tiled with its mirror images, to about some megapixels."""
    height, width = array.shape[:2]
    scale = math.sqrt(megapixels * MEGA / (height * width))
    rows, columns = max(1, round(height * scale)), max(1, round(width * scale))
    if (rows, columns) == (height, width):
        return array
    if scale < 1:
        small = Pillow.fromarray(array).resize((columns, rows), Pillow.Resampling.LANCZOS)
        return np.asarray(small)
    return np.pad(array, ((0, rows - height), (0, columns - width), (0, 0)), mode="symmetric")


def measure_sizes(array: Bytes, sizes: Sequence[float], rate: float, runs: int) -> list[Size]:
    """Measure a photograph at several sizes in megapixels, ascending, at `rate` bits per pixel."""
    found, step = [], 8.0
    for megapixels in sorted(sizes):
        image = resized(array, megapixels)
        step, data = step_for(image, rate, step)
        memory = footprints(image, data, step)
        own, other = time_codecs(image, equals(image, data, step), runs)
        found.append(Size(image.shape[0] * image.shape[1] / MEGA, own, other, *memory))
    return found
