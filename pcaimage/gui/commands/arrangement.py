"""The commands that arrange the window: its layouts, and tabs enlarged or in windows of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from pcaimage.gui.layouts import LAYOUTS, Layout, layout_called
from pcaimage.gui.tabs.workbench import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QSplitter

    from pcaimage.gui.panel.controls import SettingsPanel
    from pcaimage.gui.preferences import Preferences
    from pcaimage.gui.session.state import SessionState
    from pcaimage.gui.tabs.workbench import Workbench

_ON_TABS = {"enlarge-tab": "Enlarge the tab", "own-window": "Show the tab in its own window"}
"""The actions of a tab, and the names of their buttons."""
_OF_MAIN_WINDOW = {"close", "quit", *_ON_TABS}
"""Actions whose keys would act on the main window when a window beside it is meant."""


class Arrangement(QObject):
    """Arranges the window by layouts, enlarges tabs, and shows them in windows of their own.

    `pictures` and `side`, which has the settings, are the parts of the window beside the tabs, and `splitter`
    divides the pictures from the tabs. While a tab is enlarged both parts are hidden, and the settings come
    back on request.
    """

    def __init__(
        self,
        tabs: Workbench,
        pictures: QWidget,
        side: QWidget,
        panel: SettingsPanel,
        splitter: QSplitter,
        actions: Mapping[str, QAction],
        preferences: Preferences,
    ) -> None:
        super().__init__(tabs)
        self._tabs, self._pictures, self._panel, self._splitter = tabs, pictures, panel, splitter
        self._actions, self._preferences = actions, preferences
        self._enlarged = False
        self._sizes: list[int] = []
        self._had_panel = True
        self._subject = ""
        self._wanted = {name for name in preferences.kept("tabs/torn", "").split(",") if name in NUMBERS}
        """The tabs that are in windows of their own whenever they suit the image."""
        self.slots: dict[str, Callable[[], object]] = {
            f"layout-{layout.name}": partial(self.choose, layout) for layout in LAYOUTS
        }
        """The slots of actions, by the name of the action."""
        actions["enlarge-tab"].toggled.connect(self.enlarge)
        actions["own-window"].toggled.connect(self._move_current)
        actions["show-panel"].toggled.connect(side.setVisible)
        actions["show-tabs"].toggled.connect(self._show_tabs)
        tabs.tabBarDoubleClicked.connect(self._double_clicked)
        tabs.tabBar().setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tabs.tabBar().customContextMenuRequested.connect(self._show_menu)
        tabs.setCornerWidget(self._corner(), Qt.Corner.TopRightCorner)
        tabs.tornChanged.connect(self._on_torn)
        tabs.currentChanged.connect(self._follow)
        tabs.firstPainted.connect(self._tear_wanted)
        self._restore()

    @property
    def layout(self) -> Layout:
        """The layout that was chosen last."""
        return self._layout

    def choose(self, layout: Layout) -> None:
        """Arrange the window by a layout."""
        self.enlarge(False)
        self._use(layout)
        self._actions["show-panel"].setChecked(True)
        self._actions["show-tabs"].setChecked(layout.share > 0)
        if layout.share:
            height = sum(self._splitter.sizes())
            self._splitter.setSizes([round(height * (1 - layout.share)), round(height * layout.share)])
            first = next((name for name in layout.first if self._tabs.suits(name)), None)
            if first is not None:
                self._tabs.show_tab(first)
        self._preferences.keep("layout", layout.name)

    def _use(self, layout: Layout) -> None:
        """Offer a layout's tabs and settings, and leave the sizes of all parts as they are."""
        self._layout = layout
        self._actions[f"layout-{layout.name}"].setChecked(True)
        self._tabs.offer(layout.tabs or NUMBERS)
        self._panel.set_concise(layout.concise)

    def _restore(self) -> None:
        """Show the parts that were shown last, in the layout that was chosen last."""
        layout = layout_called(self._preferences.kept("layout", ""))
        self._use(layout)
        for name, usual in (("show-tabs", layout.share > 0), ("show-panel", True)):
            shown = self._preferences.kept(name, "yes" if usual else "no", ("yes", "no")) == "yes"
            self._actions[name].setChecked(shown)
            if not shown:
                self._actions[name].toggled.emit(False)  # it was not checked before, either

    @property
    def enlarged(self) -> bool:
        """Whether a tab is enlarged over the pictures."""
        return self._enlarged

    def enlarge(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        """Fill the window with the tabs, or show the pictures again."""
        if on == self._enlarged:
            return
        self._enlarged = on
        panel = self._actions["show-panel"]
        if on:
            self._actions["show-tabs"].setChecked(True)
            self._sizes, self._had_panel = self._splitter.sizes(), panel.isChecked()
            self._pictures.hide()
            panel.setChecked(False)
            self._tabs.current_page.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._pictures.show()
            self._splitter.setSizes(self._sizes)
            panel.setChecked(panel.isChecked() or self._had_panel)
        self._actions["enlarge-tab"].setChecked(on)

    def escape(self, otherwise: Callable[[], object]) -> None:
        """Go back from an enlarged tab; do something else if none is enlarged."""
        if self._enlarged:
            self.enlarge(False)
        else:
            otherwise()

    def show_state(self, state: SessionState, before: SessionState) -> None:
        """Follow the image: an enlarged tab without one would hide how to open the next."""
        if state.document is before.document:
            return
        if state.document is None:
            self.enlarge(False)
        self._subject = "" if state.document is None else state.document.name
        self._tear_wanted()
        for name in self._tabs.torn:
            self._name(name)

    def save(self) -> None:
        """Store the arrangement and the windows of tabs, and close these."""
        self.enlarge(False)
        for name in ("show-tabs", "show-panel"):
            self._preferences.keep(name, "yes" if self._actions[name].isChecked() else "no")
        self._preferences.keep("tabs/torn", ",".join(sorted(self._wanted, key=NUMBERS.__getitem__)))
        for name in self._tabs.torn:
            self._remember_place(name)
            if (window := self._tabs.torn_window(name)) is not None:
                window.hide()

    def _tear_wanted(self) -> None:
        """Show the tabs that are wanted in windows of their own where they suit the image, and no others."""
        if not self._tabs.painted:
            return
        for name in NUMBERS:
            suits = self._tabs.suits(name)
            if name in self._wanted and suits and name not in self._tabs.torn:
                self._tabs.tear_off(name, self._preferences.place_of(f"tab-{name}"))
            elif name in self._tabs.torn and not suits:
                self._remember_place(name)
                self._tabs.put_back(name)
                self._wanted.add(name)

    def _remember_place(self, name: str) -> None:
        if (window := self._tabs.torn_window(name)) is not None:
            self._preferences.keep_place(f"tab-{name}", window.saveGeometry())

    def _move_current(self, own: bool) -> None:  # noqa: FBT001 - a Qt slot
        """Show the tab that is chosen in a window of its own, or in its place again."""
        name = self._tabs.current
        if own:
            self._tabs.tear_off(name, self._preferences.place_of(f"tab-{name}"))
        else:
            self._remember_place(name)
            self._tabs.put_back(name)

    def _on_torn(self, name: str, torn: bool) -> None:  # noqa: FBT001 - a Qt slot
        window = self._tabs.torn_window(name)
        if torn and window is not None:
            self._wanted.add(name)
            window.addActions([self._actions[key] for key in self._actions.keys() - _OF_MAIN_WINDOW])
            self._name(name)
        else:
            self._wanted.discard(name)
        self._follow()

    def _name(self, name: str) -> None:
        window = self._tabs.torn_window(name)
        if window is not None:
            window.set_subject(self._subject)

    def _follow(self) -> None:
        """Check the action of the tab that is chosen if it is in a window of its own."""
        own = self._actions["own-window"]
        with QSignalBlocker(own):
            own.setChecked(self._tabs.current in self._tabs.torn)

    def _show_tabs(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        if not on:
            self.enlarge(False)
        self._tabs.setVisible(on)

    def _double_clicked(self, number: int) -> None:
        if number >= 0:
            self._actions["enlarge-tab"].toggle()

    def _show_menu(self, place: QPoint) -> None:
        """Show the menu of the tab at a position."""
        number = self._tabs.tabBar().tabAt(place)
        if number < 0:
            return
        self._tabs.setCurrentIndex(number)
        menu = QMenu(self._tabs)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self._actions[name] for name in _ON_TABS])
        menu.popup(self._tabs.tabBar().mapToGlobal(place))

    def layout_switch(self, parent: QWidget) -> QWidget:
        """Return a row of buttons, one for each layout."""
        switch = QWidget(parent)
        switch.setAccessibleName("Layout")
        row = QHBoxLayout(switch)
        row.setContentsMargins(0, 0, 4, 0)
        row.setSpacing(0)
        for layout in LAYOUTS:
            button = QToolButton()
            button.setAutoRaise(True)
            button.setDefaultAction(self._actions[f"layout-{layout.name}"])
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # as those beside the tabs
            button.setAccessibleName(f"{layout.name.capitalize()} layout")
            row.addWidget(button)
        return switch

    def _corner(self) -> QWidget:
        """Return the buttons beside the tabs."""
        corner = QWidget()
        row = QHBoxLayout(corner)
        row.setContentsMargins(0, 0, 4, 0)
        row.setSpacing(0)
        for name, text in _ON_TABS.items():
            button = QToolButton()
            button.setAutoRaise(True)
            button.setDefaultAction(self._actions[name])
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the actions have keys and are in the menu
            button.setAccessibleName(text)
            row.addWidget(button)
        return corner
