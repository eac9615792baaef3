"""The window without a mouse, without colours, and read aloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollBar,
    QTabBar,
    QWidget,
)

from pcaimage.gui.about import AboutDialog
from pcaimage.gui.colours import contrast
from pcaimage.gui.keyboard_help import KeyboardHelp
from pcaimage.gui.preferences_dialog import PreferencesDialog

if TYPE_CHECKING:
    from conftest import User
    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

    from pcaimage.gui.theme import Scheme

DIALOGS = {"preferences": PreferencesDialog, "keyboard-help": KeyboardHelp, "about": AboutDialog}
TABS = ("tab-1", "tab-2", "tab-3", "tab-4", "tab-5", "tab-6")
OF_STACKS = ("tab-7", "tab-8")
MANY = 200
LEAST = 4.5  # WCAG 2.2, success criterion 1.4.3


@pytest.fixture
def opened(user: User, photo: Path) -> User:
    user.open(photo)
    user.window.session.set_components(10, final=True)
    user.rest()
    return user


@pytest.fixture
def schemes(user: User) -> Iterator[None]:
    yield
    user.window.theme.set_scheme("light")


def show_tab(user: User, tab: str) -> None:
    user.trigger(tab)
    user.until(lambda: not user.window.session.jobs.busy())


def show_dialog(user: User, action: str) -> QDialog:
    user.trigger(action)
    dialog = next(iter(user.window.findChildren(DIALOGS[action])))
    user.until(dialog.isVisible)
    return dialog


def spoken(widget: QWidget) -> str:
    """What a screen reader calls a widget."""
    face = QAccessible.queryAccessibleInterface(widget)
    return "" if face is None else face.text(QAccessible.Text.Name)


def nameless(root: QWidget) -> list[str]:
    """The widgets that take keys but have no name; the lists that combo boxes open have their names."""
    found = []
    for widget in root.findChildren(QWidget):
        if widget.window() is not root or widget.focusProxy() is not None:
            continue
        inner = isinstance(widget.parent(), QAbstractSpinBox | QComboBox)
        takes_keys = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(root)
        if takes_keys and not inner and not spoken(widget).strip():
            found.append(f"{type(widget).__name__} in {type(widget.parent()).__name__}")
    return found


@pytest.mark.parametrize("tab", TABS)
def test_everything_that_takes_keys_has_a_name(opened: User, tab: str) -> None:
    show_tab(opened, tab)
    assert not nameless(opened.window)


@pytest.mark.parametrize("action", DIALOGS)
def test_everything_in_a_dialog_that_takes_keys_has_a_name(user: User, action: str) -> None:
    dialog = show_dialog(user, action)
    assert not nameless(dialog)
    assert spoken(dialog)
    dialog.close()


def walked(window: QWidget, qtbot: QtBot, key: Qt.Key) -> list[QWidget]:
    """The widgets that a key visits until it is back at the first."""
    visited: list[QWidget] = []
    start = window.focusWidget()
    for _ in range(MANY):
        visited.append(window.focusWidget())
        qtbot.keyClick(window.focusWidget(), key)
        if window.focusWidget() is start:
            return visited
    pytest.fail(f"{key.name} does not come back: {[type(each).__name__ for each in visited[-12:]]}")


@pytest.mark.parametrize("tab", [*TABS, *OF_STACKS])
def test_the_tab_key_visits_all_parts_and_comes_back(
    user: User, qtbot: QtBot, draw: Callable[..., Path], tmp_path: Path, tab: str
) -> None:
    window = user.window
    count = 4 if tab in OF_STACKS else 1
    user.open(*(draw(tmp_path / f"{seed}.png", 24, 32, 3, seed=seed) for seed in range(count)))
    window.session.leave_out(1, out=True)
    show_tab(user, tab)
    window.compare.reconstruction.setFocus()
    visited = walked(window, qtbot, Qt.Key.Key_Tab)
    page = window.tabs.currentWidget()
    parts = {
        "the left picture": window.compare.original,
        "the right picture": window.compare.reconstruction,
        "the settings": window.panel,
        "the tab bar": window.tabs.tabBar(),
        "the tab": page,
    }
    for name, part in parts.items():
        assert any(part is each or part.isAncestorOf(each) for each in visited), name
    assert all(each.isVisible() for each in visited)
    back = walked(window, qtbot, Qt.Key.Key_Backtab)
    assert {spoken(each) for each in back} == {spoken(each) for each in visited}


def in_menus(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        submenu = action.menu()
        if isinstance(submenu, QMenu):
            yield from in_menus(submenu)
        else:
            yield action


def test_every_action_is_in_a_menu(user: User) -> None:
    window = user.window
    reached = {
        action
        for top in window.menuBar().actions()
        if isinstance(menu := top.menu(), QMenu)
        for action in in_menus(menu)
    }
    missing = [name for name, action in window.actions_by_name.items() if action not in reached]
    assert not missing


def test_every_menu_entry_has_a_letter_of_its_own(user: User) -> None:
    for top in user.window.menuBar().actions():
        menu = top.menu()
        if not isinstance(menu, QMenu):
            continue
        for part in (menu, *menu.findChildren(QMenu)):
            letters = [
                text[text.index("&") + 1].lower()
                for text in (each.text() for each in part.actions())
                if "&" in text
            ]
            assert len(letters) == len(set(letters)), f"{part.title()}: {letters}"


def painted_contrast(widget: QWidget) -> float:
    """The contrast of a text with its ground, as pixels."""
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(picture.constBits(), np.uint8).reshape(picture.height(), picture.bytesPerLine())
    pixels = rows[:, : 3 * picture.width()].reshape(-1, 3)
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    ground = hexadecimal(colours[counts.argmax()])
    return max(contrast(ground, hexadecimal(colour)) for colour in colours)


def hexadecimal(colour: np.ndarray) -> str:
    return "#" + bytes(colour).hex()


def texts(root: QWidget) -> list[QWidget]:
    """What shows words, can be used, and is seen."""
    found = []
    for widget in root.findChildren(QWidget):
        if isinstance(widget, QLineEdit | QLabel | QAbstractButton):
            words = widget.text()
        elif isinstance(widget, QComboBox):
            words = widget.currentText()
        else:
            words = "tabs" if isinstance(widget, QTabBar) else ""
        if words.strip() and widget.isVisible() and widget.isEnabled() and not isinstance(widget, QScrollBar):
            found.append(widget)
    return found


def too_faint(root: QWidget) -> list[str]:
    shown = [
        (widget, painted_contrast(widget)) for widget in texts(root) if not widget.visibleRegion().isEmpty()
    ]
    assert shown
    return [f"{type(each).__name__} {spoken(each)!r}: {value:.1f}" for each, value in shown if value < LEAST]


@pytest.mark.usefixtures("schemes")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("tab", TABS)
def test_texts_stand_out_from_their_ground(opened: User, tab: str, scheme: Scheme) -> None:
    opened.window.theme.set_scheme(scheme)
    show_tab(opened, tab)
    QApplication.processEvents()
    assert not too_faint(opened.window)


@pytest.mark.usefixtures("schemes")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_before_anything_is_open_and_in_messages(
    user: User, scheme: Scheme, tmp_path: Path
) -> None:
    user.window.theme.set_scheme(scheme)
    user.open(tmp_path / "nothing.png")
    user.until(lambda: user.message)
    QApplication.processEvents()
    assert not too_faint(user.window)


@pytest.mark.usefixtures("schemes")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("action", DIALOGS)
def test_texts_of_dialogs_stand_out(user: User, action: str, scheme: Scheme) -> None:
    user.window.theme.set_scheme(scheme)
    dialog = show_dialog(user, action)
    QApplication.processEvents()
    assert not too_faint(dialog)
    dialog.close()
