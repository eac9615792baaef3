import numpy as np
import pytest

from pcaimage.strips import recut

LINES = np.arange(60).reshape(20, 3)


@pytest.mark.parametrize("given", [[20], [1] * 20, [7, 0, 6, 7], [3, 17]])
@pytest.mark.parametrize("wanted", [[20], [1] * 20, [8, 8, 4], [19, 1], [5, 5, 5, 5]])
def test_lines_are_the_same_in_strips_of_other_lengths(given, wanted):
    found = list(recut(np.split(LINES, np.cumsum(given)[:-1]), wanted))
    assert [len(strip) for strip in found] == wanted
    np.testing.assert_array_equal(np.concatenate(found), LINES)


def test_the_last_strip_is_shorter_where_lines_run_out():
    assert [len(strip) for strip in recut([LINES[:11]], [8, 8, 8])] == [8, 3]


def test_a_strip_is_there_before_the_next_lines_are_made():
    made = list[int]()

    def strips():
        for start in range(0, 20, 5):
            made.append(start)
            yield LINES[start : start + 5]

    found = recut(strips(), [10, 10])
    next(found)
    assert made == [0, 5]
