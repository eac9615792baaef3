"""What GDAL (by rasterio) and rioxarray read of files written here, and the other way round."""

from dataclasses import replace

import numpy as np
import pytest

import pcaimage
from pcaimage.imaging import BandInfo, Image, read_image, write_image
from pcaimage.imaging.georeference.geo import place_of, write_world_file

rasterio = pytest.importorskip("rasterio")
pytestmark = pytest.mark.filterwarnings("ignore")

PIXELS = np.random.default_rng(4).integers(0, 900, (10, 12, 5)).astype("int16")
METRES, DEGREES = (30, 0, 500_000, 0, -30, 4_100_000), (0.01, 0, -120, 0, -0.01, 40)
SYSTEMS = {
    "UTM": "EPSG:32611",
    "south": "EPSG:32720",
    "degrees": "EPSG:4326",
    "ETRS89 degrees": "EPSG:4258",
    "LAEA Europe": "EPSG:3035",
    "Lambert-93": "EPSG:2154",
    "own LAEA": "+proj=laea +lat_0=48 +lon_0=9 +x_0=4000000 +y_0=3000000 +ellps=GRS80 +units=m",
    "own TM": "+proj=tmerc +lat_0=10 +lon_0=9 +k=0.9999 +x_0=500000 +ellps=bessel +units=m",
    "own Albers": "+proj=aea +lat_1=20 +lat_2=60 +lat_0=40 +lon_0=-96 +datum=NAD83 +units=m",
    "own Lambert": "+proj=lcc +lat_1=33 +lat_2=45 +lat_0=23 +lon_0=-96 +datum=WGS84",
    "own polar": "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +datum=WGS84",
    "MODIS": "+proj=sinu +lon_0=0 +R=6371007.181 +units=m",
}


@pytest.fixture(params=SYSTEMS)
def written(tmp_path, request):
    """A GeoTIFF by GDAL, its coordinate system and its transform."""
    system = rasterio.crs.CRS.from_user_input(SYSTEMS[request.param])
    transform = rasterio.Affine(*(DEGREES if system.is_geographic else METRES))
    path = tmp_path / "by_gdal.tif"
    about = {"width": 12, "height": 10, "count": 5, "dtype": "int16", "crs": system, "transform": transform}
    with rasterio.open(path, "w", driver="GTiff", **about) as file:
        file.write(np.moveaxis(PIXELS, -1, 0))
    return path, system, transform


def test_the_place_survives_to_envi_and_back(written, tmp_path):
    path, system, transform = written
    pcaimage.save(tmp_path / "a.pcai", read_image(path), pcaimage.Settings(lossless=True))
    write_image(tmp_path / "a.hdr", pcaimage.open(tmp_path / "a.pcai").image())
    with rasterio.open(tmp_path / "a.img") as found:
        assert (found.crs, found.transform) == (system, transform)
    pcaimage.save(tmp_path / "b.pcai", read_image(tmp_path / "a.hdr"), pcaimage.Settings(lossless=True))
    write_image(tmp_path / "b.tif", pcaimage.open(tmp_path / "b.pcai").image())
    with rasterio.open(tmp_path / "b.tif") as found:
        assert (found.crs, found.transform) == (system, transform)
        assert np.array_equal(np.moveaxis(found.read(), 0, -1), PIXELS)


def test_cubes_of_gdal_become_geotiffs(written, tmp_path):
    path, system, transform = written
    with rasterio.open(path) as source:
        profile = {**source.profile, "driver": "ENVI"}
    del profile["interleave"]
    with rasterio.open(tmp_path / "a.img", "w", **profile) as file:
        file.write(np.moveaxis(PIXELS, -1, 0))
    write_image(tmp_path / "a.tif", read_image(tmp_path / "a.hdr"))
    with rasterio.open(tmp_path / "a.tif") as found:
        assert (found.crs, found.transform) == (system, transform)


