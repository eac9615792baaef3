"""Large cubes stay in their file."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import tifffile

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, max_error, mse, psnr, read_image, write_image
from pcaimage.imaging.cubes import raw as raw_module
from pcaimage.imaging.measures.pyramid import Pyramid
from pcaimage.machine import mapped
from pcaimage.machine.mapped import Footprint, is_mapped, mapping_of

CUBE = np.random.default_rng(2).integers(0, 4000, (20, 30, 12)).astype(np.uint16)


@pytest.fixture(autouse=True)
def _map_all(monkeypatch):
    monkeypatch.setattr(raw_module, "MAP_FROM", 1)


def envi(path):
    write_image(path / "a.hdr", Image(CUBE))
    return path / "a.hdr"


def bil(path):
    envi(path)
    text = (path / "a.hdr").read_text()
    (path / "a.hdr").write_text(text.replace("bsq", "bil"))
    CUBE.transpose(0, 2, 1).astype("<u2").tofile(path / "a.img")
    return path / "a.img"


def npy(path, array=CUBE):
    np.save(path / "a.npy", array)
    return path / "a.npy"


def tiff(array, **options):
    def make(path):
        tifffile.imwrite(path / "a.tif", array, photometric="minisblack", **options)
        return path / "a.tif"

    return make


PLANES = np.ascontiguousarray(np.moveaxis(CUBE, -1, 0))
SAMPLES = tiff(CUBE, planarconfig="contig")
MADE = [
    *(envi, bil, npy, partial(npy, array=np.asfortranarray(CUBE))),
    *(SAMPLES, tiff(PLANES, planarconfig="separate", bigtiff=True), tiff(PLANES)),
]


@pytest.mark.parametrize("make", MADE)
def test_pixels_stay_in_the_file(tmp_path, make):
    image = read_image(make(tmp_path), Limits(max_bytes=1), as_="bands")
    assert image.is_mapped
    assert not image.pixels.flags.writeable
    np.testing.assert_array_equal(image.pixels, CUBE)
    assert image.pixels.dtype == np.uint16


@pytest.mark.parametrize("make", MADE)
@pytest.mark.sweep(4)
def test_files_that_are_too_short_are_refused_before_they_are_mapped(tmp_path, make):
    path = make(tmp_path)
    path = path.with_suffix(".img") if path.suffix == ".hdr" else path
    path.write_bytes(path.read_bytes()[: -CUBE.nbytes // 2])
    with pytest.raises(ImageError, match=r"cut short|damaged"):
        read_image(path, as_="bands")


def test_mapped_pixels_have_a_limit_of_their_own(tmp_path):
    path = npy(tmp_path)
    read_image(path, Limits(max_mapped_bytes=CUBE.nbytes))
    with pytest.raises(ImageTooLargeError, match="GB in all"):
        read_image(path, Limits(max_mapped_bytes=CUBE.nbytes - 1))
    with pytest.raises(ImageTooLargeError, match="30 x 20 pixels, more than the limit of 599 in all"):
        read_image(path, Limits(max_pixels=599))


def test_what_must_be_converted_photographs_and_bytes_are_read_into_memory(tmp_path):
    for dtype in (">u2", "<f8", "<i4"):
        path = npy(tmp_path, CUBE.astype(dtype))
        image = read_image(path)
        assert not image.is_mapped
        np.testing.assert_array_equal(image.pixels, CUBE)
        with pytest.raises(ImageTooLargeError):
            read_image(path, Limits(max_bytes=1))
    tifffile.imwrite(tmp_path / "a.tif", CUBE[..., :3], photometric="rgb")
    assert not read_image(tmp_path / "a.tif").is_mapped
    assert not read_image(npy(tmp_path).read_bytes()).is_mapped


@pytest.mark.parametrize("make", [envi, SAMPLES])
def test_mapped_pixels_are_measured_shown_and_written(tmp_path, make):
    image = read_image(make(tmp_path))
    changed = CUBE + np.uint16(3)
    assert (mse(image.pixels, changed), max_error(image.pixels, changed)) == (9.0, 3)
    assert psnr(image.pixels, changed) == pytest.approx(20 * np.log10(image.peak / 3))
    np.testing.assert_array_equal(Pyramid(image.pixels).level(0), CUBE)
    for name in ("b.tif", "b.npy", "b.npz", "b.hdr"):
        write_image(tmp_path / name, image)
        np.testing.assert_array_equal(read_image(tmp_path / name, as_="bands").pixels, CUBE)


def test_a_stack_stays_in_its_file(tmp_path):
    image = read_image(tiff(PLANES, imagej=True, metadata={"axes": "TYX"})(tmp_path))
    assert (image.is_mapped, image.is_stack, image.pixels.shape) == (True, True, (12, 20, 30, 1))
    np.testing.assert_array_equal(image.pixels[..., 0], PLANES)


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
