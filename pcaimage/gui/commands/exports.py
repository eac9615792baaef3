"""The commands that export plots, tables, models and reports.

Modules that write are imported when a command runs: most of them the window opens without.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pcaimage.errors import PcaImageError
from pcaimage.gui import dialogs
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.session.command_line import command_for
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.work import Task
from pcaimage.gui.tabs.workbench import Workbench
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.progress import Progress, part

if TYPE_CHECKING:
    from pcaimage.insight.curve import Curve
    from pcaimage.insight.references import Reference


class ExportCommands(Commands):
    """Writes plots, tables, models and reports."""

    def __init__(self, context: CommandContext, tabs: Workbench) -> None:
        super().__init__(context)
        self._tabs = tabs
        self.slots = {
            "export-plot": self.export_plot,
            "export-table": self.export_table,
            "export-scores": self.export_scores,
            "export-model": self.export_model,
            "report": self.report,
        }

    def export_plot(self) -> None:
        """Ask for a name and write the current plot."""
        from pcaimage.gui.tabs.shared.plot_export import plot_writer

        plot, number = self._tabs.plot, self._tabs.currentIndex()
        if plot is None:
            return
        title = self._tabs.tabText(number)
        path = self._ask("Export plot", title.lower(), {"SVG, for documents": ".svg", "PNG": ".png"})
        if path is None:
            return
        try:
            self._session.write_beside(path, plot_writer(plot, path))
        except PcaImageError as error:
            self._session.failed.emit(str(error))

    def export_table(self) -> None:
        """Ask for a name and write the figures of all components."""
        self._export("Export table", "components", {"CSV": ".csv"}, _write_table)

    def export_scores(self, number: int = 0) -> None:
        """Ask for a name and write the scores on a component, from 1, as an image; 0 for all kept ones."""
        formats = {"GeoTIFF": ".tif", "ENVI": ".hdr", "NumPy array": ".npy"}
        what = f"PC {number}" if number else "scores"
        self._export("Export scores", what, formats, partial(_write_scores, number))

    def export_model(self) -> None:
        """Ask for a name and write mean, components and variances."""
        self._export("Export model", "model", {"NumPy archive": ".npz"}, _write_model)

    def _export(self, title: str, what: str, formats: dict[str, str], write: Callable[..., None]) -> None:
        state = self._session.state
        path = self._ask(title, what, formats)
        if path is not None and state.fit is not None:
            self._session.write_beside(path, partial(write, path, state.fit, state))

    def report(self) -> None:
        """Ask for a name and write a report: pictures, plots and figures on one page."""
        from pcaimage.gui.tabs.curve import CurveFeed, RivalsFeed

        task = self._session.task()
        path = None if task is None else self._ask("Report", "report", {"Web page": ".html"})
        if path is not None and task is not None:
            curves, rivals = self._tabs.feed(CurveFeed), self._tabs.feed(RivalsFeed)
            work = partial(
                write_report,
                self._session.state,
                task,
                path,
                curve=None if curves is None else curves.known,
                references=() if rivals is None else rivals.known,
            )
            self._session.write_beside(path, work)

    def _ask(self, title: str, what: str, formats: dict[str, str]) -> Path | None:
        document = self._session.state.document
        if document is None:
            return None
        name = f"{document.suggested_name} {what}"
        return dialogs.ask_write(self._window, self._preferences.folder, title, name, formats)


def _write_table(path: Path, fit: Fit, state: SessionState, progress: Progress) -> None:
    from pcaimage.gui.tabs.table import rows_of
    from pcaimage.insight.component_table import to_csv

    measured = state.current(state.measured)
    rows = rows_of(fit, None if measured is None else measured.compressed, progress)
    text = to_csv(rows.kept(state.setting.k, state.setting.left_out))
    atomic_write_bytes(path, text.encode(), overwrite=True)


def _write_scores(number: int, path: Path, fit: Fit, state: SessionState, progress: Progress) -> None:
    from pcaimage.imaging import write_image
    from pcaimage.insight.components import Shares
    from pcaimage.insight.model_file import score_image

    source, document, setting = fit.analysis or fit.model, state.document, state.setting
    described = None if document is None else document.image or document.compressed
    if source is None or described is None:
        raise ValueError("Not all components are there.")
    kept = [each for each in range(1, setting.k + 1) if each not in setting.left_out]
    shares = Shares.of(fit.variances, fit.scale, fit.total_variance)
    image = score_image(source, [number] if number else kept, shares, described.bands, progress)
    write_image(path, image, overwrite=True)


def _write_model(path: Path, fit: Fit, state: SessionState, progress: Progress) -> None:
    from pcaimage.insight.model_file import arrays_of, save_model

    progress(0, 1)
    source = fit.analysis if fit.analysis is not None else fit.model
    if source is None:
        raise ValueError("Not all components are there.")
    setting, document = state.setting, state.document
    arrays = arrays_of(
        source,
        k=setting.k,
        step=float(fit.step(setting.k, setting.chosen_step)),
        variances=fit.variances,
        left_out=setting.left_out,
        prepared=fit.choice.prepared,
        name="" if document is None else document.name,
    )
    save_model(path, arrays, overwrite=True)


def write_report(
    state: SessionState,
    task: Task,
    path: Path,
    progress: Progress,
    *,
    curve: Curve | None = None,
    references: Sequence[Reference] = (),
) -> None:
    """Write a report of a task's setting; figures that are not known yet are computed first."""
    from pcaimage.insight.report import report_of
    from pcaimage.insight.report_page import save_report

    image, analysis = task.image, task.fit.analysis
    if image is None:
        raise ValueError("Without the original there is nothing to report on.")
    exact = state.current(state.settled) or task.settle(part(progress, 0.0, 0.2))
    measured = state.current(state.measured) or task.measure(part(progress, 0.2, 0.4))
    similarity = state.current(state.similarity)
    display = state.shown_by or task.document.display
    report = report_of(
        image,
        (measured.compressed, exact.pixels),
        spectrum=analysis,
        left_out=task.setting.left_out,
        command=command_for(state) or "",
        curve=curve,
        references=references,
        similarity=None if similarity is None else similarity.ssim,
        frame=task.frame,
        shown_as=display.to_bytes,
        progress=part(progress, 0.4, 0.9),
    )
    save_report(path, report, part(progress, 0.9, 1.0), overwrite=True)
