"""Samples from text and from images."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError, reason_of
from pcaimage.insight.lab.data import MAX_FEATURES, LabData
from pcaimage.insight.numeric import MAX_TEXT_BYTES, read_table
from pcaimage.sampling import Blocks, Channels, Sampling, Stack

MOST_DRAWN = 50_000
"""Most samples of an image; of more, so many are drawn at random."""

_SEED = 1901
_COLOURS = {1: ("grey",), 3: ("red", "green", "blue"), 4: ("red", "green", "blue", "infrared")}


def pasted(text: str, *, in_columns: bool = False) -> LabData:
    """Read a table from text: CSV, LaTeX, NumPy or MATLAB; DataError names the offending cell."""
    return LabData.of_table(read_table(text.encode(), "The pasted table", transpose=in_columns))


def in_file(path: Path) -> LabData:
    """Read a table from a text file as :func:`pasted` does; DataError also if the file cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise DataError(reason_of(error)) from error
    return LabData.of_table(read_table(data, path.name))


def neighbours(pixels: NDArray[Any]) -> LabData:
    """Return pairs of neighbouring pixels, each pixel in one pair: why images compress.

    Neighbours are nearly equal, so their points lie along the diagonal. The first component is their mean,
    (1, 1) / √2, the second their difference, which hardly varies. The image is (H, W) or (H, W, C), of whose
    channels the mean is taken; DataError if it is narrower than two pixels.
    """
    if pixels.ndim not in {2, 3} or pixels.shape[1] < 2 or not pixels.size:
        raise DataError(f"An array of shape {pixels.shape} has no neighbouring pixels.")
    width = pixels.shape[1] // 2 * 2
    grey = pixels[:, :width] if pixels.ndim == 2 else pixels[:, :width].mean(axis=2)
    pairs = grey.reshape(-1, 2)
    return LabData("Neighbouring pixels", ("left pixel", "right pixel"), _drawn(pairs), picture=(1, 2))


def channels(pixels: NDArray[Any], names: Sequence[str] | None = None) -> LabData:
    """Return the pixels of an image, (H, W) or (H, W, C), as samples of its channels."""
    data = _sampled("Channels", pixels, Channels(), of_pictures=False)
    found = tuple(names) if names is not None else _COLOURS.get(data.n_features)
    if found is None or len(found) != data.n_features:
        found = tuple(f"band {number}" for number in range(1, data.n_features + 1))
    return LabData(data.name, found, data.samples)


def blocks(pixels: NDArray[Any], size: int) -> LabData:
    """Return the blocks of an image, (H, W) or (H, W, C), as samples that are pictures.

    Sides are 2 to 16 pixels; DataError if the array is no image, or a block has too many numbers.
    """
    if not 2 <= size <= 16:
        raise DataError(f"Blocks of the lab have sides of 2 to 16 pixels, not {size}.")
    return _sampled(f"Blocks of {size} × {size}", pixels, Blocks(size))


def stack(images: NDArray[Any], labels: NDArray[Any] | None = None) -> LabData:
    """Return the images of a stack, (N, H, W) or (N, H, W, C), as samples that are pictures.

    Labels are the group of each image, such as its digit. DataError if the array is no stack, images have too
    many pixels, or labels do not fit.
    """
    if labels is not None and len(labels) != len(images):
        raise DataError(f"{len(labels)} labels do not fit {len(images)} images.")
    found = _sampled("Stack", images, Stack())
    drawn = _chosen(len(images))
    groups = None if labels is None else tuple(str(label) for label in np.asarray(labels)[drawn].tolist())
    return LabData(found.name, found.features, found.samples, groups=groups, picture=found.picture)


def _sampled(name: str, array: NDArray[Any], sampling: Sampling, *, of_pictures: bool = True) -> LabData:
    count = sampling.n_features(array.shape) if array.ndim in sampling.ndims else 0
    if count > MAX_FEATURES:
        raise DataError(
            f"{name}: a sample has {count:,} numbers; the lab takes at most {MAX_FEATURES:,}. Make the "
            "pictures smaller."
        )
    samples = sampling.to_samples(array)
    shape = array.shape if array.ndim == max(sampling.ndims) else (*array.shape, 1)
    height, width, depth = sampling.feature_grid(shape)
    cells = [(row, column) for row in range(1, height + 1) for column in range(1, width + 1)]
    suffixes = [""] if depth == 1 else [f" {channel}" for channel in range(1, depth + 1)]
    features = tuple(f"pixel {row},{column}{suffix}" for row, column in cells for suffix in suffixes)
    picture = ((height, width) if depth == 1 else (height, width, depth)) if of_pictures else None
    return LabData(name, features, _drawn(samples), picture=picture)


def _drawn(samples: NDArray[Any]) -> NDArray[np.float64]:
    return samples[_chosen(len(samples))].astype(np.float64)


def _chosen(count: int) -> NDArray[np.int64]:
    """Return the indices of the samples that are drawn, in ascending order; the same for the same count."""
    if count <= MOST_DRAWN:
        return np.arange(count)
    return np.sort(np.random.default_rng(_SEED).choice(count, MOST_DRAWN, replace=False))
