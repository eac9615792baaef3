"""The project's own methods as codecs, through the library's public calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

import pcaimage
from benchmarks.codecs import Codec, Pixels
from pcaimage import Settings
from pcaimage.codec import Effort, Tune
from pcaimage.sampling import Blocks, Channels, Lapped

STEPS = (420, 270, 170, 110, 72, 48, 32, 21, 14, 9, 6, 4, 2.7, 1.8)
"""Quantiser steps, from coarse to fine."""

_QUALITIES: dict[str, tuple[float, ...]] = {
    "k": (3, 5, 8, 12, 16, 24, 32, 48, 64, 72, 80, 96, 128),
    "variance": (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999),
    "psnr": (26, 28, 30, 32, 34, 36, 38, 40),
}

BY = tuple(_QUALITIES)
"""The settings that may vary along a curve of blocks."""


@dataclass(frozen=True)
class Choice:
    """A method with its options.

    Parameters
    ----------
    sizes : tuple of int, default (8,)
        Pixels along a block's side, with a curve for each.
    by : {"k", "variance", "psnr"}, default "k"
        The setting that varies along a curve.
    """

    sizes: tuple[int, ...] = (8,)
    by: str = "k"


def pca_blocks(size: int = 8, by: str = "k") -> Codec:
    """Return this project's codec on the image's own blocks of `size` pixels along a side.

    Its quality is the number of components kept, the share of the variance, or decibels; the step follows
    from k by reverse water-filling.
    """
    return _own(f"PCA {size}×{size}", partial(_blocks, size, by), _QUALITIES[by])


def pca_channels() -> Codec:
    """Return this project's codec on the channels of each pixel; its quality is the quantiser's step."""
    return _own("PCA channels", _channels, STEPS)


def pca_photo(tune: Tune = Tune.PSNR, effort: Effort = Effort.STANDARD) -> Codec:
    """Return this project's codec for photographs; its quality is the quantiser's step."""
    name = "PCA photo" if tune is Tune.PSNR else f"PCA photo, for the {tune}"
    return _own(name, partial(_photo, tune, effort), STEPS)


METHODS: dict[str, Callable[[Choice], list[Codec]]] = {
    "photo": lambda _: [pca_photo()],
    "eye": lambda _: [pca_photo(Tune.EYE)],
    "photo-best": lambda _: [pca_photo(effort=Effort.BEST)],
    "eye-best": lambda _: [pca_photo(Tune.EYE, Effort.BEST)],
    "blocks": lambda choice: [pca_blocks(size, choice.by) for size in choice.sizes],
    "channels": lambda _: [pca_channels()],
}
"""The codecs of each method, by the method's name; the first is measured by default."""


def _photo(tune: Tune, effort: Effort, step: float) -> Settings:
    return Settings(sampling=Lapped(), step=step, tune=tune, effort=effort)


def _blocks(size: int, by: str, quality: float) -> Settings:
    sampling = Blocks(size)
    if by == "variance":
        return Settings(sampling=sampling, variance=quality)
    if by == "psnr":
        return Settings(sampling=sampling, psnr=quality)
    return Settings(sampling=sampling, k=round(quality))


def _channels(quality: float) -> Settings:
    return Settings(sampling=Channels(), variance=1.0, step=quality)


def _own(name: str, settings: Callable[[float], Settings], qualities: tuple[float, ...]) -> Codec:
    return Codec(name, partial(_encode, settings), qualities, _decode)


def _encode(settings: Callable[[float], Settings], array: Pixels, quality: float) -> bytes:
    return pcaimage.encode(array, settings(quality))


def _decode(data: bytes) -> Pixels:
    return pcaimage.decode(data).astype(np.uint8, copy=False)
