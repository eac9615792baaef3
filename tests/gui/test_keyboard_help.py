import re
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence

from pcaimage.gui.commands.actions import ACTIONS
from pcaimage.gui.commands.help import KeyboardHelp, all_keys, keys_text, native

# Which keys there are, the platform of an application tells.
pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def dialog(on_screen):
    dialog = on_screen(KeyboardHelp())
    dialog.activateWindow()
    return dialog


def shown(dialog):
    return [
        (item.text(0), item.text(1))
        for group in groups(dialog)
        for item in map(group.child, range(group.childCount()))
        if not item.isHidden()
    ]


def groups(dialog):
    return [dialog.list.topLevelItem(i) for i in range(dialog.list.topLevelItemCount())]


def test_every_action_that_has_a_key_is_listed_with_it_and_no_other():
    rows = {row for _, group in all_keys() for row in group}
    said = {what for _, what in rows}
    for spec in ACTIONS:
        tip = spec.tip.removesuffix(".")
        assert spec.keys or tip not in said
        assert not spec.keys or spec.name.startswith("tab-") or (keys_text(spec.keys), tip) in rows
    assert ("Alt+3", "The tab “Components”") in rows
    assert ("Space (held)", "Show the left picture in place of the right one") in rows


def test_keys_have_the_names_of_the_platform():
    control = QKeySequence("Ctrl+E").toString(QKeySequence.SequenceFormat.NativeText)
    assert native("Ctrl+E") == [control]
    assert native("Space (held)") == ["Space (held)"]
    assert native("Wheel") == ["Wheel"]
    shift = QKeySequence("Shift+A").toString(QKeySequence.SequenceFormat.NativeText)[:-1]
    assert native("Shift+Wheel") == [f"{shift}Wheel"]
    assert keys_text((QKeySequence.StandardKey.Open, "Ctrl+O")).count("O") == 1


def test_a_search_leaves_what_it_is_about(dialog, qtbot):
    everything = shown(dialog)
    qtbot.keyClicks(dialog.search, "zoom")
    found = shown(dialog)
    assert 0 < len(found) < len(everything)
    assert all("zoom" in (keys + what).casefold() for keys, what in found)
    qtbot.keyClicks(dialog.search, " pointer")
    assert shown(dialog) == [("Wheel", "Zoom at the pointer")]
    assert not dialog.nothing.isVisible()
    qtbot.keyClicks(dialog.search, " of Ulm")
    assert shown(dialog) == []
    assert dialog.nothing.isVisible()
    dialog.search.clear()
    assert shown(dialog) == everything


ROOT = Path(__file__).parents[2]


PAGES = ("README.md", "docs/window.md", "docs/twelve.md", "docs/one.md", "docs/cube.md")


PICTURE = re.compile(r'(?:src|srcset)="([^"]+)"')


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.usefixtures("qapp")
def test_all_keys_are_told_and_no_others():
    told = page("docs/window.md").partition("## Keys")[2]
    groups = [f"### {title}\n\n| keys | |\n|---|---|\n" + _lines(rows) for title, rows in all_keys()]
    missing = [group for group in groups if group not in told]
    assert not missing, "run: python docs/keys.py, for docs/window.md lacks:\n" + "\n".join(missing)
    assert told.count("\n| ") == sum(group.count("\n| ") for group in groups), "run: python docs/keys.py"


def _lines(rows):
    return "".join(f"| {keys} | {what} |\n" for keys, what in rows)


def test_every_tab_has_its_part():
    told = page("docs/window.md").lower()
    tabs = [spec.text.replace("&", "").lower() for spec in ACTIONS if spec.name.startswith("tab-")]
    assert not [tab for tab in tabs if f"## {tab}\n" not in told and f"*{tab}*" not in told]


@pytest.mark.parametrize("name", PAGES)
def test_pictures_are_there_in_both_schemes(name):
    found = PICTURE.findall(page(name))
    assert found
    for picture in found:
        assert ((ROOT / name).parent / picture).is_file(), picture
    light = sorted(each for each in found if each.endswith("-light.png"))
    assert sorted(each.replace("-dark.", "-light.") for each in found if "-dark." in each) == light


def test_pictures_are_small_and_all_are_used():
    pictures = sorted((ROOT / "docs" / "images").glob("*.png"))
    sizes = [picture.stat().st_size for picture in pictures]
    assert max(sizes) < 350_000
    assert sum(sizes) < 5_000_000
    text = "".join(page(name) for name in (*PAGES, "docs/codec.md", "docs/pages.md"))
    assert not [picture.name for picture in pictures if picture.name not in text]
