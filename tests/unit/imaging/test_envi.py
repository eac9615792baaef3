import itertools
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.errors import ImageError
from pcaimage.imaging import BandInfo, Image, encode_image, inspect, probe, read_image, write_image
from pcaimage.imaging.cubes.envi import EnviHeader, format_header, parse_header
from pcaimage.imaging.georeference.geo import Place, lost_text, of_place, place_of, with_fields, with_tags
from pcaimage.imaging.georeference.wkt import epsg_of_wkt, wkt_of_epsg
from pcaimage.imaging.image.bands import Tag

ORDERS = {"bsq": (2, 0, 1), "bil": (0, 2, 1), "bip": (0, 1, 2)}
CODES = {"u1": 1, "i2": 2, "i4": 3, "f4": 4, "f8": 5, "u2": 12, "u4": 13, "i8": 14, "u8": 15}
INFO = BandInfo(
    names=("blue", "green", "red", "infrared"),
    wavelengths=(490.25, 560.0, 665.5, 842.0),
    widths=(65.0, 35.0, 30.0, 115.0),
    unit="nm",
    nodata=-9999.0,
    shown=(2, 1, 0),
    fields=(
        ("map info", "{UTM, 1.0, 1.0, 5e5, 4e6, 3.0, 3.0, 10, North, WGS-84}"),
        ("description", "{two\nlines}"),
    ),
)


def header(lines=5, samples=7, bands=4, **more):
    fields = {"samples": samples, "lines": lines, "bands": bands, "data type": 2, "interleave": "bsq"}
    fields |= {key.replace("_", " "): value for key, value in more.items()}
    return "ENVI\n" + "".join(f"{key} = {value}\n" for key, value in fields.items() if value is not None)


def cube(folder, text, values, name="cube.raw"):
    (folder / "cube.hdr").write_text(text, encoding="utf-8")
    (folder / name).write_bytes(values)
    return folder / "cube.hdr"


@pytest.fixture
def signed():
    return np.random.default_rng(4).integers(-32768, 32767, (5, 7, 4)).astype(np.int16)


@pytest.mark.parametrize(("interleave", "order", "offset"), list(itertools.product(ORDERS, (0, 1), (0, 33))))
@pytest.mark.sweep(4)
def test_every_order_of_values_is_read(tmp_path, signed, interleave, order, offset):
    stored = signed.transpose(ORDERS[interleave]).astype(">i2" if order else "<i2")
    text = header(interleave=interleave.upper(), byte_order=order, header_offset=offset)
    path = cube(tmp_path, text, bytes(offset) + stored.tobytes())
    for each in (path, tmp_path / "cube.raw"):
        image = read_image(each)
        np.testing.assert_array_equal(image.pixels, signed)
        assert image.pixels.dtype == np.int16
    assert image.format == "ENVI"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *[("u1", "uint8"), ("i2", "int16"), ("u2", "uint16"), ("f4", "float32"), ("f8", "float32")],
        *[("i4", "uint16"), ("u4", "uint16"), ("i8", "uint16"), ("u8", "uint16")],
    ],
)
def test_every_type_is_read(tmp_path, kind, expected):
    values = np.arange(12, dtype=f"<{kind}").reshape(3, 2, 2)
    path = cube(tmp_path, header(2, 2, 3, data_type=CODES[kind]), values.tobytes())
    pixels = read_image(path).pixels
    np.testing.assert_array_equal(pixels, np.moveaxis(values, 0, -1))
    assert pixels.dtype == expected


@pytest.mark.parametrize("name", ["cube", "cube.img", "cube.dat", "cube.bsq", "cube.BIL"])
def test_values_are_found_beside_their_header(tmp_path, signed, name):
    path = cube(tmp_path, header(), np.moveaxis(signed, -1, 0).tobytes(), name)
    np.testing.assert_array_equal(read_image(path).pixels, signed)
    path.rename(tmp_path / f"{name}.hdr")  # after the whole file
    for each in (f"{name}.hdr", name):
        np.testing.assert_array_equal(read_image(tmp_path / each).pixels, signed)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_a_cube_is_written_and_read_again(tmp_path, signed, dtype):
    image = Image(signed.astype(dtype), bands=INFO)
    write_image(tmp_path / "out.hdr", image)
    again = read_image(tmp_path / "out.hdr")
    np.testing.assert_array_equal(again.pixels, image.pixels)
    assert again.pixels.dtype == dtype
    assert again.bands == INFO


