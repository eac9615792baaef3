"""The course's examples give what it says, and the steps that it has are those of the lab."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np

from pcaimage.insight.lab import STEPS, TEXTS

COURSE = Path(__file__).parents[2] / "docs" / "course.md"


def test_every_example_gives_what_it_says() -> None:
    with np.printoptions():
        tried = doctest.testfile(str(COURSE), module_relative=False, encoding="utf-8")
    assert tried.attempted > 40
    assert tried.failed == 0


def test_there_is_a_chapter_for_every_step() -> None:
    titles = re.findall(r"^## \d+\. (.+)$", COURSE.read_text("utf-8"), re.MULTILINE)
    assert titles == [step.title for step in STEPS]


def test_every_text_is_gone_through() -> None:
    text = COURSE.read_text("utf-8")
    assert all(f"**{each.title}" in text for each in TEXTS)
