"""The commands that open, save and copy images and model files, and their questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication

from pcaimage.errors import ImplausibleSizeError
from pcaimage.gui import dialogs
from pcaimage.gui.clipboard import local_files, to_image
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.recent import RecentMenu
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session import opening
from pcaimage.gui.session.choice import Choice
from pcaimage.gui.session.command_line import table_command
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.jobs import Failure
from pcaimage.gui.session.model import NeedsModelError
from pcaimage.gui.session.requests import LeaveModel, UseModel
from pcaimage.gui.session.state import SessionState
from pcaimage.imaging import ReadAs
from pcaimage.insight.formatting import file_size
from pcaimage.machine.handover import PART, located

_WRITING = ("save", "export")  # the jobs whose files are lost if they are cancelled
_READINGS: dict[ReadAs, str] = {
    "bands": "Open as &Bands",
    "stack": "Open as &Images",
    "image": "Open the &First Only",
}


class FileCommands(Commands):
    """Opens, saves, copies and closes images."""

    exportRequested = Signal()  # noqa: N815
    """The user wants the image in a format that other programs open."""

    tableRequested = Signal(object)  # noqa: N815
    """The path of a table of numbers, which the user wants to see in the lab."""

    photographsRequested = Signal(object)  # noqa: N815
    """A :class:`~pcaimage.gui.session.opening.Several`, to be opened as separate photographs."""

    def __init__(self, context: CommandContext) -> None:
        super().__init__(context)
        session, recent = context.session, context.submenus["open-recent"]
        self._saved_path: Path | None = None
        self._then: Callable[[], object] | None = None
        """What follows when a file is written."""
        self._apart = False
        """Whether several files that are being opened are separate photographs."""
        self.recent = RecentMenu(recent, context.preferences, lambda path: self.open_paths([path]))
        self.slots = {
            "open": self.open,
            "paste": self.paste,
            "save": self.save,
            "save-as": self.save_as,
            "close": self.close_document,
        }
        session.failed.connect(self._show_error)
        session.unopened.connect(self._on_unopened)
        session.saved.connect(self._on_saved)
        session.exported.connect(self._on_exported)
        session.copied.connect(self._on_copied)
        session.preferred.connect(self._on_preferred)
        session.watch("document", "opening").connect(self._on_state)
        session.jobs.watch(*_WRITING).changed.connect(self._on_written)

    # Opening

    def open(self) -> None:
        """Ask for files and open them."""
        paths = dialogs.ask_open(self._window, self._preferences.folder)
        if paths:
            self.open_paths(paths)

    def open_paths(
        self, paths: list[str], *, salvage: bool = False, trusted: bool = False, apart: bool = False
    ) -> None:
        """Open files.

        `salvage` opens a damaged one as far as it is intact, `trusted` one that claims implausibly much, and
        `apart` several as separate photographs.
        """
        self._apart = apart
        self._preferences.folder = str(located(paths[0])[0].parent)
        planes = self._preferences.planes
        options = opening.OpenOptions(salvage=salvage, trusted=trusted, planes=planes, several="ask")
        self._session.open_paths(paths, options)

    def paste(self) -> None:
        """Open the files or the image on the clipboard."""
        clipboard = QGuiApplication.clipboard()
        files = local_files(clipboard.mimeData())
        picture = clipboard.image()
        if files:
            self.open_paths(files)
        elif picture.isNull():
            self._messages.show_message("info", "There is no image on the clipboard.")
        else:
            self._messages.clear()
            self._session.open_image(to_image(picture))

    def close_document(self) -> None:
        """Close the image."""
        self._messages.clear()
        self._session.close()

    def _on_unopened(self, failure: Failure, paths: list[str]) -> None:
        """Ask how files are to be opened, offer what can be done about them, or say what is wrong."""
        again = partial(self.open_paths, paths)
        match failure.error:
            case opening.AmbiguousError() as error:
                dialogs.ask_offer(self._window, error.contents, partial(self._open_part, paths[0]))
            case opening.SeveralError() as error:
                self._open_several(error.several, paths)
            case opening.DamagedError():
                self._show_error(failure.sentence, "Open what is intact", partial(again, salvage=True))
            case ImplausibleSizeError():
                self._show_error(failure.sentence, "Open it", partial(again, trusted=True))
            case opening.TableError() as error if error.path.suffix.lower() == opening.EXERCISE:
                self.tableRequested.emit(error.path)
            case opening.TableError() as error:
                self._offer_table(failure.sentence, error.path)
            case NeedsModelError():
                pass  # ModelCommands looks for it
            case _:
                self._show_error(failure.sentence)

    def _open_part(self, path: str, member: str) -> None:
        found = PART.join((str(located(path)[0]), member))
        self._session.open_paths([found], opening.OpenOptions(planes=self._preferences.planes))

    def _open_several(self, several: opening.Several, paths: list[str]) -> None:
        way = "separate" if self._apart else self._preferences.several
        if len(several.ways) == 1 or (way is not None and way not in several.ways):
            way = several.ways[0]
        if way is None:
            dialogs.ask_several(self._window, several, partial(self._open_together, several, paths))
        else:
            self._open_together(several, paths, way, always=False)

    def _open_together(
        self,
        several: opening.Several,
        paths: list[str],
        way: opening.Way,
        always: bool,  # noqa: FBT001 - an answer
    ) -> None:
        if always:
            self._preferences.several = way
        if way == "separate":
            self.photographsRequested.emit(several)
        elif len(paths) == 1:  # a folder
            self._session.open_paths(paths, opening.OpenOptions(planes=way))
        else:
            self._session.open_paths(list(several.files), opening.OpenOptions(several=way))

    def _offer_table(self, sentence: str, path: Path) -> None:
        command = table_command(path)

        def copy() -> None:
            QGuiApplication.clipboard().setText(command)
            self._messages.show_message("info", "The command is on the clipboard; paste it into a terminal.")

        def open_in_lab() -> None:
            self._messages.clear()
            self.tableRequested.emit(path)

        self._messages.show_message(
            "error",
            f"{sentence} In a terminal: {command}",
            "Open in the PCA Lab",
            open_in_lab,
            other=("Copy the Command", copy),
        )

    def open_alone(self) -> None:
        """Open only the shown image of a stack, and say that it is only one."""
        state = self._session.state
        document = state.document
        if document is None or document.image is None:
            return
        if document.path is not None and document.path.is_file():
            self._session.open_paths([document.source], opening.OpenOptions(frame=state.frame))
            return
        name = f"{document.name}, image {state.frame + 1}"
        self._session.open_image(replace(document.image.frame(state.frame), name=name))
        self._messages.show_message("info", f"Only image {state.frame + 1:,} of {document.frames:,} is open.")

    # Writing

    def ends_writing(self, then: Callable[[], object]) -> bool:
        """Return whether a file is being written; then `then` is called when that has succeeded."""
        writing = any(map(self._session.jobs.busy, _WRITING))
        self._then = then if writing else None
        if writing:
            self._messages.show_message("info", "The window closes as soon as the file is written.")
        return writing

    def save(self) -> bool:
        """Save under the last name, or ask for one; return whether saving has begun."""
        return self.save_as() if self._saved_path is None else self._session.save(self._saved_path)

    def save_as(self) -> bool:
        """Ask for a name and save the compressed image; return whether saving has begun."""
        document = self._session.state.document
        if document is None or not self._is_fitted():
            return False
        path = dialogs.ask_save(self._window, self._preferences.folder, document.suggested_name)
        return path is not None and self._session.save(path)

    def copy(self) -> None:
        """Copy the exact reconstruction to the clipboard."""
        if self._is_fitted():
            self._session.copy()

    def _is_fitted(self) -> bool:
        if self._session.task() is not None:
            return True
        self._show_error("The image is still being analysed; try again when its reconstruction is shown.")
        return False

    # Signals of the session

    def _on_copied(self, name: str, picture: Picture) -> None:
        QGuiApplication.clipboard().setImage(to_qimage(picture.pixels))
        self._messages.show_message("info", f"{name} is on the clipboard.")

    def _on_saved(self, path: Path, n_bytes: int) -> None:
        self._saved_path = path
        self._preferences.folder = str(path.parent)
        self.recent.remember(str(path))
        text = f"Saved {path.name}, {file_size(n_bytes)}. It opens in pcaimage; export it for other programs."
        self._messages.show_message("info", text, "Export…", self.exportRequested.emit)

    def _on_exported(self, path: Path) -> None:
        self._preferences.folder = str(path.parent)
        self._messages.show_message("info", f"Exported {path.name}.")

    def _on_written(self) -> None:
        if not any(map(self._session.jobs.busy, _WRITING)):
            then, self._then = self._then, None
            if then is not None:
                then()

    def _on_preferred(self, choice: Choice) -> None:
        self._preferences.choice = choice

    def _on_state(self, state: SessionState, before: SessionState) -> None:
        if state.opening is not None and before.opening is None:  # what was said or asked is about others
            self._messages.clear()
            dialogs.drop_questions(self._window)
        if state.document is before.document:
            return
        # Also after a .pcai was opened: saving fewer components must not replace the complete file unasked.
        self._saved_path = None
        document = state.document
        if document is None:
            return
        count, path = document.images_in_file, document.path
        if path is not None:
            self.recent.remember(str(path))
        if count > 1 and path is not None:
            word, number, name = document.image_word, document.image_in_file + 1, document.name
            which = f"{word} {number:,}" if number > 1 else f"the first {word}"
            text = f"{name} has {count:,} {'pages' if word == 'page' else 'frames'}; only {which} is open."
            together = partial(
                self._session.open_paths, [document.source], opening.OpenOptions(together=True)
            )
            self._messages.show_message("warning", text, "Open All as a Stack", together)
        elif document.others:
            self._offer_readings(document)
        elif document.image is not None and document.image.caveat:
            self._messages.show_message("warning", document.image.caveat)
        whole = f"{document.frames:,} frames" if document.damaged else ""
        if document.compressed is not None and document.compressed.damaged:
            whole = f"{document.compressed.k} components"
        if whole:
            text = f"{document.name} is damaged; only its first {whole} could be read."
            self._messages.show_message("warning", text)

    def _offer_readings(self, document: Document) -> None:
        """Say how planes were read that may be bands or images, and offer the other readings."""
        number = document.frames if document.is_stack else document.shape[-1]
        what = "images" if document.is_stack else "the bands of one image"
        text = f"The {number:,} planes of {document.name} are open as {what}."
        if number == 1:
            text = f"Only the first plane of {document.name} is open."
        (first, act), *more = (
            (_READINGS[kind], partial(self._read_as, document.source, kind)) for kind in document.others
        )
        lost, other = document.image.caveat if document.image else "", more[0] if more else None
        self._messages.show_message("info", f"{text} {lost}".rstrip(), first, act, other=other)

    def _read_as(self, source: str, kind: ReadAs) -> None:
        self._preferences.planes = kind
        self._session.open_paths([source], opening.OpenOptions(planes=kind))

    def _show_error(self, sentence: str, button: str = "", act: Callable[[], object] | None = None) -> None:
        self._then = None
        self._messages.show_message("error", sentence, button, act)


class ModelCommands(Commands):
    """Asks for model files, and remembers the paths of those that were used."""

    def __init__(self, context: CommandContext) -> None:
        super().__init__(context)
        session = context.session
        self._tried: tuple[list[str], Path] | None = None
        """The files that were opened last with a remembered model, and that model."""
        self.slots = {"encode-model": self.encode, "leave-model": partial(session.request, LeaveModel())}
        session.unopened.connect(self._look_for)
        session.watch("document", "choice").connect(self._remember)

    def encode(self) -> None:
        """Ask for a model, and encode the open image with its components."""
        path = self._ask("Encode with a model")
        if path is not None:
            self._session.request(UseModel(path))

    def _look_for(self, failure: Failure, paths: list[str]) -> None:
        """Open files with the model that they are known to need, or say which one they need."""
        if not isinstance(failure.error, NeedsModelError):
            return
        known = self._preferences.model_path(str(failure.error.basis))
        if known is not None and self._tried != (paths, known):
            self._open(paths, known)
            return
        self._tried = None
        choose = partial(self._choose_for, paths)
        self._messages.show_message("error", failure.sentence, "Choose the model…", choose)

    def _choose_for(self, paths: list[str]) -> None:
        path = self._ask(f"The model of {Path(paths[0]).name}")
        if path is not None:
            self._open(paths, path)

    def _open(self, paths: list[str], model: Path) -> None:
        self._tried = paths, model
        self._session.open_with_model(paths, model)

    def _ask(self, title: str) -> Path | None:
        return dialogs.ask_model(self._window, self._preferences.folder, title)

    def _remember(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._tried = None
        model = state.choice.model
        if model is not None and model is not before.choice.model:
            self._preferences.remember_model(str(model.basis), model.path)
