"""The coder of a slice reads what it wrote, whatever the numbers are."""

from dataclasses import replace

import numpy as np
import pytest

from pcaimage.codec import Header, Step
from pcaimage.codec.compressed import DEPENDENT, REGIONS, WEIGHTED, Component, Compressed
from pcaimage.codec.decoding import Decoding
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.picture import Picture
from pcaimage.codec.photo.slices import PhotoSliceCoder
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.codec.photo.transform.cascade import Cascade, cascade_to_bytes
from pcaimage.errors import Cancelled, SettingsError
from pcaimage.sampling import Lapped
from tests.stop import stop

LARGEST = 1 << 22
"""The largest score of 32 bits."""

HEADER = Header((8, 8, 3), "uint8", Lapped(), Step.nearest(12.0), tables=NEWEST, tools=DEPENDENT)
BASIS = Tables.of(NEWEST).basis
CASCADE = Cascade(np.array([99, 120, 140]), np.eye(3, dtype=np.int64) << 14, BASIS, BASIS)
SIZES = [(1, 1), (1, 7), (6, 1), (9, 11), (40, 33)]
FILLINGS = ["zeros", "noise", "sparse", "large", "extremes", "out of range"]


FINE = replace(HEADER, dtype="uint16", step=Step.nearest(1.0))  # of which scores have 32 bits


def plan(channels, tools=DEPENDENT, header=HEADER):
    return Tables.of(NEWEST).plan(replace(header, shape=(8, 8, channels), tools=tools))


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
    coder = PhotoSliceCoder(plan(channels, header=HEADER if dtype is np.int16 else FINE), integers)
    data, certain = coder.encode(lambda index: wanted[index], 0.0, lambda _: None)
    return integers, data, certain


def decoded(data, channels, like, k=None):
    integers = np.empty_like(like[:k])
    rows, columns = like.shape[1:]
    header = replace(HEADER if like.dtype == np.int16 else FINE, shape=(8 * rows, 8 * columns, channels))
    basis = Cascade(np.zeros(channels, np.int64), np.eye(channels, dtype=np.int64) << 14, BASIS, BASIS)
    components = [Component(0, b"", part) for part in (data, *[b""] * len(integers))[: len(integers)]]
    image = Compressed(header, cascade_to_bytes(basis, BASIS), tuple(components))
    with Decoding(image) as decoding:
        decoding.core.put_scores(0, integers, None)
        decoding.decode_all()
    return integers


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("size", [*SIZES, *((4, columns) for columns in (63, 64, 65, 129))])
@pytest.mark.parametrize("filling", FILLINGS)
@pytest.mark.sweep(36)
def test_scores_come_back(filling, size, dtype):
    largest = 32767 if dtype is np.int16 else LARGEST
    k = 192 if size[0] < 9 else 24
    wanted = filled(filling, (k, *size), largest) * (9 if filling == "sparse" else 1)
    integers, data, _ = coded(wanted, 3, dtype)
    assert np.abs(integers[:3]).max(initial=0) <= largest
    # Others are in half steps; indices of 16 bits are half as large.
    assert np.abs(integers).max(initial=0) <= (largest if dtype is np.int16 else 2 * LARGEST)
    assert np.array_equal(decoded(data, 3, integers), integers)
    if filling == "zeros":
        assert not integers.any()
        assert len(data) <= 8 + size[0] * size[1] // 100
    if filling == "out of range":
        assert np.abs(integers[0] - np.clip(2 * wanted[0], -largest, largest)).max() <= 2


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
    coder = PhotoSliceCoder(plan(3, 0), integers)
    coder.encode(lambda index: wanted[index], 0.0, lambda _: None)
    assert np.abs(integers[:3] / 2 - wanted[:3]).max() <= 0.6
    picture = Picture(replace(HEADER, shape=(64, 64, 3)), CASCADE, [integers])
    predicted, planes = picture.coefficients(0, 8, 3), plan(3).planes
    for index in range(3, 192):
        left = wanted[index] - predicted[planes[index]] / np.float32(256)
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


@pytest.mark.parametrize(("channels", "kind", "finest"), [(1, "uint8", 4080), (4, "uint16", 16 * 65535 * 2)])
def test_steps_that_would_need_larger_scores_are_refused(channels, kind, finest):
    def layout(step):
        return PhotoLayout(Header((8, 8, channels), kind, Lapped(), Step.nearest(step), tables=NEWEST))

    assert layout(1.01 * finest / LARGEST).dtype == np.int32
    assert layout(1.01 * finest / 29490).dtype == np.int16
    with pytest.raises(SettingsError, match="too small for the range"):
        _ = layout(0.99 * finest / LARGEST).dtype


