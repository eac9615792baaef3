"""Random images of all kinds, and settings that suit most of them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Settings
from pcaimage.sampling import Bands, Blocks, Channels, Lapped, Stack

_RANGES: dict[str, tuple[int, int]] = {
    "uint8": (0, 255),
    "uint16": (0, 65535),
    "int16": (-30000, 30000),
    "float32": (0, 65535),
}


def image(chance: random.Random, most: int) -> tuple[NDArray[Any], Settings]:
    """Return a random image with sides up to `most`, and settings, which may not suit the image."""
    kind = chance.choice((_photo, _photo, _bands, _bands, _others))
    sides = [chance.choice((1, 2, 7, 8, 9, *(chance.randrange(1, most) for _ in range(5)))) for _ in range(2)]
    return kind(chance, sides[0], sides[1])


def _photo(chance: random.Random, height: int, width: int) -> tuple[NDArray[Any], Settings]:
    kind = chance.choice(("uint8", "uint16"))
    array = _filled(chance, (height, width, chance.choice((1, 3, 3, 2, 4))), kind)
    what = chance.randrange(5)
    if what == 0:
        return array, Settings(Lapped(), lossless=True)
    if what == 1:
        return array, Settings(Lapped(), k=chance.randrange(1, 100))
    return array, Settings(Lapped(), step=_step(chance, kind))


def _bands(chance: random.Random, height: int, width: int) -> tuple[NDArray[Any], Settings]:
    kind = chance.choice(("uint8", "uint16", "int16", "float32"))
    channels = chance.choice((1, 2, 3, 5, 12))
    array = _filled(chance, (height, width, channels), kind)
    nodata = float(array.flat[0]) if kind != "float32" and chance.random() < 0.3 else None
    mnf = chance.random() < 0.2
    what = chance.randrange(4)
    if what == 0 and kind != "float32":
        return array, Settings(Bands(), lossless=True, nodata=nodata, mnf=mnf)
    if what <= 1:
        bound = chance.choice((0.01, 1.0, 3.0, 100.0) if kind == "float32" else (1.0, 2.0, 9.0))
        return array, Settings(Bands(), max_error=bound, nodata=nodata, mnf=mnf)
    if what == 2:
        return array, Settings(Bands(), step=_step(chance, kind), nodata=nodata, mnf=mnf)
    return array, Settings(Bands(), k=chance.randrange(1, channels + 1), nodata=nodata, mnf=mnf)


def _others(chance: random.Random, height: int, width: int) -> tuple[NDArray[Any], Settings]:
    kind = chance.choice(("uint8", "uint16"))
    sampling = chance.choice((Blocks(chance.choice((2, 4, 5, 8, 16))), Channels(), Stack()))
    shape: tuple[int, ...] = (height, width, chance.choice((1, 2, 3, 5, 12)))
    if sampling == Stack():
        shape = (chance.randrange(1, 9), min(height, 20), min(width, 20), min(shape[-1], 3))
    array, standardize = _filled(chance, shape, kind), chance.random() < 0.2
    what = chance.randrange(3)
    if what == 0:
        return array, Settings(sampling, k=1, standardize=standardize)
    if what == 1:
        return array, Settings(sampling, k=3, step=_step(chance, kind), standardize=standardize)
    return array, Settings(sampling, variance=chance.choice((0.9, 1.0)), standardize=standardize)


def _step(chance: random.Random, kind: str) -> float:
    return chance.choice((0.5, 2.0, 9.0, 30.0, 200.0)) * (1.0 if kind == "uint8" else 60.0)


def _filled(chance: random.Random, shape: tuple[int, ...], kind: str) -> NDArray[Any]:
    """Return a smooth image, noise, one value, extreme values, or real numbers with gaps."""
    numbers = np.random.default_rng(chance.randrange(1 << 30))
    low, high = _RANGES[kind]
    what = chance.choice(("smooth", "smooth", "noise", "one", "extreme"))
    if what == "smooth":
        axes = np.indices(shape[-3:-1]).astype(np.float64)
        plane = np.sin(axes[0] / chance.uniform(1, 30)) + np.cos(axes[1] / chance.uniform(1, 30))
        mixed = plane[..., None] * numbers.normal(1, 0.3, shape) + numbers.normal(0, 0.05, shape)
        values = low + (high - low) * (mixed + 3) / 6
    elif what == "noise":
        values = numbers.uniform(low, high, shape)
    elif what == "one":
        values = np.full(shape, float(chance.choice((low, high, (low + high) // 2))))
    else:
        values = numbers.choice([float(low), float(high)], shape)
    array: NDArray[Any] = np.clip(values, low, high).astype(kind)
    if kind == "float32" and chance.random() < 0.3:
        array[numbers.random(shape) < 0.1] = np.nan
    return array
