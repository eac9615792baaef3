import numpy as np
import pytest

from benchmarks.levers import without
from benchmarks.methods import pca_photo
from pcaimage.api import open_bytes
from pcaimage.codec.compressed import SHRUNK

STEP = 20.0


@pytest.fixture(scope="module")
def image():
    """Return noisy stripes of two strong colours, of which every part of the method makes something."""
    random = np.random.default_rng(3)
    rows, columns = np.mgrid[:256, :264]
    stripes = np.where(((rows + 2 * columns) // 24 % 2)[..., None], (200, 60, 20), (40, 90, 180))
    return np.clip(stripes + random.normal(0, 6, stripes.shape), 0, 255).astype(np.uint8)


def header_without(lever, image):
    """Return what a file says of how it was made."""
    codec = pca_photo() if lever is None else without(pca_photo(), [lever])
    header = open_bytes(codec.encode(image, STEP)).compressed.header
    return {
        "trellis": header.dependent,
        "shrinkage": bool(header.tools & SHRUNK),
        "order": bool(header.slopes),
    }


@pytest.mark.parametrize("lever", ["trellis", "shrinkage", "order"])
def test_a_file_lacks_only_what_is_left_out(lever, image):
    assert all(header_without(None, image).values())
    found = header_without(lever, image)
    assert [name for name, present in found.items() if not present] == [lever]
