"""The commands that compare the reconstruction with a rival, and the context menus of the pictures."""

from __future__ import annotations

from functools import partial
from typing import cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.compare.options import key_of, left_options, right_options, rival_options, usual_rival
from pcaimage.gui.compare.picker import fill_options
from pcaimage.gui.session.requests import Compare, ShowLeft, ShowRight
from pcaimage.gui.session.sources import ViewName
from pcaimage.gui.session.state import Rival, SessionState

_REMEMBERED = "rival"
_FIRST = "jpeg"


class RivalCommands(Commands):
    """Compares with the rival that was chosen last, or with none, and fills the menus of what views show."""

    def __init__(self, context: CommandContext, compare: CompareView) -> None:
        super().__init__(context)
        self._compare, session, submenus = compare, context.session, context.submenus
        self._action = context.actions["compare"]
        self._usual: Rival | None = None
        keys = self._action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        compare.rivals.set_shortcut(keys)
        compare.rivals.requested.connect(self.compare_with)
        self.slots = {"compare": self.toggle}
        for name, fill in (("left-view", self.fill_left), ("right-view", self.fill_right)):
            menu = submenus[name]
            menu.aboutToShow.connect(lambda menu=menu, fill=fill: fill(menu))
        self._menus = [submenus[name] for name in ("left-view", "right-view")]
        offered = session.afterwards.watch("document", "fit", "choice", "rival", "setting", "moving")
        offered.connect(self.follow)
        self.follow(session.state)

    def toggle(self) -> None:
        """Compare with the usual rival, or with none if one is shown."""
        on = self._session.state.rival is not None
        self._action.setChecked(on)  # the session's answer changes it, not the click
        if on or self._usual is not None:
            self.compare_with(None if on or self._usual is None else self._usual)

    def compare_with(self, rival: Rival | None) -> None:
        """Compare with a rival, or with none; the difference stays that from the original."""
        difference = self._compare.mode == "difference"
        self._session.request(ShowRight(rival) if difference else Compare(rival))

    def follow(self, state: SessionState) -> None:
        """Offer the rivals of a state, and remember the one that it shows."""
        if state.moving and state.rival is None:
            return
        if state.rival is not None and state.rival.kind != "file" and not self._is_usual(state.rival):
            self._preferences.keep(_REMEMBERED, key_of(state.rival))
        usual = usual_rival(state, self._preferences.kept(_REMEMBERED, _FIRST))
        self._usual = usual.value if usual is not None and isinstance(usual.value, Rival) else None
        options = rival_options(state) if state.has_original else ()
        self._compare.set_rivals(options, state.rival, usual if options else None)
        on = state.rival is not None
        self._action.setChecked(on)
        self._action.setText("&Compare" if usual is None else f"Compare &with {usual.name}")
        for menu, found in zip(self._menus, (left_options(state), right_options(state)), strict=True):
            menu.setEnabled(bool(found))

    def _is_usual(self, rival: Rival) -> bool:
        """Return whether a rival is the one on offer, perhaps because the remembered one is impossible."""
        return self._usual is not None and key_of(rival) == key_of(self._usual)

    def fill_left(self, menu: QMenu) -> None:
        """Fill a menu with what the left view can show."""
        fill_options(menu, left_options(self._session.state), self._session.state.left, self._show_left)

    def fill_right(self, menu: QMenu) -> None:
        """Fill a menu with what the right view can show."""
        fill_options(menu, right_options(self._session.state), self._session.state.rival, self._show_right)

    def _show_left(self, name: object) -> None:
        self._session.request(ShowLeft(str(name)))

    def _show_right(self, rival: object) -> None:
        self._session.request(ShowRight(rival if isinstance(rival, Rival) else None))


_ARRANGEMENT = ("side-by-side", "split", "difference")
_LOOK = ("fit", "zoom-100", "zoom-in", "zoom-out", "magnifier")
_PLACES = ("pin-block", "bands")


class PictureMenus(Commands):
    """Opens a menu on a picture: to copy and export it, to compare it, and to see it in another way."""

    def __init__(self, context: CommandContext, compare: CompareView, rivals: RivalCommands) -> None:
        super().__init__(context)
        self._compare = compare
        self._fill = {"left": rivals.fill_left, "right": rivals.fill_right, "difference": rivals.fill_right}
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
