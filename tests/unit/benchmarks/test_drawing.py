from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.drawing import Line, Panel, draw, spread

PLACES = st.lists(st.floats(0, 400), max_size=12)


@pytest.mark.slow
@given(PLACES)
def test_labels_do_not_overlap_and_keep_their_order(wanted):
    placed = spread(wanted, 16)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    heights = [placed[index] for index in order]
    assert all(below - above >= 16 - 1e-6 for above, below in pairwise(heights))


@pytest.mark.slow
@given(PLACES)
def test_labels_move_as_a_whole_no_farther_than_they_must(wanted):
    assert sum(spread(wanted, 16)) == pytest.approx(sum(wanted), abs=1e-6)


def test_labels_with_room_stay_where_they_are():
    assert spread([100, 50, 200], 16) == [100, 50, 200]
    assert spread([50, 50], 16) == [42, 58]


def test_a_label_is_text_and_never_markup():
    line = Line("<b> & co", "own", [(0.1, 1.0), (1.0, 2.0)])
    drawing = draw([Panel("A", "x", [(0.1, "0.1"), (1.0, "1")], [(0.0, "0"), (2.0, "2")], [line])], "")
    assert "&lt;b&gt; &amp; co" in drawing
    assert drawing.count("<polyline") == 1
