"""The command that sends photographs: it has files made that are small enough."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal

from pcaimage.batching.batches import Batch
from pcaimage.gui import dialogs
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.photographs import PhotographCommands
from pcaimage.gui.export.folder import show_in_folder
from pcaimage.gui.photographs.form import SendForm
from pcaimage.gui.photographs.plan import SendPlan
from pcaimage.gui.photographs.queue import Errand, Queue
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.photographs.sheet import SendSheet
from pcaimage.gui.photographs.words import Tally, counted, progress_words, summary_words
from pcaimage.gui.session.state import Rival
from pcaimage.imaging.disk.atomic import save_zip
from pcaimage.insight.formatting import file_size

_PLAN = "photographs/send"  # the key by which the plan is remembered


class QueueCommands(Commands):
    """Asks what is to be made of the photographs, has it made, and shows what became of them."""

    changed = Signal(object)  # the new :class:`~pcaimage.gui.photographs.words.Tally`

    def __init__(self, context: CommandContext, photographs: PhotographCommands) -> None:
        super().__init__(context)
        self._photographs = photographs
        self._plan = SendPlan()
        self.queue = Queue(self)
        self.sheet: SendSheet | None = None
        """The sheet while it is shown, or hidden while something runs."""
        self.queue.changed.connect(self._show_tally)
        self.queue.failed.connect(self._show_failure)
        self.queue.ended.connect(self._on_ended)

    def ask(self) -> None:
        """Show the form for the photographs of the strip, or for the open image, or how far the queue is."""
        if self.queue.running:
            self.show()
            return
        roll = self._photographs.roll
        if not len(roll):
            document = self._session.state.document
            if document is None or document.path is None:
                self._messages.show_message("info", "This image is in no file yet; save or export it first.")
                return
            roll = Roll((Photograph(str(document.path), document.file_size or 0),))
        if self.sheet is not None:
            self._drop(self.sheet)
        plan = SendPlan.recalled(self._preferences.kept(_PLAN, ""))
        form = SendForm(roll, self._photographs.selected, plan, self._session.jobs)
        sheet = self.sheet = SendSheet(form, self._window)
        sheet.begin_buttons.accepted.connect(self._start)
        sheet.stop.clicked.connect(self.queue.stop)
        sheet.again.clicked.connect(self.queue.go_on)
        sheet.folder.clicked.connect(self.show_folder)
        sheet.zip.clicked.connect(self._zip)
        sheet.table.opened.connect(self._open)
        self.show()

    def show(self) -> None:
        """Show the sheet."""
        if self.sheet is not None:
            self.sheet.show()
            self.sheet.activateWindow()

    def show_folder(self) -> None:
        """Show a file that was made in the desktop's file manager."""
        errand, tally = self.queue.errand, self.queue.tally
        made = [] if tally is None else [each for each in tally.results.values() if each.is_done]
        if errand is not None and made:
            show_in_folder(errand.target(made[0]), self)

    def may_leave(self) -> bool:
        """Return whether the window may be closed; a queue that runs is stopped if the user agrees."""
        tally = self.queue.tally
        if tally is None or tally.ended:
            return True
        text = f"Stop, with {tally.done:,} of {counted(tally.count)} done?"
        return dialogs.ask_sure(
            self._window, "Photographs", f"{text} Files that are there are whole.", "Stop"
        )

    def shutdown(self) -> None:
        """Stop the queue, and wait for its processes."""
        self.queue.shutdown()

    def _start(self) -> None:
        """Have the files made that the form asks for."""
        if self.sheet is None or self.queue.running:
            return
        form, roll, limits = self.sheet.form, self._photographs.roll, self._session.limits
        plan = self._plan = form.plan
        form.stop()
        # Settings may have been changed while the form was open.
        now = {each.path: each for each in roll.photographs}
        photographs = [now.get(each.path, each) for each in form.photographs]
        self._preferences.keep(_PLAN, plan.to_text())
        recipe, goal = plan.recipe(roll.shared, limits), plan.goal(len(photographs))
        paths = [each.path for each in photographs]
        batch = Batch(paths, self.sheet.place, recipe, resume=True, keep_dates=True, goal=goal)
        weights, known = {each.path: each.n_bytes for each in photographs}, form.curves
        self._messages.clear()
        self.queue.start(Errand(batch, plan.own_recipes(photographs, limits), weights, known))

    def _zip(self) -> None:
        """Put the files into one, beside their folder."""
        errand, tally = self.queue.errand, self.queue.tally
        if errand is None or tally is None:
            return
        files = [errand.target(each) for each in tally.results.values() if each.is_done]
        path = Path(f"{errand.batch.output}.zip")
        self._session.write_beside(path, partial(save_zip, path, files), partial(self._zipped, path))

    def _zipped(self, path: Path, n_bytes: int) -> None:
        self._messages.show_message("info", f"{path.name}: {file_size(n_bytes)}.")
        show_in_folder(path, self)

    def _open(self, path: str) -> None:
        """Open a photograph as its file was made; an exported file takes the place of the reconstruction."""
        errand, tally = self.queue.errand, self.queue.tally
        result = None if tally is None else tally.results.get(path)
        made = errand is not None and result is not None and result.is_done
        exported = made and not self._plan.compresses
        file = str(errand.target(result)) if exported and errand is not None and result is not None else ""
        self._photographs.open_path(path, Rival("file", path=file) if file else None)
        self._window.activateWindow()

    def _show_tally(self, tally: Tally) -> None:
        if self.sheet is not None:
            self.sheet.show_tally(tally)
        self._photographs.model.show_results(tally.results)
        self.changed.emit(tally)

    def _show_failure(self, sentence: str) -> None:
        if self.sheet is not None and self.sheet.isVisible():
            self.sheet.show_failure(sentence)
        else:
            self._messages.show_message("error", sentence)

    def _on_ended(self) -> None:
        tally = self.queue.tally
        if tally is None:
            return
        if (self.sheet is None or not self.sheet.isVisible()) and tally.done:
            text = f"{summary_words(tally)}. {progress_words(tally, None)}"
            self._messages.show_message(
                "warning" if tally.failures else "info",
                text,
                "Show",
                self.show,
                other=("Show in Folder", self.show_folder),
            )

    def _drop(self, sheet: SendSheet) -> None:
        sheet.close()
        sheet.deleteLater()
        self.sheet = None
