"""Cubes, from file to file: their values, and what is known of their bands."""

import html
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image as PillowImage

import pcaimage
from pcaimage import api, container
from pcaimage.codec import Metadata, Settings, nodata_of
from pcaimage.errors import DataError, SettingsError
from pcaimage.imaging import BandInfo, Image, read_image, write_image
from pcaimage.imaging.image.bands import Tag
from pcaimage.sampling import Bands, Lapped
from tests.smooth import spectra

BANDS = 6
KNOWN = BandInfo(
    names=("blue", "green", "red", "edge", "near infrared", "swir"),
    wavelengths=(490.0, 560.0, 665.0, 705.0, 842.0, 1610.5),
    widths=(66.0, 36.0, 31.0, 15.0, 106.0, 91.0),
    unit="nm",
    nodata=-1.0,
    shown=(2, 1, 0),
)
SCALE = Tag(33550, 12, 3, np.array([10.0, 10.0, 0.0], "<f8").tobytes())
KEYS = Tag(34735, 3, 4, np.array([1, 1, 0, 0], "<u2").tobytes())


def cube(kind="int16", gaps=-1.0):
    array = spectra(18, 23, BANDS, kind=kind, noise=5)
    if gaps is not None:
        array[3:7, 5:9] = gaps
        array[12, :, :] = gaps
    return array


def written(path, array, info):
    write_image(path, Image(array, bands=info))
    return path


FILES = [
    ("cube.hdr", replace(KNOWN, fields=(("map info", "{UTM, 1, 1, 300000, 4500000, 10, 10, 33, North}"),))),
    ("cube.tif", replace(KNOWN, shown=(), tags=(SCALE, KEYS))),
    ("cube.npz", replace(KNOWN, tags=(SCALE, KEYS), fields=(("sensor type", "unknown"),))),
]


