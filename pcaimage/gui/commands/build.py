"""Menus and toolbar as words that name actions, and what builds Qt's menus and actions of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QToolBar, QToolButton, QWidget

from pcaimage.gui.commands.actions import ACTIONS, ENABLED, GROUPS, QT, SWITCHES, ActionSpec
from pcaimage.gui.icons import load_icon
from pcaimage.gui.shortcuts import Key
from pcaimage.machine.folders import tables

SEPARATOR = "-"  # stands for a line between two items

_READ = tables("window.json")
MENUS: dict[str, str] = {each["text"]: each["names"] for each in _READ["menus"]}
"""The menus from left to right, with their actions and submenus; actions that were not built are skipped."""

SUBMENUS = {name: (each["text"], each["names"]) for name, each in _READ["submenus"].items()}
"""The text of each submenu, and its actions; the window fills those without any."""

TOOLBAR: str = QT["toolbar"]
"""The toolbar from left to right; ``zoom`` and ``drag`` are widgets of the window."""


_ICON = QSize(20, 20)
_FITTING = {QEvent.Type.Resize, QEvent.Type.LayoutRequest}
_ROLES = {
    "about": QAction.MenuRole.AboutRole,
    "preferences": QAction.MenuRole.PreferencesRole,
    "quit": QAction.MenuRole.QuitRole,
}
"""The actions that macOS moves to the application menu; without roles it would guess by their texts."""


def build_actions(parent: QObject) -> dict[str, QAction]:
    """Make the actions, by name; the window connects them."""
    actions: dict[str, QAction] = {}
    for spec in ACTIONS:
        action = QAction(spec.text, parent, statusTip=spec.tip, icon=load_icon(spec.name))
        action.setObjectName(spec.name)
        action.setShortcuts(_sequences(spec.keys))
        action.setToolTip(_tip(spec, action))
        action.setIconVisibleInMenu(True)
        action.setProperty("label", spec.label)
        action.setMenuRole(_ROLES.get(spec.name, QAction.MenuRole.NoRole))
        actions[spec.name] = action
    for names in GROUPS.values():
        group = QActionGroup(parent)
        for name in names.split():
            group.addAction(actions[name])
    for name in " ".join((SWITCHES, *GROUPS.values())).split():
        actions[name].setCheckable(True)
        actions[name].setIconVisibleInMenu(False)  # it would hide the bullet or the check mark
    set_flags(actions, ())
    return actions


def build_menus(bar: QMenuBar, actions: Mapping[str, QAction]) -> dict[str, QMenu]:
    """Fill a menu bar, and return the submenus by name; each is greyed out while it is empty."""
    submenus: dict[str, QMenu] = {}
    for title, words in MENUS.items():
        menu = bar.addMenu(title)
        menu.setToolTipsVisible(True)
        for name in words.split():
            if name in SUBMENUS:
                text, within = SUBMENUS[name]
                submenu = submenus[name] = menu.addMenu(load_icon(name), text)
                submenu.setToolTipsVisible(True)
                for each in within.split():
                    _add_item(submenu, each, actions)
                submenu.setEnabled(not submenu.isEmpty())
            else:
                _add_item(menu, name, actions)
    return submenus


def _add_item(menu: QMenu, name: str, actions: Mapping[str, QAction]) -> None:
    if name == SEPARATOR:
        menu.addSeparator()
    elif name in actions:
        menu.addAction(actions[name])


def fill_submenu(menu: QMenu, entries: Iterable[tuple[str, Callable[[], None]]]) -> None:
    """Replace the entries of a submenu, each a plain text and a function to call."""
    menu.clear()
    for text, act in entries:
        action = menu.addAction(text.replace("&", "&&"))
        action.triggered.connect(lambda _=False, act=act: act())
    menu.setEnabled(not menu.isEmpty())


class FittingToolBar(QToolBar):
    """A toolbar that drops its labels when space is short, so that all buttons remain visible."""

    _texts = 0  # what the labels took when they were dropped: a guess might bring them back for ever

    def event(self, event: QEvent) -> bool:
        """Decide anew when it is resized, or when something appears in it."""
        done = super().event(event)
        if event.type() in _FITTING:
            self._fit()
        return done

    def _fit(self) -> None:
        icons, both = Qt.ToolButtonStyle.ToolButtonIconOnly, Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        labelled = [
            button
            for action in self.actions()
            if action.property("label") and isinstance(button := self.widgetForAction(action), QToolButton)
        ]
        now = icons if any(button.toolButtonStyle() == icons for button in labelled) else both
        needed = self.sizeHint().width()
        wanted = icons if needed + (self._texts if now == icons else 0) > self.width() else both
        if wanted != now:
            for button in labelled:
                button.setToolButtonStyle(wanted)
            self._texts = abs(self.sizeHint().width() - needed)


def build_toolbar(
    bar: QToolBar, actions: Mapping[str, QAction], widgets: Mapping[str, QWidget] | None = None
) -> dict[str, QAction]:
    """Fill the toolbar with actions and widgets; return the actions of the widgets by name."""
    others, placed = widgets or {}, {}
    bar.setIconSize(_ICON)
    bar.setMovable(False)
    pending = False
    for name in TOOLBAR.split():
        if name == SEPARATOR:
            pending = bool(bar.actions())
        elif name in actions or name in others:
            if pending:
                bar.addSeparator()
                pending = False
            if name in others:
                placed[name] = bar.addWidget(others[name])
            else:
                _add_button(bar, actions[name])
    return placed


def _add_button(bar: QToolBar, action: QAction) -> None:
    bar.addAction(action)
    button = bar.widgetForAction(action)
    if isinstance(button, QToolButton) and action.property("label"):
        # Not the text of the menu, which has a mnemonic and may be longer.
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        action.setIconText(action.property("label"))


def set_flags(actions: Mapping[str, QAction], flags: Collection[str]) -> None:
    """Enable the actions whose flag is set, and grey out the others that have one."""
    for flag, names in ENABLED.items():
        for name in names.split():
            actions[name].setEnabled(flag in flags)


@cache
def _sequences(keys: tuple[Key, ...]) -> list[QKeySequence]:
    """Return the shortcuts that the platform supports, without duplicates; Qt takes long to parse them."""
    found: list[QKeySequence] = []
    for key in keys:
        bindings = [QKeySequence(key)] if isinstance(key, str) else QKeySequence.keyBindings(key)
        found += [sequence for sequence in bindings if sequence not in found]
    return found


def _tip(spec: ActionSpec, action: QAction) -> str:
    shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{spec.tip[:-1]} ({shortcut})." if shortcut else spec.tip
