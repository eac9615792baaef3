"""The commands that compress or export all photographs of the strip."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal

from pcaimage.api import saved_presets
from pcaimage.batching.batches import Batch
from pcaimage.gui import dialogs
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.photographs import PhotographCommands
from pcaimage.gui.export.folder import show_in_folder
from pcaimage.gui.export.plan import PCAI, ExportPlan
from pcaimage.gui.photographs.form import QueueForm
from pcaimage.gui.photographs.plan import FORMATS, SHARED, QueuePlan
from pcaimage.gui.photographs.queue import Errand, Queue
from pcaimage.gui.photographs.sheet import QueueSheet
from pcaimage.gui.photographs.tally import Tally
from pcaimage.gui.photographs.words import counted, progress_words, summary_words
from pcaimage.gui.session.state import Rival

_EXPORT, _PLAN = "export/photograph", "photographs/queue"
"""Keys by which the plans are remembered; the first is that of the export sheet for photographs."""


class QueueCommands(Commands):
    """Asks what is to be made of the photographs, has it made, and shows what became of them."""

    changed = Signal(object)
    """The new :class:`~pcaimage.gui.photographs.tally.Tally`."""

    def __init__(self, context: CommandContext, photographs: PhotographCommands) -> None:
        super().__init__(context)
        self._photographs = photographs
        self._plan = QueuePlan()
        self.queue = Queue(self)
        self.sheet: QueueSheet | None = None
        """The sheet while it is shown, or hidden while something runs."""
        self.slots = {
            "compress-all": partial(self.ask, compress=True),
            "export-all": partial(self.ask, compress=False),
        }
        self.queue.changed.connect(self._show_tally)
        self.queue.failed.connect(self._show_failure)
        self.queue.ended.connect(self._on_ended)

    def ask(self, *, compress: bool) -> None:
        """Show the form, or how far the queue is if it runs."""
        if self.queue.running:
            self.show()
            return
        roll = self._photographs.roll
        if not len(roll):
            return
        if self.sheet is not None:
            self._drop(self.sheet)
        form = QueueForm(roll, self._photographs.selected, saved_presets(), self._proposed(compress=compress))
        sheet = self.sheet = QueueSheet(form, self._window)
        sheet.begin_buttons.accepted.connect(self._start)
        sheet.stop.clicked.connect(self.queue.stop)
        sheet.again.clicked.connect(self.queue.go_on)
        sheet.folder.clicked.connect(self.show_folder)
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

    def _proposed(self, *, compress: bool) -> QueuePlan:
        """Return the plan that the form begins with: the last one, for the format that is wanted."""
        export = ExportPlan.from_text(self._preferences.kept(_EXPORT, "")) or ExportPlan()
        if compress:
            export = replace(export, format=PCAI.name)
        elif export.own or export.format not in FORMATS:
            export = replace(export, format="JPEG")
        plan = QueuePlan(export).recalled(self._preferences.kept(_PLAN, ""))
        shared = self._photographs.roll.shared
        if shared is not None:
            return replace(plan, goal=SHARED)
        return replace(plan, goal="balanced") if plan.goal == SHARED else plan

    def _start(self) -> None:
        """Have the files made that the form asks for."""
        if self.sheet is None or self.queue.running:
            return
        form, roll, limits = self.sheet.form, self._photographs.roll, self._session.limits
        plan, presets = form.plan, saved_presets()
        # Settings may have been changed while the form was open.
        now = {each.path: each for each in roll.photographs}
        photographs = [now.get(each.path, each) for each in form.photographs]
        self._plan = plan
        self._preferences.keep(_PLAN, plan.to_text())
        if not plan.compresses:
            self._preferences.keep(_EXPORT, plan.export.to_text())
        paths = [each.path for each in photographs]
        batch = Batch(
            paths,
            self.sheet.place,
            plan.recipe(presets, roll.shared, limits),
            resume=True,
            overwrite=plan.overwrite,
            skip_larger=plan.skip_larger,
            keep_dates=plan.keep_dates,
        )
        if plan.compresses:
            preset = plan.preset(presets, roll.shared)
            self._photographs.show_shared(preset, paths, keeps_own=plan.keeps_own)
        own = plan.own_recipes(photographs, limits)
        self._messages.clear()
        self.queue.start(Errand(batch, own, {each.path: each.n_bytes for each in photographs}))

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

    def _drop(self, sheet: QueueSheet) -> None:
        sheet.close()
        sheet.deleteLater()
        self.sheet = None
