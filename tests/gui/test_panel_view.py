from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.gui.panel_view import (
    decibels,
    file_size,
    k_at,
    parse_number,
    parse_size,
    percent,
    place_of,
)


@given(st.integers(1, 20_000).flatmap(lambda most: st.tuples(st.integers(1, most), st.just(most))))
def test_every_k_has_a_place_on_the_slider(pair: tuple[int, int]) -> None:
    k, most = pair
    assert 0 <= place_of(k, most) <= 1
    if most > 1:
        assert k_at(place_of(k, most), most) == k


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 20_000))
def test_further_right_is_never_a_smaller_k(one: float, two: float, most: int) -> None:
    low, high = sorted((one, two))
    assert 1 <= k_at(low, most) <= k_at(high, most) <= most


def test_the_slider_is_finer_where_k_is_small() -> None:
    assert k_at(0.5, 192) == 14
    assert k_at(0.0, 192) == 1
    assert k_at(1.0, 192) == 192
    assert k_at(0.5, 193, even=True) == 97
    assert [k_at(place_of(k, 7, even=True), 7, even=True) for k in range(1, 8)] == list(range(1, 8))
    assert k_at(place_of(1, 1, even=True), 1, even=True) == 1


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
def test_sizes_are_read_in_decimal_units(size: int, text: str) -> None:
    assert file_size(size).replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("41.2 KB", 41_200),
        ("41,2kb", 41_200),
        ("≈ 41.2\u00a0KB", 41_200),
        ("300k", 300_000),
        ("1.5 MB", 1_500_000),
        ("2g", 2_000_000_000),
        ("500", 500),
        ("500 B", 500),
        ("kb", None),
        ("12 kg", None),
        ("twelve", None),
        ("", None),
    ],
)
def test_a_size_may_be_typed_with_or_without_its_unit(text: str, size: int | None) -> None:
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
def test_a_number_may_be_typed_with_or_without_its_unit(text: str, value: float | None) -> None:
    assert parse_number(text) == value


def test_a_share_is_not_rounded_up() -> None:
    assert percent(99.999) == "99.99\u00a0%"
    assert percent(97.31) == "97.31\u00a0%"
    assert percent(100) == "100.00\u00a0%"


def test_no_error_is_called_lossless() -> None:
    assert decibels(math.inf) == "lossless"
    assert decibels(34.119) == "34.12\u00a0dB"
