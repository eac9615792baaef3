"""Numbers as people read and type them."""

import math

import pytest

from pcaimage.insight.formatting import (
    Units,
    decibels,
    file_size,
    parse_number,
    parse_share,
    parse_size,
    percent,
    use_units,
)


@pytest.fixture
def binary():
    use_units(Units.BINARY)
    yield
    use_units(Units.DECIMAL)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 KB"),
        (41_234, "41.2 KB"),
        (99_940, "99.9 KB"),
        (99_960, "100 KB"),
        (493_000, "493 KB"),
        (999_960, "1.0 MB"),
        (72_000_000, "72.0 MB"),
        (3_200_000_000, "3.2 GB"),
    ],
)
def test_sizes_are_read_in_decimal_units(size, text):
    assert file_size(size).replace("\u00a0", " ") == text


@pytest.mark.usefixtures("binary")
@pytest.mark.parametrize(
    ("size", "text"),
    [(1023, "1023 B"), (1024, "1.0 KiB"), (102_400, "100 KiB"), (3 << 20, "3.0 MiB"), (5 << 30, "5.0 GiB")],
)
def test_sizes_are_read_in_binary_units_if_that_is_wanted(size, text):
    assert file_size(size).replace("\u00a0", " ") == text
    assert file_size(41_234, Units.DECIMAL) == "41.2\u00a0KB"
    assert [parse_size(typed) for typed in ("2k", "2 KB", "2 B")] == [2048, 2000, 2]


@pytest.mark.parametrize(
    ("text", "size"), [("25 %", 10_000), ("12,5%", 5_000), ("≈ 1\u00a0%", 400), ("% of it", None)]
)
def test_a_size_may_be_a_share_of_the_original(text, size):
    assert parse_size(text, 40_000) == size
    assert parse_size(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.95", 0.95),
        (",95", 0.95),
        ("95 %", 0.95),
        ("95", 0.95),
        ("1", 1.0),
        ("0", None),
        ("-1", None),
        ("100 %", 1.0),
        ("120 %", None),
        (" 99.9 % ", 0.999),
        ("alike", None),
    ],
)
def test_a_share_is_a_number_or_percents(text, value):
    assert parse_share(text) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("41.2 KB", 41_200),
        ("41,2kb", 41_200),
        ("≈ 41.2\u00a0KB", 41_200),
        ("300k", 300_000),
        ("40 KiB", 40_960),
        ("1mib", 1 << 20),
        ("5 ib", None),
        ("1.5 MB", 1_500_000),
        ("2g", 2_000_000_000),
        ("500", 500),
        ("500 B", 500),
        ("40_000", 40_000),
        (".5m", 500_000),
        ("300 bytes", 300),
        ("12.9", 12),
        ("0", None),
        ("kb", None),
        ("12 kg", None),
        ("twelve", None),
        ("", None),
    ],
)
def test_a_size_may_be_typed_with_or_without_its_unit(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("97.31 %", 97.31),
        ("97,31", 97.31),
        ("34.1 dB", 34.1),
        (" 12 ", 12.0),
        ("nan", None),
        ("inf", None),
        ("lossless", None),
        ("", None),
        ("1.2.3", None),
    ],
)
def test_a_number_may_be_typed_with_or_without_its_unit(text, value):
    assert parse_number(text) == value


def test_a_share_is_not_rounded_up_and_no_error_is_called_lossless():
    for share, text in ((99.999, "99.99\u00a0%"), (97.31, "97.31\u00a0%"), (100, "100.00\u00a0%")):
        assert percent(share) == text
    assert decibels(math.inf) == "lossless"
    assert decibels(34.119) == "34.12\u00a0dB"
