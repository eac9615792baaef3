"""Files as the netCDF library, h5netcdf and xarray write them: dimensions, parts of arrays, units."""

from pathlib import Path

import numpy as np
import pytest

from pcaimage.errors import ImageError, ImageTooLargeError
from pcaimage.imaging import Image, Limits, inspect, read_image, write_image

FILES = Path(__file__).parents[2] / "netcdf"
"""`emit.nc` is by netCDF4, `era.nc` by xarray with h5netcdf."""
WAVES = np.arange(400.0, 2500, 300)
NAMES = ("downtrack", "crosstrack", "bands")


@pytest.fixture(autouse=True)
def h5py():
    return pytest.importorskip("h5py")


def test_a_clip_with_fewer_lines_than_bands_has_its_bands_and_wavelengths():
    found = inspect(FILES / "emit.nc")
    assert (found.ambiguous, found.members, found.axes) == (False, ("reflectance",), NAMES)
    image = read_image(FILES / "emit.nc")
    assert np.array_equal(image.pixels, np.arange(140.0).reshape(4, 5, 7) / 8)
    assert image.bands.nanometres == tuple(WAVES)
    assert (image.bands.widths[3], image.bands.nodata, image.bands.value_unit) == (8.5, -9999, "1")


def by_netcdf4(path, values, waves):
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset(path, "w") as file:
        for name, side in zip(NAMES, values.shape, strict=True):
            file.createDimension(name, side)
        file.createVariable("radiance", "f4", NAMES, zlib=True, fill_value=-9999.0)[:] = values
        place = file.createGroup("sensor_band_parameters") if waves == "in a group" else file
        if waves != "nowhere":
            name = "wavelengths" if waves == "in a group" else "bands"
            found = place.createVariable(name, "f8", ("bands",))
            found[:], found.units = np.linspace(380, 2500, values.shape[2]), "nm"


@pytest.mark.parametrize("waves", ["in a group", "as coordinates", "nowhere"])
@pytest.mark.parametrize("shape", [(8, 10, 12), (12, 10, 12), (20, 10, 12)])
def test_clips_of_every_proportion_open(tmp_path, waves, shape):
    values = np.random.default_rng(1).random(shape).astype("f4")
    by_netcdf4(path := tmp_path / "clip.nc", values, waves)
    found = inspect(path)
    assert (found.ambiguous, found.default.shape) == (False, shape)
    image = read_image(path)
    assert np.array_equal(image.pixels, values)
    assert image.bands.nanometres == (() if waves == "nowhere" else tuple(np.linspace(380, 2500, 12)))


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
@pytest.mark.parametrize(
    "dims", [("y", "x", "wavelength"), ("wavelength", "y", "x"), ("scan", "look", "channel")]
)
def test_cubes_of_xarray_open(tmp_path, engine, dims):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip(engine.replace("netcdf4", "netCDF4"))
    values = np.random.default_rng(2).random((6, 16, 18)).astype("f4")
    axis = 0 if dims[0] == "wavelength" else 2
    waves = np.linspace(400, 900, values.shape[axis])
    coordinates = {"wavelength": waves} if "wavelength" in dims else {}
    xarray.Dataset({"L": (dims, values)}, coordinates).to_netcdf(path := tmp_path / "x.nc", engine=engine)
    assert not inspect(path).ambiguous
    image = read_image(path)
    assert np.array_equal(image.pixels, np.moveaxis(values, axis, -1))
    assert image.bands.nanometres == (tuple(waves) if coordinates else ())


PACKED = np.arange(120).reshape(2, 3, 4, 5)


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        ("t[time=0]", PACKED[0]),
        ("t[time=-1]", PACKED[1]),
        ("[time=6.]", PACKED[1]),
        ("t[level=850.]", PACKED[:, 1]),
        ("t[time=1,level=2]", PACKED[1, 2:]),
        ("t[time=:]", PACKED.reshape(6, 4, 5)),
    ],
)
def test_a_part_of_an_array_is_read(member, expected):
    image = read_image(FILES / "era.nc", member=member)
    assert np.array_equal(image.pixels, np.moveaxis(expected, 0, -1))
    assert (image.bands.scale, image.bands.offsets[0], image.bands.value_unit) == (0.05, 100, "K")


