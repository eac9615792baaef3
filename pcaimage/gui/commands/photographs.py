"""The commands about several photographs: the strip, and the settings that each has or shares."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QMenu

from pcaimage.api import Preset
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.export.folder import show_in_folder
from pcaimage.gui.photographs.plan import BALANCED
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.photographs.strip import PhotographModel, PhotographStrip
from pcaimage.gui.photographs.words import counted
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.opening import OpenOptions, Several, listed
from pcaimage.gui.session.requests import ShowRight, UseOwnPreset
from pcaimage.gui.session.sharing import Own, differs, own_of, shared_of
from pcaimage.gui.session.state import Rival, SessionState

_OF_SELECTION = ("apply-selected", "share-again", "show-photograph", "remove-photograph")
"""The actions of a photograph's menu."""
_UNSETTLED = ("fit", "target", "open")  # jobs after which the settings of the open photograph are known


class PhotographCommands(Commands):
    """Opens the photographs of the strip one at a time, and keeps for each what was set.

    A photograph has its own settings where they differ from the shared ones, or else from those that it was
    opened with. They are noted when another photograph is opened, or when all are needed.
    """

    changed = Signal()  # other photographs are open, or they have other settings

    def __init__(self, context: CommandContext) -> None:
        super().__init__(context)
        session = context.session
        self.model = PhotographModel(self)
        self.strip = strip = PhotographStrip(self.model)
        self._roll = Roll()
        self._usual: Choice = context.preferences.choice
        self._first: dict[str, Preset] = {}
        """The settings that each photograph was opened with."""
        self._opening = ""
        self._rival: Rival | None = None
        """The rival with which the photograph that is being opened is to be compared."""
        self._noting = QTimer(self, singleShot=True, interval=0)
        self._noting.timeout.connect(self._settle)
        self.slots = {
            "next-photograph": partial(strip.list.step, 1),
            "previous-photograph": partial(strip.list.step, -1),
            "apply-all": self.apply_to_all,
            "apply-selected": self.apply_to_selected,
            "share-again": self.share_again,
            "show-photograph": self.show_photograph,
            "remove-photograph": self.remove,
        }
        strip.list.opened.connect(self.open_row)
        strip.list.removeRequested.connect(self.remove)
        strip.list.menuRequested.connect(self._show_menu)
        strip.list.filesDropped.connect(self.add)
        session.watch("document", "opening").connect(self._on_opened)
        session.watch("setting", "goal", "fit", "moving").connect(self._on_setting)
        session.jobs.watch(*_UNSETTLED).changed.connect(self._on_setting)

    @property
    def roll(self) -> Roll:
        """The photographs of the strip, with the settings of the one that is open."""
        self._note()
        return self._roll

    @property
    def is_open(self) -> bool:
        """Whether there is a strip."""
        return len(self._roll) > 0

    @property
    def selected(self) -> list[int]:
        """The rows of the photographs that are selected in the strip."""
        return self.strip.list.rows

    def open(self, several: Several) -> None:
        """Show several photographs in the strip, and open the first."""
        self._usual, self._first = self._preferences.choice, {}
        self.model.show_results({})
        self._session.memory.leave(self._session.state)  # it may be one of them
        self._become(Roll.of(several, self._session.memory.of_file))
        self.strip.list.show_current(0)
        self.open_row(0)

    def add(self, paths: Sequence[str]) -> None:
        """Add photographs at the end of the strip."""
        self._session.jobs.submit(
            "add",
            lambda _: listed(paths),
            on_done=self._join,
            on_failed=lambda failure: self._messages.show_message("error", failure.sentence),
        )

    def open_row(self, row: int) -> None:
        """Open a photograph with its settings."""
        here = self._path if self._session.state.opening is None else self._opening
        if self._roll.photographs[row].path == here:
            return
        self._note()
        self._opening = path = self._roll.photographs[row].path
        self._remember(self._roll.photographs[row], self._roll.shared)
        self._session.prefer(self._usual)
        self._session.open_paths([path], OpenOptions(planes=self._preferences.planes))

    def open_path(self, path: str, rival: Rival | None = None) -> None:
        """Open the photograph of a file, if it is in the strip, beside a rival."""
        row = self._roll.rows.get(path)
        if row is None:
            return
        self._rival = rival
        self.strip.list.show_current(row)
        self.open_row(row)
        self._noting.start()

    # Settings

    def apply_to_all(self) -> None:
        """Give the settings of the open photograph to all."""
        shared, before = self._shared(), self.roll
        if shared is None:
            return
        self._become(before.sharing(shared))
        text = f"{counted(len(before))} have these settings now."
        self._messages.show_message("info", text, "Undo", partial(self._take_back, before))

    def apply_to_selected(self) -> None:
        """Give the settings of the open photograph to those that are selected."""
        shared, before, rows = self._shared(), self.roll, self.selected
        if shared is None or not rows:
            return
        here = None if self._path is None else self._roll.rows[self._path]
        self._become(before.given(Own(shared), [row for row in rows if row != here]))
        text = f"{counted(len(rows))} {'has' if len(rows) == 1 else 'have'} these settings now."
        self._messages.show_message("info", text, "Undo", partial(self._take_back, before))

    def share_again(self) -> None:
        """Let the selected photographs follow the shared settings again."""
        rows, path = self.selected, self._path
        self._note()
        self._become(self._roll.given(None, rows))
        if path is not None and self._roll.rows[path] in rows:
            # Of one that was opened with its own the first settings are not known.
            shared = self._roll.shared or self._first.get(path) or BALANCED
            self._session.request(UseOwnPreset(shared))

    def _take_back(self, roll: Roll) -> None:
        self._messages.clear()
        self._become(roll)

    def _shared(self) -> Preset | None:
        found = None if self._session.jobs.busy("target") else shared_of(self._session.state)
        if found is None:
            text = "The settings of this photograph are not known yet; try again in a moment."
            self._messages.show_message("info", text)
        return found

    # The strip

    def remove(self) -> None:
        """Take the selected photographs out of the strip; their files stay."""
        rows, path = self.selected, self._path
        if not rows:
            return
        self._note()
        before, first = self._roll, rows[0]
        if len(rows) == len(before):
            self._session.close()
            return
        self._become(before.without(rows))
        if path is not None and path in self._roll.rows:
            self.strip.list.show_current(self._roll.rows[path])
        else:
            row = min(first, len(self._roll) - 1)
            self.strip.list.show_current(row)
            self.open_row(row)

    def show_photograph(self) -> None:
        """Show the file of the photograph in the desktop's file manager."""
        rows = self.selected
        if rows:
            show_in_folder(Path(self._roll.photographs[rows[0]].path), self)

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self.strip)
        menu.addActions([self._actions[name] for name in ("apply-all", *_OF_SELECTION[:2])])
        menu.addSeparator()
        menu.addActions([self._actions[name] for name in _OF_SELECTION[2:]])
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def _join(self, several: Several) -> None:
        self._become(self._roll.joined(Roll.of(several, self._session.memory.of_file)))

    def _become(self, roll: Roll) -> None:
        if roll is self._roll:
            return
        for each in self._roll.own:
            row = roll.rows.get(each.path)
            if row is not None and roll.photographs[row].own is None:
                self._session.memory.put((each.path,), None)
        self._roll = roll
        self.model.show_roll(roll)
        self.strip.setVisible(len(roll) > 0)
        path = self._path
        if path is not None:
            self.strip.list.show_current(roll.rows[path])
        self.changed.emit()

    # Following the session

    @property
    def _path(self) -> str | None:
        """The path of the photograph that is open."""
        document = self._session.state.document
        path = None if document is None or document.path is None else str(document.path)
        return path if path in self._roll.rows else None

    def _on_opened(self, state: SessionState, before: SessionState) -> None:
        if not self.is_open:
            return
        if state.document is not before.document:
            path = self._path
            if path is None:  # something else was opened, or all was closed
                here = None if before.document is None else str(before.document.path)
                for each in self._roll.photographs:
                    if each.path != here:
                        self._remember(each, self._roll.shared)
                self._become(Roll())
                return
            self.strip.list.show_current(self._roll.rows[path])
            self._opening = ""
        elif before.opening is not None and state.opening is None and self._path is not None:
            self._opening = ""  # it could not be opened
            self.strip.list.show_current(self._roll.rows[self._path])

    def _on_setting(self) -> None:
        if self.is_open:
            self._noting.start()

    def _remember(self, photograph: Photograph, shared: Preset | None) -> None:
        """Have a photograph opened with its own settings or the shared ones, in the strip or without it."""
        own = photograph.own or (None if shared is None else Own(shared))
        if own is not None:
            self._session.memory.put((photograph.path,), own)

    def _settle(self) -> None:
        """Mark the open photograph if it has its own settings."""
        state = self._session.state
        if self._path is None or not state.ready or state.opening is not None:
            return
        self._note()
        if self._rival is not None:
            rival, self._rival = self._rival, None
            self._session.request(ShowRight(rival))

    def _note(self) -> None:
        """Keep the settings of the open photograph, if they are its own."""
        path, jobs = self._path, self._session.jobs
        if path is None or any(jobs.busy(kind) for kind in ("fit", "target")):
            return
        own = own_of(self._session.state)
        if own is None:
            return
        if own.preset is not None and self._roll.photographs[self._roll.rows[path]].own is None:
            self._first.setdefault(path, own.preset)
        expected = self._roll.shared or self._first.get(path)
        self._become(self._roll.with_own(path, own if expected is None or differs(own, expected) else None))
