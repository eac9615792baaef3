"""Has all loops compiled once, so that no test waits for that."""

from __future__ import annotations

from typing import Any

import numpy as np

import pcaimage
from pcaimage.codec.photo.warm import warm_up
from pcaimage.sampling import Lapped


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


if __name__ == "__main__":
    main()
