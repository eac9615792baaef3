"""What menus write beside images: plots, tables, models and reports."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from PySide6.QtCore import QObject

from pcaimage.errors import PcaImageError
from pcaimage.gui import dialogs
from pcaimage.gui.session.reporting import write_report
from pcaimage.gui.tabs.curve.feed import CurveFeed, RivalsFeed
from pcaimage.gui.tabs.shared.plot_export import plot_writer
from pcaimage.gui.tabs.table.feed import rows_of
from pcaimage.imaging import atomic_write
from pcaimage.insight.model_file import save_model
from pcaimage.insight.table_text import to_csv

if TYPE_CHECKING:
    from pathlib import Path

    from pcaimage.gui.session.fit import Fit
    from pcaimage.gui.session.state import SessionState
    from pcaimage.gui.window import MainWindow
    from pcaimage.progress import Progress


class ExportCommands(QObject):
    """Connects the actions that write what is known of a compression.

    Parameters
    ----------
    window : MainWindow
        The window.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        window.connect_actions(
            {
                "export-plot": self.export_plot,
                "export-table": self.export_table,
                "export-model": self.export_model,
                "report": self.report,
            }
        )

    def export_plot(self) -> None:
        """Ask for a name and write the plot that is shown."""
        plot, number = self._window.tabs.plot, self._window.tabs.currentIndex()
        if plot is None:
            return
        title = self._window.tabs.tabText(number)
        path = self._ask("Export plot", title.lower(), {"SVG, for documents": ".svg", "PNG": ".png"})
        if path is None:
            return
        try:
            self._session.write_beside(path, plot_writer(plot, path))
        except PcaImageError as error:
            self._session.failed.emit(str(error))

    def export_table(self) -> None:
        """Ask for a name and write the figures of all components."""
        state = self._session.state
        path = self._ask("Export table", "components", {"CSV": ".csv"})
        if path is not None and state.fit is not None:
            self._session.write_beside(path, partial(_write_table, path, state.fit, state))

    def export_model(self) -> None:
        """Ask for a name and write mean, components and variances."""
        state = self._session.state
        path = self._ask("Export model", "model", {"NumPy archive": ".npz"})
        if path is not None and state.fit is not None:
            self._session.write_beside(path, partial(_write_model, path, state.fit, state))

    def report(self) -> None:
        """Ask for a name and write pictures, plots and figures as one page."""
        task = self._session.task()
        path = None if task is None else self._ask("Report", "report", {"Web page": ".html"})
        if path is not None and task is not None:
            curves, rivals = self._window.tabs.feed(CurveFeed), self._window.tabs.feed(RivalsFeed)
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
        return dialogs.ask_write(self._window, self._window.preferences.folder, title, name, formats)


def _write_table(path: Path, fit: Fit, state: SessionState, progress: Progress) -> None:
    measured = state.measured
    known = measured is not None and measured.setting == state.setting
    rows = rows_of(fit, measured.compressed if measured is not None and known else None, progress)
    text = to_csv(rows.kept(state.setting.k, state.setting.left_out))

    def put(file: BinaryIO) -> None:
        file.write(text.encode())

    atomic_write(path, put, overwrite=True)


def _write_model(path: Path, fit: Fit, state: SessionState, progress: Progress) -> None:
    progress(0, 1)
    source = fit.analysis if fit.analysis is not None else fit.model
    if source is None:
        raise ValueError("Not all components are there.")
    setting, document = state.setting, state.document
    save_model(
        path,
        source,
        k=setting.k,
        step=float(fit.step(setting.k, setting.chosen_step)),
        variances=fit.variances,
        left_out=setting.left_out,
        prepared=fit.choice.prepared,
        name="" if document is None else document.name,
        overwrite=True,
    )