def test_contents_are_told_without_reading_values(tmp_path):
    path = cube(tmp_path, header(lines=9, wavelength="{1, 2,\n 3, 4}", wavelength_units="Micrometers"), b"")
    found = inspect(path)
    assert (found.format, found.shape, found.dtype, found.ambiguous) == ("ENVI", (4, 9, 7), "int16", False)
    assert found.default.shape == (9, 7, 4)
    assert (found.bands.wavelengths, found.bands.unit) == ((1.0, 2.0, 3.0, 4.0), "µm")
    assert (probe(path).dtype, probe(path).channels, probe(path).height) == ("int16", 4, 9)


def test_bands_may_be_read_as_images(tmp_path, signed):
    path = cube(tmp_path, header(interleave="bil"), signed.transpose(ORDERS["bil"]).tobytes())
    stack = read_image(path, as_="stack")
    np.testing.assert_array_equal(stack.pixels[..., 0], np.moveaxis(signed, -1, 0))


@pytest.mark.parametrize(
    ("changes", "message"), json.loads((Path(__file__).parent / "lying.json").read_text("utf-8"))
)
def test_lying_headers_are_refused(tmp_path, signed, changes, message):
    path = cube(tmp_path, header(**changes), signed.tobytes())
    with pytest.raises(ImageError, match=message):
        read_image(path)


def test_what_is_missing_is_named_and_headers_of_other_programs_are_left_alone(tmp_path, noise):
    (tmp_path / "cube.hdr").write_text(header())
    (tmp_path / "other.hdr").write_text("#?RADIANCE\n")
    for name, message in (
        ("cube", r"values of cube\.hdr are missing"),
        ("gone", r"gone\.hdr does not exist"),
        ("other", "not an ENVI header"),
    ):
        with pytest.raises(ImageError, match=message):
            read_image(tmp_path / f"{name}.hdr")
    write_image(tmp_path / "scan.tif", Image(noise(3, 4, 1)))
    (tmp_path / "scan.tif").rename(tmp_path / "scan.img")
    (tmp_path / "scan.hdr").write_text("BYTEORDER I\n")
    np.testing.assert_array_equal(read_image(tmp_path / "scan.img").pixels, noise(3, 4, 1))


def test_lists_that_do_not_fit_are_left_out_and_odd_spellings_understood():
    text = header(wavelength="{1, 2}", fwhm="{a, b, c, d}", band_names="{a, b, c, d}", default_bands="{9}")
    assert parse_header(text.encode(), "it").info == BandInfo(names=("a", "b", "c", "d"))
    text = "\ufeffENVI\r\n; bands = 9\r\nSamples=7\r\nlines  =  5\r\ndata type = 12 \r\n"
    text += "band names = {\r\n a ,\r\n b}\r\nbands = 2\r\nopen = {never closed"
    found = parse_header(text.encode(), "it")
    assert (found.samples, found.lines, found.bands, found.interleave) == (7, 5, 2, "bsq")
    assert found.info.names == ("a", "b")


@pytest.mark.parametrize("value", ["{1, 2\nlines = 11\n", "4\x00\x1b[31m", "7\u2028" * 99])
def test_a_header_is_cited_in_one_line(value):
    text = f"ENVI\nsamples = 4\nlines = {value}\nbands = 1\ndata type = 1\n"
    with pytest.raises(ImageError, match=r"it says lines = .*; it must be a whole number") as found:
        parse_header(text.encode(), "it")
    assert str(found.value).isprintable()
    assert len(str(found.value)) < 120
    with pytest.raises(ImageError, match=r"names the interleave 'x+'; it must") as found:
        parse_header(b"ENVI\ninterleave = " + b"x" * 5000, "it")
    assert len(str(found.value)) < 120


