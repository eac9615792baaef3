from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QToolButton

from pcaimage.gui.commands import build
from pcaimage.gui.commands.actions import ACTIONS
from pcaimage.gui.commands.build import MENUS, SEPARATOR, SUBMENUS, TOOLBAR
from pcaimage.gui.compare.toolbar import ZoomButton
from pcaimage.machine.folders import asset

WIDGETS = {"zoom", "drag"}
TOP = [[name for name in words.split() if name != SEPARATOR] for words in MENUS.values()]
WITHIN = [[name for name in words.split() if name != SEPARATOR] for _, words in SUBMENUS.values()]
IN_MENUS = [name for names in TOP for name in names if name not in SUBMENUS]
IN_MENUS += [name for names in WITHIN for name in names]
ON_TOOLBAR = {*TOOLBAR.split()} - {SEPARATOR}


@pytest.fixture
def window(on_screen):
    return on_screen(QMainWindow())


@pytest.fixture
def actions(window):
    actions = build.build_actions(window)
    build.build_menus(window.menuBar(), actions)
    return actions


def test_every_action_stands_in_exactly_one_menu_and_explains_itself_in_a_sentence():
    assert sorted(IN_MENUS) == sorted(spec.name for spec in ACTIONS)
    assert set(IN_MENUS) >= ON_TOOLBAR - WIDGETS
    for spec in ACTIONS:
        assert spec.tip.endswith("."), spec.name
        assert spec.tip[0].isupper() or spec.tip[0].isdigit(), spec.name
    for name in (*sorted(ON_TOOLBAR - WIDGETS), *SUBMENUS, "preferences"):
        assert asset("icons", f"{name}.svg").is_file()


def test_no_two_actions_share_a_key_nor_two_items_of_a_menu_a_mnemonic(actions):
    keys = Counter(
        sequence.toString() for action in actions.values() for sequence in action.shortcuts() if sequence
    )
    assert [key for key, count in keys.items() if count > 1] == []
    for names in (*TOP, *WITHIN):
        texts = [SUBMENUS[name][0] if name in SUBMENUS else actions[name].text() for name in names]
        letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
        assert len(letters) == len(set(letters)), texts


def test_tooltips_name_the_key_and_macos_moves_only_three_actions_to_its_own_menu(actions):
    assert actions["fit"].toolTip() == "Show the whole image (F)."
    assert actions["theme-dark"].toolTip() == "Light text on a dark background."
    moved = {name for name, action in actions.items() if action.menuRole() != QAction.MenuRole.NoRole}
    assert moved == {"about", "preferences", "quit"}


def test_a_key_triggers_its_action_only_while_it_makes_sense_and_of_a_group_one_is_checked(
    window, actions, qtbot
):
    window.activateWindow()
    with qtbot.assertNotEmitted(actions["more"].triggered):
        qtbot.keyClick(window, "]")
    build.set_flags(actions, {"image", "fitted"})
    with qtbot.waitSignal(actions["more"].triggered, timeout=500):
        qtbot.keyClick(window, "]")
    assert not actions["cancel"].isEnabled()
    assert actions["open"].isEnabled()
    actions["theme-dark"].trigger()
    actions["theme-light"].trigger()
    assert [n for n, a in actions.items() if a.isChecked()] == ["theme-light"]


def test_letters_typed_into_a_field_are_not_taken_for_keys(window, actions, qtbot):
    field = QLineEdit()
    window.setCentralWidget(field)
    build.set_flags(actions, {"image", "original"})
    field.setFocus()
    with qtbot.assertNotEmitted(actions["fit"].triggered), qtbot.assertNotEmitted(actions["split"].triggered):
        qtbot.keyClicks(field, "f2")
    assert field.text() == "f2"


def test_labels_give_way_to_buttons(window, actions, look, monkeypatch):  # noqa: ARG001 - its labels
    bar = build.FittingToolBar("Main")
    window.addToolBar(bar)
    field = QLineEdit()
    build.build_toolbar(bar, actions, {"zoom": ZoomButton()})
    appearing = bar.addWidget(field)
    appearing.setVisible(False)
    wide = bar.sizeHint().width()

    def style():
        return bar.widgetForAction(actions["open"]).toolButtonStyle()

    for width, wanted in (
        (wide + 10, Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
        (wide - 60, Qt.ToolButtonStyle.ToolButtonIconOnly),
        (wide + 10, Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
    ):
        window.resize(width, 300)
        QApplication.processEvents()
        assert style() == wanted
        assert bar.widgetForAction(actions["show-panel"]).geometry().right() <= bar.width()
    changed, change = [], QToolButton.setToolButtonStyle
    monkeypatch.setattr(
        QToolButton, "setToolButtonStyle", lambda *each: (changed.append(each), change(*each))
    )
    for width in range(
        wide - 9, wide + 3
    ):  # a guess of what labels take would have them come and go for ever
        window.resize(width, 300)
        QApplication.processEvents()
        assert (style() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon) == (width >= wide)
    assert len(changed) < 9
    field.setMinimumWidth(120)
    appearing.setVisible(True)
    QApplication.processEvents()
    assert style() == Qt.ToolButtonStyle.ToolButtonIconOnly
    assert field.geometry().right() <= bar.width()


def test_submenus_are_filled_by_the_window(window):
    menus = build.build_menus(window.menuBar(), {})
    recent = menus["open-recent"]
    assert not recent.isEnabled()
    opened = []
    build.fill_submenu(recent, [("black & white.png", lambda: opened.append("bw")), ("b.png", lambda: None)])
    assert recent.isEnabled()
    recent.actions()[0].trigger()
    assert opened == ["bw"]
    assert recent.actions()[0].text() == "black && white.png"
    build.fill_submenu(recent, [])
    assert not recent.isEnabled()


def test_the_zoom_button_shows_the_scale_and_offers_others(qtbot):
    button = ZoomButton()
    qtbot.addWidget(button)
    assert not button.isEnabled()
    button.set_scale(1.834)
    assert button.text() == "183\u00a0%"
    assert button.accessibleName() == "Zoom 183\u00a0%"
    with qtbot.waitSignal(button.scaleRequested) as wanted:
        next(a for a in button.menu().actions() if a.text() == "200\u00a0%").trigger()
    assert wanted.args == [2.0]