@pytest.mark.parametrize(("name", "info"), FILES, ids=[name for name, _ in FILES])
@pytest.mark.slow
def test_what_is_known_of_bands_goes_all_the_way(done, tmp_path, name, info):
    array = cube()
    source = written(tmp_path / name, array, info)
    done("encode", source, "cube.pcai", "--psnr", 60)
    (tmp_path / "out").mkdir()
    done("decode", "cube.pcai", tmp_path / "out" / name)
    before, after = read_image(source), read_image(tmp_path / "out" / name)
    assert replace(after.bands, tags=()) == replace(before.bands, tags=())
    kept = {tag.code: tag for tag in after.bands.tags}
    assert all(kept[tag.code] == tag for tag in before.bands.tags)
    assert before.bands.wavelengths == KNOWN.wavelengths
    assert after.pixels.dtype == np.int16
    assert np.array_equal(after.pixels == -1, array == -1)
    if name.endswith(".hdr"):
        assert (tmp_path / "out" / "cube.img").stat().st_size == array.nbytes


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "info"), FILES, ids=[name for name, _ in FILES])
def test_info_tells_what_is_known_of_bands(done, figures, tmp_path, name, info):
    source = written(tmp_path / name, cube(), info)
    done("encode", source, "cube.pcai")
    told = [figures("info", path) for path in (source, "cube.pcai")]
    for key in ("band_names", "wavelengths", "wavelength_unit", "nodata", "georeferenced"):
        assert told[1][key] == told[0][key]
    assert told[1]["nodata"] == -1
    text = done("info", "cube.pcai").stdout
    for part in ("490, 560, … 1610.5 nm", "blue, green, … swir", "No-data value"):
        assert part in text


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", ["uint8", "uint16", "int16"])
def test_every_value_stays_within_the_error_that_is_allowed(done, figures, tmp_path, kind):
    array = cube("uint16", None)
    array = (array // 8).astype(kind) if kind == "uint8" else array.astype(kind)
    written(tmp_path / "cube.npy", array, BandInfo())
    found = figures("encode", "cube.npy", "cube.pcai", "--max-error", 2)
    assert found["max_error"] == 2
    done("decode", "cube.pcai", "out.npy")
    off = np.abs(np.load("out.npy").astype(int) - array.astype(int))
    assert 0 < off.max() <= 2
    assert "within ±2" in done("info", "cube.pcai").stdout
    assert figures("info", "cube.pcai")["lossless"] is False
    assert "every value within ±2" in done("encode", "cube.npy", "b.pcai", "--max-error", 2).stdout


def test_an_error_of_nothing_is_without_loss(figures, tmp_path):
    written(tmp_path / "cube.npy", cube(), BandInfo())
    for option in (("--max-error", 0), ("--lossless",)):
        found = figures("encode", "cube.npy", "cube.pcai", *option, "--overwrite")
        assert (found["max_error"], found["psnr"]) == (0, None)
        assert figures("info", "cube.pcai")["lossless"] is True


def test_real_numbers_stay_within_the_error_too(done, figures, tmp_path):
    array = cube("float32", float("nan"))
    written(tmp_path / "cube.npy", array, BandInfo())
    found = figures("encode", "cube.npy", "cube.pcai", "--max-error", 0.001)
    assert found["max_error"] <= 0.001
    assert (found["nodata"], found["psnr"] > 50) == ("nan", True)
    done("decode", "cube.pcai", "out.npy")
    out = np.load("out.npy")
    assert np.array_equal(np.isnan(out), np.isnan(array))
    assert np.nanmax(np.abs(out.astype(float) - array)) <= found["max_error"]
    again = figures("compare", "cube.npy", "cube.pcai")
    assert again["max_error"] <= found["max_error"]
    assert 0.9 < again["ssim"] <= 1


@pytest.mark.parametrize("info", [BandInfo(), replace(KNOWN, shown=())], ids=["unknown", "before the file"])
def test_what_was_not_measured_can_be_said_by_hand(done, figures, tmp_path, info):
    array = cube("uint16", 7.0)
    written(tmp_path / "cube.tif", array, info)
    done("encode", "cube.tif", "plain.pcai", "--psnr", 50)
    done("encode", "cube.tif", "masked.pcai", "--psnr", 50, "--nodata", 7)
    assert figures("info", "masked.pcai")["nodata"] == 7
    assert Path("masked.pcai").stat().st_size < Path("plain.pcai").stat().st_size
    done("decode", "masked.pcai", "out.tif")
    image = read_image("out.tif")
    assert image.bands.nodata == 7
    assert np.array_equal(image.pixels == 7, array == 7)


@pytest.mark.parametrize("said", [-9999.0, -3.4e38, float("nan")])
@pytest.mark.slow
def test_real_numbers_have_gaps_of_any_value(said):
    with np.errstate(over="ignore"):
        array = cube("float32", said)
    encoding = api.compress_image(Image(array, bands=BandInfo(nodata=said)), Settings(psnr=50))
    image = api.image_of(encoding.compressed, encoding.decoded())
    assert np.array_equal(image.pixels[3:7, 5:9], array[3:7, 5:9], equal_nan=True)
    assert np.array_equal(image.bands.nodata, said, equal_nan=True)


def test_a_value_that_does_not_occur_leaves_nan_to_stand_for_gaps_and_both_kinds_come_back():
    array, info = cube("float32", float("nan")), BandInfo(nodata=-9999.0)
    encoding = api.compress_image(Image(array, bands=info), Settings())
    assert np.isnan(nodata_of(encoding.compressed) or 0.0)
    array[0, 0] = -9999
    found = api.compress_image(Image(array, bands=info), Settings()).decoded()
    assert np.array_equal(np.isnan(found), np.isnan(array))
    assert np.array_equal(found == -9999, array == -9999)


@pytest.mark.parametrize(
    ("nodata", "settings", "sampling"),
    [
        (0.0, Settings(), Bands),
        (1.0, Settings(), Lapped),
        (-9999.0, Settings(), Lapped),
        (None, Settings(), Lapped),
        (0.0, Settings(lossless=True), Lapped),
        (0.0, Settings(sampling=Lapped()), Lapped),
    ],
)
@pytest.mark.sweep(3)
def test_photos_with_gaps_are_coded_by_their_bands(nodata, settings, sampling):
    array = np.full((20, 20, 3), 9, np.uint8)
    array[4:8, 3:9] = 0
    image = Image(array, bands=BandInfo(nodata=nodata))
    found = api.compress_image(image, settings).compressed
    assert isinstance(found.header.sampling, sampling)
    assert nodata_of(found) == (0 if sampling is Bands else None)
    assert api.bands_of(found).nodata == nodata


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--max-error", "1", "--method", "blocks"), "many bands"),
        (("--max-error", "1", "--psnr", "40"), "give one of them"),
        (("--max-error", "1", "--lossless"), "give one of them"),
        (("--max-error", "-1"), "must not be negative"),
        (("--nodata", "0", "--method", "photo"), "many bands"),
    ],
)
def test_what_does_not_go_together_is_refused(command, refused, tmp_path, words, sentence):
    written(tmp_path / "cube.npy", cube("uint16", None), BandInfo())
    assert sentence in refused("encode", "cube.npy", "cube.pcai", *words)
    result = command("encode", "cube.npy", "cube.pcai", "--nodata", "gap")
    assert (result.exit_code, "'gap' is not a number" in result.output) == (2, True)
    with pytest.raises(SettingsError, match="give one of them"):
        Settings(nodata=3.0, all_measured=True)


