"""Every format on a disk that becomes full, after any number of bytes."""

import signal
from contextlib import contextmanager

import numpy as np
import pytest

from pcaimage.errors import ImageError
from pcaimage.imaging import Image, write_image

resource = pytest.importorskip("resource")

IMAGE = Image(np.random.default_rng(5).integers(0, 255, (240, 240, 3)).astype(np.uint8))


@contextmanager
def room_for(n_bytes):
    """Let no file grow beyond so many bytes; the system answers as it does when the disk is full."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("suffix", ["png", "webp", "tif", "avif", "hdr", "bmp", "npy", "jp2", "jpg", "npz"])
@pytest.mark.sweep(2)
def test_what_was_there_stays_and_nothing_is_left(suffix, tmp_path):
    target = tmp_path / f"a.{suffix}"
    write_image(target, IMAGE)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    whole = max(map(len, before.values()))
    for room in (0, 1, whole // 3, whole - 1):
        with room_for(room), pytest.raises(ImageError, match="not enough space"):
            write_image(target, IMAGE, overwrite=True)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
