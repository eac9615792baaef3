"""The photographs for the benchmarks: the user's, or a synthetic one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from pcaimage.errors import PcaImageError
from pcaimage.imaging import probe, read_image
from pcaimage.imaging.reading.samples import read_sample

ENVIRONMENT = "PCAIMAGE_BENCHMARK_DATA"
"""Environment variable that names a folder of photographs, which is searched recursively."""

HEIGHT, WIDTH = 4000, 6000
"""Size of the synthetic photograph: 24 megapixels."""

SUFFIXES = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".avif", ".bmp"}

_SOURCES = ("astronaut", "coffee", "cat", "rocket")
_TILE = 1000
_ENOUGH = 0.8

Bytes = NDArray[np.uint8]


def find_images(folder: Path) -> list[Path]:
    """Return the images of a folder and its subfolders, in alphabetical order."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)


def middles(images: Sequence[Path], side: int, folder: Path) -> list[Path]:
    """Write the middle of each image to a folder, as PNG, and return the files.

    Parameters
    ----------
    images : sequence of Path
        8-bit colour or grey images, each of a name of its own.
    side : int
        Height and width in pixels of what is cut out; less where the image has less.
    folder : Path
        Where to write them.
    """
    found = []
    for image in images:
        pixels = read_image(image).pixels
        corner = [max(extent - side, 0) // 16 * 8 for extent in pixels.shape[:2]]
        part = pixels[corner[0] : corner[0] + side, corner[1] : corner[1] + side]
        found.append(folder / f"{image.stem}.png")
        Pillow.fromarray(part if part.shape[-1] > 1 else part[..., 0]).save(found[-1])
    return found


def find_large() -> Path | None:
    """Return the first photograph of about 24 megapixels or more in the environment's folder, if any."""
    folder = os.environ.get(ENVIRONMENT)
    for path in find_images(Path(folder)) if folder else []:
        try:
            header = probe(path)
        except PcaImageError:
            continue
        if header.width * header.height >= _ENOUGH * HEIGHT * WIDTH:
            return path
    return None


def large_photograph(path: Path | None = None) -> tuple[str, Bytes]:
    """Return the name and pixels of the photograph to measure.

    By default it is from the folder that the environment names, or else a synthetic one.

    Raises
    ------
    ValueError
        If it is not an 8-bit RGB image.
    """
    found = path or find_large()
    if found is None:
        return "made of samples", made_photograph()
    pixels = read_image(found).pixels
    if pixels.dtype != np.uint8 or pixels.shape[-1] != 3:
        raise ValueError(f"{found.name} is not a colour photograph of 8 bits.")
    return found.name, pixels.astype(np.uint8, copy=False)


def made_photograph(height: int = HEIGHT, width: int = WIDTH) -> Bytes:
    """Return a reproducible image of shape (height, width, 3) with the statistics of a photograph.

    It consists of tiles of sample photographs, mirrored and enlarged up to threefold, with sensor noise.
    """
    random = np.random.default_rng(24)
    sources = [read_sample(name).pixels for name in _SOURCES]
    image = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, _TILE):
        for left in range(0, width, _TILE):
            source = sources[int(random.integers(len(sources)))]
            tile = image[top : top + _TILE, left : left + _TILE]
            tile[...] = _tile(source, tile.shape[0], tile.shape[1], random)
    return image


def _tile(source: NDArray[Any], height: int, width: int, random: np.random.Generator) -> Bytes:
    """Cut, mirror and enlarge a part of a photograph."""
    scale = random.uniform(max(2.0, height / source.shape[0], width / source.shape[1]), 3.5)
    rows, columns = (np.arange(extent) / scale for extent in (height, width))
    rows += random.uniform(0, max(source.shape[0] - 1 - rows[-1], 0))
    columns += random.uniform(0, max(source.shape[1] - 1 - columns[-1], 0))
    values = _between(_between(source.astype(np.float32), rows, 0), columns, 1)
    values += random.normal(0, 1.5, values.shape).astype(np.float32)
    flipped = values[:, ::-1] if random.random() < 0.5 else values
    return np.clip(np.rint(flipped), 0, 255).astype(np.uint8)


def _between(values: NDArray[np.float32], places: NDArray[np.float64], axis: int) -> NDArray[np.float32]:
    """Interpolate linearly along an axis."""
    below = np.minimum(places.astype(int), values.shape[axis] - 1)
    above = np.minimum(below + 1, values.shape[axis] - 1)
    shape = (-1, 1, 1) if axis == 0 else (1, -1, 1)
    share = (places - below).astype(np.float32).reshape(shape)
    result: NDArray[np.float32] = values.take(below, axis) * (1 - share)
    result += values.take(above, axis) * share
    return result
