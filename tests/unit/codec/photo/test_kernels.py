"""The coder of a slice reads what it wrote, whatever the numbers are."""

import numpy as np
import pytest

from pcaimage.codec import Header, Step
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.local_steps import LocalSteps
from pcaimage.codec.photo.scores import prediction
from pcaimage.codec.photo.scores.relations import LARGEST
from pcaimage.codec.photo.slices import PhotoSliceCoder
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.core.library import held
from pcaimage.errors import SettingsError
from pcaimage.sampling import Lapped

SIZES = [(1, 1), (1, 7), (6, 1), (9, 11), (40, 33)]
FILLINGS = ["zeros", "noise", "sparse", "large", "extremes", "out of range"]


def trained(step=12.0):
    return Tables.of(NEWEST).for_step(Header((8, 8, 3), "uint8", Lapped(), Step.nearest(step)))


def filled(filling, shape, largest):
    random = np.random.default_rng(sum(shape))
    values = {
        "zeros": lambda: np.zeros(shape),
        "noise": lambda: random.normal(size=shape) * 2,
        "sparse": lambda: np.where(random.random(shape) < 0.02, random.normal(size=shape) * 5, 0),
        "large": lambda: np.exp(random.normal(size=shape) * 4) * random.choice([-1, 1], shape),
        "extremes": lambda: largest * random.choice([-1.0, 1.0], shape),
        "out of range": lambda: largest * random.choice([-9.0, 0.0, 9.0], shape),
    }
    return values[filling]().astype(np.float32)


def coded(wanted, channels, dtype):
    integers = np.zeros(wanted.shape, dtype)
    coder = PhotoSliceCoder(trained(), integers, channels)
    data, certain = coder.encode(lambda index: wanted[index], 0.0, lambda _: None)
    return integers, data, certain


def decoded(data, channels, like, k=None):
    integers = np.zeros_like(like[:k])
    PhotoSliceCoder(trained(), integers, channels, data).decode(lambda _: None)
    return integers


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("filling", FILLINGS)
@pytest.mark.sweep(36)
def test_scores_come_back(filling, size, dtype):
    largest = 32767 if dtype is np.int16 else LARGEST
    k = 192 if size[0] < 9 else 24
    wanted = filled(filling, (k, *size), largest)
    integers, data, _ = coded(wanted, 3, dtype)
    assert np.abs(integers[:3]).max(initial=0) <= largest
    # Others are in half steps; indices of 16 bits are half as large.
    assert np.abs(integers).max(initial=0) <= (largest if dtype is np.int16 else 2 * LARGEST)
    assert np.array_equal(decoded(data, 3, integers), integers)
    if filling == "zeros":
        assert not integers.any()
        assert len(data) <= 8 + size[0] * size[1] // 100
    if filling == "out of range":
        assert np.array_equal(integers[0], np.clip(wanted[0], -largest, largest))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.sweep(6)
def test_every_prefix_of_components_is_decoded_from_its_bytes_alone(channels):
    wanted = filled("large", (64 * channels, 5, 6), 32767)
    integers, data, certain = coded(wanted, channels, np.int16)
    assert certain == sorted(certain)
    assert certain[-1] == len(data)
    for k in range(0, len(wanted) + 1, 9):
        needed = data[: certain[k - 1]] if k else b""
        for rest in (b"", b"\xff" * 40):
            assert np.array_equal(decoded(needed + rest, channels, integers, k), integers[:k])


def test_scores_are_the_nearest_where_bits_cost_nothing():
    wanted = filled("noise", (192, 8, 8), 32767) * 3
    integers = np.zeros(wanted.shape, np.int16)
    coder = PhotoSliceCoder(trained(), integers, 3, dependent=False)
    coder.encode(lambda index: wanted[index], 0.0, lambda _: None)
    assert np.abs(integers[:3] - wanted[:3]).max() <= 0.57
    for index in range(3, 192):
        left = wanted[index] - coder.predicted(index) / np.float32(256)
        assert np.abs(integers[index] / 2 - left).max() <= 0.6


