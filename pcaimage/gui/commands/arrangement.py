"""The layouts of the window, and the commands that choose one or enlarge a tab over the pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QBoxLayout, QSplitter, QStackedWidget, QStatusBar, QToolButton, QWidget

from pcaimage.gui.boxes import hbox
from pcaimage.gui.commands.actions import QT
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.compare.compare_view import CompareView
from pcaimage.gui.panel.controls import SettingsPanel
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.workbench import NUMBERS, Workbench


@dataclass(frozen=True, slots=True)
class Layout:
    """An arrangement of the parts of the window."""

    name: str  # its identifier; the action that chooses it is ``layout-`` and the name
    tabs: list[str]  # the names of the tabs that are offered; empty for all that suit the image
    first: list[str]  # the tabs of which the first that suits the image is shown
    share: float  # the share of the window's height that the tabs take; 0 if they are hidden
    concise: bool  # whether presets and slider are a row below the pictures, and the other settings hidden


LAYOUTS = tuple(Layout(**each) for each in QT["layouts"])
"""The layouts; a first start shows the first one."""
_USUAL = {"layout": LAYOUTS[0].name, "layout-bands": "science"}
"""The layouts in which images open until another is chosen, by the name under which it is kept: those of many
bands have a choice of their own."""


def layout_called(name: str) -> Layout:
    """Return a layout by its name; the first one if there is none of that name."""
    return next((layout for layout in LAYOUTS if layout.name == name), LAYOUTS[0])


class Arrangement(Commands):
    """Arranges the window by layouts, and enlarges tabs.

    `pages`, the first part of the column of pictures, and `panel` are what is in the window beside the tabs,
    and `splitter` divides pictures and tabs. While a tab is enlarged both are hidden, and the settings come
    back on request. Notes stand in the window's last `line` where they do not stand in the panel.
    """

    def __init__(
        self,
        context: CommandContext,
        tabs: Workbench,
        pages: QStackedWidget,
        panel: SettingsPanel,
        splitter: QSplitter,
        line: QStatusBar,
    ) -> None:
        super().__init__(context)
        self._tabs, self._pages, self._panel, self._splitter = tabs, pages, panel, splitter
        self._pictures, self._line = cast("QWidget", pages.parentWidget()), line
        actions = context.actions
        self._enlarged = False
        self._kept = "layout"
        self._sizes: list[int] = []
        self._had_panel = True
        self.slots = {f"layout-{layout.name}": partial(self.choose, layout) for layout in LAYOUTS}
        actions["enlarge-tab"].toggled.connect(self.enlarge)
        actions["show-panel"].toggled.connect(panel.setVisible)
        actions["show-panel"].toggled.connect(panel.bar.details.setChecked)
        panel.bar.details.clicked.connect(actions["show-panel"].trigger)
        actions["show-tabs"].toggled.connect(self._show_tabs)
        pages.currentChanged.connect(lambda _: self._show_bar())
        tabs.tabBarDoubleClicked.connect(self._double_clicked)
        tabs.setCornerWidget(
            _row(tabs, [(actions["enlarge-tab"], "Enlarge the tab")]), Qt.Corner.TopRightCorner
        )
        self._restore()
        context.session.afterwards.watch("document").connect(self._follow_document)

    @property
    def layout(self) -> Layout:
        """The layout that was chosen last."""
        return self._layout

    def choose(self, layout: Layout) -> None:
        """Arrange the window by a layout."""
        self.enlarge(False)
        self._use(layout)
        self._actions["show-panel"].setChecked(not layout.concise)
        self._actions["show-tabs"].setChecked(layout.share > 0)
        if layout.share:
            height = sum(self._splitter.sizes())
            self._splitter.setSizes([round(height * (1 - layout.share)), round(height * layout.share)])
            first = next((name for name in layout.first if self._tabs.suits(name)), None)
            if first is not None:
                self._tabs.show_tab(first)
        self._preferences.keep(self._kept, layout.name)

    def _follow_document(self, state: SessionState) -> None:
        """Choose the layout that images of this kind had last."""
        document = state.document
        kept = "layout-bands" if document is not None and document.many_bands else "layout"
        if document is not None and kept != self._kept:
            self._kept = kept
            self.choose(layout_called(self._preferences.kept(kept, _USUAL[kept])))

    def _use(self, layout: Layout) -> None:
        """Offer a layout's tabs and settings, and leave the sizes of all parts as they are."""
        self._layout = layout
        self._actions[f"layout-{layout.name}"].setChecked(True)
        self._tabs.offer(layout.tabs or NUMBERS)
        if self._panel.apart != layout.concise:
            self._panel.set_apart(layout.concise)
            if layout.concise:
                cast("QBoxLayout", self._pictures.layout()).insertWidget(1, self._panel.bar)
                self._line.insertWidget(0, self._panel.notes, 1)
            self._panel.notes.show()
            self._show_bar()

    def _show_bar(self) -> None:
        """Show presets and slider, in a row only where there is a picture."""
        looking = isinstance(self._pages.currentWidget(), CompareView)
        self._panel.bar.setVisible(looking or not self._panel.apart)

    def _restore(self) -> None:
        """Show the parts that were shown last, in the layout that was chosen last."""
        layout = layout_called(self._preferences.kept("layout", ""))
        self._use(layout)
        for name, usual in (("show-tabs", layout.share > 0), ("show-panel", not layout.concise)):
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
            self._tabs.currentWidget().setFocus(Qt.FocusReason.OtherFocusReason)
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

    def save(self) -> None:
        """Store the arrangement."""
        self.enlarge(False)
        for name in ("show-tabs", "show-panel") if self._kept == "layout" else ():
            self._preferences.keep(name, "yes" if self._actions[name].isChecked() else "no")

    def _show_tabs(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        if not on:
            self.enlarge(False)
        self._tabs.setVisible(on)

    def _double_clicked(self, number: int) -> None:
        if number >= 0:
            self._actions["enlarge-tab"].toggle()

    def layout_switch(self, parent: QWidget) -> QWidget:
        """Return a row of buttons, one for each layout."""
        names = [(f"layout-{layout.name}", f"{layout.name.capitalize()} layout") for layout in LAYOUTS]
        switch = _row(parent, [(self._actions[name], text) for name, text in names])
        for button in switch.findChildren(QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        switch.setAccessibleName("Layout")
        return switch


def _row(parent: QWidget, buttons: list[tuple[QAction, str]]) -> QWidget:
    """Return a row of buttons for actions, each with its name for screen readers."""
    widget = QWidget(parent)
    row = hbox(of=widget, margins=(0, 0, 4, 0), spacing=0)
    for action, text in buttons:
        button = QToolButton(autoRaise=True)
        button.setDefaultAction(action)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the actions have keys and are in the menu
        button.setAccessibleName(text)
        row.addWidget(button)
    return widget
