"""Files of the sciences, as their libraries and GDAL wrote them, and OME-Zarr."""

import json
import sys
import zlib
from itertools import product

import numpy as np
import pytest

from pcaimage.errors import ImageError
from pcaimage.imaging import BandInfo, Image, read_image, write_image
from tests.deep_avif import PICTURES

pytestmark = pytest.mark.filterwarnings("ignore")
CUBE = np.random.default_rng(5).integers(0, 60000, (7, 5, 6)).astype("uint16")


@pytest.mark.parametrize(
    ("library", "name", "expected", "wavelengths"),
    [
        ("astropy", "a.fits", CUBE[:, ::-1], (400, 410)),
        ("astropy", "gdal.fits", CUBE, ()),
        ("OpenEXR", "a.exr", CUBE[:3] / np.float32(1 << 16), ()),
        ("pydicom", "a.dcm", CUBE[:1], ()),
        ("nibabel", "a.nii.gz", CUBE.astype("int16"), ()),
        ("rsciio", "a.rpl", CUBE, (400, 402)),
    ],
)
def test_files_of_the_sciences_are_read(library, name, expected, wavelengths):
    pytest.importorskip(library)
    image = read_image(PICTURES / name)
    assert np.array_equal(image.pixels, expected.transpose(1, 2, 0))
    assert np.allclose(image.bands.wavelengths[:2], wavelengths)
    if library != "rsciio":  # it is two files
        with (PICTURES / name).open("rb") as file:
            assert np.array_equal(read_image(file).pixels, image.pixels)
    if name == "a.fits":
        for member, pixels in {"DQ": CUBE[0, ::-1], "0/PRIMARY[band=2]": CUBE[2, ::-1]}.items():
            assert np.array_equal(read_image(PICTURES / name, member=member).pixels[..., 0], pixels)


@pytest.mark.parametrize("package", ["astropy.io.fits", "pydicom", "nibabel", "OpenEXR", "rsciio"])
def test_what_reads_a_format_is_named_where_it_is_missing(package, tmp_path, monkeypatch):
    names = {"astropy.io.fits": "a.fits.gz", "nibabel": "a.nii.gz", "rsciio": "a.dm4"}
    starts = {"pydicom": bytes(128) + b"DICM", "OpenEXR": b"v/1\x01"}
    (path := tmp_path / names.get(package, "a")).write_bytes(starts.get(package, b"\x1f\x8b") + bytes(400))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImageError, match=rf"{package[:7]}\w*, which is missing; `.*pcaimage\[formats"):
        read_image(path)


def stored(level):
    """Return the array of a level by the specification of Zarr 2, and what is beside it."""
    about = json.loads((level / ".zarray").read_text())
    shape, chunks = about["shape"], about["chunks"]
    counts = [-(-side // chunk) for side, chunk in zip(shape, chunks, strict=True)]
    found = np.empty(np.multiply(counts, chunks), about["dtype"])
    for at in product(*map(range, counts)):
        data = zlib.decompress(level.joinpath(*map(str, at)).read_bytes())
        place = tuple(slice(i * chunk, (i + 1) * chunk) for i, chunk in zip(at, chunks, strict=True))
        found[place] = np.frombuffer(data, about["dtype"]).reshape(chunks)
    return found[tuple(map(slice, shape))]


def test_levels_of_ome_zarr_are_means_of_four_and_say_where_they_lie(tmp_path, noise):
    place = (("map info", "{Arbitrary, 1, 1, 500, 4000, 30, 20}"),)
    bands = BandInfo(wavelengths=(450.0, 0.55), unit="nm", nodata=9, fields=place, scales=(0.5, 0.5))
    pixels = np.where(noise(530, 601, 2) > 250, 9, noise(530, 601, 2).astype("int16") - 100).astype("int16")
    write_image(path := tmp_path / "a.ome.zarr", Image(pixels, name="a", bands=bands))
    first, second, third = (stored(path / str(level)).astype(float) for level in range(3))
    assert np.array_equal(first, np.moveaxis(pixels, -1, 0))
    four = np.pad(first, ((0, 0), (0, 0), (0, 1)), "edge").reshape(2, 265, 2, 301, 2)
    means = np.where((four == 9).any((2, 4)), 9, np.floor(four.mean((2, 4)) + 0.5))
    assert np.array_equal(second, means)
    assert third.shape == (2, 133, 151)
    about = json.loads((path / ".zattrs").read_text())
    (levels,), channels = about["multiscales"], about["omero"]["channels"]
    steps = levels["datasets"][2]["coordinateTransformations"]
    assert [each["name"] for each in levels["axes"]] == ["c", "y", "x"]
    assert (steps[0]["scale"], steps[1]["translation"]) == ([1, 80, 120], [0, 30, 45])
    assert [each["emissionWave"] for each in channels] == [450, 0.55]
    assert json.loads((path / "0/.zattrs").read_text())["scale_factor"] == 0.5


def test_ome_zarr_holds_stacks_and_opacity_and_replaces_nothing_else(tmp_path, noise):
    stack = Image(noise(3, 9, 7, 3), np.full((3, 9, 7), 200, np.uint8))
    write_image(path := tmp_path / "a.zarr", stack)
    assert np.array_equal(np.moveaxis(stored(path / "0")[:3], 0, -1), stack.pixels)  # axes c, z, y, x
    with pytest.raises(ImageError, match="already exists"):
        write_image(path, stack)
    write_image(path, Image(noise(4, 5, 1)), overwrite=True)
    assert np.array_equal(stored(path / "0"), noise(4, 5, 1)[..., 0])
    (path / ".zgroup").unlink()
    with pytest.raises(ImageError, match="something else than a folder of Zarr"):
        write_image(path, stack, overwrite=True)


def test_what_was_written_as_ome_zarr_is_read_again(tmp_path):
    pytest.importorskip("zarr")
    bands = BandInfo(("a", "b", "c", "d", "e", "f", "g"), (1.5,) * 7, unit="nm", nodata=3, value_unit="K")
    write_image(tmp_path / "a.zarr", Image(CUBE.transpose(1, 2, 0), bands=bands))
    found = read_image((tmp_path / "a.zarr").rename(tmp_path / "a folder"))
    assert np.array_equal(found.pixels, CUBE.transpose(1, 2, 0))
    assert found.bands == bands
