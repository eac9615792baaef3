"""Lapped blocks: orthonormal, undone, and soft at their borders."""

import numpy as np
import pytest

from pcaimage.errors import DataError, SettingsError
from pcaimage.sampling import Blocks, Lapped
from pcaimage.sampling.lapped import TURN, lapping

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
