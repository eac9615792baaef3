"""The user's guide tells of the window as it is."""

import re
from pathlib import Path

import pytest

from pcaimage.gui.commands.actions import ACTIONS
from pcaimage.gui.commands.help import all_keys

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/window.md")
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
    tabs = [spec.text.replace("&", "").lower() for spec in ACTIONS if spec.group == "tab"]
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
    assert sum(sizes) < 4_500_000
    text = "".join(page(name) for name in (*PAGES, "docs/codec.md"))
    assert not [picture.name for picture in pictures if picture.name not in text]
