"""Samples of an image, and the image of samples: exact inverses."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.errors import DataError, SettingsError
from pcaimage.sampling import MAX_BLOCK, MIN_BLOCK, Blocks, Channels, Lapped, Stack
from pcaimage.sampling.blocks import TURN, lapping

DTYPES = st.sampled_from(["uint8", "uint16", "int64", "float32", "float64", "complex128", ">u2"])
SAMPLINGS = st.one_of(st.integers(2, 9).map(Blocks), st.just(Channels()), st.just(Stack()))


def numbered(shape, dtype="int64"):
    return (np.arange(np.prod(shape)) % 251).reshape(shape).astype(dtype)


@st.composite
def arrays(draw):
    sampling = draw(SAMPLINGS)
    axes = draw(st.sampled_from(sampling.ndims))
    shape = tuple(draw(st.lists(st.integers(1, 14), min_size=axes, max_size=axes)))
    array = numbered(shape, draw(DTYPES))
    if draw(st.booleans()):
        array = np.asfortranarray(array)
    return sampling, array


@given(arrays())
def test_joining_undoes_splitting_for_every_shape_and_type(case):
    sampling, array = case
    samples = sampling.to_samples(array)
    assert samples.shape == (sampling.n_samples(array.shape), sampling.n_features(array.shape))
    assert samples.dtype == array.dtype
    back = sampling.from_samples(samples, array.shape)
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 5), st.integers(2, 9))
def test_blocks_are_those_of_padding_and_transposing(h, w, c, size):
    array = numbered((h, w, c))
    padded = np.pad(array, ((0, -h % size), (0, -w % size), (0, 0)), mode="edge")
    rows, columns = padded.shape[0] // size, padded.shape[1] // size
    expected = padded.reshape(rows, size, columns, size, c).transpose(0, 2, 1, 3, 4)
    samples = Blocks(size).to_samples(array)
    assert Blocks(size).grid(array.shape) == (rows, columns)
    assert np.array_equal(samples, expected.reshape(rows * columns, -1))


@pytest.mark.slow
@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 5))
def test_what_lies_in_the_padding_does_not_come_back(h, w, size):
    array = numbered((h, w, 1))
    samples = Blocks(size).to_samples(array)
    inside = Blocks(size).to_samples(np.ones((h, w, 1), np.int64))
    marks = Blocks(size).to_samples(np.arange(h * w).reshape(h, w, 1))
    first = np.zeros(samples.size, bool)
    first[np.unique(marks.ravel(), return_index=True)[1]] = True
    spoilt = np.where(first.reshape(samples.shape), samples, -999)
    assert inside.all()
    assert np.array_equal(Blocks(size).from_samples(spoilt, array.shape), array)


def test_channels_of_a_pixel_and_images_of_a_stack_are_samples():
    array = numbered((4, 5, 7))
    assert np.array_equal(Channels().to_samples(array)[3 * 5 + 2], array[3, 2])
    stack = numbered((3, 4, 5, 2))
    assert np.array_equal(Stack().to_samples(stack)[2], stack[2].ravel())


@pytest.mark.parametrize(
    ("sampling", "shape", "grid", "features"),
    [
        (Channels(), (4, 5, 7), (4, 5), (1, 1, 7)),
        (Stack(), (3, 4, 5, 2), (3, 1), (4, 5, 2)),
        (Blocks(8), (1, 1), (1, 1), (8, 8, 1)),
        (Channels(), (1, 1), (1, 1), (1, 1, 1)),
        (Stack(), (1, 1, 1), (1, 1), (1, 1, 1)),
    ],
)
def test_grids_of_samples_and_features_are_those_of_the_shape(sampling, shape, grid, features):
    assert sampling.grid(shape) == grid
    assert sampling.feature_grid(shape) == features
    samples = sampling.to_samples(np.full(shape, 9, np.uint8))
    assert np.array_equal(samples, np.full((np.prod(grid), np.prod(features)), 9))


def test_an_axis_of_channels_may_be_left_out():
    for sampling, shape in ((Blocks(3), (7, 5)), (Channels(), (7, 5)), (Stack(), (4, 7, 5))):
        array = numbered(shape)
        assert np.array_equal(sampling.to_samples(array), sampling.to_samples(array[..., None]))
        assert sampling.from_samples(sampling.to_samples(array), shape).shape == shape


def test_pixels_without_a_change_share_memory_and_blocks_leave_the_array_as_it_was():
    array = numbered((6, 5, 4))
    before = array.copy()
    assert np.shares_memory(Channels().to_samples(array), array)
    assert np.shares_memory(Stack().to_samples(array), array)
    Blocks(4).to_samples(array)[...] = -1
    assert np.array_equal(array, before)


@pytest.mark.parametrize("sampling", [Blocks(4), Channels(), Stack()])
def test_descriptions_are_frozen_hashable_and_equal_by_value(sampling):
    same = type(sampling)() if not isinstance(sampling, Blocks) else Blocks(4)
    assert sampling == same
    assert len({sampling, same, Blocks(5)}) == 2
    with pytest.raises(FrozenInstanceError):
        sampling.size = 3


@pytest.mark.parametrize("size", [MIN_BLOCK - 1, MAX_BLOCK + 1, 0, -4])
def test_block_sizes_out_of_range_are_refused(size):
    with pytest.raises(SettingsError, match=f"from 2 to 64 pixels wide; {size} is"):
        Blocks(size)


@pytest.mark.parametrize(
    ("sampling", "shape"),
    [
        *((Blocks(2), shape) for shape in ((4,), (2, 2, 2, 2), (0, 4, 3))),
        *((Channels(), shape) for shape in ((3,), (4, 4, 0))),
        *((Stack(), shape) for shape in ((3, 3), (1, 1, 1, 1, 1), (0, 4, 4))),
    ],
)
def test_arrays_of_other_shapes_are_refused(sampling, shape):
    with pytest.raises(DataError, match=type(sampling).__name__):
        sampling.to_samples(np.zeros(shape))
    with pytest.raises(DataError, match="none of them empty"):
        sampling.from_samples(np.zeros((1, 1)), shape)
    with pytest.raises(DataError):
        sampling.grid(shape)


def test_samples_that_do_not_fit_the_shape_are_refused():
    with pytest.raises(
        DataError, match=r"\(4, 12\) samples do not make .* \(5, 5, 3\); that takes \(9, 12\)"
    ):
        Blocks(2).from_samples(np.zeros((4, 12)), (5, 5, 3))


@pytest.mark.parametrize(
    ("sampling", "shape"),
    [(Blocks(4), (11, 9, 3)), (Blocks(64), (3, 5, 1)), (Channels(), (5, 4, 2)), (Stack(), (4, 3, 2, 1))],
)
def test_rows_of_the_grid_make_up_their_lines_of_the_array(sampling, shape):
    array = np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8)
    samples = sampling.to_samples(array)
    rows, columns = sampling.grid(shape)
    for start in range(rows):
        for stop in range(start + 1, rows + 1):
            lines = array[sampling.lines(shape, start, stop)]
            part = samples[start * columns : stop * columns]
            assert np.array_equal(sampling.from_samples(part, lines.shape), lines)


@pytest.mark.parametrize(
    ("size", "channels", "dtype"), [(8, 3, np.uint8), (8, 1, np.uint16), (5, 3, np.uint8)]
)
@pytest.mark.parametrize("margin", [0, 1])
@pytest.mark.sweep(3)
def test_large_images_are_cut_as_small_ones(size, channels, dtype, margin):
    height, width = 1600 + margin, 1200 + margin
    array = np.random.default_rng(1).integers(0, 256, (height, width, channels), dtype)
    sampling = Blocks(size)
    samples = sampling.to_samples(array)
    below, beside = -height % size, -width % size
    padded = np.pad(array, ((0, below), (0, beside), (0, 0)), mode="edge")
    rows, columns = sampling.grid(array.shape)
    blocks = padded.reshape(rows, size, columns, size * channels).transpose(0, 2, 1, 3)
    assert np.array_equal(samples, blocks.reshape(rows * columns, -1))
    assert np.array_equal(sampling.from_samples(samples, array.shape), array)


SHAPES = [(1, 1), (7, 9), (8, 8), (48, 40, 3), (16, 8), (17, 23, 3), (40, 33, 2)]


def noise(shape, kind="float64"):
    return (np.random.default_rng(0).random(shape) * 255).astype(kind)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
def test_joining_undoes_lapping(shape, kind):
    array = noise(shape, kind)
    samples = Lapped().to_samples(array)
    assert samples.dtype == np.float64
    assert samples.shape == (Lapped().n_samples(shape), Lapped().n_features(shape))
    back = Lapped().from_samples(samples, shape)
    assert back.shape == shape
    assert np.abs(back - array).max() < 1e-5
    if not any(side % 8 for side in shape[:2]):  # without padding squared distances stay
        assert np.sum(samples**2) == pytest.approx(np.sum(array.astype(float) ** 2), rel=1e-6)


def test_lapping_is_orthonormal_and_as_it_is_defined():
    k, i = np.mgrid[:4, :4]
    second = np.cos(np.pi * (2 * i + 1) * k / 8) * np.sqrt([[0.25], [0.5], [0.5], [0.5]])
    fourth = np.cos(np.pi * (2 * i + 1) * (2 * k + 1) / 16) * np.sqrt(0.5)
    turn = (second.T @ fourth)[::-1, ::-1]
    assert np.array_equal(np.rint(turn * 2**30), TURN)
    matrix = lapping() / 2**31
    assert np.allclose(matrix @ matrix.T, np.eye(8), atol=1e-8)


def test_a_block_ends_softly_in_its_neighbours_but_not_at_the_images_own_borders():
    array = noise((24, 24))
    lapped, blocks = (sampling.to_samples(array).reshape(3, 3, 8, 8) for sampling in (Lapped(), Blocks(8)))
    assert np.array_equal(lapped[0, 0, :4, :4], blocks[0, 0, :4, :4])
    assert np.array_equal(lapped[2, 2, 4:, 4:], blocks[2, 2, 4:, 4:])
    assert not np.any(np.isclose(lapped[1, 1], blocks[1, 1]).all(axis=0))
    samples = np.zeros((9, 64))
    samples[4] = 1.0
    line = np.abs(Lapped().from_samples(samples, (24, 24))[12])
    assert not line[:4].any()
    assert np.all(line[4:8] > 0)
    assert line[4] < 0.3 < line[8]


def test_grids_and_lines_are_those_of_blocks():
    shape = (37, 21, 3)
    assert Lapped().grid(shape) == Blocks(8).grid(shape) == (5, 3)
    assert Lapped().feature_grid(shape) == Blocks(8).feature_grid(shape) == (8, 8, 3)
    assert Lapped().lines(shape, 3, 5) == Blocks(8).lines(shape, 3, 5) == slice(24, 37)
    assert Lapped() == Lapped(8)


def test_other_sizes_and_shapes_are_refused():
    with pytest.raises(SettingsError, match="16 is not possible"):
        Lapped(16)
    for shape in ((3,), (2, 2, 2, 2), (0, 4)):
        with pytest.raises(DataError, match="Lapped"):
            Lapped().to_samples(np.zeros(shape))
        with pytest.raises(DataError, match="Lapped"):
            Lapped().grid(shape)