def test_what_is_no_text_stays_out_of_a_header():
    info = replace(
        INFO,
        names=("b\x1b[2Jlue", "gr\0een", "\ud800red", "infra\x85red"),
        unit="furlongs\nsamples = 1",
        fields=(("note", "a\x1bb"), ("mood", "{\udcff}"), ("li\x00ne", "1"), ("kept", "{two\nlines}")),
    )
    written = format_header(EnviHeader(7, 5, 4, np.dtype("i2"), info=info))
    assert not set(range(32)) & (set(written) - {10})
    found = parse_header(written, "cube.hdr")
    assert found.info.names == ("b [2Jlue", "gr een", "red", "infra red")
    assert found.info.fields == (("kept", "{two\nlines}"),)
    assert found.info.unit == "furlongs samples = 1"
    assert found.samples == 7


def test_stacks_and_alpha_have_no_place(tmp_path, noise):
    with pytest.raises(ImageError, match="cannot hold a stack"):
        write_image(tmp_path / "a.hdr", Image(noise(2, 3, 4, 1)))
    with pytest.raises(ImageError, match="cannot hold transparency"):
        write_image(tmp_path / "a.hdr", Image(noise(3, 4, 3), noise(3, 4)))
    with pytest.raises(ImageError, match="several files"):
        encode_image(Image(noise(3, 4, 3)), "ENVI")
    assert not list(tmp_path.iterdir())


def test_existing_files_are_kept(tmp_path, noise):
    image = Image(noise(3, 4, 5))
    write_image(tmp_path / "a.hdr", image)
    with pytest.raises(ImageError, match="already exists"):
        write_image(tmp_path / "a.hdr", image)
    (tmp_path / "a.hdr").unlink()
    with pytest.raises(ImageError, match=r"a\.img already exists"):
        write_image(tmp_path / "a.hdr", image)
    write_image(tmp_path / "a.hdr", replace(image, pixels=noise(3, 4, 5, seed=1)), overwrite=True)
    np.testing.assert_array_equal(read_image(tmp_path / "a.hdr").pixels, noise(3, 4, 5, seed=1))


names = st.text(
    st.characters(exclude_characters="{},", exclude_categories=("C", "Z")), min_size=1, max_size=8
)


@pytest.mark.slow
@given(st.lists(names, min_size=2, max_size=5), st.floats(allow_nan=False))
def test_headers_come_back(bands, nodata):
    info = BandInfo(
        names=tuple(bands), wavelengths=tuple(map(float, range(len(bands)))), unit="nm", nodata=nodata
    )
    made = EnviHeader(3, 4, len(bands), np.dtype("<f4"), "bil", 8, info)
    assert parse_header(format_header(made), "it") == made


KEYS = ("samples", "lines", "bands", "data type", "interleave", "byte order", "wavelength", "fwhm")


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.sampled_from(KEYS), st.text(max_size=12) | st.integers().map(str) | st.just("{1,2}")),
        max_size=12,
    ),
    st.text(max_size=60),
)
def test_any_header_gives_sizes_or_one_sentence(fields, tail):
    text = "ENVI\n" + "\n".join(f"{key} = {value}" for key, value in fields) + tail
    try:
        found = parse_header(text.encode("utf-8", "replace"), "it")
    except ImageError as error:
        message = str(error)
        assert message.endswith(".")
        assert "\n" not in message
    else:
        assert min(found.shape) > 0
        found.info.check(found.bands)


def doubles(code, *values):
    return Tag(code, 12, len(values), struct.pack(f"<{len(values)}d", *values))


def keys(*entries):
    values = [1, 1, 0, len(entries), *(number for entry in entries for number in entry)]
    return Tag(34735, 3, len(values), struct.pack(f"<{len(values)}H", *values))


SCALE, TIE = doubles(33550, 30, 20, 0), doubles(33922, 0, 0, 0, 500_000, 4_000_000, 0)
UTM = keys((1024, 0, 1, 1), (1025, 0, 1, 1), (3072, 0, 1, 32632))
SIX = (500_000, 30, 0, 4_000_000, 0, -20)


