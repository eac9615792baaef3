import sys

import numpy as np
import pytest

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, inspect, probe, read_image, write_image

RNG = np.random.default_rng(5)
WAVES = np.linspace(400, 2400, 7)


def cube(*shape, dtype="uint16"):
    return RNG.integers(1, 900, shape).astype(dtype)


@pytest.fixture
def h5py():
    return pytest.importorskip("h5py")


def emit(h5py, path, values):
    """Write the layout of EMIT's reflectance (NetCDF 4), with its dimension scales."""
    with h5py.File(path, "w") as file:
        file.attrs["_NCProperties"] = "version=2"
        found = file.create_dataset("reflectance", data=values, compression="gzip")
        for axis, name in enumerate(("downtrack", "crosstrack", "bands")):
            file.create_dataset(name, data=np.zeros(values.shape[axis], "f4")).make_scale(name)
            found.dims[axis].attach_scale(file[name])
        found.attrs["_FillValue"] = np.array([-9999.0], np.float32)
        file["location/lat"] = np.zeros(values.shape[:2])
        file["sensor_band_parameters/wavelengths"] = WAVES.astype("f4")
        file["sensor_band_parameters/fwhm"] = np.full(7, 8.5, "f4")
        file["sensor_band_parameters/wavelengths"].attrs["units"] = "nm"


def test_prisma_opens_as_one_cube_by_wavelength(tmp_path, h5py):
    visible, infrared, path = cube(8, 3, 5), cube(8, 4, 5), tmp_path / "prisma.he5"
    with h5py.File(path, "w") as file:
        place = "HDFEOS/SWATHS/PRS_L2D_HCO/Data Fields/"
        file[f"{place}VNIR_Cube"], file[f"{place}SWIR_Cube"] = visible, infrared
        file.attrs["List_Cw_Vnir"], file.attrs["List_Fwhm_Vnir"] = [900.0, 500.0, 0.0], [12.0, 11.0, 0.0]
        file.attrs["List_Cw_Swir"] = [2400.0, 2000.0, 1500.0, 950.0]
        file.attrs["List_Fwhm_Swir"] = [9.0] * 4
    image = read_image(path)
    assert image.bands.wavelengths == (500, 900, 950, 1500, 2000, 2400)
    assert image.bands.widths[:3] == (11, 12, 9)
    assert image.pixels.shape == (8, 5, 6)
    assert np.array_equal(image.pixels[..., 0], visible[:, 1])
    assert np.array_equal(image.pixels[..., 2], infrared[:, 3])
    assert image.bands.nodata == 0
    members = inspect(path).members
    assert members[0] == "VNIR_Cube+SWIR_Cube"
    assert read_image(path, member=f"{place}SWIR_Cube").channels == 4
    with pytest.raises(ImageError, match="has no array 'nothing'"):
        read_image(path, member="nothing")


def test_coordinates_of_cf_become_the_place(tmp_path, h5py):
    values, path = cube(1, 3, 4, 5), tmp_path / "cf.nc"
    with h5py.File(path, "w") as file:
        scales = {"time": [0], "band": [1, 2, 3], "y": [90.0, 80, 70, 60], "x": [105.0, 115, 125, 135, 145]}
        for name, numbers in scales.items():
            file.create_dataset(name, data=np.array(numbers, float)).make_scale(name)
        found = file.create_dataset("radiance", data=values)
        for axis, name in enumerate(scales):
            found.dims[axis].attach_scale(file[name])
        found.attrs["grid_mapping"] = "spatial_ref"
        file["spatial_ref"] = np.int64(0)
        file["spatial_ref"].attrs["crs_wkt"] = 'PROJCS["UTM 32N"]'
        file.create_dataset("wavelength", data=[0.45, 0.55, 0.65])
        file.create_dataset("band_names", data=["blue", "green", "red"], dtype=h5py.string_dtype())
    image = read_image(path)
    assert np.array_equal(image.pixels, np.moveaxis(values[0], 0, -1))
    assert image.bands.names == ("blue", "green", "red")
    assert (image.bands.unit, image.bands.nanometres[0]) == ("µm", pytest.approx(450))
    assert dict(image.bands.fields) == {
        "map info": "{Arbitrary, 1, 1, 100.0, 95.0, 10.0, 10.0}",
        "coordinate system string": '{PROJCS["UTM 32N"]}',
    }


def test_an_array_without_names_leaves_its_axes_open(tmp_path, h5py):
    values = cube(6, 30, 20)
    with h5py.File(path := tmp_path / "a.h5", "w") as file:
        file["x"], file["flags"], file["text"] = values, np.zeros(3), "nothing"
    found = inspect(path)
    assert (found.ambiguous, found.members) == (True, ("x",))
    assert np.array_equal(read_image(path).pixels, np.moveaxis(values, 0, -1))
    assert np.array_equal(read_image(path, as_="stack").pixels[..., 0], values)