@pytest.mark.parametrize("data", [b"", b"\xff" * 3000, b"\x80", bytes(range(256)) * 9])
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_any_bytes_give_scores_in_range(data, dtype):
    largest = 32767 if dtype is np.int16 else LARGEST
    found = decoded(data, 4, np.zeros((256, 3, 5), dtype))
    assert np.abs(found[:4]).max() <= largest
    assert np.abs(found).max() <= 2 * largest
    if not data:
        assert not found.any()


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_scores_lie_at_multiples_of_half_a_step(dtype):
    scores = np.array([[-300, -2, -1, 0], [1, 2, 3, 300]], dtype)
    result = np.full(scores.shape, 7, np.int32)
    prediction.settle(scores, result)
    assert np.array_equal(result, 7 + 128 * scores.astype(np.int64))


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("size", SIZES)
def test_differences_are_those_to_the_eight_neighbours(size, dtype):
    plane = np.random.default_rng(size[1]).integers(-30000, 30000, size).astype(dtype)
    around = np.empty((8, *size), np.int32)
    prediction.differences(plane, around)
    padded = np.pad(plane.astype(np.int64), 1, mode="edge")
    shifts = [(down, right) for down in range(3) for right in range(3) if (down, right) != (1, 1)]
    for found, (down, right) in zip(around, shifts, strict=True):
        exact = padded[down : down + size[0], right : right + size[1]] - plane
        assert np.array_equal(found, exact.clip(-prediction.FARTHEST, prediction.FARTHEST))


@pytest.mark.parametrize("columns", [63, 64, 65, 129])
@pytest.mark.sweep(2)
def test_rows_of_several_chunks_come_back(columns):
    wanted = filled("sparse", (192, 4, columns), 32767) * 9
    integers, data, _ = coded(wanted, 3, np.int16)
    assert (integers[3:] != 0).any(axis=(0, 1)).all()
    assert np.array_equal(decoded(data, 3, integers), integers)


def test_predictions_stay_within_32_bits():
    random = np.random.default_rng(4)
    plane = (random.choice([-1, 1], (7, 6)) * LARGEST).astype(np.int32)
    around = np.empty((8, 7, 6), np.int32)
    prediction.differences(plane, around)
    assert np.abs(around).max() == prediction.FARTHEST
    weights = np.sign(around[:, 3, 3]).astype(np.int32) << prediction.WEIGHT_BITS
    result = np.empty((7, 6), np.int32)
    prediction.expect(around, weights, result)
    exact = (weights.astype(np.int64) @ around.reshape(8, -1).astype(np.int64) + 4) >> 3
    assert np.array_equal(result, exact.reshape(7, 6))
    prediction.settle(2 * plane, result)
    largest = 256 * LARGEST + exact.max()
    assert largest < 2**31
    assert np.array_equal(result, exact.reshape(7, 6) + 256 * plane.astype(np.int64))


@pytest.mark.parametrize(("channels", "kind", "finest"), [(1, "uint8", 2040), (4, "uint16", 8 * 65535 * 2)])
def test_steps_that_would_need_larger_scores_are_refused(channels, kind, finest):
    def layout(step):
        return PhotoLayout(Header((8, 8, channels), kind, Lapped(), Step.nearest(step)))

    assert layout(1.01 * finest / LARGEST).dtype == np.int32
    assert layout(1.01 * 2 * finest / 29490).dtype == np.int16
    with pytest.raises(SettingsError, match="too small for the range"):
        _ = layout(0.99 * finest / LARGEST).dtype


