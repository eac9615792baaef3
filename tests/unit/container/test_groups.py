"""Groups of components: whatever the lengths, they come back, and their table costs little."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcaimage.codec import Header, Step
from pcaimage.codec.decoding import Container
from pcaimage.container import records
from pcaimage.container.writer import GROUP_BYTES, group_payload, group_payloads, payload_sizes
from pcaimage.errors import FormatError, TruncatedError
from pcaimage.sampling import Lapped
from pcaimage.varint import write_varint
from tests.reference import groups as reference
from tests.unit.container.files import assembled

LENGTHS = st.lists(st.integers(0, 60) | st.sampled_from([0, 0, 0, 4096, 70001]), min_size=1, max_size=200)


HEADER = records.write_header(Header((8, 8, 3), "uint8", Lapped(), Step(2048, -8)))


def read_group(payload):
    """Read the components of a photo's only group, of which there may be 192."""
    found = Container(assembled([(b"H", HEADER), (b"M", b""), (b"G", payload)]))
    segments = [each.segment for each in found.components]
    if not segments:
        raise found.fault
    return segments


def segments_of(lengths):
    return [bytes([number % 251]) * length for number, length in enumerate(lengths, start=1)]


def falling(count, seed, first=40, last=0.3):
    """Return plausible lengths: a geometric fall, and each component half as large or again as large."""
    generator = np.random.default_rng(seed)
    means = first * (last / first) ** np.linspace(0, 1, count)
    values = means * np.exp(generator.normal(0, 0.4, count)) + generator.random(count)
    return [int(value) for value in values]


@pytest.mark.slow
@settings(max_examples=50)
@given(LENGTHS, st.integers(0, 5), st.integers(1, 300))
def test_segments_come_back(lengths, shift, number):
    segments = segments_of([length << shift for length in lengths[:-1]] + lengths[-1:])
    payload = group_payload(number, segments)
    assert reference.segments(payload) == (number, segments)
    if len(segments) <= 192:
        assert read_group(group_payload(1, segments)) == segments


@pytest.mark.slow
@settings(max_examples=50)
@given(LENGTHS, st.integers(1, 300))
def test_sizes_are_those_of_the_groups_with_fewer_components(lengths, number):
    segments = segments_of(lengths)
    sizes = [len(group_payload(number, segments[:count])) for count in range(1, len(segments) + 1)]
    assert payload_sizes(number, segments) == sizes


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(0, 95), st.integers(0, 95), st.integers(0, 1 << 22))
def test_one_giant_among_nothing_comes_back(before, after, length):
    segments = [b""] * before + [bytes(length)] + [b""] * after
    payload = group_payload(1, segments)
    assert read_group(payload) == segments
    assert len(payload) - length < 4 + 17 + (before + 7 * after) // 4


def test_a_table_is_written_as_documented_and_takes_little_for_components_without_bytes():
    payload = group_payload(3, [bytes(40), bytes(24), bytes(8), b"", b"12345"])
    assert payload[:2] == b"\3\5"
    bits = "0011" + "00101" + "0011" + "0001" + "0000" + "000"
    assert payload[2:5] == int(bits, 2).to_bytes(3, "big")
    assert payload[5:] == bytes(72) + b"12345"
    assert len(group_payload(1, [b""] * 190)) <= 1 + 2 + 190 * 1.2 / 8


@pytest.mark.sweep(4)
@pytest.mark.parametrize("count", [80, 190])
@pytest.mark.parametrize("shift", [0, 4])
def test_a_length_costs_less_than_four_bits_in_a_plausible_file(count, shift):
    costs = []
    for seed in range(50):
        lengths = [length << shift for length in falling(count, seed)]
        payload = group_payload(1, segments_of(lengths))
        costs.append(8 * (len(payload) - sum(lengths)) / count)  # with number, count and shift
    assert np.mean(costs) < 4.1
    assert max(costs) < 4.5


def test_a_group_is_closed_when_it_is_large():
    segments = segments_of([GROUP_BYTES, 0, GROUP_BYTES - 1, 1, 5, GROUP_BYTES * 3, 7, 0])
    payloads = list(group_payloads(segments))
    found = [reference.segments(payload) for payload in payloads]
    assert [(number, len(group)) for number, group in found] == [(1, 1), (2, 3), (5, 2), (7, 2)]
    assert [segment for _, group in found for segment in group] == segments
    assert list(group_payloads([])) == []


GROUP = group_payload(1, segments_of(falling(80, 0)))


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "cut short"),
        (b"\1", "cut short"),
        (b"\2\1\0", "not where it should be"),
        (b"\1\0", "more components than there is room for"),
        (b"\1\xc1\1\0", "more components than there is room for"),
        (b"\1" + write_varint(1 << 41), "more components than there is room for"),
        (b"\1\1", "table"),
        (b"\1\1\1", "table"),
        (b"\1\2\0", "table"),
        (b"\1\2\0\0\0", None),
        (b"\1\2\0\1", "table"),
        (b"\1\3" + b"\x0f" + b"\xff" * 200, "table"),
        (b"\1\3" + b"\x0f" + b"\xff" * 2, "table"),
        (b"\1\2\1\0", "table"),
        (b"\1\2\xf1\0" + bytes(20), "longer than their chunk"),
        (b"\1\2\x0f\xff\xf0" + bytes(30), "longer than their chunk"),
    ],
)
def test_damaged_tables_are_refused(payload, message):
    if message is None:
        assert read_group(payload) == [b"", b"\0"]
        return
    with pytest.raises(FormatError, match=message):
        read_group(payload)


def test_a_table_cut_short_anywhere_is_refused():
    table = len(GROUP) - sum(falling(80, 0))
    for length in range(table):
        with pytest.raises(FormatError):
            read_group(GROUP[:length])


@given(st.binary(max_size=300), st.integers(1, 192))
def test_arbitrary_tables_give_segments_or_format_errors(data, count):
    payload = b"\1" + write_varint(count) + data
    try:
        segments = read_group(payload)
    except FormatError as error:
        assert not isinstance(error, TruncatedError)  # noqa: PT017 - it may also come back
        return
    assert len(segments) == count
    assert payload.endswith(b"".join(segments))
    assert reference.segments(payload) == (1, segments)
