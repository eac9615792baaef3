from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcaimage.errors import DataError
from pcaimage.imaging.measures import pyramid
from pcaimage.imaging.measures.pyramid import Pyramid, halve


def halved_by_definition(array):
    height, width, channels = array.shape
    even = np.pad(array, [(0, height % 2), (0, width % 2), (0, 0)], mode="edge").astype(np.int64)
    blocks = even.reshape((height + 1) // 2, 2, (width + 1) // 2, 2, channels)
    return ((blocks.sum(axis=(1, 3)) + 2) // 4).astype(array.dtype)


@pytest.mark.slow
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from([1, 2, 3, 4, 11]),
    st.sampled_from(["uint8", "uint16", "int16"]),
)
def test_halving_averages_blocks_and_repeats_odd_edges(height, width, channels, dtype):
    limits = np.iinfo(dtype)
    array = np.random.default_rng(height * width).integers(
        limits.min, limits.max, (height, width, channels), dtype, endpoint=True
    )
    half = halve(array)
    assert half.dtype == array.dtype
    np.testing.assert_array_equal(half, halved_by_definition(array))


def test_strips_do_not_show(noise, monkeypatch):
    array = noise(37, 23, 3)
    monkeypatch.setattr(pyramid, "STRIP_BYTES", 1)
    np.testing.assert_array_equal(halve(array), halved_by_definition(array))


def test_real_numbers_are_averaged_without_rounding():
    array = np.array([[[0.25], [0.5]], [[1.0], [-3.0]]], np.float32)
    half = halve(array)
    assert half.dtype == np.float32
    assert half.tolist() == [[[-0.3125]]]
    assert np.isnan(halve(np.array([[[1.0], [np.nan]]], np.float32))).all()
    largest = np.full((4, 4, 1), np.finfo(np.float32).max, np.float32)
    np.testing.assert_array_equal(Pyramid(largest).level(0), largest)
    np.testing.assert_array_equal(halve(largest), largest[:2, :2])


@pytest.mark.parametrize(("side", "levels"), [(1, 1), (256, 1), (257, 2), (512, 2), (513, 3), (1025, 4)])
def test_levels_end_at_256_pixels(side, levels):
    made = Pyramid(np.zeros((3, side, 1), np.uint8))
    assert made.levels == levels
    assert max(made.level(levels - 1).shape) <= 256
    assert made.level(0).shape == (3, side, 1)


def test_a_level_is_made_once(noise):
    made = Pyramid(noise(600, 600, 1))
    with ThreadPoolExecutor(8) as pool:
        levels = list(pool.map(made.level, [2, 1] * 8))
    assert len({id(level) for level in levels}) == 2
    np.testing.assert_array_equal(levels[0], halve(halve(made.level(0))))


def test_a_region_covers_its_rectangle_and_is_cut_off_at_the_image(noise):
    made = Pyramid(noise(600, 500, 3))
    np.testing.assert_array_equal(made.region(101, 5, 203, 8, 1), made.level(1)[2:4, 50:102])
    np.testing.assert_array_equal(made.region(10, 20, 30, 40, 0), made.level(0)[20:40, 10:30])
    np.testing.assert_array_equal(made.region(-50, -50, 5000, 5000, 1), made.level(1))
    assert made.region(-50, -50, -10, -10, 1).size == 0
    assert made.region(600, 700, 800, 800, 1).size == 0


def test_what_is_no_image_has_no_pyramid_and_levels_end_on_both_sides():
    for level in (-1, 1):
        with pytest.raises(DataError, match="no level"):
            Pyramid(np.zeros((9, 9, 1), np.uint8)).level(level)
    for array in (np.zeros((9, 9)), np.zeros((9, 9), np.uint8), np.zeros((0, 9, 3), np.uint8)):
        with pytest.raises(DataError, match="pyramid"):
            Pyramid(array)
