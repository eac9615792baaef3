from __future__ import annotations

import struct

import numpy as np
import pytest

from pcaimage.imaging import BandInfo
from pcaimage.imaging.bands import Tag
from pcaimage.imaging.geo import Place, place_of


def doubles(code: int, *values: float) -> Tag:
    return Tag(code, 12, len(values), struct.pack(f"<{len(values)}d", *values))


def keys(*entries: tuple[int, int, int, int]) -> Tag:
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
def test_tags_say_where_an_image_lies(tags: tuple[Tag, ...], place: Place) -> None:
    assert place_of(BandInfo(tags=tags)) == place


@pytest.mark.parametrize(
    ("info", "wkt", "place"),
    [
        ("{UTM, 1, 1, 5e5, 4e6, 30, 20, 10, North, WGS-84, units=Meters}", "", ("EPSG:32610", 5e5)),
        ("{UTM, 1, 1, 5e5, 4e6, 30, 20, 10, South, WGS-84}", "", ("EPSG:32710", 5e5)),
        ("{UTM, 2, 2, 500030, 3999980, 30, 20, 10, South, Clarke}", "", ("", 5e5)),
        ("{Geographic Lat/Lon, 1, 1, 5e5, 4e6, 30, 20, WGS-84}", "", ("EPSG:4326", 5e5)),
        ("{Arbitrary, 1, 1, 5e5, 4e6, 30, 20}", '{PROJCS["a",1]}', ('PROJCS["a",1]', 5e5)),
        ("{UTM, 1, 1, 5e5, 4e6, 30, 20, 10, North, WGS-84, rotation=20.5}", "", ("EPSG:32610", None)),
        ("{UTM, 1, one}", "", ("", None)),
    ],
)
def test_fields_say_it_too(info: str, wkt: str, place: tuple[str, float | None]) -> None:
    fields = (("map info", info), *((("coordinate system string", wkt),) if wkt else ()))
    found = place_of(BandInfo(fields=fields))
    assert found.crs == place[0]
    assert found.transform == (None if place[1] is None else SIX)


def test_coordinates_are_those_of_centres() -> None:
    found = Place(SIX).coordinates(2, 3)
    assert found is not None
    assert found[0].tolist() == [3_999_990, 3_999_970]
    assert found[1].tolist() == [500_015, 500_045, 500_075]
    assert Place((0, 1, 1, 0, 1, -1)).coordinates(2, 2) is None
    assert Place().coordinates(2, 2) is None