@pytest.mark.parametrize(
    ("tags", "place"),
    [
        ((SCALE, TIE, UTM), Place(SIX, "EPSG:32632")),
        ((SCALE, TIE), Place(SIX)),
        ((SCALE,), Place()),
        ((SCALE, TIE, keys((1025, 0, 1, 2))), Place((499_985, 30, 0, 4_000_010, 0, -20))),
        ((keys((2048, 0, 1, 4326), (3072, 0, 1, 32767)),), Place(None)),
        ((keys((2048, 0, 1, 4326)),), Place(None, "EPSG:4326")),
        ((doubles(34264, 3, 1, 0, 7, 1, -3, 0, 9, *[0] * 8),), Place((7, 3, 1, 9, 1, -3))),
        ((doubles(34264, *[0] * 16), Tag(33550, 12, 9, b"short"), Tag(34735, 3, 2, b"abcd")), Place()),
        ((doubles(33550, np.nan, 20, 0), TIE), Place()),
    ],
)
def test_tags_say_where_an_image_lies(tags, place):
    assert place_of(BandInfo(tags=tags)) == place


@pytest.mark.parametrize(
    ("info", "wkt", "place"),
    [
        ("{UTM, 1, 1, 5e5, 4e6, 30, 20, 10, North, WGS-84, units=Meters}", "", ("EPSG:32610", 5e5)),
        ("{UTM, 1, 1, 5e5, 4e6, 30, 20, 10, South, WGS-84}", "", ("EPSG:32710", 5e5)),
        ("{UTM, 2, 2, 500030, 3999980, 30, 20, 10, South, Clarke}", "", ("", 5e5)),
        ("{Geographic Lat/Lon, 1, 1, 5e5, 4e6, 30, 20, WGS-84}", "", ("EPSG:4326", 5e5)),
        ("{Arbitrary, 1, 1, 5e5, 4e6, 30, 20}", '{PROJCS["a",1]}', ('PROJCS["a",1]', 5e5)),
        ("{UTM, 1, 1, 5e5, 4e6, 30, 20, 10, North, WGS-84, rotation=?}", "", ("EPSG:32610", None)),
        ("{UTM, 1, 1, 5e5, 4e6, 30, 20, 10, North, WGS-84, rotation=0}", "", ("EPSG:32610", 5e5)),
        ("{UTM, 1, one}", "", ("", None)),
    ],
)
def test_fields_say_it_too(info, wkt, place):
    fields = (("map info", info), *((("coordinate system string", wkt),) if wkt else ()))
    found = place_of(BandInfo(fields=fields))
    assert found.crs == place[0]
    assert found.transform == (None if place[1] is None else SIX)


def test_coordinates_are_those_of_centres():
    found = Place(SIX).coordinates(2, 3)
    assert found[0].tolist() == [3_999_990, 3_999_970]
    assert found[1].tolist() == [500_015, 500_045, 500_075]
    assert Place((0, 1, 1, 0, 1, -1)).coordinates(2, 2) is None
    assert Place().coordinates(2, 2) is None


EUROPE = "EPSG:3035"
OWN = (
    'PROJCS["unknown",GEOGCS["GCS_unknown",DATUM["D_Unknown_based_on_GRS_1980_ellipsoid",'
    'SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],'
    'PROJECTION["Lambert_Azimuthal_Equal_Area"],PARAMETER["False_Easting",4000000.0],'
    'PARAMETER["False_Northing",3000000.0],PARAMETER["Central_Meridian",9.0],'
    'PARAMETER["Latitude_Of_Origin",48.0],UNIT["Meter",1.0]]'
)
"""As GDAL writes it to an ENVI header."""


