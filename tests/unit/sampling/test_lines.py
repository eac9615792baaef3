import numpy as np
import pytest

from pcaimage.sampling import Blocks, Channels, Stack


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
