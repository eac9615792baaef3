from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import pytest

from pcaimage.imaging import Image, write_image


class Inline(Executor):
    """Calls functions at once, in this process."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future[Any]()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it belongs to who waits for the result
            future.set_exception(error)
        return future


@pytest.fixture
def inline():
    return Inline()


def draw(path, seed=0, side=24):
    """Write a small noisy image of a shade that the seed decides."""
    noise = np.random.default_rng(seed).integers(0, 60, (side, side, 3)) + seed % 100
    path.parent.mkdir(parents=True, exist_ok=True)
    write_image(path, Image(noise.astype(np.uint8)), overwrite=True)
    return path


@pytest.fixture
def photos(tmp_path):
    """Return a folder of three images, one of them in a folder of its own."""
    for seed, name in enumerate(("a.png", "b.bmp", "inner/c.tif")):
        draw(tmp_path / "photos" / name, seed)
    return tmp_path / "photos"


@pytest.fixture(scope="session")
def two_processes():
    """Return a Dask cluster of two processes, which starts another for one that is killed."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as found:
        yield found
