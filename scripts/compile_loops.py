"""Has all loops compiled once, so that no test waits for that."""

from __future__ import annotations

from typing import Any

import numpy as np

import pcaimage
from pcaimage.codec.photo.warm import warm_up


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
    for cube, wanted in cubes:
        for settings in wanted:
            pcaimage.decode(pcaimage.encode(cube, settings))


if __name__ == "__main__":
    main()
