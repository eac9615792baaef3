import pytest

from benchmarks.flat_colours import Point, ratios


def test_each_point_is_compared_with_the_smallest_file_that_is_not_worse():
    theirs = [Point(50, 25.0), Point(100, 35.0), Point(200, 45.0), Point(400, 54.0), Point(900, 70.0)]
    ours = [Point(60, 40.0), Point(70, 36.0), Point(90, 100.0)]
    assert ratios(theirs, ours) == pytest.approx([60 / 100, 90 / 200, 90 / 400])
    assert ratios(theirs, [Point(60, 40.0)]) == pytest.approx([0.6])
