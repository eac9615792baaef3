"""The commands about model files: compressed files whose basis other files use."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from pcaimage.gui import dialogs
from pcaimage.gui.session.requests import LeaveModel, UseModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from pcaimage.codec import BasisId
    from pcaimage.gui.messages import MessageBar
    from pcaimage.gui.preferences import Preferences
    from pcaimage.gui.session.session import Session
    from pcaimage.gui.session.state import SessionState


class ModelCommands(QObject):
    """Asks for model files, and remembers where those are that were used before."""

    def __init__(
        self, window: QWidget, session: Session, preferences: Preferences, messages: MessageBar
    ) -> None:
        super().__init__(window)
        self._window, self._session = window, session
        self._preferences, self._messages = preferences, messages
        self._tried: tuple[list[str], Path] | None = None
        """Files, and the model that they were last opened with."""
        self.slots: dict[str, Callable[[], object]] = {
            "encode-model": self.encode,
            "leave-model": partial(session.request, LeaveModel()),
        }
        """The actions that it carries out, by name."""
        session.modelNeeded.connect(self._look_for)
        session.stateChanged.connect(self._remember)

    def encode(self) -> None:
        """Ask for a model, and encode the open image on its components."""
        path = self._ask("Encode with a model")
        if path is not None:
            self._session.request(UseModel(path))

    def _look_for(self, sentence: str, basis: BasisId, paths: list[str]) -> None:
        """Open files with the model that is known to be theirs, or say which one they need."""
        known = self._preferences.model_path(str(basis))
        if known is not None and self._tried != (paths, known):
            self._open(paths, known)
            return
        self._tried = None
        self._messages.show_message("error", sentence, "Choose the model…", partial(self._choose_for, paths))

    def _choose_for(self, paths: list[str]) -> None:
        path = self._ask(f"The model of {Path(paths[0]).name}")
        if path is not None:
            self._open(paths, path)

    def _open(self, paths: list[str], model: Path) -> None:
        self._tried = paths, model
        self._messages.clear()
        self._session.open_paths(paths, model=model)  # unsaved settings were asked about before

    def _ask(self, title: str) -> Path | None:
        return dialogs.ask_model(self._window, self._preferences.folder, title)

    def _remember(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._tried = None
        model = state.choice.model
        if model is not None and model is not before.choice.model:
            self._preferences.remember_model(str(model.basis), model.path)
