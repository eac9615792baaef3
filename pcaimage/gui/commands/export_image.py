"""The command that exports the image: it opens the export sheet, and writes the file that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast, get_args

from PySide6.QtGui import QGuiApplication

from pcaimage.gui import dialogs
from pcaimage.gui.clipboard import file_data
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.export.finding import ExportRows, ExportSizes
from pcaimage.gui.export.folder import show_in_folder
from pcaimage.gui.export.maker import ExportMaker
from pcaimage.gui.export.plan import (
    PCAI,
    Equal,
    ExportPlan,
    comparable,
    dragged,
    exported,
    kind_of,
    other_ending,
    proposed,
)
from pcaimage.gui.export.sheet import ExportSheet
from pcaimage.gui.session.document import Document
from pcaimage.imaging.georeference.geo import lost_text

_EQUAL = "export/side-by-side"


class ExportImageCommand(Commands):
    """Opens the export sheet, and writes the image as it says.

    `centre` gives the middle of what the views show, as shares of width and height; `copy_picture` copies
    the reconstruction.
    """

    def __init__(
        self,
        context: CommandContext,
        centre: Callable[[], tuple[float, float]],
        copy_picture: Callable[[], object],
    ) -> None:
        super().__init__(context)
        self._centre, self._copy_picture = centre, copy_picture
        self._exported: tuple[tuple[object, ...], Path] | None = None
        """The last exported file, and its subject."""
        self.sheet: ExportSheet | None = None
        """The sheet while it is open."""
        self.slots = {"export": self.open, "copy": self.copy}

    def open(self) -> None:
        """Open the sheet with the plan that suits the image."""
        document, task = self._session.state.document, self._session.task()
        if document is None or self.sheet is not None:
            return
        if task is None:
            self._session.failed.emit(
                "The image is still being analysed; try again when its reconstruction is shown."
            )
            return
        maker = ExportMaker(task, self._session.state.settled, self._centre())
        remembered = ExportPlan.from_text(self._preferences.kept(_key(document), ""))
        plan = proposed(document, remembered, learning=self._preferences.kept("layout", "") == "learn")
        sheet = self.sheet = ExportSheet(document, plan, task.setting.k, self._window)
        sizes = ExportSizes(self._session.jobs, maker, sheet)
        sizes.glimpsed.connect(sheet.show_glimpse)
        sizes.measured.connect(sheet.show_measured)
        sizes.failed.connect(sheet.show_failure)
        sizes.proposed.connect(sheet.propose)
        sheet.planned.connect(sizes.follow)
        sheet.buttons.accepted.connect(partial(self._ask, sheet, maker, document))
        rows = ExportRows(self._session.jobs, maker, sheet)
        sheet.comparisonRequested.connect(rows.follow)
        sheet.comparisonEnded.connect(rows.stop)
        rows.found.connect(sheet.add_row)
        rows.ended.connect(sheet.end_rows)
        rows.failed.connect(sheet.end_rows)
        sheet.finished.connect(lambda _: self._forget(sheet, sizes, rows))
        sizes.follow(plan)
        if remembered is None:
            sheet.await_proposal()
            sizes.propose(plan)
        equal = self._preferences.kept(_EQUAL, "", get_args(Equal))
        if equal and comparable(document):
            sheet.show_comparison(cast("Equal", equal))
        dialogs.open_once(sheet)

    def plan_for(self, document: Document) -> ExportPlan:
        """Return the plan of a file of a document that is dragged away."""
        return dragged(document, ExportPlan.from_text(self._preferences.kept(_key(document), "")))

    def copy(self) -> None:
        """Copy the file that was just exported, or else the reconstruction as a picture."""
        if self._exported is not None and self._exported[0] == self._subject() and self._exported[1].exists():
            self.copy_file(self._exported[1])
        else:
            self._copy_picture()

    def copy_file(self, path: Path) -> None:
        """Copy an exported file in its own format."""
        QGuiApplication.clipboard().setMimeData(file_data(path))
        self._messages.show_message("info", f"{path.name} is on the clipboard.")

    def _subject(self) -> tuple[object, ...]:
        """Return the subject of an exported file, for comparison with a later one."""
        state = self._session.state
        return state.document, state.fit, state.setting

    def _forget(self, sheet: ExportSheet, sizes: ExportSizes, rows: ExportRows) -> None:
        sizes.stop()
        rows.stop()
        self._preferences.keep(_EQUAL, sheet.comparing or "")
        self.sheet = None

    def _ask(self, sheet: ExportSheet, maker: ExportMaker, document: Document) -> None:
        """Ask for a name, and write the file; the sheet stays open if the user changes their mind."""
        plan = sheet.plan
        name = self._suggested(document, plan)
        path = dialogs.ask_export(sheet, self._preferences.folder, name, plan.target)
        if path is None:
            return
        wrong = other_ending(path.name, plan.target)
        if wrong is None and document.is_input(path):
            wrong = f"{path.name} is the file that is open, and it is not replaced; choose another name."
        if wrong is not None:
            sheet.show_note(wrong)
            return
        sheet.accept()
        self._preferences.keep(_key(document), plan.to_text())
        self._preferences.folder = str(path.parent)
        form, known = plan.target, document.bands.info
        lost = lost_text(known, form.name, form.title) if plan.strip == "nothing" and not plan.own else ""
        done = partial(self._written, path, document.file_size, self._subject(), lost)
        if plan.format == PCAI.name:
            self._session.save(path)
            return
        self._session.write_beside(path, partial(maker.write, plan, path), done)

    def _suggested(self, document: Document, plan: ExportPlan) -> str:
        """Return a name that is not that of a file, such as the original."""
        stem, suffix = document.suggested_name, plan.target.suffixes[0]
        taken = (Path(self._preferences.folder) / f"{stem}{suffix}").exists()
        what = "reconstruction" if plan.picture == "reconstruction" else "export"
        return f"{stem} {what}" if taken else stem

    def _written(
        self, path: Path, original: int | None, of: tuple[object, ...], lost: str, n_bytes: int
    ) -> None:
        self._exported = of, path
        show, copy = partial(show_in_folder, path, self), partial(self.copy_file, path)
        text = f"{exported(path.name, n_bytes, original)} {lost}".rstrip()
        self._messages.show_message(
            "warning" if lost else "info", text, "Show in Folder", show, other=("Copy", copy)
        )


def _key(document: Document) -> str:
    """Return the name that the plan for a kind of source is remembered by."""
    return f"export/{kind_of(document)}"