def test_what_lies_beside_a_picture_is_read_and_gdal_knows_as_much_of_a_system_as_its_place(
    written, tmp_path
):
    path, system, transform = written
    bands = read_image(path).bands
    assert rasterio.crs.CRS.from_user_input(place_of(bands).crs) == system
    for name in ("a.png", "a.jpg"):
        write_image(tmp_path / name, Image(np.zeros((10, 12, 1), np.uint8)))
        write_world_file(tmp_path / name, bands)
        with rasterio.open(tmp_path / name) as found:
            assert found.crs == system
            assert found.transform.almost_equals(transform, 1e-9)


def test_xarray_knows_a_system_without_a_code(written, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("rioxarray")
    from pcaimage.plugins.xarray import PcaimageBackend

    path, system, transform = written
    pcaimage.save(tmp_path / "a.pcai", read_image(path), pcaimage.Settings(lossless=True))
    found = xarray.open_dataset(tmp_path / "a.pcai", engine=PcaimageBackend)
    assert found.pixels.rio.set_spatial_dims("x", "y").rio.transform() == transform
    assert rasterio.crs.CRS.from_user_input(found.rio.crs) == system


def test_a_turned_grid_is_kept(tmp_path):
    turned = rasterio.Affine(16, 12, 5e5, 12, -16, 4.1e6)
    about = {"width": 12, "height": 10, "count": 5, "dtype": "int16", "crs": "EPSG:32611"}
    for driver, name in (("GTiff", "a.tif"), ("ENVI", "a.img")):
        with rasterio.open(tmp_path / name, "w", driver=driver, transform=turned, **about):
            pass
    for source, target, read in (("a.tif", "b.hdr", "b.img"), ("a.hdr", "c.tif", "c.tif")):
        write_image(tmp_path / target, read_image(tmp_path / source))
        with rasterio.open(tmp_path / read) as found:
            assert found.crs == rasterio.crs.CRS.from_epsg(32611)
            assert found.transform.almost_equals(turned, 1e-6)


def test_a_smaller_picture_lies_where_the_large_one_did(tmp_path, written):
    from pcaimage.imaging.writing.adapt import Adaptation, Resize

    path, system, transform = written
    picture = Image(PIXELS[..., :1].astype("uint8"), bands=read_image(path).bands.fitted(1))
    write_image(tmp_path / "a.tif", Adaptation(Resize(percent=50)).apply(picture))
    with rasterio.open(tmp_path / "a.tif") as found:
        assert found.crs == system
        assert found.transform.almost_equals(transform @ rasterio.Affine.scale(2), 1e-9)


MEANT = BandInfo(scales=(0.05,) * 5, offsets=(100.0,) * 5, value_unit="K", nodata=-99)


def test_scale_offset_and_unit_go_there_and_back(tmp_path):
    pcaimage.save(tmp_path / "a.pcai", Image(PIXELS, bands=MEANT), pcaimage.Settings(lossless=True))
    image = pcaimage.open(tmp_path / "a.pcai").image()
    write_image(tmp_path / "a.tif", image)
    write_image(tmp_path / "a.hdr", image)
    for name, units in (("a.tif", ("K",) * 5), ("a.img", (None,) * 5)):
        with rasterio.open(tmp_path / name) as found:
            assert (found.scales, found.offsets) == (MEANT.scales, MEANT.offsets)
            assert found.units == units  # ENVI has no field that GDAL knows
    for name in ("a.tif", "a.hdr"):
        assert replace(read_image(tmp_path / name).bands, tags=()) == MEANT
    with rasterio.open(tmp_path / "a.tif", "r+") as file:
        file.scales, file.offsets, file.units = (2.0,) * 5, (1.0,) * 5, ("m",) * 5
    changed = read_image(tmp_path / "a.tif").bands
    assert (changed.scales, changed.offsets, changed.value_unit) == ((2.0,) * 5, (1.0,) * 5, "m")
