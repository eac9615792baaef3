"""Strips of lines, for which equations are fitted."""

from itertools import pairwise

import pytest

from pcaimage.codec.coding import strips


@pytest.mark.parametrize("shape", [(1, 1), (3, 32), (5, 33), (700, 20), (2, 512 * 32 - 1), (1, 40_000)])
def test_every_number_is_in_one_run(shape):
    rows, columns = shape
    found = list(strips.runs(rows, columns))
    assert sum(count for _, _, count in found) == rows * columns
    assert found[0][0] == 0
    assert found[-1][1] == rows * -(-columns // strips.STRIP)
    assert all(first[1] == second[0] for first, second in pairwise(found))


def test_runs_are_short_however_long_lines_are():
    assert max(count for _, _, count in strips.runs(2, 1 << 20)) <= 1 << 14


@pytest.mark.parametrize(("inputs", "expected"), [(7, 48), (8, 96), (23, 336), (28, 576)])
def test_sums_are_those_on_and_below_the_diagonal(inputs, expected):
    assert strips.sums(inputs) == expected
    assert expected >= (inputs + 1) * (inputs + 2) // 2