def test_tables_hold_what_the_core_takes_for_granted():
    """The core divides where looking up is slower, and finds the bins of quiet scores by comparing."""
    tables = Tables.of(NEWEST)
    divisors = 2 * np.arange(1024) + 3
    rates = tables.scales.rates
    np.testing.assert_array_equal(rates, 131072 // divisors)
    np.testing.assert_array_equal(rates, (np.float32(131072) / divisors.astype(np.float32)).astype(np.int32))
    assert (np.diff(tables.components(3, ()).plan.bins.astype(int)) >= 0).all()
    for step in (1.0, 12.0, 60.0):
        learned = tables.for_step(Header((8, 8, 3), "uint8", Lapped(), Step.nearest(step))).learned()
        for curves in (learned.by_component, learned.by_place):
            assert curves.min() >= 0
            assert curves.max() < 65536


LOCAL = LocalSteps.of(
    Header((8, 8, 3), "uint8", Lapped(), Step.nearest(12.0), levels=9, middle=4, weights=(-60, 30, -90, 12))
)


def settling(kind, size):
    """Return how scores of three channels come to lie, with the steps and levels that this rests on."""
    parts, levels = Tables.of(NEWEST).components(3), np.zeros(size, np.int8)
    if kind != "levels":
        found = prediction.Settling.of(parts.planes, parts.prediction, size, None)
        return found, None, levels
    levels[:] = np.random.default_rng(5).integers(0, LOCAL.levels, size)
    steps = LOCAL.all_factors, levels
    return prediction.Settling.of(parts.planes, parts.prediction, size, steps), LOCAL, levels


def one_by_one(kind, scores, index, size):
    """Return a component's coefficients, predicted and settled one after the other, and what is around."""
    known, local, levels = settling(kind, size)
    plane = int(known.planes[index])
    around, result = np.empty((8, *size), np.int32), np.empty(size, np.int32)
    prediction.differences(scores[plane // 64], around)
    prediction.expect(around, known.weights[index - 3], result)
    if index < len(scores) and local is not None:
        factors = local.factors[plane].astype(np.int64)[levels]
        result += (((scores[index] * factors + (1 << 12)) >> 13).clip(-(1 << 30), 1 << 30)).astype(np.int32)
    elif index < len(scores):
        prediction.settle(scores[index], result)
    return result, around


@pytest.mark.parametrize("kind", ["halves", "levels"])
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize(
    ("size", "k"), [((1, 1), 192), ((3, 7), 192), ((5, 141), 60), ((2, 300), 3), ((4, 9), 2)]
)
@pytest.mark.sweep(3)
def test_all_components_at_once_are_those_one_by_one(kind, dtype, size, k):
    scores = np.ascontiguousarray(filled("sparse", (k, *size), 0) + filled("noise", (k, *size), 0)).astype(
        dtype
    )
    scores[:3] *= 30
    known = settling(kind, size)[0]
    first, held_rows = size[0] // 2, size[0] + 2
    found = np.full((192, held_rows, size[1]), 77, np.int32)
    prediction.fill(held(known), scores, (first, size[0]), found, 1)
    written = slice(1, 1 + size[0] - first)
    for index, plane in enumerate(known.planes.tolist()):
        if plane // 64 >= k:
            expected = np.zeros(size, np.int32)
        elif index < 3:
            expected = scores[index].astype(np.int32) << 8
        else:
            expected = one_by_one(kind, scores, index, size)[0]
        assert np.array_equal(found[plane, written], expected[first:])
    found[:, written] = 77
    assert (found == 77).all()


def test_rows_that_a_slice_does_not_have_are_not_found():
    known, scores = held(settling("halves", (3, 2))[0]), np.zeros((192, 3, 2), np.int16)
    with pytest.raises(ValueError, match="rows 2 to 4"):
        prediction.fill(known, scores, (2, 4), np.empty((192, 9, 2), np.int32), 0)


@pytest.mark.parametrize("kind", ["halves", "levels"])
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_what_networks_learn_are_coefficients_with_a_border(kind, dtype):
    size, index = (4, 150), 9
    scores = (filled("noise", (192, *size), 0) * 40).astype(dtype)
    expected, around = one_by_one(kind, scores, index, size)
    found = np.empty((6, 152), np.int16)
    prediction.learn(held(settling(kind, size)[0]), scores[index], around, index, 5, found)
    assert np.array_equal(found, np.pad(expected >> 5, 1, mode="edge").clip(-8191, 8191))


def test_expectations_are_turned_into_local_steps():
    random = np.random.default_rng(8)
    expected = (random.integers(-32767, 32768, (3, 45)) * random.integers(0, 2, (3, 45))).astype(np.int16)
    expected[1] = 0
    levels, result = random.integers(0, 9, (3, 45)).astype(np.int8), np.empty((3, 45), np.int16)
    LOCAL.scale(expected, levels, 70, result)
    inverses = (1 << 32) // LOCAL.factors[70].astype(np.int64)
    exact = (expected * inverses[levels]) >> 12
    assert np.array_equal(result, exact.clip(-32767, 32767))
    assert np.abs(exact).max() > 32767
