import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from pcaimage.gui.commands.actions import ACTIONS
from pcaimage.gui.commands.help import KeyboardHelp, all_keys, keys_text, native, show_keyboard_help

# Which keys there are, the platform of an application tells.
pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def dialog(qtbot):
    dialog = KeyboardHelp()
    qtbot.addWidget(dialog)
    dialog.show()
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


def test_every_action_that_has_a_key_is_listed_with_it():
    rows = {row for _, group in all_keys() for row in group}
    for spec in ACTIONS:
        if spec.keys and spec.group != "tab":
            assert (keys_text(spec.keys), spec.tip.removesuffix(".")) in rows
    assert ("Alt+3", "The tab “Components”") in rows
    assert ("Space (held)", "Show the left picture in place of the right one") in rows


def test_actions_without_a_key_are_not_listed():
    said = {what for _, group in all_keys() for _, what in group}
    assert not any(spec.tip.removesuffix(".") in said for spec in ACTIONS if not spec.keys)


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


def test_a_title_finds_its_group(dialog):
    dialog.look_for("number fields")
    assert ("Esc", "Discard the typed value") in shown(dialog)
    visible = [group.text(0) for group in groups(dialog) if not group.isHidden()]
    assert visible == ["Number fields"]


def test_return_in_the_search_leaves_the_list_open(dialog, qtbot):
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert dialog.isVisible()
    qtbot.keyClick(dialog.search, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_it_is_shown_once_beside_the_window(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    first = show_keyboard_help(parent)
    assert show_keyboard_help(parent) is first
    assert not first.isModal()
    first.close()
    qtbot.waitUntil(lambda: parent.findChild(KeyboardHelp) is None)
