"""The lab's commands: buttons that turn axes, and menus for the table, the export and the view."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QToolBar, QWidget

from pcaimage.gui.icons import load_icon
from pcaimage.gui.menu_button import MenuButton
from pcaimage.gui.shortcuts import key_of
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.plain import read
from pcaimage.insight.lab.state import LabHistory, LabState
from pcaimage.machine.folders import asset

Act = Callable[[LabState], LabState]

_TURNS: dict[str, Act] = {
    "line": go.turned_to_line,
    "best": go.turned_best,
    "most": go.turned_where_most,
    "finish": go.finished,
    "cosines": go.with_cosines,
    "order": go.in_order,
    "flip": go.plane_flipped,
    "anew": go.begun_anew,
    "power": go.powered,
    "take": go.taken_away,
    "give": go.given_back,
    "lay": go.with_line_laid,
}
"""Commands that lead from a state to the next."""


@dataclass(frozen=True)
class Entry:
    """A command: its name in programs, text, tip and key, and where it is shown.

    That is a menu or the toolbar, and some steps only or all. It may be switched on and off, and need so
    many features.
    """

    name: str
    text: str
    tip: str
    menu: str = ""
    key: str = ""
    checkable: bool = False
    steps: frozenset[str] = frozenset()
    features: int = 1


class LabActions(QObject):
    """Makes the actions; what they do is up to the page."""

    applied = Signal(object)  # a transition of the state
    pictureRequested = Signal(str)  # noqa: N815
    """The name of a pane that is to be saved."""

    def __init__(self, page: QWidget, panes: Iterable[str]) -> None:
        super().__init__(page)
        self._page = page
        self.toolbar = QToolBar("Lab")
        self.by_name: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        found = read(tuple[Entry, ...], asset("resources", "lab", "commands.json").read_bytes())
        self._entries = {entry.name: entry for entry in found}
        for entry in found:
            self.by_name[entry.name] = self._add(entry)
        for name in ("undo", "redo"):
            self.by_name[name].setIcon(load_icon(name))
        self.toolbar.insertSeparator(self.by_name["line"])
        for name, act in _TURNS.items():
            self.by_name[name].triggered.connect(lambda _=False, act=act: self.applied.emit(act))
        for pane in panes:
            action = self.menus["Export"].addAction(f"{pane}…")
            action.triggered.connect(lambda _=False, pane=pane: self.pictureRequested.emit(pane))

    def show_history(self, history: LabHistory, *, keeps: bool) -> None:
        """Show and enable what suits the state; `keeps` says whether its k suits the open image."""
        state, by = history.state, history.state.convention
        products = "correlation" if by.correlation else by.products
        for name, entry in self._entries.items():
            self.by_name[name].setToolTip(entry.tip.format(products=products))
            self.by_name[name].setEnabled(len(state.basis) >= entry.features)
            if entry.steps:
                self.by_name[name].setVisible(state.step in entry.steps)
        self.by_name["cosines"].setVisible(state.data.picture is not None)
        self.by_name["keep"].setEnabled(keeps)
        self.by_name["undo"].setEnabled(bool(history.past))
        self.by_name["redo"].setEnabled(bool(history.future))
        self.by_name["give"].setEnabled(state.removed is not None)

    def connect_slots(self, slots: dict[str, Callable[[], object]]) -> None:
        """Let commands, by their names, call functions."""
        for name, slot in slots.items():
            self.by_name[name].triggered.connect(lambda _=False, slot=slot: slot())

    def _menu(self, title: str) -> QMenu:
        if not self.menus:
            self.toolbar.addSeparator()
        if title not in self.menus:
            menu = self.menus[title] = QMenu(self._page, toolTipsVisible=True)
            button = MenuButton(menu)
            button.set_words(title)
            self.toolbar.addWidget(button)
        return self.menus[title]

    def _add(self, entry: Entry) -> QAction:
        action = (self._menu(entry.menu) if entry.menu else self.toolbar).addAction(entry.text)
        action.setToolTip(entry.tip)
        action.setCheckable(entry.checkable)
        if entry.key:
            key = key_of(entry.key)
            action.setShortcuts([QKeySequence(key)] if isinstance(key, str) else key)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._page.addAction(action)
        return action