def test_tables_hold_what_the_core_takes_for_granted():
    """The core divides where looking up is slower."""
    tables = Tables.of(NEWEST)
    divisors, rates = 2 * np.arange(1024) + 3, tables.arrays["rates"].astype(np.int32)
    np.testing.assert_array_equal(rates, 131072 // divisors)
    np.testing.assert_array_equal(rates, (np.float32(131072) / divisors.astype(np.float32)).astype(np.int32))


LOCAL = replace(HEADER, tools=DEPENDENT | REGIONS | WEIGHTED, levels=9, middle=4, weights=(6, 30, -32, 12))


def by_document(plan, scores, levels):
    """Return the coefficients of a slice, (192, rows, columns), as the format defines them."""
    k, rows, columns = scores.shape
    found, numbers = np.zeros((192, rows, columns), np.int64), scores.astype(np.int64)
    for index, plane in enumerate(plan.planes.tolist()):
        if index < 3:
            found[plane] = numbers[index] << 7 if index < k else 0
            continue
        if plane // 64 < k:
            means = np.pad(numbers[plane // 64], 1, mode="edge")
            places = [(down, right) for down in range(3) for right in range(3) if (down, right) != (1, 1)]
            for weight, (down, right) in zip(plan.prediction[index - 3].tolist(), places, strict=True):
                other = means[down : down + rows, right : right + columns]
                found[plane] += weight * (other - means[1:-1, 1:-1]).clip(-(1 << 15), 1 << 15)
            found[plane] = (found[plane] + 8) >> 4
        if index < k:
            factors = plan.factors[plane].astype(np.int64)[levels]
            found[plane] += ((numbers[index] * factors + (1 << 12)) >> 13).clip(-(1 << 30), 1 << 30)
    return found


@pytest.mark.parametrize("header", [HEADER, LOCAL])
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize(
    ("size", "k"), [((1, 1), 192), ((3, 7), 192), ((5, 141), 60), ((2, 300), 3), ((4, 9), 2)]
)
@pytest.mark.sweep(3)
def test_coefficients_are_predictions_and_scores_where_they_lie(header, dtype, size, k):
    scores = np.ascontiguousarray(filled("sparse", (k, *size), 0) + filled("noise", (k, *size), 0)).astype(
        dtype
    )
    scores[:3] *= 30
    levels = np.random.default_rng(5).integers(0, max(header.levels, 1), size).astype(np.int8)
    pictured = replace(header, shape=(8 * size[0], 8 * size[1], 3))
    picture = Picture(pictured, CASCADE, [scores], levels)
    expected = by_document(Tables.of(NEWEST).plan(header), scores, levels)
    assert np.array_equal(picture.coefficients(0, size[0]), expected)
    middle = size[0] // 2
    assert np.array_equal(picture.coefficients(middle, size[0]), expected[:, middle:])


def test_coefficients_of_any_scores_stay_within_32_bits():
    scores = np.random.default_rng(4).choice([-LARGEST, LARGEST], (192, 7, 6)).astype(np.int32)
    scores[3:] *= 2
    picture = Picture(replace(HEADER, shape=(56, 48, 3)), CASCADE, [scores])
    expected = by_document(Tables.of(NEWEST).plan(HEADER), scores, np.zeros((7, 6), np.int8))
    assert np.abs(expected).max() < 2**31
    assert np.array_equal(picture.coefficients(0, 7), expected)


def test_lines_are_those_of_the_whole_and_of_reports_of_progress():
    scores = (filled("noise", (192, 41, 90), 0) * 9).astype(np.int16)
    picture = Picture(replace(HEADER, shape=(325, 720, 3)), CASCADE, [scores])
    told = list[int]()
    whole = picture.some(0, 325, lambda done, total: told.append(done * 1000 + total))
    assert told[-1] == 325325
    for start, end in ((0, 1), (3, 5), (4, 12), (11, 300), (324, 325), (7, 7)):
        assert np.array_equal(picture.lines(start, end), whole[start:end])
        assert np.array_equal(picture.some(start, end), whole[start:end])
    with pytest.raises(Cancelled):
        picture.some(0, 20, stop)
    for width in (249, 250, 251, 252):  # the last group of samples lies behind the lines
        picture = Picture(replace(HEADER, shape=(9, width, 3)), CASCADE, [np.zeros((192, 2, 32), np.int16)])
        assert (picture.lines(0, 9) == CASCADE.mean).all()
