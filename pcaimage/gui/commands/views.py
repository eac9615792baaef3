"""What menus and keys do to the way in which things are shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSignalBlocker, Qt
from PySide6.QtWidgets import QWidget

from pcaimage.gui.about import show_about
from pcaimage.gui.commands.help import show_keyboard_help
from pcaimage.gui.compare.viewport import Viewport
from pcaimage.gui.preferences_dialog import edit_preferences
from pcaimage.gui.tabs.block.page import BlockInspector
from pcaimage.gui.tabs.pixel.page import PixelView

if TYPE_CHECKING:
    from collections.abc import Callable

    from pcaimage.codec import Region
    from pcaimage.gui.compare.compare_view import Mode
    from pcaimage.gui.preferences import Wishes
    from pcaimage.gui.theme import Scheme
    from pcaimage.gui.window import MainWindow

_ZOOM = 1.25
_ROOM = 6
"""How many times its own size is shown around a region that is looked at."""
_MODES: tuple[Mode, ...] = ("side-by-side", "split", "difference")


class ViewCommands(QObject):
    """Connects the actions that change what is seen, and nothing else.

    Parameters
    ----------
    window : MainWindow
        The window.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        compare, actions = window.compare, window.actions_by_name
        slots: dict[str, Callable[[], object]] = {
            "zoom-in": partial(compare.zoom_by, _ZOOM),
            "zoom-out": partial(compare.zoom_by, 1 / _ZOOM),
            "fit": compare.fit,
            "zoom-100": partial(compare.zoom_to, 1.0),
            "preferences": self.edit_preferences,
            "keyboard-help": partial(show_keyboard_help, window),
            "about": partial(show_about, window),
            "pin-block": self.pin_block,
            "bands": window.bands.open,
            "theme-system": partial(self.set_scheme, "system"),
            "theme-light": partial(self.set_scheme, "light"),
            "theme-dark": partial(self.set_scheme, "dark"),
        }
        slots |= {mode: partial(window.comparing.set_mode, mode) for mode in _MODES}
        slots |= {f"tab-{n + 1}": partial(self.show_tab, n) for n in range(window.tabs.count())}
        window.connect_actions(slots)
        for name, switch in (
            ("magnifier", compare.set_magnifier),
            ("show-tabs", window.tabs.setVisible),
            ("show-panel", window.side.setVisible),
            ("full-screen", self.set_full_screen),
        ):
            actions[name].toggled.connect(switch)
        for name in ("side-by-side", "show-tabs", "show-panel", f"theme-{window.theme.scheme}"):
            actions[name].setChecked(True)
        self._follow_tab(window.tabs.currentIndex())
        window.tabs.currentChanged.connect(self._follow_tab)

    def set_scheme(self, scheme: Scheme) -> None:
        """Use a colour scheme from now on.

        Parameters
        ----------
        scheme : {"system", "light", "dark"}
            The scheme.
        """
        self._window.theme.set_scheme(scheme)
        self._window.preferences.scheme = scheme

    def edit_preferences(self) -> None:
        """Show the preferences; what is changed there holds at once."""
        window = self._window
        edit_preferences(window, window.preferences, window.theme, self._follow_wishes)

    def _follow_wishes(self, wishes: Wishes) -> None:
        window = self._window
        window.actions_by_name[f"theme-{wishes.scheme}"].setChecked(True)
        window.session.prefer(wishes.choice)
        window.session.limits = wishes.limits
        window.show_state(window.session.state, window.session.state)

    def pin_block(self) -> None:
        """Keep to the block under the cursor in the tab that takes it apart, or follow the cursor again."""
        tabs = self._window.tabs
        page = tabs.currentWidget()
        if isinstance(page, (BlockInspector, PixelView)):
            page.set_pinned(not page.pinned)
        else:
            self.show_tab(tabs.indexOf(tabs.page("block")))

    def set_full_screen(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        """Fill the screen with the window, or not.

        Parameters
        ----------
        on : bool
            Whether to.
        """
        state = self._window.windowState()
        full = Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | full if on else state & ~full)

    def show_tab(self, number: int) -> None:
        """Show a tab, and hand it the keys.

        Parameters
        ----------
        number : int
            Counted from 0.
        """
        self._window.actions_by_name["show-tabs"].setChecked(True)
        tabs = self._window.tabs
        tabs.setCurrentIndex(number)
        page = tabs.currentWidget()
        first = page if page.focusPolicy() & Qt.FocusPolicy.TabFocus else _first_of(page)
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_place(self, x: int, y: int) -> None:
        """Show a pixel in the middle of the views, at 100 % or larger.

        Parameters
        ----------
        x, y : int
            The pixel.
        """
        scale = max(self._window.compare.viewport.scale, 1.0)
        self._window.show_viewport(Viewport(x + 0.5, y + 0.5, scale))

    def show_region(self, region: Region) -> None:
        """Show a part of the image with its surroundings, and frame it.

        Parameters
        ----------
        region : Region
            The part, in pixels.
        """
        compare = self._window.compare
        view, side = compare.view_size, max(region.right - region.left, region.bottom - region.top, 1)
        scale = max(1.0, min(view.width, view.height) / (_ROOM * side))
        middle = (region.left + region.right) / 2, (region.top + region.bottom) / 2
        self._window.show_viewport(Viewport(*middle, min(scale, 32.0)))
        self._window.mark(region)

    def _follow_tab(self, number: int) -> None:
        action = self._window.actions_by_name.get(f"tab-{number + 1}")
        if action is not None:
            with QSignalBlocker(action):
                action.setChecked(True)
        self._window.refresh_actions()


def _first_of(page: QWidget) -> QWidget:
    """Return the first widget of a page that takes keys."""
    for widget in page.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisibleTo(page) and widget.isEnabled():
            return widget
    return page
