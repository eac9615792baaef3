import json
import math
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.cli.declared import ValueRefused, parse_components, parse_share, parse_size
from pcaimage.cli.formatting import finite_or_none, psnr_text, size_text
from pcaimage.cli.terminal import printable


@pytest.mark.parametrize(
    ("parse", "texts", "message"),
    [
        (parse_share, ("", "%", "0", "-3", "101", "120%", "nan", "inf", "much"), "share of the variance"),
        (parse_size, ("", "KB", "-4KB", "0", "0.4", "4iB", "4XB", "1e5", "inf"), "size in bytes"),
        (
            parse_components,
            ("", "3,", ",3", "0", "-3", "5-3", "0-4", "1.5", "3;7", "three", "1-100000", "2-3-4"),
            "not a list of components, counted from 1, such as 3,7,12-20",
        ),
    ],
)
def test_what_is_no_share_size_or_list_of_components_is_refused(parse, texts, message):
    for text in texts:
        with pytest.raises(ValueRefused, match=message):
            parse(text)


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("3", {3}),
        ("3,7,12-14", {3, 7, 12, 13, 14}),
        (" 3 , 5 - 5,3", {3, 5}),
        ("192", {192}),
        ("1-3,2-4", {1, 2, 3, 4}),
    ],
)
def test_components_are_understood(text, components):
    assert parse_components(text) == components


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 KB"),
        (41_234, "41.2 KB"),
        (557_596, "558 KB"),
        (999_499, "999 KB"),
        (999_500, "1.00 MB"),
        (2_580_936, "2.58 MB"),
        (7_000_000_000_000, "7000 GB"),
    ],
)
def test_sizes_are_told_in_three_figures(n_bytes, text):
    assert size_text(n_bytes) == text


@pytest.mark.slow
@given(st.integers(1, 10**12))
def test_a_size_that_was_told_is_understood(n_bytes):
    assert parse_size(size_text(n_bytes)) == pytest.approx(n_bytes, rel=0.006)


def test_infinite_numbers_have_words_and_json_null():
    assert psnr_text(math.inf) == "lossless"
    assert psnr_text(34.123) == "34.12 dB"
    assert finite_or_none(math.inf) is None
    assert finite_or_none(2.5) == 2.5


@pytest.mark.slow
@given(st.text())
def test_no_text_moves_the_cursor(text):
    assert printable(text).isprintable()
    assert len(printable(text)) == len(text)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="file names are text")
def test_names_that_are_no_text_are_replaced_in_json(done, png):
    name = os.fsdecode(b"odd\xff.png")
    png.rename(name)
    told = done("encode", name, "out.pcai", "--json").stdout
    assert json.loads(told)["input"] == "odd\N{REPLACEMENT CHARACTER}.png"
    assert "\\ud" not in told
    assert "\\ud" not in done("info", "out.pcai", "--json").stdout
