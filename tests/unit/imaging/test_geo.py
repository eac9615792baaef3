import struct

import numpy as np
import pytest

from pcaimage.imaging import BandInfo
from pcaimage.imaging.georeference.geo import Place, lost_text, of_place, place_of, with_fields, with_tags
from pcaimage.imaging.georeference.wkt import epsg_of_wkt, wkt_of_epsg
from pcaimage.imaging.image.bands import Tag


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
