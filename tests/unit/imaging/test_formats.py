"""Files of the sciences, as their libraries and GDAL wrote them."""

import sys

import numpy as np
import pytest

from pcaimage.errors import ImageError
from pcaimage.imaging import read_image
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
