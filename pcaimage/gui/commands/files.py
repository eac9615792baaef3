"""What menus, keys and drops do, with the questions that belong to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from pcaimage.gui import dialogs
from pcaimage.gui.clipboard import clipboard_files, to_image
from pcaimage.gui.commands.build import fill_submenu
from pcaimage.gui.commands.recent import RecentMenu
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.panel_view import file_size
from pcaimage.imaging import sample_names

if TYPE_CHECKING:
    from pcaimage.gui.screen.picture import Picture
    from pcaimage.gui.session.choice import Choice
    from pcaimage.gui.session.state import SessionState
    from pcaimage.gui.window import MainWindow
    from pcaimage.imaging import Contents


class Commands(QObject):
    """Connects a window's actions.

    Parameters
    ----------
    window : MainWindow
        The window.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self._saved_path: Path | None = None
        self._after_saving: Callable[[], object] | None = None
        """What the user wanted to do when asked whether to save first."""
        self._help: Callable[[], object] | None = None
        """What the button of the message does."""
        menu = window.submenus["open-recent"]
        self._recent = RecentMenu(menu, window.preferences, lambda path: self.open_paths([path]))
        self._connect_actions()
        self._connect_others()

    def _connect_actions(self) -> None:
        window = self._window
        slots: dict[str, Callable[[], object]] = {
            "open": self.open,
            "paste": self.paste,
            "save": self.save,
            "save-as": self.save_as,
            "export": self.export,
            "close": self.close_document,
            "quit": window.close,
            "copy": self.copy,
            "cancel": self.cancel,
        }
        window.connect_actions(slots)
        fill_submenu(
            window.submenus["sample"],
            [(name.capitalize(), partial(self.open_sample, name)) for name in sample_names()],
        )

    def _connect_others(self) -> None:
        window, session = self._window, self._session
        window.empty.openRequested.connect(self.open)
        window.empty.pasteRequested.connect(self.paste)
        window.empty.sampleRequested.connect(self.open_sample)
        for source in (window.empty, window.compare):
            source.filesDropped.connect(self.open_paths)
        window.progress.cancelRequested.connect(session.stop)
        window.messages.actionTriggered.connect(self._get_help)
        window.messages.dismissed.connect(window.refresh_actions)
        session.failed.connect(self._show_error)
        session.salvageable.connect(self._offer_salvage)
        session.ambiguous.connect(self._ask_planes)
        session.saved.connect(self._on_saved)
        session.exported.connect(self._on_exported)
        session.copied.connect(self._on_copied)
        session.stopped.connect(self._on_stopped)
        session.preferred.connect(self._on_preferred)
        session.stateChanged.connect(self._on_state)

    # Opening

    def open(self) -> None:
        """Ask for files and open them."""
        paths = dialogs.ask_open(self._window, self._window.preferences.folder)
        if paths:
            self.open_paths(paths)

    def open_paths(self, paths: list[str], *, salvage: bool = False) -> None:
        """Open files, after asking about what was not saved.

        Parameters
        ----------
        paths : list of str
            What to open.
        salvage : bool, default False
            Whether a damaged compressed file is opened as far as it is whole.
        """
        if self.may_leave(partial(self.open_paths, paths, salvage=salvage)):
            self._window.messages.clear()
            self._window.preferences.folder = str(Path(paths[0]).parent)
            planes = self._window.preferences.planes
            self._session.open_paths(paths, salvage=salvage, planes=planes)

    def _ask_planes(self, contents: Contents, paths: list[str]) -> None:
        answer = dialogs.ask_planes(self._window, contents)
        if answer is not None:
            if answer.always:
                self._window.preferences.planes = answer.kind
            self._session.open_paths(paths, planes=answer.kind)

    def open_sample(self, name: str) -> None:
        """Open a photograph that comes with scikit-image.

        Parameters
        ----------
        name : str
            Its name.
        """
        if self.may_leave(partial(self.open_sample, name)):
            self._window.messages.clear()
            self._session.open_sample(name)

    def paste(self) -> None:
        """Open what the clipboard holds."""
        clipboard = QGuiApplication.clipboard()
        files = clipboard_files(clipboard.mimeData())
        picture = clipboard.image()
        if files:
            self.open_paths(files)
        elif picture.isNull():
            self._window.messages.show_message("info", "There is no image on the clipboard.")
        elif self.may_leave(self.paste):
            self._window.messages.clear()
            self._session.open_image(to_image(picture))

    def close_document(self) -> None:
        """Close the image."""
        if self.may_leave(self.close_document):
            self._window.messages.clear()
            self._session.close()

    def may_leave(self, then: Callable[[], object]) -> bool:
        """Ask about settings that were not saved.

        Parameters
        ----------
        then : callable
            What to do when they have been saved, if the user wants that first.

        Returns
        -------
        bool
            Whether it may be done now.
        """
        state = self._session.state
        if not state.touched or state.document is None:
            return True
        answer = dialogs.ask_unsaved(self._window, state.document.name)
        if answer == "save" and self.save():
            self._after_saving = then
        return answer == "discard"

    # Keeping

    def save(self) -> bool:
        """Save the compressed image, under the name that it was saved under before if there is one.

        Returns
        -------
        bool
            Whether it is being saved.
        """
        if self._saved_path is None:
            return self.save_as()
        return self._save_to(self._saved_path)

    def save_as(self) -> bool:
        """Ask for a name and save the compressed image.

        Returns
        -------
        bool
            Whether it is being saved.
        """
        document = self._session.state.document
        if document is None:
            return False
        folder = self._window.preferences.folder
        path = dialogs.ask_save(self._window, folder, document.suggested_name) if self._is_fitted() else None
        return path is not None and self._save_to(path)

    def _save_to(self, path: Path) -> bool:
        self._after_saving = None
        return self._session.save(path)

    def _is_fitted(self) -> bool:
        if self._session.task() is not None:
            return True
        self._show_error("The image is still being fitted; try again when its reconstruction is complete.")
        return False

    def export(self) -> None:
        """Ask for a name and write the reconstruction as an image of another format."""
        document = self._session.state.document
        if document is not None and self._is_fitted():
            path = dialogs.ask_export(self._window, self._window.preferences.folder, document)
            if path is not None:
                self._session.export(path)

    def copy(self) -> None:
        """Copy the exact reconstruction to the clipboard."""
        if self._is_fitted():
            self._session.copy()

    def _on_copied(self, picture: Picture) -> None:
        QGuiApplication.clipboard().setImage(to_qimage(picture.pixels))
        self._window.messages.show_message("info", "The reconstruction is on the clipboard.")

    def _on_saved(self, path: Path, n_bytes: int) -> None:
        self._saved_path = path
        self._window.preferences.folder = str(path.parent)
        self._recent.remember(str(path))
        self._window.messages.show_message("info", f"Saved {path.name}, {file_size(n_bytes)}.")
        then, self._after_saving = self._after_saving, None
        if then is not None and not self._session.state.touched:
            then()

    def _on_exported(self, path: Path) -> None:
        self._window.preferences.folder = str(path.parent)
        self._window.messages.show_message("info", f"Exported {path.name}.")

    def cancel(self) -> None:
        """Close the message, or else stop what is being done."""
        if self._window.messages.text:
            self._window.messages.dismiss()
        else:
            self._session.stop()

    # Hearing

    def _on_stopped(self) -> None:
        self._after_saving = None

    def _on_preferred(self, choice: Choice) -> None:
        self._window.preferences.choice = choice

    def _show_error(self, sentence: str, button: str = "") -> None:
        self._after_saving = self._help = None
        self._window.messages.show_message("error", sentence, button)
        self._window.refresh_actions()

    def _offer_salvage(self, sentence: str, paths: list[str]) -> None:
        self.offer(sentence, "Open what is whole", partial(self.open_paths, paths, salvage=True))

    def offer(self, sentence: str, text: str, act: Callable[[], object]) -> None:
        """Say what went wrong, with a button that helps.

        Parameters
        ----------
        sentence : str
            What went wrong.
        text : str
            What the button says.
        act : callable
            What it does.
        """
        self._show_error(sentence, text)
        self._help = act

    def _get_help(self) -> None:
        if self._help is not None:
            self._help()

    def _on_state(self, state: SessionState, before: SessionState) -> None:
        if state.document is before.document:
            return
        # Also after a .pcai was opened: fewer components must not replace the whole file unasked.
        self._saved_path = self._after_saving = None
        if state.document is None:
            return
        if state.document.path is not None:
            self._recent.remember(str(state.document.path))
        if state.document.compressed is not None and state.document.compressed.damaged:
            whole = state.document.compressed.k
            text = f"{state.document.name} is damaged; of its components the first {whole} could be read."
            self._window.messages.show_message("warning", text)