def test_values_in_other_files_are_not_read(tmp_path, h5py):
    (tmp_path / "secret").write_bytes(bytes(range(200)))
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["a"] = cube(9, 8)
    layout = h5py.VirtualLayout((9, 8), "uint16")
    layout[...] = h5py.VirtualSource(tmp_path / "other.h5", "a", (9, 8))
    with h5py.File(path := tmp_path / "a.h5", "w") as file:
        file.create_dataset("outside", (10, 20), "uint8", external=[(tmp_path / "secret", 0, 200)])
        file.create_virtual_dataset("virtual", layout)
        file["link"] = h5py.ExternalLink("other.h5", "a")
    with pytest.raises(ImageError, match="holds no array that can be an image"):
        read_image(path)


def test_matlab_files_of_both_kinds_are_the_same(tmp_path, h5py):
    io = pytest.importorskip("scipy.io")
    values = cube(12, 10, 7)
    old, new = tmp_path / "old.mat", tmp_path / "new.mat"
    io.savemat(old, {"scene": values, "wavelengths": WAVES, "note": "text"}, do_compression=True)
    with h5py.File(new, "w", userblock_size=512) as file:
        file["scene"] = values.T
        file["wavelengths"] = WAVES[:, None]
    with new.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512))
    for path in (old, new):
        image = read_image(path)
        assert np.array_equal(image.pixels, values)
        assert image.bands.nanometres == pytest.approx(WAVES)
        assert (image.format, inspect(path).ambiguous) == ("MATLAB", False)


def test_classic_netcdf_opens(tmp_path):
    io = pytest.importorskip("scipy.io")
    values, path = cube(6, 9, 4, dtype="int16"), tmp_path / "old.nc"
    with io.netcdf_file(path, "w") as file:
        for name, side in zip(("band", "lat", "lon"), values.shape, strict=True):
            file.createDimension(name, side)
        found = file.createVariable("rain", "h", ("band", "lat", "lon"))
        found[:] = values
        found.missing_value = np.int16(-7)
    image = read_image(path)
    assert np.array_equal(image.pixels, np.moveaxis(values, 0, -1))
    assert image.bands.nodata == -7
    with pytest.raises(ImageTooLargeError):
        read_image(path, Limits(max_pixels=20))


def test_damage_is_told_in_a_sentence(tmp_path, h5py):
    io = pytest.importorskip("scipy.io")
    emit(h5py, good := tmp_path / "good.nc", cube(40, 30, 7, dtype="float32"))
    io.savemat(mat := tmp_path / "good.mat", {"a": cube(40, 30, 7)}, do_compression=True)
    for source in (good, mat):
        data = source.read_bytes()
        for number, bad in enumerate(
            (data[: len(data) // 2], data[:30], data[:16] + bytes(200) + data[216:])
        ):
            path = tmp_path / f"{number}{source.suffix}"
            path.write_bytes(bad)
            with pytest.raises(ImageError, match=f"{path.name} .*\\.$"):
                read_image(path)
    with h5py.File(empty := tmp_path / "empty.h5", "w") as file:
        file["number"] = 3.0
    with pytest.raises(ImageError, match="holds no array that can be an image"):
        read_image(empty)


@pytest.mark.parametrize(
    ("package", "start"),
    [
        ("h5py", b"\x89HDF\r\n\x1a\n"),
        ("h5py", b"MATLAB 7.3".ljust(512) + b"\x89HDF\r\n\x1a\n"),
        ("scipy", b"MATLAB 5.0"),
        ("scipy", b"CDF\x01"),
    ],
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, package, start):
    monkeypatch.setitem(sys.modules, package, None)
    (path := tmp_path / "a.dat").write_bytes(start.ljust(600))
    asks = (read_image, inspect, probe)
    for ask in asks:
        with pytest.raises(ImageError, match=rf"package {package}.*pip install pcaimage\[science\]"):
            ask(path)


def test_enmap_finds_its_wavelengths_beside_the_image(tmp_path):
    values, path = cube(6, 8, 7, dtype="int16"), tmp_path / "ENMAP01-L2A-SPECTRAL_IMAGE.TIF"
    write_image(path, Image(values))
    centre = "<wavelengthCenterOfBand>{}</wavelengthCenterOfBand>"
    band = f"<bandID number='{{}}'>{centre}<FWHMOfBand>7.5</FWHMOfBand></bandID>"
    bands = "".join(band.format(number, wave) for number, wave in enumerate(WAVES, 1))
    beside = tmp_path / "ENMAP01-L2A-METADATA.XML"
    beside.write_text(f"<root><bands>{bands}</bands><backgroundValue>-32768</backgroundValue></root>")
    for info in (read_image(path).bands, inspect(path).bands):
        assert info.nanometres == pytest.approx(WAVES)
        assert (info.widths[3], info.nodata) == (7.5, -32768)
    beside.write_text("<bandID number='1'><wavelengthCenterOfBand>4</wavelengthCenterOfBand></bandID>")
    assert not read_image(path).bands.wavelengths
