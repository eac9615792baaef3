"""Images and files that the container's and the format's tests share."""

from dataclasses import replace

import numpy as np
import pytest

import pcaimage
from pcaimage import Blocks, Metadata, Settings, container
from pcaimage.container.writer import group_payload
from tests.unit.container.files import assembled, parts, photo, scene

METADATA = Metadata("beach.png", 4711, b"icc" * 9, b"II*\0" + bytes(9))


@pytest.fixture(scope="session")
def picture():
    rows, columns, bands = np.indices((21, 18, 3))
    return ((rows * rows + 7 * columns + 40 * bands + 90 * (rows // 6 % 2)) % 256).astype(np.uint8)


@pytest.fixture(scope="session")
def full_file(picture):
    """Return a file with every kind of chunk."""
    alpha = picture[..., 0] // 64 * 85
    settings = Settings(Blocks(4), k=7, step=6.0, standardize=True)
    compressed = container.read(pcaimage.encode(picture, settings, alpha=alpha, metadata=METADATA))
    return container.write(replace(compressed, preview=picture[:9, :9].copy()))


@pytest.fixture(scope="session")
def bands_file():
    """Return a file with every kind of chunk that many bands have, but opacity."""
    array = scene(7, 9, 6).astype(np.int16) - 100
    array[2:4, 3:5] = -9999
    array[6, 6, 2] = -9999
    settings = Settings(k=4, step=9.0, max_error=3, nodata=-9999)
    return pcaimage.encode(array, settings, metadata=replace(METADATA, name="cube.tif", bands=b"bands"))


@pytest.fixture(scope="session")
def photo_file():
    """Return a file with every kind of chunk that photos have, of two groups."""
    alpha = np.arange(21 * 18, dtype=np.uint8).reshape(21, 18)
    image = photo(24, 40, 16, 8, 8, 0, 8, 5, metadata=METADATA, alpha=alpha, residual=b"residual")
    found = parts(container.write(image))
    segments = [component.scores for component in image.components]
    halves = [(b"G", group_payload(1, segments[:3])), (b"G", group_payload(4, segments[3:]))]
    return assembled([*found[:-3], *halves, *found[-2:]])


@pytest.fixture(scope="session")
def lent_file():
    """Return a file with every kind of chunk whose basis is in a model file, and that model."""
    other = scene(27, 13, 3, seed=1)
    model = pcaimage.encode(scene(35, 42, 3), Settings(Blocks(6), k=20))
    alpha = other[..., 0] // 64 * 85
    return pcaimage.encode(other, Settings(k=7), alpha=alpha, metadata=METADATA, model=model), model