@pytest.mark.parametrize(
    "damage",
    [b"\1", b"\2abc", b"\1" + b"x" * 30, KNOWN.to_bytes()[:-9], bytes(200)],
    ids=["empty", "version", "noise", "short", "zeros"],
)
@pytest.mark.sweep(2)
def test_a_damaged_description_costs_no_pixels(done, figures, tmp_path, damage):
    data = container.read(pcaimage.encode(cube("uint16", None), Settings(psnr=50)))
    damaged = replace(data, metadata=Metadata(bands=damage))
    Path("cube.pcai").write_bytes(container.write(damaged))
    result = done("decode", "cube.pcai", "out.tif")
    assert "description of the bands in" in result.stderr
    assert not read_image(tmp_path / "out.tif").bands
    assert figures("info", "cube.pcai")["wavelengths"] == []


def test_a_description_of_another_number_of_bands_is_left_out(done, tmp_path):
    data = container.read(pcaimage.encode(cube("uint16", None)[..., :5], Settings(psnr=50)))
    Path("cube.pcai").write_bytes(container.write(replace(data, metadata=Metadata(bands=KNOWN.to_bytes()))))
    done("decode", "cube.pcai", "out.npz")
    assert read_image(tmp_path / "out.npz").bands == BandInfo(nodata=-1.0, shown=(2, 1, 0))
    with pytest.raises(DataError, match="finite"):
        Image(cube(), bands=BandInfo(wavelengths=(float("nan"),) * BANDS))
    info = BandInfo(names=("caf\udce9",) * BANDS)  # names need no encoding
    assert len(BandInfo.from_bytes(info.to_bytes()).names) == BANDS


def test_a_report_tells_the_command(done, tmp_path):
    written(tmp_path / "cube.npy", cube("uint16", None), BandInfo())
    done("report", "cube.npy", "-o", "page.html", "--max-error", 3, "--nodata", 2)
    assert "--max-error 3.0 --nodata 2.0" in Path("page.html").read_text()


def test_big_tiffs_keep_their_place(done, tmp_path):
    array = np.moveaxis(cube(gaps=None), 2, 0)
    place = {"extratags": [(33550, 12, 3, (30.0, 30.0, 0.0), True)], "photometric": "minisblack"}
    tifffile.imwrite(tmp_path / "big.tif", array, bigtiff=True, planarconfig="separate", **place)
    done("encode", "big.tif", "big.pcai", "--lossless")
    done("decode", "big.pcai", "out.tif")
    assert np.array_equal(read_image("out.tif").pixels, np.moveaxis(array, 0, 2))
    assert {tag.code for tag in read_image("out.tif").bands.tags} == {33550}


def test_bands_are_written_to_a_folder_and_read_from_it(done, refused, tmp_path):
    array = cube()
    written(tmp_path / "cube.tif", array, replace(KNOWN, shown=()))
    done("encode", "cube.tif", "cube.pcai", "--lossless")
    assert "6 files, 23 × 18" in done("decode", "cube.pcai", "bands", "--split-bands").stdout
    done("encode", "bands", "again.pcai", "--lossless")
    image = pcaimage.open("again.pcai").image()
    assert np.array_equal(image.pixels, array)
    assert replace(image.bands, tags=()) == replace(KNOWN, shown=())
    assert "already exists" in refused("decode", "cube.pcai", "bands", "--split-bands")


def test_a_user_may_know_better_than_the_file_that_all_was_measured(done, figures, tmp_path):
    array = cube("int16", 7.0)
    written(tmp_path / "cube.tif", array, replace(KNOWN, shown=(), nodata=7.0))
    done("encode", "cube.tif", "cube.pcai", "--nodata", "none")
    assert figures("info", "cube.pcai")["nodata"] is None
    done("decode", "cube.pcai", "out.tif")
    image = read_image("out.tif")
    assert image.bands.nodata is None
    assert image.bands.wavelengths == KNOWN.wavelengths
    assert not np.array_equal(image.pixels == 7, array == 7)  # the value is coded like any other


ERA = Path(__file__).parents[2] / "netcdf" / "era.nc"


