"""The course's examples give what it says, and the steps that it has are those of the lab."""

import doctest
import re
from pathlib import Path

import numpy as np

from pcaimage.insight.lab import STEPS, TEXTS

COURSE = Path(__file__).parents[2] / "docs" / "course.md"


def test_every_example_gives_what_it_says():
    with np.printoptions():
        tried = doctest.testfile(str(COURSE), module_relative=False, encoding="utf-8")
    assert tried.attempted > 40
    assert tried.failed == 0


def test_there_is_a_chapter_for_every_step():
    titles = re.findall(r"^## \d+\. (.+)$", COURSE.read_text("utf-8"), re.MULTILINE)
    assert titles == [step.title for step in STEPS]


def test_every_text_is_gone_through():
    text = COURSE.read_text("utf-8")
    assert all(f"**{each.title}" in text for each in TEXTS)


def test_every_item_of_the_texts_is_shown_by_a_step_unless_it_is_not_about_pca():
    text = COURSE.read_text("utf-8")
    rows = re.findall(r"^\| (\d)\.(\d+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    numbers = [(int(part), int(item)) for part, item, _, _ in rows]
    assert [sum(part == each for part, _ in numbers) for each in range(5)] == [27, 15, 17, 12, 21]
    assert numbers == sorted(set(numbers))
    titles = {step.title for step in STEPS}
    others = {"any", "the compressor", "the rail of steps", "–"}
    for _, _, item, where in rows:
        assert set(re.split("[,;] ", where.partition(":")[0])) <= titles | others, item
    assert sum(where == "–" for *_, where in rows) == 1
