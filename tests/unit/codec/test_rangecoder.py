"""Bits of any probability come back, in about as many bits as theory asks for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcaimage.codec.coding.range_coder import RangeCoder, RangeWriter
from pcaimage.core.library import LONG, STRUCT, Array, function, held

Bits = list[tuple[int, int]]
"""Probability of a one, in 1/65536, and the bit."""

code_bits = function(
    "pcai_range_code_bits", None, STRUCT, Array(np.int32), Array(np.uint8, writable=True), LONG, LONG
)


def write(coder, bits):
    """Write bits where there is room."""
    probabilities = np.array([p for p, _ in bits], np.int32)
    code_bits(coder, probabilities, np.array([bit for _, bit in bits], np.uint8), len(bits), 0)


def coded(bits, runs=1):
    """Return the bytes, written in several runs."""
    writer = RangeWriter()
    for run in np.array_split(np.arange(len(bits)), runs):
        writer.reserve(len(run))
        write(writer.coder, [bits[index] for index in run.tolist()])
        writer.keep()
    return writer.finish()


def decoded(data, probabilities):
    bits = np.empty(len(probabilities), np.uint8)
    stream = np.frombuffer(data, np.uint8)
    reader = held(RangeCoder(0, (1 << 32) - 1, 0, 0, 0, stream.size, stream))
    code_bits(reader, np.array(probabilities, np.int32), bits, len(bits), 1)
    return bits.tolist()


some_bits = st.lists(
    st.tuples(st.sampled_from([1, 2, 32768, 65534, 65535]) | st.integers(1, 65535), st.integers(0, 1)),
    max_size=200,
)


@pytest.mark.slow
@settings(deadline=None)
@given(some_bits, st.integers(1, 4))
def test_bits_of_any_probability_come_back(bits, runs):
    data = coded(bits, runs)
    assert decoded(data, [p for p, _ in bits]) == [bit for _, bit in bits]
    assert not data.endswith(b"\0")


@pytest.mark.parametrize("bit", [0, 1])
@pytest.mark.parametrize("probability", [1, 65535])
def test_long_runs_of_likely_and_of_unlikely_bits_come_back(probability, bit):
    # The unlikely ones carry through hundreds of bytes that are pending.
    # Zeros alone would take no bytes: those at the end are left out.
    bits = [*[(probability, bit)] * 500, (32768, 1)]
    data = coded(bits)
    assert decoded(data, [p for p, _ in bits]) == [bit for _, bit in bits]
    likely = (bit == 1) == (probability == 65535)
    assert len(data) < 5 if likely else 490 < len(data) <= 1010
    assert decoded(b"", [probability, 32768] * 100) == [0] * 200


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(some_bits, st.binary(max_size=20))
def test_what_is_missing_reads_as_zeros(bits, noise):
    probabilities = [p for p, _ in bits]
    for data in (coded(bits), noise):
        for length in range(0, len(data), 7):
            cut = data[:length]
            assert decoded(cut, probabilities) == decoded(cut + bytes(99), probabilities)


def test_a_prefix_of_bits_needs_four_bytes_more_than_are_certain():
    random = np.random.default_rng(0)
    bits = list(
        zip(random.integers(1, 65536, 3000).tolist(), random.integers(0, 2, 3000).tolist(), strict=True)
    )
    data = coded(bits)
    for count in (1, 100, 2000):
        writer = RangeWriter()
        writer.reserve(count)
        write(writer.coder, bits[:count])
        writer.keep()
        needed = writer.certain
        followed_by_anything = data[:needed] + random.bytes(50)
        assert decoded(followed_by_anything, [p for p, _ in bits[:count]]) == [bit for _, bit in bits[:count]]


def drawn(probabilities, seed):
    """Return bits as likely as they are said to be, and how many bytes they are worth."""
    ones = np.random.default_rng(seed).integers(0, 65536, probabilities.size) < probabilities
    worth = -np.log2(np.where(ones, probabilities, 65536 - probabilities) / 65536).sum() / 8
    return list(zip(probabilities.tolist(), ones.astype(int).tolist(), strict=True)), float(worth)


@pytest.mark.parametrize("lowest", [1, 20000])
def test_size_is_within_a_thousandth_of_the_ideal(lowest):
    probabilities = np.random.default_rng(lowest).integers(lowest, 65537 - lowest, 60_000)
    bits, worth = drawn(probabilities, 1)
    assert worth > 4000
    assert len(coded(bits)) < 1.001 * worth + 4
