"""Plug-ins of other programs, compiled against what this system has of them."""

import os
import shutil
import subprocess
from dataclasses import replace

import make_plugins
import numpy as np
import pytest
from compile_core import ROOT
from PIL import Image

import pcaimage
from pcaimage import imaging
from pcaimage.imaging.georeference import geo
from pcaimage.imaging.image.bands import BandInfo
from tests.smooth import spectra

pytestmark = pytest.mark.slow

READER = """
#include <QCoreApplication>
#include <QImageReader>
int main(int count, char **words) {
  QCoreApplication program(count, words);
  QImageReader reader(words[1]);
  if (reader.imageCount() > 1) reader.jumpToImage(1);
  const QImage image = reader.read();
  return image.isNull() ? 1 : !image.convertToFormat(QImage::Format_RGBA8888).save(words[2], "png");
}
"""
FILES = ["photo", "photo-lossless", "photo-alpha-metadata", "photo-grey-2d", "blocks-8", "channels"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Make plug-ins; return functions that convert a file of a longest side by programs that have them."""
    folder, query = tmp_path_factory.mktemp("programs"), "--variable=gdk_pixbuf_query_loaders"
    make_plugins.make(folder)
    own = {"GDK_PIXBUF_MODULE_FILE": "cache", "QT_PLUGIN_PATH": ".", "XDG_DATA_HOME": str(folder)}
    own = {name: str(folder / value) for name, value in own.items()}
    found = {}
    if (loader := make_plugins.make_loader(folder)) and (
        thumbnailer := shutil.which("gdk-pixbuf-thumbnailer")
    ):
        cache = subprocess.run(
            [*make_plugins.config("gdk-pixbuf-2.0", query), loader], capture_output=True, check=True
        )
        (folder / "cache").write_bytes(cache.stdout)
        (folder / "mime/packages").mkdir(parents=True)
        shutil.copy(ROOT / "resources/org.pcaimage.PcaImage.mime.xml", folder / "mime/packages")
        subprocess.run(
            [shutil.which("update-mime-database"), folder / "mime"], capture_output=True, check=True
        )
        found["loader"] = lambda source, target, side: run([thumbnailer, "--size", str(side), source, target])
    if make_plugins.make_format(folder):
        source, reader = folder / "reader.cpp", folder / "reader"
        source.write_text(READER, "utf-8")
        flags = make_plugins.config("Qt6Gui", "--cflags", "--libs")
        subprocess.run([shutil.which("c++"), "-std=c++17", "-fPIC", source, *flags, "-o", reader], check=True)
        found["reader"] = lambda source, target, _: run([reader, source, target])

    def run(command):
        return not subprocess.run(
            command, env={**os.environ, **own}, capture_output=True, check=False
        ).returncode

    return found or pytest.skip("neither gdk-pixbuf nor Qt is installed for programs")


def pixels_of(name, index=None):
    opened = pcaimage.open(ROOT / "tests/golden" / f"{name}.pcai")
    found = opened.image() if index is None else opened.frame(index)
    pixels = found.pixels if found.pixels.shape[-1] == 3 else np.repeat(found.pixels, 3, axis=-1)
    return np.dstack(
        [pixels, np.full(pixels.shape[:2], 255, np.uint8) if found.alpha is None else found.alpha]
    )


@pytest.mark.parametrize("name", [*FILES, "stack"])
def test_programs_have_the_very_pixels(name, programs, tmp_path):
    for kind, convert in programs.items():
        expected = pixels_of(name, {"loader": 0, "reader": 1}[kind] if name == "stack" else None)
        assert convert(ROOT / "tests/golden" / f"{name}.pcai", tmp_path / "out.png", max(expected.shape))
        assert np.array_equal(np.asarray(Image.open(tmp_path / "out.png").convert("RGBA")), expected), kind


def damaged(folder):
    """Yield a file that is damaged, in another way each time."""
    data, path = (ROOT / "tests/golden/photo.pcai").read_bytes(), folder / "damaged.pcai"
    for content in (data[:60], data[:9], data[:40] + b"\0" + data[41:]):
        path.write_bytes(content)
        yield path


def test_damaged_files_are_refused(programs, tmp_path):
    for path in damaged(tmp_path):
        assert not any(convert(path, tmp_path / "out.png", 64) for convert in programs.values())


@pytest.fixture(scope="module")
def translate(tmp_path_factory):
    """Make GDAL's driver; return a function by which it writes a file as raw numbers, and describes it."""
    folder = tmp_path_factory.mktemp("gdal")
    make_plugins.make(folder)
    if not make_plugins.make_driver(folder) or not shutil.which("gdalinfo"):
        pytest.skip("GDAL is not installed for programs")

    def run(*words):
        own = {**os.environ, "GDAL_DRIVER_PATH": str(folder), "GDAL_PAM_ENABLED": "NO"}
        return subprocess.run(words, env=own, capture_output=True, text=True, check=False)

    def translate(path, *options):
        raw, wanted = folder / "out.dat", ("-of", "ENVI", "-co", "INTERLEAVE=BSQ")
        done = run("gdal_translate", "-q", *wanted, *options, path, raw)
        return run("gdalinfo", "-mdd", "all", path).stdout if done.returncode == 0 else "", raw

    return translate


@pytest.mark.parametrize("path", sorted((ROOT / "tests/golden").glob("*.pcai")), ids=lambda path: path.stem)
def test_gdal_reads_the_very_numbers(path, translate):
    report, raw = translate(path)
    if path.stem.startswith("lent"):  # the basis is in another file
        assert not report
        return
    opened = pcaimage.open(path)
    shape = opened.compressed.header.shape
    found = [opened.frame(i) for i in range(shape[0])] if len(shape) == 4 else [opened.image()]
    planes = [np.atleast_3d(each.pixels).transpose(2, 0, 1) for each in found]
    expected = np.concatenate(
        planes if found[0].alpha is None or len(shape) == 4 else [*planes, found[0].alpha[None]]
    )
    numbers = np.fromfile(raw, expected.dtype).reshape(expected.shape)
    assert np.array_equal(numbers, expected, equal_nan=expected.dtype.kind == "f")


@pytest.mark.parametrize("source", ["tags", "fields"])
def test_gdal_knows_where_an_image_lies_and_its_bands(source, translate, tmp_path):
    fields = (("map info", "{UTM, 1, 1, 500000, 4200000, 30, 30, 11, North, WGS-84}"),)
    known = {"wavelengths": (450.5, 620.0, 860.0), "unit": "nm", "scales": (0.5,) * 3, "offsets": (2.0,) * 3}
    info = BandInfo(**known, nodata=0.0, fields=fields)
    if source == "tags":
        info = replace(info, fields=(), tags=geo.with_tags(info))
    pixels = np.random.default_rng(1).integers(0, 900, (40, 50, 3)).astype(np.int16)
    settings = pcaimage.Settings(sampling=pcaimage.Bands(), lossless=True)
    pcaimage.save(tmp_path / "cube.pcai", imaging.Image(pixels, bands=info), settings)
    report, _ = translate(tmp_path / "cube.pcai")
    for told in (
        "Origin = (500000.000000000000000,4200000.000000000000000)",
        "Pixel Size = (30.000000000000000,-30.000000000000000)",
        'PARAMETER["Longitude of natural origin",-117,',
        "NoData Value=0",
        "Offset: 2,   Scale:0.5",
        "wavelength=450.5",
        "CENTRAL_WAVELENGTH_UM=0.62",
    ):
        assert told in report


def test_gdal_takes_fewer_components_and_smaller_pictures(translate):
    path = ROOT / "tests/golden/photo.pcai"
    report, raw = translate(path, "-oo", "K=3")
    expected = pcaimage.open(path).image(k=3).pixels.transpose(2, 0, 1)
    assert np.array_equal(np.fromfile(raw, np.uint8).reshape(expected.shape), expected)
    assert f"Overviews: {-(-expected.shape[2] // 2)}x{-(-expected.shape[1] // 2)}" in report


def test_gdal_refuses_damaged_files(translate, tmp_path):
    assert not any(translate(path)[0] for path in damaged(tmp_path))


@pytest.mark.parametrize("quality", [{"lossless": True}, {"max_error": 2}, {"psnr": 70}])
@pytest.mark.parametrize("effort", ["standard", "fast"])
def test_gdal_reads_no_tile_that_a_window_does_not_need(effort, quality, translate, tmp_path):
    cube, path = spectra(260, 620, 6), tmp_path / "cube.pcai"
    cube[40:60, :30], cube[30:50, 8:90, 2] = 0, 0
    settings = pcaimage.Settings(sampling=pcaimage.Bands(), nodata=0.0, effort=effort, **quality)
    pcaimage.save(path, cube, settings)
    data, expected = path.read_bytes(), pcaimage.open(path).decode()
    for options in (), ("-srcwin", "20", "10", "120", "100"):
        part = expected[10:110, 20:140] if options else expected
        found = np.fromfile(translate(path, *options)[1], cube.dtype).reshape(6, *part.shape[:2])
        assert np.array_equal(found.transpose(1, 2, 0), part)
        path.write_bytes(data[:-400] + bytes(350) + data[-50:])  # in the last tile