@pytest.mark.parametrize(
    ("member", "sentence"),
    [
        ("t[time=2]", r"has no time=2 in t; time has places 0 to 1, with coordinates 0, 6\."),
        (
            "t[level=900.]",
            r"has no level=900. in t; level has places 0 to 2, with coordinates 1000, 850, 500",
        ),
        ("t[height=1]", r"has no axis of 'height=1' in t; it has time, level, lat, lon\."),
        ("t[lat=0,lon=0,time=0]", r"has no image at .* of t: too few axes are left\."),
        ("t[time]", r"has no axis of 'time' in t"),
        ("v", r"has no array 'v' that can be an image; it has t, u\."),
    ],
)
def test_a_part_that_is_not_there_is_refused(member, sentence):
    with pytest.raises(ImageError, match=sentence):
        inspect(FILES / "era.nc", member)


def test_what_only_the_user_knows_is_offered():
    first = inspect(FILES / "era.nc")
    assert first.asks == "era.nc holds 2 arrays of one size"
    assert [each.member for each in first.offers] == ["t", "u"]
    then = inspect(FILES / "era.nc", "u")
    assert then.asks == "era.nc holds u for 2 places of time"
    assert [each.text for each in then.offers] == ["time=: (all 2 as bands)", "time=0 (0)", "time=1 (6)"]
    for each in then.offers:
        assert not inspect(FILES / "era.nc", each.member).offers
    assert not inspect(FILES / "emit.nc").offers


def test_files_without_names_of_arrays_have_no_part(tmp_path):
    write_image(path := tmp_path / "a.png", Image(np.zeros((4, 5, 1), np.uint8)))
    for source in (path, tmp_path):
        with pytest.raises(ImageError, match="has no arrays with names"):
            inspect(source, "t")


def test_the_layout_of_jasper_ridge_opens_as_a_cube(tmp_path):
    io = pytest.importorskip("scipy.io")
    cube = np.random.default_rng(3).integers(0, 900, (6, 4, 9)).astype("uint16")
    flat = cube.transpose(2, 1, 0).reshape(9, 24)  # pixels go down the columns
    for name, values in (("bands first", flat), ("pixels first", flat.T)):
        io.savemat(path := tmp_path / f"{name}.mat", {"Y": values, "nRow": 6, "nCol": 4, "maxValue": 900})
        assert inspect(path).default.text == "one image of 4 × 6 pixels with 9 bands"
        assert np.array_equal(read_image(path).pixels, cube)
    io.savemat(path, {"Y": flat, "nRow": 6, "nCol": 5})
    assert read_image(path).pixels.shape == (9, 24, 1)


def test_claims_of_what_was_never_written_are_refused(tmp_path, h5py):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("a", (20_000, 20_000, 3), "u1", chunks=(1000, 1000, 3), compression="gzip")
    assert path.stat().st_size < 2000
    with pytest.raises(ImageTooLargeError, match=r"claims 1,203 MB for a, .* \(--limit 1203MB\)"):
        read_image(path)
    with h5py.File(path, "w") as file:
        given = {"chunks": (10_000, 10_000, 4), "maxshape": (None, None, 4), "compression": "gzip"}
        file.create_dataset("a", (10, 10, 4), "u1", **given)
    with pytest.raises(ImageTooLargeError, match="claims 401 MB"):
        read_image(path)
    with h5py.File(path, "w") as file:
        file["a"] = np.zeros((4, 5), "u1")
        file.create_dataset("lat", (1 << 40,), "f8", chunks=(1 << 16,))
    assert read_image(path, Limits.of_bytes(100)).pixels.shape == (4, 5, 1)
