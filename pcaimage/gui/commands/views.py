"""The commands that change the visible part of the image, the mode of comparison and the tab."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QWidget

from pcaimage.codec import Region
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.compare.compare_view import CompareView, Mode
from pcaimage.gui.compare.comparing import Comparing
from pcaimage.gui.compare.viewport import Viewport
from pcaimage.gui.tabs.shared.tab import Pinnable
from pcaimage.gui.tabs.workbench import NUMBERS, TABS, Workbench

_ZOOM = 1.25
_ROOM = 6
"""The size of the view around a region that is brought into view, as a multiple of the region's size."""
_MODES: tuple[Mode, ...] = ("side-by-side", "split", "difference")


class ViewCommands(Commands):
    """Zooms, chooses the mode of comparison and the tab, and brings regions into view.

    `show_viewport` sets the viewport of the pictures.
    """

    def __init__(
        self,
        context: CommandContext,
        compare: CompareView,
        comparing: Comparing,
        tabs: Workbench,
        show_viewport: Callable[[Viewport], None],
    ) -> None:
        super().__init__(context)
        self._compare, self._tabs, actions = compare, tabs, context.actions
        self._show_viewport = show_viewport
        self.slots = {
            "zoom-in": partial(compare.zoom_by, _ZOOM),
            "zoom-out": partial(compare.zoom_by, 1 / _ZOOM),
            "fit": compare.fit,
            "zoom-100": partial(compare.zoom_to, 1.0),
            "pin-block": self.pin_block,
        }
        self.slots |= {mode: partial(comparing.set_mode, mode) for mode in _MODES}
        self.slots |= {f"tab-{n + 1}": partial(self.show_tab, n) for n in range(tabs.count())}
        actions["magnifier"].toggled.connect(compare.set_magnifier)
        actions["side-by-side"].setChecked(True)
        self._follow_tab(tabs.currentIndex())
        tabs.currentChanged.connect(self._follow_tab)

    def pin_block(self) -> None:
        """Pin the page to the cursor's place, or unpin it; switch to the block tab from other tabs."""
        page = self._tabs.currentWidget()
        if isinstance(page, Pinnable):
            page.set_pinned(not page.pinned)
        else:
            self.show_tab(NUMBERS["block"])

    def show_tab(self, number: int) -> None:
        """Show a tab, counted from 0, and give it the keyboard focus."""
        self._actions["show-tabs"].setChecked(True)
        self._tabs.show_tab(TABS[number].name)
        page = self._tabs.currentWidget()
        first = page if page.focusPolicy() & Qt.FocusPolicy.TabFocus else _first_of(page)
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_place(self, x: int, y: int) -> None:
        """Centre the views on a pixel, at 100 % or larger."""
        scale = max(self._compare.viewport.scale, 1.0)
        self._show_viewport(Viewport(x + 0.5, y + 0.5, scale))

    def show_region(self, region: Region) -> None:
        """Show a region of the image with its surroundings."""
        view = self._compare.view_size
        side = max(region.right - region.left, region.bottom - region.top, 1)
        scale = max(1.0, min(view.width, view.height) / (_ROOM * side))
        middle = (region.left + region.right) / 2, (region.top + region.bottom) / 2
        self._show_viewport(Viewport(*middle, min(scale, 32.0)))

    def _follow_tab(self, number: int) -> None:
        action = self._actions.get(f"tab-{number + 1}")
        if action is not None:
            with QSignalBlocker(action):
                action.setChecked(True)


def _first_of(page: QWidget) -> QWidget:
    """Return the first widget of a page that accepts the keyboard focus."""
    for widget in page.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(page) and widget.isEnabled():
            return widget
    return page
