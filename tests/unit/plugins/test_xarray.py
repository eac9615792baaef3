import io
import pickle

import numpy as np
import pytest

import pcaimage
from pcaimage import Settings
from pcaimage.errors import FormatError
from pcaimage.imaging import BandInfo, Image

pytestmark = pytest.mark.filterwarnings("ignore")

PIXELS = np.random.default_rng(3).integers(0, 900, (6, 8, 7)).astype("int16")
PIXELS[2, 3] = -99
INFO = BandInfo(
    wavelengths=tuple(np.linspace(400, 1000, 7)),
    widths=(9.5,) * 7,
    unit="nm",
    nodata=-99,
    fields=(("map info", "{UTM, 1, 1, 5e5, 4e6, 30, 30, 32, North, WGS-84}"),),
)


@pytest.fixture
def xarray():
    return pytest.importorskip("xarray")


@pytest.fixture
def engine():
    pytest.importorskip("xarray")
    from pcaimage.plugins.xarray import PcaimageBackend

    return PcaimageBackend


@pytest.fixture
def path(tmp_path):
    pcaimage.save(found := tmp_path / "cube.pcai", Image(PIXELS, bands=INFO), Settings(lossless=True))
    return found


def test_a_cube_opens_with_its_coordinates(path, xarray, engine):
    found = xarray.open_dataset(path, engine=engine)
    assert found.pixels.dims == ("y", "x", "band")
    assert found.wavelength.values.tolist() == pytest.approx(INFO.wavelengths)
    assert (found.wavelength.attrs["units"], found.fwhm.values[2]) == ("nm", 9.5)
    assert (found.y.values[0], found.x.values[0]) == (4e6 - 15, 5e5 + 15)
    assert found.spatial_ref.attrs["spatial_ref"] == "EPSG:32632"
    assert found.spatial_ref.attrs["GeoTransform"] == "500000.0 30.0 0.0 4000000.0 0.0 -30.0"
    expected = np.where(PIXELS == -99, np.nan, PIXELS)
    assert np.array_equal(found.pixels.values, expected, equal_nan=True)
    assert found.pixels.sel(band=3).isnull().sum() == 1


def test_values_are_decoded_when_they_are_needed(path, xarray, engine, monkeypatch):
    decoded, decode = [], pcaimage.CompressedImage.decode

    def counted(image, *given):
        decoded.append(1)
        return decode(image, *given)

    monkeypatch.setattr(pcaimage.CompressedImage, "decode", counted)
    found = xarray.open_dataset(path, engine=engine, mask_and_scale=False, cache=False)
    assert not decoded
    assert np.array_equal(found.pixels[1:3, [0, 5, 2], 4].values, PIXELS[1:3, [0, 5, 2], 4])
    assert np.array_equal(found.pixels[2].values, PIXELS[2])
    assert len(decoded) == 1
    copied = pickle.loads(pickle.dumps(found))  # noqa: S301 - it was made here
    assert np.array_equal(copied.pixels[..., -1].values, PIXELS[..., -1])


def test_stacks_opacity_and_names_open(tmp_path, xarray, engine):
    random = np.random.default_rng(4)
    stack = random.integers(0, 255, (3, 8, 8, 1)).astype("uint8")
    data = pcaimage.encode(stack, Settings(pcaimage.Stack()))
    found = xarray.open_dataset(io.BytesIO(data), engine=engine)
    assert (found.pixels.dims, found.pixels.shape) == (("image", "y", "x", "band"), stack.shape)
    photo = random.integers(0, 255, (16, 16, 3)).astype("uint8")
    pcaimage.save(tmp_path / "a.pcai", Image(photo, alpha=photo[..., 0]), Settings(lossless=True))
    opened = xarray.open_dataset(tmp_path / "a.pcai", engine=engine)
    assert np.array_equal(opened.alpha, photo[..., 0])
    assert np.array_equal(opened.pixels, photo)
    assert "alpha" not in xarray.open_dataset(tmp_path / "a.pcai", engine=engine, drop_variables=["alpha"])
    named = Image(
        PIXELS, bands=BandInfo(names=tuple("abcdefg"), fields=(("coordinate system string", "{GEOGCS[1]}"),))
    )
    pcaimage.save(tmp_path / "b.pcai", named, Settings(lossless=True))
    both = xarray.open_dataset(tmp_path / "b.pcai", engine=engine)
    assert np.array_equal(both.pixels.sel(band="c"), PIXELS[..., 2])
    assert both.spatial_ref.attrs == {"spatial_ref": "GEOGCS[1]", "crs_wkt": "GEOGCS[1]"}


def test_only_its_own_files_are_guessed(tmp_path, xarray, engine):
    assert engine().guess_can_open("a.PCAI")
    assert not engine().guess_can_open("a.nc")
    assert not engine().guess_can_open(io.BytesIO())
    (tmp_path / "bad.pcai").write_bytes(b"nothing of the kind")
    with pytest.raises(FormatError):
        xarray.open_dataset(tmp_path / "bad.pcai", engine=engine)
