"""The lab's commands and their toolbar, which shows those that the step needs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QToolBar, QWidget

from pcaimage.gui.lab.history import LabHistory
from pcaimage.gui.menu_button import MenuButton
from pcaimage.insight.lab import transitions as go

_TURNS = {
    "line": ("To Line", "Turn the first axis of the plane onto the line.", go.turned_to_line),
    "best": ("Best Turn", "Turn the plane until its {products} is zero.", go.turned_best),
    "most": ("Largest", "Turn the plane of the largest {products} best.", go.turned_where_most),
    "finish": ("Finish", "Turn all planes: this is PCA.", go.finished),
    "order": ("Order", "Put the axes into the order of their variances.", go.in_order),
    "flip": (
        "Flip",
        "Turn the first axis of the plane round: signs are arbitrary.",
        go.plane_flipped,
    ),
    "anew": ("Begin Anew", "Return to the features as axes.", go.begun_anew),
    "power": ("× C", "Multiply the direction of the line by the matrix.", go.powered),
    "take": ("Take Away", "Take the direction of the line away from the samples.", go.taken_away),
    "give": ("Give Back", "Give everything back that was taken away.", go.given_back),
}
"""Commands that lead from a state to the next: text, tip, transition."""
_OF_STEP = {"power": {"power"}, "take": {"take"}, "give": {"take"}, "keep": {"keep", "decode", "cost"}}
"""Commands that are shown in some steps only."""
_NEED_A_PLANE = ("line", "best", "most", "take")


class LabActions(QObject):
    """Makes the actions; what they do is up to the page."""

    applied = Signal(object)
    """A transition of the state."""
    drawing = Signal(bool)
    """Whether points are drawn."""
    pictureRequested = Signal(str)  # noqa: N815
    """The name of a pane that is to be saved."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.toolbar = QToolBar("Lab")
        self.by_name: dict[str, QAction] = {}
        keys = QKeySequence.StandardKey
        self._add("undo", "Undo", "Undo.", keys.Undo)
        self._add("redo", "Redo", "Redo.", keys.Redo)
        self.toolbar.addSeparator()
        for name, (text, tip, act) in _TURNS.items():
            self._add(name, text, tip).triggered.connect(partial(self._apply, act))
        self._add("keep", "Keep This k", "Keep so many components of the open image in the compressor.")
        self.toolbar.addSeparator()
        draw = self._add("draw", "Draw", "Add points, drag them, and remove them with the right button.")
        draw.setCheckable(True)
        draw.toggled.connect(self.drawing)
        self._add("transpose", "Transpose", "Exchange samples and features.")
        self._add("paste", "Paste", "Take the table that was copied.", keys.Paste)

    def add_pictures(self, panes: list[str]) -> None:
        """Offer panes, by their names, to be saved as pictures."""
        export = MenuButton(menu := QMenu(self._page))
        export.set_words("Export")
        export.setToolTip("Save a pane as a picture.")
        for pane in panes:
            menu.addAction(f"{pane}…").triggered.connect(partial(self._ask, pane))
        self.toolbar.addWidget(export)

    def show_history(self, history: LabHistory, *, keeps: bool) -> None:
        """Show and enable what suits the state; `keeps` says whether its k suits the open image."""
        state = history.state
        for name, steps in _OF_STEP.items():
            self.by_name[name].setVisible(state.step in steps)
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

    def _add(self, name: str, text: str, tip: str, key: QKeySequence.StandardKey | None = None) -> QAction:
        action = self.toolbar.addAction(text)
        action.setToolTip(tip)
        if key is not None:
            action.setShortcuts(key)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._page.addAction(action)
        self.by_name[name] = action
        return action

    def _apply(self, act: object, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - Qt's slot
        self.applied.emit(act)

    def _ask(self, pane: str, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - Qt's slot
        self.pictureRequested.emit(pane)
