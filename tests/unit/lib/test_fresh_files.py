"""The decoder in C gives what the one in Python gives, for images of all kinds and sides."""

import numpy as np
import pytest

import pcaimage
from pcaimage import Bands, Blocks, Settings, Stack
from pcaimage.errors import PcaImageError
from tests.unit.lib.decoding import Opened


def scene(random, shape, dtype):
    """Return an image with smooth parts, edges and noise."""
    waves = np.add.outer(np.sin(np.arange(shape[0]) / 5), np.cos(np.arange(shape[1]) / 7))
    picture = waves.reshape(*waves.shape, *(1,) * (len(shape) - 2)) + random.normal(size=shape) / 9
    picture = picture + random.normal(size=shape[-1])
    scaled = (picture - picture.min()) / (np.ptp(picture) or 1)
    if dtype == "float32":
        return (scaled * 3 - 1).astype(dtype)
    bounds = np.iinfo(dtype)
    return (scaled * (bounds.max / 2 - bounds.min / 2) + bounds.min / 2).astype(dtype)


def agree(data, image, *, k=None):
    """Check pixels from all components, and from the first k."""
    with Opened(data) as file:
        for count in (min(k or 1, file.info.k), file.info.k):
            expected = pcaimage.decode(data, count)
            found = file.pixels(count)
            assert found.shape == expected.shape == image.shape
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.sweep(3)
def test_blocks(seed):
    random = np.random.default_rng(seed)
    sides = random.integers(1, 70, 2)
    channels = (1, 1, 2, 3, 3, 4, 7, 30)[seed % 8]
    size = int((2, 3, 4, 5, 8, 8, 16, 64)[seed % 7])
    image = scene(random, (*sides, channels), ("uint8", "uint16")[seed % 2])
    if channels == 1 and seed % 3:
        image = image[..., 0]
    samples = np.prod([-(-side // size) for side in sides])
    k = int(min(samples, size * size * channels, 9))
    step = None if seed % 2 else 4.0
    data = pcaimage.encode(image, Settings(Blocks(size), k=k, step=step, standardize=seed % 5 == 0))
    agree(data, image, k=4)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.sweep(3)
def test_bands(seed):
    random = np.random.default_rng(100 + seed)
    sides = random.integers(1, 60, 2)
    channels = (1, 2, 3, 4, 7, 9, 40, 130)[seed % 8]
    dtype = ("uint8", "uint16", "int16", "float32")[seed % 4]
    image = scene(random, (*sides, channels), dtype)
    nodata = None
    if seed % 3 == 0:
        nodata = image.flat[0].item()
        image[random.random(image.shape[:2]) < 0.1] = nodata
        if seed % 2:
            image[random.random(image.shape) < 0.05] = nodata
    error = {0: None, 1: 0.0, 2: 2.0}[seed % 3] if dtype != "float32" else (None, 0.01)[seed % 2]
    most = min(sides[0] * sides[1], channels, 6)
    settings = Settings(Bands(), k=int(most), nodata=nodata, max_error=error)
    try:
        data = pcaimage.encode(image, settings)
    except PcaImageError as refused:
        pytest.skip(str(refused))
    agree(data, image, k=2)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.sweep(3)
def test_stacks(seed):
    random = np.random.default_rng(200 + seed)
    count = (1, 2, 9, 40, 1025, 2100)[seed % 6]
    sides = random.integers(1, 12, 2) if count > 1000 else random.integers(1, 50, 2)
    image = scene(random, (count, *sides, (1, 3)[seed % 2]), ("uint8", "uint16")[seed // 2 % 2])
    most = min(count, sides[0] * sides[1], 8)
    data = pcaimage.encode(image, Settings(Stack(), k=int(most)))
    agree(data, image, k=3)


@pytest.mark.slow
def test_large_images_of_many_slices():
    random = np.random.default_rng(7)
    for image, settings in (
        (scene(random, (700, 900, 3), "uint8"), Settings(Blocks(8), k=60)),
        (scene(random, (600, 700, 12), "uint16"), Settings(Bands(), k=5)),
        (scene(random, (40, 300, 500, 1), "uint8"), Settings(Stack(), k=6)),
    ):
        agree(pcaimage.encode(image, settings), image, k=3)
