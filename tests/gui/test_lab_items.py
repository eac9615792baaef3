"""The 92 items of five texts: what each prints or draws is seen in the lab, whose picture of it is kept."""

import json
import math
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from pcaimage.gui.lab.numbers import NOTES
from pcaimage.gui.lab.page import LabPage
from pcaimage.insight.lab import TEXTS, LabState, built_in, neighbours
from pcaimage.insight.lab.live import CONVENTIONS
from pcaimage.machine.folders import asset

ITEMS = json.loads(Path(__file__).with_name("lab_items.json").read_text("utf-8"))
BY_KEY = {text.key: text.convention for text in TEXTS} | {"": CONVENTIONS["As scikit-learn"]}


def act(page: LabPage, word, qtbot) -> None:
    """Do what a word says, as a command, or by what is dragged, typed or clicked."""
    name, number = word.rstrip("-0123456789,."), word.lstrip("abcdefghijklmnopqrstuvwxyz")
    panes, typed = page.panes, word.partition(":")[2]
    ways = {
        "k": lambda: panes.spectrum.kChosen.emit(int(number), True),
        "angle": lambda: panes.plane.lineMoved.emit(math.radians(float(number)), True),
        "line-best": panes.plane.bestRequested.emit,
        "mark": lambda: panes.plane.sampleToggled.emit(int(number) - 1),
        "plane": lambda: panes.planeChosen.emit(*map(int, number.split(","))),
        "code": lambda: panes.code.codeTried.emit(float(number), True),
        "descend": partial(qtbot.keyClick, panes.code, Qt.Key.Key_Return),
        "undivided": lambda: panes.matrix_kind.setCurrentIndex(2),
        "cell": lambda: panes.numbers.table.setCurrentIndex(
            panes.numbers.model.index(*map(int, number.split(",")))
        ),
        "next": page.task.next.click,
    }
    if typed:
        page.task.answer.setText(typed)
        page.task.check.click()
    elif name in ways:
        ways[name]()
    else:
        page.commands.by_name[word].trigger()


def words_on(page: LabPage) -> str:
    """Return all words and numbers that a page shows."""
    model = page.panes.numbers.model
    rows, columns = min(model.rowCount(), 200), min(model.columnCount(), 20)
    across = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(columns)]
    cells = [[model.data(model.index(row, column)) for column in range(columns)] for row in range(rows)]
    labels = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    drawn = [pane.accessibleDescription() for pane in page.findChildren(QWidget) if pane.isVisible()]
    notes = [page.panes.numbers.notes.toPlainText()] * (page.panes.numbers.kind.currentData() in NOTES)
    steps = [page.rail.list.item(row).text() for row in range(page.rail.list.count())]
    lesson = " ".join([*page.rail.lesson.toPlainText().split(), *steps])
    return "\n".join([*labels, lesson, *drawn, *notes, *(" ".join(row) for row in (across, *cells))]).replace(
        "\u00a0", " "
    )


def test_ninety_of_ninety_two_items_are_seen():
    assert len(ITEMS) == len({item["item"] for item in ITEMS}) == 92
    assert sum(item["verdict"] == "Y" for item in ITEMS) >= 90


@pytest.mark.parametrize("item", ITEMS, ids=[item["item"] for item in ITEMS])
def test_an_item_is_seen(item, page, qtbot, tmp_path):
    if "exercise" in item:
        page.open_file(asset("resources", "lab", "exercises", f"{item['exercise']}.pcalab"))
    else:
        wave = 128 + 100 * np.sin(np.arange(4000) / 9).reshape(20, 200)
        data = neighbours(wave) if item["table"] == "neighbours" else built_in(item["table"])
        page.commit(LabState.of(data, BY_KEY[item["by"]]))
        page.follow(item["step"])
        if "numbers" in item:
            page.panes.numbers.show_kind(item["numbers"])
    for word in item.get("do", ()):
        act(page, word, qtbot)
    assert not page.messages.text
    words = words_on(page)
    assert [each for each in item["seen"] if each not in words] == [], words
    pane = page.panes.by_name.get(item.get("pane", ""), page)
    assert pane.isVisible()
    picture = page.grab()
    folder = Path(os.environ.get("PCAIMAGE_ITEMS", tmp_path))
    assert picture.save(str(folder / f"{item['item']}.png"))
