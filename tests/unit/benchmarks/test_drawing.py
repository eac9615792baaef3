from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.drawing import spread

PLACES = st.lists(st.floats(0, 400), max_size=12)


@pytest.mark.slow
@given(PLACES)
def test_labels_do_not_overlap_and_keep_their_order(wanted):
    placed = spread(wanted, 16)
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    heights = [placed[index] for index in order]
    assert all(below - above >= 16 - 1e-6 for above, below in pairwise(heights))
