"""Has all loops compiled once, so that no test waits for that."""

from __future__ import annotations

from typing import Any

import numpy as np

import pcaimage
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.compilation import warm_up
from pcaimage.sampling import Lapped

_HIGH = 600
"""Rows of more than one strip."""


def main() -> None:
    """Do with tiny images all that compiles something."""
    warm_up()
    noise = np.random.default_rng(0).integers(0, 4000, (20, 24, 6))
    usual, near = pcaimage.Settings(), pcaimage.Settings(max_error=2)
    exact = pcaimage.Settings(lossless=True)
    cubes: list[tuple[Any, tuple[pcaimage.Settings, ...]]] = [
        ((noise % 200).astype(np.uint8), (usual, near, exact)),
        (noise.astype(np.uint16), (usual, near, exact)),
        (noise.astype(np.int16), (usual, near, exact)),
        (noise.astype(np.float32), (usual, near)),
    ]
    for cube, wanted in [*cubes, *_photos()]:
        for settings in wanted:
            pcaimage.decode(pcaimage.encode(cube, settings))
    _analyse()


def _photos() -> list[tuple[Any, tuple[pcaimage.Settings, ...]]]:
    """Return what the window's start leaves out: photographs in 16 bits, or without loss."""
    shades = np.random.default_rng(0).integers(0, 65536, (40, 48, 3)).astype(np.uint16)
    usual, exact = pcaimage.Settings(sampling=Lapped()), pcaimage.Settings(sampling=Lapped(), lossless=True)
    fine = pcaimage.Settings(sampling=Lapped(), step=1.0)
    return [
        (shades, (usual, exact)),
        (shades[..., :1], (fine, exact)),
        ((shades >> 8).astype(np.uint8), (exact,)),
    ]


def _analyse() -> None:
    """Find the scores of photographs that are higher than a strip, or that must not be written to."""
    high = np.random.default_rng(0).integers(0, 256, (_HIGH, 16, 3)).astype(np.uint8)
    locked = high[:48].copy()
    locked.setflags(write=False)
    for image in (high, high.astype(np.uint16), locked):
        PhotoAnalysis.fit(image)
        cascade = PhotoAnalysis.fit(image[:48]).cascade
        for rows in (slice(0, 2), slice(0, 6)):
            cascade.scores(image, rows)


if __name__ == "__main__":
    main()
