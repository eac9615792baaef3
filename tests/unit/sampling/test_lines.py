from __future__ import annotations

import numpy as np
import pytest

from pcaimage.sampling import Blocks, Channels, Sampling, Stack


@pytest.mark.parametrize(
    ("sampling", "shape"),
    [(Blocks(4), (11, 9, 3)), (Blocks(64), (3, 5, 1)), (Channels(), (5, 4, 2)), (Stack(), (4, 3, 2, 1))],
)
def test_rows_of_the_grid_make_up_their_lines_of_the_array(
    sampling: Sampling, shape: tuple[int, ...]
) -> None:
    array = np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8)
    samples = sampling.to_samples(array)
    rows, columns = sampling.grid(shape)
    for start in range(rows):
        for stop in range(start + 1, rows + 1):
            lines = array[sampling.lines(shape, start, stop)]
            part = samples[start * columns : stop * columns]
            assert np.array_equal(sampling.from_samples(part, lines.shape), lines)