def test_an_array_and_a_part_of_it_are_chosen(done, figures):
    pytest.importorskip("h5py")
    first = done("encode", ERA, "a.pcai", "--lossless")
    assert "2 arrays of one size; t is read, and --array u chooses another." in first.stderr
    second = done("encode", ERA, "b.pcai", "--array", "t", "--lossless")
    assert "t for 2 places of time; time=: (all 2 as bands) is read, and --select time=0" in second.stderr
    third = done(
        "encode", ERA, "c.pcai", "--array", "t", "--select", "time=1", "--select=level=850.", "--lossless"
    )
    assert not third.stderr
    done("decode", "c.pcai", "c.npy")
    assert np.array_equal(np.load("c.npy")[..., 0], np.arange(120).reshape(2, 3, 4, 5)[1, 1])
    text = done("info", ERA, "--array", "t", "--select", "time=0").stdout
    for part in ("level 3, lat 4, lon 5", "0.05 × number + 100, in K: from -1538.4 to 1738.35 can be stored"):
        assert part in text
    told = figures("info", ERA)
    assert (told["axes"], told["value_unit"]) == (["time", "level", "lat", "lon"], "K")
    done("report", ERA, "-o", "era.html", "--array", "t", "--select", "time=1", "--lossless")
    assert "--array 't[time=1]'" in html.unescape(Path("era.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("f8", (9, 8)), ("i4", (9, 8, 5)), ("u8", (9, 8)), ("c8", (5, 9, 8)), ("f4", (9, 8)), ("i1", (9, 8))],
)
def test_a_tiff_of_other_numbers_comes_back_as_it_was(done, dtype, shape):
    numbers = np.random.default_rng(4).normal(1e5, 1e3, shape)
    numbers = (numbers / 1e3 if dtype == "i1" else numbers).astype(dtype)
    tifffile.imwrite(
        "a.tif", numbers, photometric="minisblack", planarconfig="contig" if shape[2:] == (5,) else None
    )
    done("encode", "a.tif", "a.pcai", "--lossless")
    found = pcaimage.open("a.pcai").decode()
    assert found.dtype == numbers.dtype
    assert np.array_equal(found, numbers if shape[0] == 9 else np.moveaxis(numbers, 0, -1))
    done("decode", "a.pcai", "b.tif")
    again = tifffile.imread("b.tif")
    assert (again.dtype == numbers.dtype) == (dtype != "i1")
    assert np.array_equal(again, found)


def test_a_picture_that_only_pillow_reads_is_one_whatever_its_bands_axis(done):
    grey = np.arange(72, dtype=np.uint8).reshape(9, 8)
    PillowImage.fromarray(grey).save("a.tif", compression="tiff_lzw")
    done("encode", "a.tif", "a.pcai", "--axis", "0", "--lossless")
    assert np.array_equal(pcaimage.open("a.pcai").decode().reshape(9, 8), grey)


def test_of_arrays_of_one_size_the_first_is_kept_as_it_stands_and_told(done):
    first = np.linspace(1e5, 2e5, 60).reshape(3, 4, 5)
    np.savez("two.npz", b=first, a=-first)
    assert "2 arrays of one size; b is read, and --array a" in done("encode", "two.npz", "a.pcai").stderr
    done("decode", "a.pcai", "a.npy")
    assert np.array_equal(np.load("a.npy"), first)
    assert "SSIM" not in done("compare", "two.npz", "a.pcai").stdout
    assert "64 bits become 32; whole .npy" in done("decode", "a.pcai", "a.tif", "--bands", "1").stderr


def test_real_numbers_of_four_axes_are_refused_with_what_works(command, figures):
    pytest.importorskip("h5py")
    figures("encode", ERA, "u.pcai", "--array", "u")
    known = figures("info", "u.pcai")
    assert (known["dtype"], known["value_unit"], known["value_range"]) == ("float64", "m s-1", None)
    text = command("encode", ERA, "a.pcai", "--array", "u", "--pages", "images").stderr
    assert "float" in text
    assert "by the method bands alone" in text


def test_an_error_may_have_the_unit_of_the_values(done, figures, refused):
    pytest.importorskip("h5py")
    chosen = ("--array", "t", "--select", "time=0")
    for error, near in (("0.1K", "±2 (0.1 K)"), ("0.1 K", "±2 (0.1 K)"), ("2", "±2 (0.1 K)")):
        out = done("encode", ERA, "a.pcai", *chosen, "--max-error", error, "--overwrite").stdout
        assert f"every value within {near}" in out
    assert "±2 (0.1 K)" in done("info", "a.pcai").stdout
    assert figures("info", "a.pcai")["value_range"] == [-1538.4, 1738.3500000000001]
    text = refused("encode", ERA, "b.pcai", *chosen, "--max-error", "0.1 °C")
    assert "in °C, but the values of era.nc are in K" in text
