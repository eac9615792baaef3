"""Images and files that the container's and the format's tests share."""

from dataclasses import replace

import numpy as np
import pytest

import pcaimage
import pcaimage.container
from pcaimage import Blocks, Metadata, Settings


@pytest.fixture(scope="session")
def picture():
    rows, columns, bands = np.indices((21, 18, 3))
    return ((rows * rows + 7 * columns + 40 * bands + 90 * (rows // 6 % 2)) % 256).astype(np.uint8)


@pytest.fixture(scope="session")
def full_file(picture):
    """Return a file with every kind of chunk."""
    alpha = picture[..., 0] // 64 * 85
    metadata = Metadata("beach.png", 4711, b"icc" * 9, b"II*\0" + bytes(9))
    settings = Settings(Blocks(4), k=7, step=6.0, standardize=True)
    data = pcaimage.encode(picture, settings, alpha=alpha, metadata=metadata)
    compressed = pcaimage.container.read(data)
    return pcaimage.container.write(replace(compressed, preview=picture[:9, :9].copy()))
