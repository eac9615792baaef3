"""Integers to bytes and back: tokens, predictors, planes."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pcaimage.codec.coding.planes import PlaneCoder, geometric
from pcaimage.codec.coding.predict import Predictor, best_predictor, residuals, restore
from pcaimage.codec.coding.tokens import ALPHABET, EXTRA_BITS, LOWEST, MAX_MAGNITUDE, to_tokens
from pcaimage.errors import FormatError

HUGE = (1 << 30) - 1

planes = hnp.arrays(
    np.int64,
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4)),
    elements=st.one_of(st.integers(-3, 3), st.integers(-HUGE, HUGE)),
)


@pytest.mark.slow
@given(st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=20))
def test_tokens_and_raw_bits_are_a_magnitude(values):
    magnitudes = np.array(values, np.int64)
    tokens = to_tokens(magnitudes)
    rest = magnitudes - LOWEST[tokens]
    assert np.all((tokens >= 0) & (tokens < ALPHABET))
    assert np.all((rest >= 0) & (rest < 1 << EXTRA_BITS[tokens]))


def test_tokens_leave_no_gap():
    assert np.array_equal(LOWEST[1:], (LOWEST + (1 << EXTRA_BITS))[:-1])
    assert LOWEST[0] == 0
    assert LOWEST[-1] + (1 << EXTRA_BITS[-1]) == 1 << 32
    assert to_tokens(np.array([15, 16, 23, 24, MAX_MAGNITUDE])).tolist() == [15, 16, 16, 17, 69]
    assert to_tokens(np.zeros(0, np.int64)).size == 0


@pytest.mark.slow
@given(planes, st.sampled_from(Predictor))
def test_predictors_are_undone(plane, predictor):
    before = plane.copy()
    left_over = residuals(plane, predictor)
    assert np.array_equal(plane, before) or predictor is Predictor.NONE
    assert np.array_equal(restore(left_over.copy(), predictor), before)


def test_each_predictor_leaves_nothing_of_what_it_predicts():
    i, j, c = np.indices((8, 9, 3))
    noise = np.random.default_rng(0).integers(-99, 99, (8, 9, 3))
    predicted = {
        Predictor.LEFT: noise[:, :1] + 0 * noise,
        Predictor.UP: noise[:1] + 0 * noise,
        Predictor.PLANE: 7 * i + 3 * j + noise[:1, :1],
        Predictor.CHANNEL: noise[..., :1] + 0 * c,
    }
    for predictor, plane in predicted.items():
        assert not residuals(plane, predictor)[1:, 1:, 1:].any()
        assert best_predictor(plane) is predictor
    assert best_predictor(noise) is Predictor.NONE


@pytest.mark.slow
@pytest.mark.parametrize("contexts", [False, True])
@settings(max_examples=20, deadline=None)
@given(plane=planes)
def test_planes_come_back(plane, *, contexts):
    if contexts:
        plane = plane[..., :1]
    data = PlaneCoder(plane.shape, contexts=contexts).encode(plane)
    assert (data == b"") == (not plane.any())
    assert np.array_equal(PlaneCoder(plane.shape, contexts=contexts).decode(data), plane)


@pytest.mark.parametrize("value", [HUGE, -HUGE, 1, 15, 16, 1 << 20])
def test_extreme_planes_come_back(value):
    signs = np.where(np.indices((9, 10, 1)).sum(axis=0) % 2, value, -value)
    for plane in (
        signs,
        np.full((9, 10, 1), value),
        np.sign(signs) * (np.arange(90).reshape(9, 10, 1) == 44) * value,
    ):
        data = PlaneCoder(plane.shape).encode(plane)
        assert np.array_equal(PlaneCoder(plane.shape).decode(data), plane)


def test_a_mean_at_the_upper_limit_comes_back():
    plane = np.where(np.indices((8, 8, 3)).sum(axis=0) % 2, MAX_MAGNITUDE, 0)
    data = PlaneCoder(plane.shape, contexts=False).encode(plane)
    assert np.array_equal(PlaneCoder(plane.shape, contexts=False).decode(data), plane)


def sequence(shape, count):
    """Return planes with empty, huge, predictable and noisy ones among them."""
    generator = np.random.default_rng(7)
    wide = generator.gamma(0.3, 60.0, shape)
    found = []
    for index in range(count):
        plane = np.rint(generator.laplace(0, 1 + wide / (1 + index))).astype(np.int64)
        if index % 5 == 3:
            plane[:] = 0
        if index % 7 == 2:
            plane = np.cumsum(np.cumsum(plane % 3, axis=0), axis=1)
        if index == 6:
            plane[-1, -1] = HUGE
        found.append(plane)
    return found


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("shape", [(60, 70), (1, 1), (1, 300), (700, 1), (5, 5)])
@pytest.mark.sweep(5)
def test_decoder_keeps_in_step_over_many_planes(shape, *, beside):
    found = sequence(shape, 12)
    encoder, decoder = (PlaneCoder((*shape, 1), beside=beside) for _ in range(2))
    coded = [encoder.encode(plane) for plane in found]
    for plane, data in zip(found, coded, strict=True):
        assert np.array_equal(decoder.decode(data)[..., 0], plane)
    assert coded[3] == b""


def test_coding_leaves_the_plane_as_it_was():
    for plane in sequence((20, 20), 8):
        before = plane.copy()
        PlaneCoder((20, 20, 1)).encode(plane)
        assert np.array_equal(plane, before)


@settings(max_examples=33, deadline=None)
@given(data=st.lists(st.binary(max_size=60), min_size=1, max_size=3), contexts=st.booleans())
def test_garbage_gives_format_errors_only(data, *, contexts):
    decoder = PlaneCoder((7, 8, 1), contexts=contexts)
    with contextlib.suppress(FormatError):
        for piece in data:
            assert decoder.decode(piece).shape == (7, 8, 1)


def test_unknown_predictors_are_refused():
    for kind in (5, 6, 7):
        with pytest.raises(FormatError, match=f"no predictor {kind}"):
            PlaneCoder((2, 2, 1)).decode(bytes([kind]))


def test_numbers_out_of_range_are_refused():
    plane = np.where(np.arange(16).reshape(4, 4, 1) < 2, MAX_MAGNITUDE, 0)
    data = PlaneCoder((4, 4, 1), contexts=False).encode(plane)
    assert data[0] & 7 in {Predictor.NONE, Predictor.UP}
    summed = bytes([data[0] & 0xF8 | Predictor.PLANE]) + data[1:]
    with pytest.raises(FormatError, match="out of range"):
        PlaneCoder((4, 4, 1), contexts=False).decode(summed)


def test_entropy_coded_data_that_no_encoder_writes_is_refused():
    with pytest.raises(FormatError, match="not valid"):
        PlaneCoder((30, 30, 1)).decode(b"\x18" + b"\xff" * 400)


@pytest.mark.parametrize("scale", range(32))
def test_the_start_of_a_model_falls_by_half_with_its_scale(scale):
    start = geometric(scale, 1 << 20) / (1 << EXTRA_BITS).astype(float)
    assert geometric(scale, 128).min() >= 1
    half = 2.0 ** (scale - 3)
    if 2 <= half <= 8:
        ratio = start[: 2 * int(half)]
        assert ratio[int(half)] / ratio[0] == pytest.approx(0.5, rel=0.01)


def adaptive_bits(symbols):
    """Return the code length of a symbol-by-symbol adaptive model (Krichevsky and Trofimov)."""
    seen, bits = np.full(int(symbols.max()) + 1, 0.5), 0.0
    for symbol in symbols.tolist():
        bits -= math.log2(seen[symbol] / seen.sum())
        seen[symbol] += 1
    return bits


@pytest.mark.sweep(3)
@pytest.mark.parametrize("spread", [0.3, 2.0, 12.0])
def test_length_is_about_that_of_an_ideal_adaptive_model(spread):
    plane = np.rint(np.random.default_rng(3).laplace(0, spread, (100, 100))).astype(np.int64)
    magnitudes = np.abs(plane).ravel()
    ideal = adaptive_bits(magnitudes) + np.count_nonzero(magnitudes)
    bits = 8 * len(PlaneCoder((100, 100, 1)).encode(plane))
    assert bits == pytest.approx(ideal, rel=0.05)


def entropy(values):
    share = np.unique(values, return_counts=True)[1] / values.size
    return float(-(share * np.log2(share)).sum()) * values.size


def test_a_smooth_plane_takes_far_less_than_its_histogram():
    i, j = np.indices((80, 90))
    plane = np.rint(300 * np.sin(i / 25) * np.cos(j / 31)).astype(np.int64)
    assert 8 * len(PlaneCoder((80, 90, 1)).encode(plane)) < 0.5 * entropy(plane)


def test_activity_of_earlier_planes_helps_later_ones():
    generator = np.random.default_rng(4)
    spread = np.repeat(np.repeat(generator.gamma(0.4, 8.0, (10, 12)), 10, axis=0), 10, axis=1)
    first, second = (np.rint(generator.laplace(0, spread)).astype(np.int64) for _ in range(2))
    coder = PlaneCoder((100, 120, 1))
    alone = len(coder.encode(first))
    after = len(coder.encode(second))
    assert after < 0.9 * alone
    assert 8 * after < 0.9 * entropy(second)


def test_vectors_are_coded_each_by_itself():
    found = sequence((9, 9), 4)
    one = PlaneCoder((9, 9, 1), contexts=False)
    apart = [PlaneCoder((9, 9, 1), contexts=False).encode(plane) for plane in found]
    assert [one.encode(plane) for plane in found] == apart
