"""What groups of commands have in common: the parts of the window that they work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from pcaimage.gui.messages import MessageBar
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.session.session import Session


@dataclass(frozen=True, eq=False)
class CommandContext:
    """The parts of the window that commands work with."""

    window: QWidget  # the parent of dialogs
    session: Session
    preferences: Preferences
    messages: MessageBar
    actions: Mapping[str, QAction]
    submenus: Mapping[str, QMenu]


class Commands(QObject):
    """A group of commands."""

    def __init__(self, context: CommandContext) -> None:
        super().__init__(context.window)
        self._window, self._session = context.window, context.session
        self._preferences, self._messages = context.preferences, context.messages
        self._actions, self._submenus = context.actions, context.submenus
        self.slots: dict[str, Callable[[], object]] = {}
        """The slots of actions, by the name of the action."""
