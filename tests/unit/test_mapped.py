"""Arrays that stay in their file, and what a walk through them leaves in memory."""

from pathlib import Path

import numpy as np
import pytest

from pcaimage.machine import mapped
from pcaimage.machine.mapped import Footprint, is_mapped, mapping_of

MEGABYTE = 1 << 20


def file_of(path, n_bytes=64 * MEGABYTE):
    np.arange(n_bytes, dtype=np.uint8).tofile(path)
    return path


def resident(array):
    """Return how many bytes of a mapped array are in this process's memory; None where nothing tells."""
    place, found = f"{array.ctypes.data:x}-", False
    try:
        lines = Path("/proc/self/smaps").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        found = found or line.startswith(place)
        if found and line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    return None


def test_views_of_a_mapped_file_are_mapped_and_arrays_in_memory_left_alone(tmp_path):
    array = np.memmap(file_of(tmp_path / "a", 64), np.uint8, "r")
    view = array.reshape(8, 8).transpose()[2:].view(np.ndarray)
    assert is_mapped(view)
    assert not is_mapped(view.copy())
    ones = np.ones(1000)
    assert not is_mapped(ones)
    assert mapping_of(ones) is None
    footprint = Footprint(ones, ones[3:])
    footprint.walked(1 << 40)
    footprint.let_go()
    assert ones.sum() == 1000


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.slow
def test_what_was_walked_through_is_let_go_of(tmp_path, mode):
    array = np.memmap(file_of(tmp_path / "a"), np.uint8, mode)
    footprint, expected = Footprint(array), int(array.sum())
    before = resident(array)
    if before is None:
        pytest.skip("nothing tells what is in memory")
    assert before > 60 * MEGABYTE
    footprint.walked(mapped.KEPT_BYTES - 1)
    assert resident(array) == before
    footprint.walked(1)
    after = resident(array)
    assert after is not None
    assert after < MEGABYTE
    assert int(array.sum()) == expected


@pytest.mark.slow
def test_changes_of_a_mapped_file_are_kept(tmp_path):
    path = file_of(tmp_path / "a")
    for mode in ("r+", "c"):
        array = np.memmap(path, np.uint8, mode)
        array[::4096] = 200
        Footprint(array).let_go()
        assert (array[::4096] == 200).all()
