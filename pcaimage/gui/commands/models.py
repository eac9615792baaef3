"""What menus and messages do about model files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pcaimage.gui import dialogs
from pcaimage.gui.session.requests import LeaveModel, UseModel

if TYPE_CHECKING:
    from pcaimage.codec import BasisId
    from pcaimage.gui.session.state import SessionState
    from pcaimage.gui.window import MainWindow


class ModelCommands(QObject):
    """Asks for model files, and knows where those are that were used before.

    Parameters
    ----------
    window : MainWindow
        The window.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self._tried: tuple[list[str], Path] | None = None
        """Files, and the model that they were opened with last."""
        window.connect_actions({"encode-model": self.encode, "leave-model": self.leave})
        window.session.modelNeeded.connect(self._look_for)
        window.session.stateChanged.connect(self._remember)

    def encode(self) -> None:
        """Ask for a model, and encode what is open on its components."""
        path = self._ask("Encode with a model")
        if path is not None:
            self._session.request(UseModel(path))

    def leave(self) -> None:
        """Find the image's own components again."""
        self._session.request(LeaveModel())

    def _look_for(self, sentence: str, basis: BasisId, paths: list[str]) -> None:
        """Open files with the model that is known to be theirs, or say what they need."""
        known = self._window.preferences.model_path(str(basis))
        if known is not None and self._tried != (paths, known):
            self._open(paths, known)
            return
        self._tried = None
        self._window.commands.offer(sentence, "Choose the model…", partial(self._choose_for, paths))

    def _choose_for(self, paths: list[str]) -> None:
        path = self._ask(f"The model of {Path(paths[0]).name}")
        if path is not None:
            self._open(paths, path)

    def _open(self, paths: list[str], model: Path) -> None:
        self._tried = paths, model
        self._window.messages.clear()
        self._session.open_paths(paths, model=model)  # what was not saved was asked about before

    def _ask(self, title: str) -> Path | None:
        return dialogs.ask_model(self._window, self._window.preferences.folder, title)

    def _remember(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._tried = None
        model = state.choice.model
        if model is not None and model is not before.choice.model:
            self._window.preferences.remember_model(str(model.basis), model.path)
