"""Every step has its words, its legend and its sources, by every convention."""

import re
from itertools import product

import pytest

from pcaimage.insight.lab import STEPS
from pcaimage.insight.lab.steps import legend, lesson
from pcaimage.insight.numeric import Convention, Divisor, Sigma

CONVENTIONS = [Convention(*each) for each in product((True, False), Sigma, Divisor)]


@pytest.mark.parametrize("step", [step.key for step in STEPS])
def test_a_lesson_has_three_to_six_sentences_and_sources_and_names_squares_as_the_convention_does(step):
    for by in CONVENTIONS:
        words, sources = lesson(step, by)
        assert 3 <= len(re.findall(r"\.( |$)", words)) <= 6
        assert "{" not in words
        assert by.centre or "variance along" not in words
        assert all(address.startswith("https://") and title for title, address in sources)
        signs = legend(step, by)
        assert len(signs) == len(set(signs)) >= 8
        assert any("eigenvalues" in each[2] for each in signs)
    assert sum(len(lesson(each.key, Convention())[1]) for each in STEPS) >= 8
