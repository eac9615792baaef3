import json
import math
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.errors import DataError
from pcaimage.imaging.image.bands import VERSION, BandInfo, Tag, unit_of

FULL = BandInfo(
    names=("blue", "grün", "near infrared"),
    wavelengths=(490.0, 560.5, 842.1),
    widths=(65.0, 35.0, 115.0),
    unit="nm",
    nodata=-9999.0,
    shown=(2, 1, 0),
    tags=(Tag(33550, 12, 3, bytes(range(24))), Tag(42113, 2, 6, b"-9999\0")),
    fields=(("map info", "{UTM, 1, 1}"),),
)
texts = st.text(max_size=9)
finite = st.floats(allow_nan=False, allow_infinity=False)
tags = st.builds(Tag, *[st.integers(0, 65535)] * 2, st.integers(0, 99), st.binary(max_size=9))
infos = st.builds(
    BandInfo,
    names=st.lists(texts, max_size=4).map(tuple),
    wavelengths=st.lists(finite, max_size=4).map(tuple),
    widths=st.lists(finite, max_size=4).map(tuple),
    unit=texts,
    nodata=st.none() | finite | st.sampled_from([math.inf, -math.inf]),
    shown=st.lists(st.integers(0, 9), max_size=3).map(tuple),
    tags=st.lists(tags, max_size=3).map(tuple),
    fields=st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
)


@pytest.mark.slow
@given(infos)
def test_what_is_known_comes_back_from_bytes(info):
    assert BandInfo.from_bytes(info.to_bytes()) == info


def test_nothing_known_takes_no_bytes():
    assert not BandInfo()
    assert BandInfo().to_bytes() == b""
    assert BandInfo.from_bytes(b"") == BandInfo()


@given(
    st.binary(max_size=99) | st.binary(max_size=99).map(lambda data: bytes([VERSION]) + zlib.compress(data))
)
def test_damaged_bytes_say_nothing_and_raise_nothing(data):
    assert isinstance(BandInfo.from_bytes(data), BandInfo)


WRONG = [("names", [1]), ("wavelengths", [1, "2"]), ("wavelengths", [True]), ("widths", 5), ("unit", 3)]
WRONG += [
    ("wavelengths", [10**400]),
    ("nodata", "none"),
    ("nodata", 10**400),
    ("shown", [-1]),
    ("fields", [[1, 2]]),
]
WRONG += [("tags", [[1, 2, 3]]), ("tags", [[1, 2, 3, "not base64"]]), ("fields", [["one"]])]


@pytest.mark.parametrize("wrong", [{name: value} for name, value in WRONG])
def test_parts_that_are_wrong_are_left_out_alone(wrong):
    right, expected = {"names": ["a"]}, BandInfo(names=("a",))
    if "names" in wrong:
        right, expected = {"unit": "nm"}, BandInfo(unit="nm")
    entries = {**wrong, **right, "later": {"more": 1}}
    assert BandInfo.from_bytes(bytes([VERSION]) + zlib.compress(json.dumps(entries).encode())) == expected


@pytest.mark.slow
def test_a_later_version_and_bytes_that_inflate_without_end_say_nothing():
    assert BandInfo.from_bytes(bytes([VERSION + 1]) + FULL.to_bytes()[1:]) == BandInfo()
    assert BandInfo.from_bytes(bytes([VERSION]) + zlib.compress(b" " * (1 << 25))) == BandInfo()


def test_lists_must_have_an_entry_for_each_band():
    FULL.check(3)
    with pytest.raises(DataError, match="4 bands, but 3 names"):
        FULL.check(4)
    with pytest.raises(DataError, match="do not exist"):
        BandInfo(shown=(3,)).check(3)


def test_what_does_not_fit_is_dropped():
    assert FULL.fitted(2) == BandInfo(nodata=FULL.nodata, tags=FULL.tags, fields=FULL.fields)
    assert FULL.fitted(3) == FULL


def test_units_have_one_name_and_wavelengths_are_in_nanometres_where_it_is_known():
    given = {"Nanometers": "nm", " um ": "µm", "Micrometers": "µm", "Unknown": "", "GHz": "GHz"}
    assert {text: unit_of(text) for text in given} == given
    assert BandInfo(wavelengths=(0.5, 2.0), unit="µm").nanometres == (500.0, 2000.0)
    assert BandInfo(wavelengths=(500.0,), unit="nm").nanometres == (500.0,)
    assert BandInfo(wavelengths=(3.0,), unit="GHz").nanometres == ()


def test_numbers_stand_for_values_by_scale_and_offset():
    assert BandInfo().physical(-3, 7) == (-3, 7)
    assert BandInfo(scales=(2.0, -1.0), offsets=(1.0, 0.0)).physical(0, 10) == (-10, 21)
    assert BandInfo(offsets=(0.0, 5.0)).physical(0, 1) == (0, 6)
    assert BandInfo(scales=(2.0, -3.0)).scale == 3
    known = BandInfo(scales=(0.05, 0.1), offsets=(1.0, -2.5), value_unit="m s-1")
    assert BandInfo.from_bytes(known.to_bytes()) == known
    assert known.fitted(3) == BandInfo(value_unit="m s-1")
