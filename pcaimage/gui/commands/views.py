"""The commands on what is shown: the part of the image, the comparison, the tab, the image of a stack."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import cast

from PySide6.QtCore import QElapsedTimer, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from pcaimage.codec import Region
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.files import FileCommands
from pcaimage.gui.compare.compare_view import CompareView, Mode
from pcaimage.gui.compare.comparing import Comparing
from pcaimage.gui.compare.viewport import Viewport
from pcaimage.gui.icons import load_icon
from pcaimage.gui.session.jobs import DIFFERENCE, LEFT, RIGHT
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.pages import PinnablePage
from pcaimage.gui.tabs.workbench import NUMBERS, TABS, Workbench

_WAIT = 5  # milliseconds after which it is asked again whether a picture is complete


class Player(QObject):
    """Requests the images of an animation at their times, beginning with the one that is shown.

    It never begins by itself. The next image is requested when the pictures of the last one are complete;
    where that takes longer than the image is shown, others are skipped, so that the speed stays right. It
    stops when another image is chosen meanwhile, or another file is opened.
    """

    playingChanged = Signal(bool)  # noqa: N815
    """It has begun, or has stopped."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._clock, self._start, self._shown = QElapsedTimer(), 0.0, -1
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._show)
        session.watch("document", "frame").connect(self._follow)

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._timer.isActive()

    def set_playing(self, playing: bool) -> None:  # noqa: FBT001 - a slot of a switch
        """Play from the image that is shown, or from the first if that is the last; or stop."""
        document = self._session.state.document
        timing = None if document is None else document.timing
        if playing and timing is not None:
            frame = self._session.state.frame
            last = frame == len(timing.durations) - 1
            self._shown, self._start = frame, 0.0 if last else math.fsum(timing.shown[:frame])
            self._clock.start()
            self._timer.start(0 if last else math.ceil(timing.shown[frame]))
        else:
            self._timer.stop()
        self.playingChanged.emit(self.playing)

    def _show(self) -> None:
        state, jobs = self._session.state, self._session.jobs
        timing = None if state.document is None else state.document.timing
        found = None if timing is None else timing.at(self._start + self._clock.elapsed())
        if found is None:
            self.set_playing(False)
            return
        index, rest = found
        if index != state.frame and any(jobs.busy(kind) for kind in (LEFT, RIGHT, DIFFERENCE)):
            self._timer.start(_WAIT)
            return
        self._timer.start(math.ceil(rest))
        self._shown = index
        self._session.request(ShowFrame(index))

    def _follow(self, state: SessionState, before: SessionState) -> None:
        """Stop if another file was opened, or the user chose an image."""
        if self.playing and (state.document is not before.document or state.frame != self._shown):
            self.set_playing(False)


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
        self._compare, self._comparing, self._tabs, actions = compare, comparing, tabs, context.actions
        self._show_viewport = show_viewport
        self.slots = {
            "zoom-in": partial(compare.zoom_by, _ZOOM),
            "zoom-out": partial(compare.zoom_by, 1 / _ZOOM),
            "fit": compare.fit,
            "zoom-100": partial(compare.zoom_to, 1.0),
            "pin-block": self.pin_block,
        }
        self.slots |= {mode: partial(self._set_mode, mode) for mode in _MODES}
        self.slots |= {f"tab-{n + 1}": partial(self.show_tab, n) for n in range(tabs.count())}
        actions["magnifier"].toggled.connect(compare.set_magnifier)
        mode = context.preferences.kept("mode", _MODES[0], _MODES)
        actions[mode].setChecked(True)
        comparing.set_mode(cast("Mode", mode))
        self._follow_tab(tabs.currentIndex())
        tabs.currentChanged.connect(self._follow_tab)

    def _set_mode(self, mode: Mode) -> None:
        """Choose a mode, with which the next window begins, too."""
        self._comparing.set_mode(mode)
        self._preferences.keep("mode", mode)

    def pin_block(self) -> None:
        """Pin the page to the cursor's place, or unpin it; switch to the block tab from other tabs."""
        page = self._tabs.currentWidget()
        if isinstance(page, PinnablePage):
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


class StackCommands(Commands):
    """Steps through the images of a stack, plays those of an animation, and opens one of them alone."""

    def __init__(self, context: CommandContext, files: FileCommands) -> None:
        super().__init__(context)
        self._play = context.actions["play"]
        self.player = Player(context.session, self)
        self._play.toggled.connect(self.player.set_playing)
        self.player.playingChanged.connect(self._show_playing)
        self.slots = {
            "previous-image": partial(self._step, -1),
            "next-image": partial(self._step, 1),
            "image-alone": files.open_alone,
        }

    def _step(self, by: int) -> None:
        self._session.request(ShowFrame(self._session.state.frame + by))

    def _show_playing(self, playing: bool) -> None:  # noqa: FBT001 - a slot
        self._play.setChecked(playing)
        self._play.setIcon(load_icon("pause" if playing else "play"))
