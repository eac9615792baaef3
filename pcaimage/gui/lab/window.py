"""The lab in a window of its own, beside the compressor."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pcaimage.gui.dialogs import fit_to_screen
from pcaimage.gui.lab.page import LabPage, Source
from pcaimage.gui.session.jobs import JobRunner

_SIZE = QSize(1180, 760)


class LabWindow(QWidget):
    """A window with a page of the lab; the compressor stays as it is."""

    def __init__(
        self,
        parent: QWidget,
        sources: Mapping[str, Source] | None = None,
        kept: frozenset[str] = frozenset(),
        jobs: JobRunner | None = None,
        ticks: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("PCA Lab")
        self.page = LabPage(sources, kept, jobs, ticks)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.page)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self, self.close)
        fit_to_screen(self, _SIZE)
        self.page.panes.plane.setFocus()
