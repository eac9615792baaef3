"""The context menus of the pictures."""

from __future__ import annotations

from functools import partial
from typing import cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.rivals import RivalCommands
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.session.sources import ViewName

_ARRANGEMENT = ("side-by-side", "split", "difference")
_LOOK = ("fit", "zoom-100", "zoom-in", "zoom-out", "magnifier")
_PLACES = ("pin-block", "bands")


class PictureMenus(Commands):
    """Opens a menu on a picture: to copy and export it, to compare it, and to see it in another way."""

    def __init__(self, context: CommandContext, compare: CompareView, rivals: RivalCommands) -> None:
        super().__init__(context)
        self._compare = compare
        self._fill = {
            "left": rivals.fill_left,
            "right": rivals.fill_right,
            "difference": rivals.fill_right,
        }
        compare.menuRequested.connect(self.open)

    def open(self, view: str, place: QPoint) -> None:
        """Open the menu of a view at a place of the screen."""
        menu = self.menu(cast("ViewName", view))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def menu(self, view: ViewName) -> QMenu:
        """Return the menu of the left view, the right one or the difference."""
        menu, actions, state = QMenu(self._compare), self._actions, self._session.state
        menu.setToolTipsVisible(True)
        what = {"left": state.left.capitalize(), "difference": "Difference"}.get(view, "Picture")
        if view == "right" and state.rival is None:
            what = "Reconstruction"
        copy = menu.addAction(actions["copy"].icon(), f"&Copy {what}")
        copy.setEnabled(actions["copy"].isEnabled())
        copy.triggered.connect(partial(self._copy, view))
        for name, text in (("export", "&Export…"), ("save", "Sa&ve")):
            action = menu.addAction(actions[name].icon(), text)
            action.setEnabled(actions[name].isEnabled())
            action.triggered.connect(actions[name].trigger)
        menu.addSeparator()
        menu.addAction(actions["compare"])
        shown = menu.addMenu("S&how")
        self._fill[view](shown)
        shown.setEnabled(not shown.isEmpty())
        for names in (_ARRANGEMENT, _LOOK, _PLACES):
            menu.addSeparator()
            menu.addActions([actions[name] for name in names if name != "bands" or actions[name].isEnabled()])
        return menu

    def _copy(self, view: ViewName) -> None:
        self._session.copy(view, self._compare.legend.full_scale if view == "difference" else None)
