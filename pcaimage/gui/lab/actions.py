"""The lab's commands: buttons that turn axes, and menus for the table, the export and the view."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QToolBar, QWidget

from pcaimage.gui.icons import load_icon
from pcaimage.gui.menu_button import MenuButton
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.state import LabHistory

_TURNS = {
    "line": ("Turn to Line", "Turn the first axis of the plane onto the line.", go.turned_to_line),
    "best": ("Best Turn", "Turn the plane until its {products} is zero.", go.turned_best),
    "most": ("Turn Largest", "Turn the plane of the largest {products} best.", go.turned_where_most),
    "finish": ("Finish", "Turn all planes: this is PCA.", go.finished),
    "cosines": ("DCT Axes", "Take the cosines of JPEG as axes, which need not be stored.", go.with_cosines),
    "order": (
        "Sort Axes",
        "Put the axes into the order of their variances, or the other way round if they are in it.",
        go.in_order,
    ),
    "flip": (
        "Flip Axis",
        "Turn the first axis of the plane round: signs are arbitrary.",
        go.plane_flipped,
    ),
    "anew": ("Start Over", "Return to the features as axes.", go.begun_anew),
    "power": ("Multiply by C", "Multiply the direction of the line by the matrix.", go.powered),
    "take": ("Take Away", "Take the direction of the line away from the samples.", go.taken_away),
    "give": ("Give Back", "Give everything back that was taken away.", go.given_back),
}
"""Commands that lead from a state to the next: text, tip, transition."""
_OF_STEP = {
    "power": {"power"},
    "take": {"take"},
    "give": {"take"},
    "keep": {"keep", "decode", "cost"},
    "move": {"covariance", "diagonal", "power"},
}
"""Commands that are shown in some steps only."""
_NEED_A_PLANE = ("line", "best", "most", "take", "move")


class Entry(NamedTuple):
    """An entry of a menu: its text, its tip, its key, and whether it is switched on and off."""

    text: str
    tip: str
    key: QKeySequence.StandardKey | QKeySequence | None = None
    checkable: bool = False


_KEY = QKeySequence.StandardKey
_MENUS = {
    "Table": {
        "open": Entry("&Open…", "Open a table of numbers or an exercise.", _KEY.Open),
        "paste": Entry("&Paste", "Take the table that was copied.", _KEY.Paste),
        "read": Entry("&Read Otherwise…", "Correct how the text was read, and choose columns."),
        "new": Entry("&New Table", "Begin with a small table of zeros, and type.", _KEY.New),
        "add-row": Entry("&Add Row", "Add a sample.", QKeySequence("Ctrl+Return")),
        "remove-row": Entry("Remove R&ow", "Remove the sample of the current cell."),
        "name-row": Entry("Na&me Row…", "Name the sample of the current cell."),
        "add-column": Entry("Add Co&lumn", "Add a feature.", QKeySequence("Ctrl+Shift+Return")),
        "remove-column": Entry("Remo&ve Column", "Remove the feature of the current cell."),
        "name-column": Entry("Name &Column…", "Name the feature of the current cell."),
        "transpose": Entry("&Transpose", "Exchange samples and features."),
        "draw": Entry(
            "&Draw Points", "Add points, drag them, and remove them with the right button.", checkable=True
        ),
    },
    "Exercise": {
        "save-exercise": Entry("&Save as Exercise…", "Make an exercise of what is shown, with a question."),
        "close-exercise": Entry("&Close Exercise", "Return to the course."),
        "hide-finish": Entry("Hide &Finish", "Hide commands that solve a task at once.", checkable=True),
        "hide-numbers": Entry("Hide &Numbers", "Hide the tables of numbers.", checkable=True),
        "hide-answers": Entry("Hide &Answers", "Hide what the best would be.", checkable=True),
        "blank-sheet": Entry("&Worksheet…", "Write these samples as a worksheet with blanks."),
        "filled-sheet": Entry("Worksheet with Ans&wers…", "Write the worksheet with the numbers in it."),
        "answers": Entry("&Export Answers…", "Write what was answered and done as a text."),
    },
    "View": {
        "animate": Entry("&Animate Turns", "Show turns as movements.", checkable=True),
        "names": Entry("&Names of Points", "Write the names of samples beside their points.", checkable=True),
        "components": Entry(
            "&Both Components",
            "Draw the directions of most and of least variance in the plane.",
            checkable=True,
        ),
    },
}


class LabActions(QObject):
    """Makes the actions; what they do is up to the page."""

    applied = Signal(object)  # a transition of the state
    pictureRequested = Signal(str)  # noqa: N815
    """The name of a pane that is to be saved."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.toolbar = QToolBar("Lab")
        self.by_name: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for name, key in (("undo", _KEY.Undo), ("redo", _KEY.Redo)):
            action = self._add(name, Entry(name.capitalize(), f"{name.capitalize()}.", key), self.toolbar)
            action.setIcon(load_icon(name))
        self.toolbar.addSeparator()
        for name, (text, tip, act) in _TURNS.items():
            action = self._add(name, Entry(text, tip), self.toolbar)
            action.triggered.connect(lambda _=False, act=act: self.applied.emit(act))
        tip = "Show how the matrix moves the plane: grid and circle, and the ellipse that it becomes."
        self._add("move", Entry("Move Plane", tip, checkable=True), self.toolbar)
        tip = "Keep so many components of the open image in the compressor."
        self._add("keep", Entry("Keep This k", tip), self.toolbar)
        self.toolbar.addSeparator()
        for title, entries in _MENUS.items():
            menu = self._menu(title)
            for name, entry in entries.items():
                self._add(name, entry, menu)

    def add_pictures(self, panes: list[str]) -> None:
        """Offer the last turn to be saved as an animation, and panes, by their names, as pictures."""
        menu = self._menu("Export")
        self._add("film", Entry("&Last Turn as Animation…", "Write the last turn as a moving picture."), menu)
        for pane in panes:
            action = menu.addAction(f"{pane}…")
            action.triggered.connect(lambda _=False, pane=pane: self.pictureRequested.emit(pane))

    def show_history(self, history: LabHistory, *, keeps: bool) -> None:
        """Show and enable what suits the state; `keeps` says whether its k suits the open image."""
        state = history.state
        for name, steps in _OF_STEP.items():
            self.by_name[name].setVisible(state.step in steps)
        self.by_name["cosines"].setVisible(state.data.picture is not None)
        by = state.convention
        for name in ("best", "most"):
            products = "correlation" if by.correlation else by.products
            self.by_name[name].setToolTip(_TURNS[name][1].format(products=products))
        self.by_name["keep"].setEnabled(keeps)
        self.by_name["undo"].setEnabled(bool(history.past))
        self.by_name["redo"].setEnabled(bool(history.future))
        self.by_name["give"].setEnabled(state.removed is not None)
        for name in _NEED_A_PLANE:
            self.by_name[name].setEnabled(len(state.basis) > 1)

    def connect_slots(self, slots: dict[str, Callable[[], object]]) -> None:
        """Let commands, by their names, call functions."""
        for name, slot in slots.items():
            self.by_name[name].triggered.connect(lambda _=False, slot=slot: slot())

    def _menu(self, title: str) -> QMenu:
        menu = self.menus[title] = QMenu(self._page, toolTipsVisible=True)
        button = MenuButton(menu)
        button.set_words(title)
        self.toolbar.addWidget(button)
        return menu

    def _add(self, name: str, entry: Entry, to: QToolBar | QMenu) -> QAction:
        action = to.addAction(entry.text)
        action.setToolTip(entry.tip)
        action.setCheckable(entry.checkable)
        if entry.key is not None:
            action.setShortcuts([entry.key] if isinstance(entry.key, QKeySequence) else entry.key)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._page.addAction(action)
        self.by_name[name] = action
        return action
