"""The range coder of tokens: the bytes that files have, and what a plain decoder makes of them."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pcaimage.codec.coding.entropy import Decoder, Encoder
from pcaimage.codec.coding.tokens import ALPHABET
from pcaimage.errors import FormatError
from tests.unit.container import reference_decoder as reference


def scrambled(count, below, seed):
    """Return numbers that look random, always the same."""
    numbers = (np.arange(count, dtype=np.uint64) + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    numbers ^= numbers >> np.uint64(29)
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    return ((numbers >> np.uint64(24)) % np.uint64(below)).astype(np.int64)


def only(token, count=1 << 37):
    """Return counts of one token alone."""
    return np.where(np.arange(ALPHABET) == token, count, 0).astype(np.int64)


EVEN = np.ones(ALPHABET, np.int64)
FALLING = (1 << 36) >> np.minimum(np.arange(ALPHABET, dtype=np.int64), 40)
SMALL = np.minimum(scrambled(400, 9, 3), scrambled(400, 30, 4))

_CODER = reference.RangeDecoder(b"\0\0\0\x80")
HALF = [_CODER.bits(16) for _ in range(80)]

STEPS = {
    "nothing": [],
    "no tokens, and numbers of no bits": [(np.zeros(0, np.int64), EVEN), (np.zeros(3, np.int64), 0)],
    "one token": [(np.array([7]), EVEN)],
    "an unlikely token": [(np.array([71]), only(0))],
    "likely tokens": [(np.full(40, 5), only(5))],
    "unlikely tokens": [(np.full(40, 70), only(71))],
    "words of ones": [(np.full(30, 71), only(0)), (np.zeros(20, np.int64), only(0))],
    "a carry through many words": [
        # What half of all numbers are below, to forty words: from below, it is approached by words of ones.
        (np.array(HALF), 16),
        (np.full(4, 65535), 16),
    ],
    "tokens from which a model learns": [(SMALL, EVEN)],
    "a model that falls by half": [(np.minimum(scrambled(120, 72, 5), 50), FALLING)],
    "bits": [(scrambled(20, 2, 6), 1), (scrambled(9, 1 << 16, 7), 16), (scrambled(9, 1 << 30, 8), 30)],
    "all kinds": [
        (scrambled(60, 72, 9), EVEN),
        (scrambled(10, 1 << 17, 10), 17),
        (np.zeros(100, np.int64), only(0)),
        (scrambled(33, 2, 11), 1),
        (SMALL, only(3, 500)),
    ],
}

BYTES = {
    "nothing": "",
    "no tokens, and numbers of no bits": "",
    "one token": "00c8e318",
    "an unlikely token": "00ffffff",
    "likely tokens": "fcc7",
    "unlikely tokens": (
        "0046000074ff450045baff45ff45baffbaff45ba45baff45ff45baffbaff45ba45baff45ff45baffbaff45ba"
        "45baff45ff45baffbaff45ba45baff45ff45baffbaff45ba45baff45ff45baffbaff45ba45baff45ff45baff"
        "baff45ba45baff45ff45baffbaff45ba45baff45ff45baffbaff45ba45baff450000baff"
    ),
    "words of ones": (
        "ffffffff000000feffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
        "0100ffff"
    ),
    "a carry through many words": (
        "0000008000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000000000fffe7fffffffffff0001"
    ),
    "tokens from which a model learns": (
        "2709860eefc27d25e408b8caf90824712d493b965d77412eaf57418fce99e06d866f1fac4111aee0a0141a9e"
        "18360abfa3497ce022cdce963d0cac372ce214597f55a7fe7fb4bc40e06f3da9aed27abdcfaa00a7de8fa501"
        "299e1f984f812d9bee4a7c74bad41d27ddb2c5fa8f60d9d837d0309677f0a1750007a32e2009375a90c06ab3"
        "ba73bc5bd6b36b71619108fe581c4e1454aa1c9c2f000790de3238e150bb67870416ffc776865af4ac52b70b"
        "24e4898eb48678f6"
    ),
    "a model that falls by half": (
        "ffd0ffffff1ad1dd20e07b04f91460fd00e836207102b1bf80f332a09f00ec63f25380f500f06b809e00ec7f"
        "dea638e43ea479d194b45387919b899e21c8e7b3eb1529e10ec969054f2b582da8de3d106ed8be57ebec88fd"
        "07ebdf071f0ddddfdfdf07ebffea5f0c37a1d2e1fe5358ff30ffb3989bc8fe67ff5358ffb0fe53585358ffa7"
        "0a5428ff3c7cd85db058b498ff5244a75b9109c640cc54606860d3b82a93e1f5298d02080465141825183948"
        "f02518f518f5a36b2518f525b9c983e56f9da7e3ac57c4ffb3591379e4be5bee8fb35fbf90d74045f66e8377"
        "6fd85d85f5fbef858867735ff7fe927fddf73ee154ce3f95093d370286a6ca77021a91ef2a68061367286810"
        "0eb25d9c961410fe58f30cf8ad27cd41c1dd8b707bc1dd7b3f5b86ddf081a9e4b5e1e17b"
    ),
    "bits": (
        "bcd66d15a52a6a434d1365bc5fe984ebf8953c82a51722d34d1365bc5fe984ebf8953c82adbcc9d68db85e74"
        "56487c411f7083abc0afcf2b"
    ),
    "all kinds": (
        "569b21e8a426ad188b797b6a7417be0e005faa713ae3bc2de8d3119b7d5f63de83380cece75e40d5d945f6e7"
        "6f6139341dcc345a2c73a1547c50acfb81c70b33e0e71e7bd0f64b4f13fe570fa722fef700501bfe07005807"
        "b00e005800b00e000e00b00e000000b0f8b724003dc5f813828437f7007e14fe05ecaf3abda5f0d2fefe1500"
        "2afebf2a151cfebf006b23fe0e005507fe1500aafec014fe0e00c1146b23fea9fe5407000700161c00000055"
        "00aa0e001cfefe15c014fe15fe151cfe5518fd2a0e5c7edaa88e246153f9ac2facd58a38b2b8aea240671175"
        "4d2d81349a775d57d6e5da058d75b9cc4cbc70a772482ba2169b4d51772ef5634f2471bc35c99585a3703126"
        "191d193ec7053abeeed8f4ab7a6a01630314b49dc407c2d8c28a85f97d2b8a34454f8d14b59e02f690f1f3a7"
        "f3170eb0c8da2fac8296f93c195705c5858ef8cb373331c87148084ae23a67e8"
    ),
}
"""Made by constriction 0.5, a library of its own, which files were written with at first."""
MILLION = 814960, "f3708b750754c9f93eace573df7858e75fb8ea4c9e5961fa4e1874f01cceb9ed"


def encoded(steps):
    encoder = Encoder()
    for values, how in steps:
        if isinstance(how, int):
            encoder.put_bits(values, how)
        else:
            encoder.put(values, how, np.zeros(ALPHABET, np.int64))
    return encoder.finish()


def decoded(data, steps):
    decoder, found = Decoder(data), []
    for values, how in steps:
        if isinstance(how, int):
            found.append(decoder.get_bits(values.size, how))
        else:
            found.append(np.empty(values.size, np.int64))
            decoder.get(found[-1], how, np.zeros(ALPHABET, np.int64))
    return found


def decoded_plainly(data, steps):
    """Return what the specification says, in plain Python."""
    coder = reference.RangeDecoder(data)
    found = []
    for values, how in steps:
        numbers = [0] * values.size
        if isinstance(how, int):
            for shift in range(0, how, 16):
                for place in range(values.size):
                    numbers[place] += coder.bits(min(16, how - shift)) << shift
        else:
            counts, start = how.tolist(), 0
            while start < values.size:
                stop = min(values.size, start + min(max(48, start // 2), 65536))
                frequencies = reference.frequencies_of(counts)
                numbers[start:stop] = [coder.symbol(frequencies) for _ in range(start, stop)]
                for token in numbers[start:stop]:
                    counts[token] += 16
                start = stop
        found.append(numbers)
    return found


@pytest.mark.parametrize("name", STEPS)
def test_bytes_are_those_that_files_have_always_had(name):
    steps, data = STEPS[name], bytes.fromhex(BYTES[name])
    assert encoded(steps) == data
    for found, plain, (values, _) in zip(
        decoded(data, steps), decoded_plainly(data, steps), steps, strict=True
    ):
        assert found.tolist() == plain == values.tolist()


def test_a_million_tokens_are_the_bytes_that_files_have_always_had():
    tokens = np.minimum(scrambled(1_000_000, 24, 12), scrambled(1_000_000, 80, 13) % ALPHABET)
    steps = [(tokens, EVEN), (scrambled(100_000, 1 << 20, 14), 20)]
    data = encoded(steps)
    assert (len(data), hashlib.sha256(data).hexdigest()) == MILLION
    for found, (values, _) in zip(decoded(data, steps), steps, strict=True):
        assert np.array_equal(found, values)


counts = hnp.arrays(
    np.int64, ALPHABET, elements=st.sampled_from([0, 0, 1, 2, 1000]) | st.integers(0, 1 << 31)
).filter(np.any)
tokens = hnp.arrays(
    np.int64, st.integers(0, 130), elements=st.sampled_from([0, 1, 71]) | st.integers(0, ALPHABET - 1)
)
bits = st.integers(0, 63).flatmap(
    lambda width: st.tuples(
        hnp.arrays(np.int64, st.integers(0, 20), elements=st.integers(0, (1 << width) - 1)), st.just(width)
    )
)
some_steps = st.lists(st.tuples(tokens, counts) | bits, max_size=5)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(some_steps)
def test_tokens_and_bits_come_back_in_order(steps):
    data = encoded(steps)
    assert not data.endswith(b"\0")
    for found, (values, _) in zip(decoded(data, steps), steps, strict=True):
        assert np.array_equal(found, values)


@settings(max_examples=20, deadline=None)
@given(some_steps, st.binary(max_size=40), st.integers(0, 300))
def test_any_bytes_are_what_the_specification_says_or_refused_where_it_says_so(steps, noise, skipped):
    data = noise + encoded(steps)[skipped:]
    try:
        plain = decoded_plainly(data, steps)
    except reference.Refused:
        with pytest.raises(FormatError, match="not valid"):
            decoded(data, steps)
    else:
        assert [found.tolist() for found in decoded(data, steps)] == plain


@pytest.mark.parametrize("data", [b"\xff" * 400, b"\xff" * 8])
@pytest.mark.parametrize("step", [(np.zeros(1, np.int64), EVEN), (np.zeros(1, np.int64), 5)])
def test_data_that_no_encoder_writes_is_refused(data, step):
    with pytest.raises(FormatError, match="not valid"):
        decoded(data, [step])


def outcome(data, steps):
    try:
        return [found.tolist() for found in decoded(data, steps)]
    except FormatError as error:
        return str(error)


def test_what_is_missing_reads_as_zeros():
    for name, steps in STEPS.items():
        data = bytes.fromhex(BYTES[name])
        for length in range(0, len(data), 5):
            assert outcome(data[:length], steps) == outcome(data[:length] + bytes(99), steps)


def test_a_model_sees_the_tokens_alike_on_both_sides():
    encoder, one, two = Encoder(), np.zeros(ALPHABET, np.int64), np.zeros(ALPHABET, np.int64)
    encoder.put(SMALL, EVEN, one)
    Decoder(encoder.finish()).get(np.empty_like(SMALL), EVEN, two)
    assert np.array_equal(one, 16 * np.bincount(SMALL, minlength=ALPHABET))
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("tokens", "prior", "seen"),
    [
        ([0, 72], EVEN, 0 * EVEN),
        ([0, -1], EVEN, 0 * EVEN),
        ([0], 0 * EVEN, 0 * EVEN),
        ([0], -EVEN, 9 * EVEN),
        ([0], EVEN, only(3, 1 << 38)),
        ([0], only(3, 1 << 62), only(3, 1 << 62)),
        ([0], EVEN[:-1], 0 * EVEN),
        ([0], EVEN, np.zeros(80, np.int64)),
    ],
)
def test_tokens_and_counts_out_of_range_are_no_business_of_the_core(tokens, prior, seen):
    with pytest.raises(ValueError, match=r"A token is not from 0 to 71|counts for 72 tokens"):
        Encoder().put(np.array(tokens), prior, seen)
