"""Every step has its words, its legend and its sources, by every convention."""

import re
from itertools import product

import pytest

from pcaimage.insight.lab import STEPS
from pcaimage.insight.lab.steps import legend, lesson
from pcaimage.insight.numeric import Convention, Divisor, Sigma

CONVENTIONS = [Convention(*each) for each in product((True, False), Sigma, Divisor)]


@pytest.mark.parametrize("step", [step.key for step in STEPS])
def test_a_lesson_has_three_to_six_sentences_and_names_squares_as_the_convention_does(step):
    for by in CONVENTIONS:
        words, _ = lesson(step, by)
        assert 3 <= len(re.findall(r"\.( |$)", words)) <= 6
        assert "{" not in words
        assert by.centre or "variance along" not in words
        signs = legend(step, by)
        assert len(signs) == len(set(signs)) >= 8
        assert any("eigenvalues" in each[2] for each in signs)


def test_sources_have_addresses():
    sources = [source for step in STEPS for source in lesson(step.key, Convention())[1]]
    assert len(sources) >= 8
    assert all(address.startswith("https://") and title for title, address in sources)
