"""Cubes that are too large for memory: mapped from their file, and decoded to one."""

from types import SimpleNamespace

import numpy as np
import pytest

import pcaimage
from pcaimage import container
from pcaimage.api import open_bytes
from pcaimage.codec import Settings
from pcaimage.codec.linear import line_buffer
from pcaimage.errors import DataError, FormatError, ImageTooLargeError
from pcaimage.imaging import Limits
from pcaimage.imaging.cubes import raw
from pcaimage.machine.mapped import is_mapped
from tests.unit.cli.test_bands import cube


@pytest.fixture
def small_memory(monkeypatch):
    """Whatever has more than 4 KB counts as large."""
    monkeypatch.setattr(line_buffer, "IN_MEMORY", 1 << 12)
    monkeypatch.setattr(raw, "MAP_FROM", 1 << 12)


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("kind", ["int16", "float32"])
@pytest.mark.parametrize("option", ["--psnr", "--max-error"])
@pytest.mark.slow
def test_a_cube_goes_from_file_to_file(done, tmp_path, kind, option):
    array = cube(kind, None)
    np.save(tmp_path / "cube.npy", np.ascontiguousarray(np.moveaxis(array, 2, 0)))
    done("encode", "cube.npy", "cube.pcai", option, 50 if option == "--psnr" else 0.01)
    assert is_mapped(pcaimage.open(tmp_path / "cube.pcai").decode())
    done("decode", "cube.pcai", "out.hdr")
    done("decode", "cube.pcai", "out.npy")
    done("decode", "cube.pcai", "out.tif")
    found = np.load("out.npy")
    assert found.shape == array.shape
    assert np.abs(found - array.astype(float)).max() < (0.05 if kind == "float32" else 30)
    done("compare", "out.npy", "out.hdr")
    assert not list(tmp_path.glob("tmp*"))


@pytest.mark.usefixtures("small_memory")
def test_a_mapped_reconstruction_is_the_same_and_a_full_disk_is_told(monkeypatch):
    data = pcaimage.encode(cube("uint16", None), Settings(lossless=True))
    mapped = pcaimage.decode(data)
    assert is_mapped(mapped)
    with monkeypatch.context() as full:
        full.setattr(line_buffer.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
        with pytest.raises(DataError, match=r"not as much room in .*TMPDIR"):
            pcaimage.decode(data)
    monkeypatch.setattr(line_buffer, "IN_MEMORY", 1 << 30)
    assert not is_mapped(pcaimage.decode(data))
    assert np.array_equal(mapped, pcaimage.decode(data))


def test_the_limit_of_a_cube_is_that_of_mapped_files():
    array = cube("uint16", None)
    data, size = pcaimage.encode(array, Settings(k=2)), array.nbytes
    assert open_bytes(data, limits=Limits(max_bytes=size // 2)).k == 2
    with pytest.raises(ImageTooLargeError, match="GB in all"):
        open_bytes(data, limits=Limits(max_mapped_bytes=size - 1))
    with pytest.raises(ImageTooLargeError, match="of memory to decode"):
        open_bytes(data, limits=Limits(max_bytes=18 * 23 * 2 - 1))
    with pytest.raises(ImageTooLargeError, match="GB in all"):
        pcaimage.decode(data, limits=Limits(max_mapped_bytes=1))
    with pytest.raises(FormatError, match="more numbers than the limit"):
        container.read(data, max_numbers=100)
    assert pcaimage.decode(data).shape == (18, 23, 6)


def test_a_mask_of_every_sample_is_limited_too():
    array = cube("uint16", 7.0)
    array[0, 0, 0] = 7
    data = pcaimage.encode(array, Settings(k=1, nodata=7))
    with pytest.raises(ImageTooLargeError, match="of memory to decode"):
        open_bytes(data, limits=Limits(max_bytes=array.size - 1))
    assert open_bytes(data, limits=Limits(max_bytes=array.size)).k == 1