def test_a_system_of_keys_alone_is_told_in_text():
    said = b"unknown|GCS Name = unknown|Datum = Unknown based on GRS 1980 ellipsoid|Primem = Greenwich||\0"
    numbers = doubles(34736, 48, 9, 4e6, 3e6, 298.257222101, 6378137, 0)
    given = keys(  # by GDAL
        *((1024, 0, 1, 1), (1025, 0, 1, 1), (1026, 34737, 8, 0), (2048, 0, 1, 32767), (2049, 34737, 83, 8)),
        *((2050, 0, 1, 32767), (2054, 0, 1, 9102), (2056, 0, 1, 7019), (2057, 34736, 1, 5)),
        *((2059, 34736, 1, 4), (2061, 34736, 1, 6), (3072, 0, 1, 32767), (3074, 0, 1, 32767)),
        *((3075, 0, 1, 10), (3076, 0, 1, 9001), (3082, 34736, 1, 2), (3083, 34736, 1, 3)),
        *((3088, 34736, 1, 1), (3089, 34736, 1, 0)),
    )
    info = BandInfo(tags=(SCALE, TIE, given, numbers, Tag(34737, 2, len(said), said)))
    assert place_of(info) == Place(SIX, OWN)
    feet = keys(
        (1024, 0, 1, 1), (2048, 0, 1, 4326), (3072, 0, 1, 32767), (3075, 0, 1, 10), (3076, 0, 1, 9002)
    )
    assert place_of(BandInfo(tags=(feet,))).crs == ""


@pytest.mark.parametrize("crs", ["EPSG:32611", "EPSG:32720", "EPSG:4326", "EPSG:25832", EUROPE, OWN, ""])
@pytest.mark.parametrize("six", [SIX, (7.0, 3.0, 0.0, 9.0, 0.0, -3.0), None])
def test_a_place_is_the_same_in_tags_and_in_fields(crs, six):
    place = Place(six, crs)
    tags = with_tags(BandInfo(tags=tuple(of_place(place))))
    assert place_of(BandInfo(tags=tags)) == place
    fields = with_fields(BandInfo(tags=tags))
    assert place_of(BandInfo(fields=fields)) == place
    assert place_of(BandInfo(tags=with_tags(BandInfo(fields=fields)))) == place


def test_square_pixels_may_be_turned_and_others_are_lost_with_a_sentence():
    turned = Place((5e5, 24.0, 18.0, 4e6, 18.0, -24.0), "EPSG:32611")
    found = place_of(BandInfo(fields=with_fields(BandInfo(tags=tuple(of_place(turned))))))
    assert found.transform == pytest.approx(turned.transform)
    sheared = BandInfo(tags=tuple(of_place(Place((5e5, 24.0, 7.0, 4e6, 18.0, -24.0), "EPSG:9999"))))
    assert lost_text(sheared, "ENVI", "ENVI") == (
        "ENVI's header does not hold how the grid is turned and sheared and the coordinate system EPSG:9999; "
        "TIFF does."
    )
    assert lost_text(sheared, "PNG", "PNG") == "PNG does not hold where the image lies; TIFF and ENVI do."
    for info, kind in (
        (sheared, "TIFF"),
        (sheared, "NPZ"),
        (BandInfo(), "PNG"),
        (BandInfo(tags=(SCALE, TIE)), "ENVI"),
    ):
        assert not lost_text(info, kind, kind)


def test_every_known_code_is_found_again_by_its_text_and_hostile_keys_say_nothing():
    for code in (2154, 3031, 3034, 3413, 5070, 6933, 27700, 4269, 25833, 26915, 28355, 32601, 32760):
        assert epsg_of_wkt(wkt_of_epsg(code)) == f"EPSG:{code}"
    assert epsg_of_wkt('GEOGCS["x",AUTHORITY["EPSG","4230"]]') == "EPSG:4230"
    assert wkt_of_epsg(32661) == wkt_of_epsg(9999) == epsg_of_wkt(OWN) == ""
    for entries in ((3075, 34736, 1, 60_000), (2057, 34737, 9, 3), (3072, 34737, 4, 0)):
        given = keys((1024, 0, 1, 1), (2048, 0, 1, 32767), entries)
        assert place_of(BandInfo(tags=(given, Tag(34737, 2, 3, b"\xff|\0")))).crs == ""
