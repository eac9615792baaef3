"""Every component in a table that can be sorted, copied and exported."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QStackedLayout,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pcaimage.gui.tabs.table.model import ComponentModel
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.component_table import ComponentRows, to_html, to_tsv
from pcaimage.insight.formatting import kept_words

_SLACK = 12
"""How much wider than needed Qt makes titles."""
EMPTY = "Every component is listed here when an image is open."


class ComponentTable(QWidget):
    """Lists what each component explains and costs: the figures of the plots, in words and numbers.

    It changes nothing by itself: it asks for a k and shows it when :meth:`set_k` answers.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    componentsCommitted = Signal(int)  # noqa: N815
    """The component up to which is to be kept."""
    exportRequested = Signal()  # noqa: N815
    """The whole table is wanted as a file; :func:`~pcaimage.insight.component_table.to_csv` writes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ComponentModel(colours_of(self.palette()), self)
        self.view = QTableView()
        self._summary = QLabel()
        self._message = QLabel(EMPTY, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._copy = _button("Copy", "Copy the selected rows, or all if none is, for a spreadsheet.")
        self._export = _button("Export CSV…", "Write all rows in full precision to a file.")
        self._pages = QStackedLayout(self)
        self._arrange()
        self._lay_out()
        self.setAccessibleName("Table of components")
        self.setFocusProxy(self.view)
        # The Tab key enters by the proxy, and would pass over what stands before it. Qt takes the last first.
        self.setTabOrder(self.view, self._export)
        self.setTabOrder(self.view, self._copy)

    @property
    def rows(self) -> ComponentRows | None:
        """The figures shown."""
        return self.model.rows

    @property
    def text(self) -> str:
        """The line above the table, or what is said in its place."""
        return self._message.text() if self._pages.currentIndex() == 0 else self._summary.text()

    def set_rows(self, rows: ComponentRows | None, present: int | None = None) -> None:
        """Show other figures; order and selection stay where that makes sense.

        Parameters
        ----------
        rows : ComponentRows or None
            None for none; :meth:`set_message` says why.
        present : int, optional
            How many of the components a file holds; all unless said otherwise.
        """
        fresh, measured = self.model.rowCount() == 0, _measured(self.rows)
        self.model.set_rows(rows, present)
        self._refresh()
        if fresh or _measured(rows) != measured:
            self._fit_columns()
        if fresh:
            self._show_k()

    def set_k(self, k: int, left_out: Collection[int] = ()) -> None:
        """Mark which components are kept.

        Parameters
        ----------
        k : int
            How many.
        left_out : collection of int, optional
            Which of those are left out by hand, counted from 1.
        """
        moved = self.rows is not None and self.rows.k != k
        self.model.set_kept(k, frozenset(left_out))
        if moved:
            self._show_k()
        self._refresh()

    def set_message(self, sentence: str) -> None:
        """Say why there is no table; it is seen while there are no rows.

        Parameters
        ----------
        sentence : str
            Such as that the image is being fitted.
        """
        self._message.setText(sentence)
        self._refresh()

    def selected(self) -> list[int]:
        """Return the selected components in the order shown.

        Returns
        -------
        list of int
            Counted from 1.
        """
        chosen = self.view.selectionModel().selectedRows()
        return [self.model.component_at(row) for row in sorted(index.row() for index in chosen)]

    def copy(self) -> None:
        """Put the selected rows, or all if none is selected, on the clipboard as a table with a header."""
        rows = self.rows
        if rows is None:
            return
        chosen = self.selected() or [self.model.component_at(row) for row in range(len(rows))]
        data = QMimeData()
        data.setText(to_tsv(rows, chosen))
        data.setHtml(to_html(rows, chosen))
        QGuiApplication.clipboard().setMimeData(data)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Enter and the keys for copying before the table does."""
        if watched is not self.view or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        key = event if isinstance(event, QKeyEvent) else None
        if key is None:
            return False
        if key.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return True
        if key.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit(self.view.currentIndex().row())
            return True
        return False

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.model.set_colours(colours_of(self.palette()))
            self._mute()
        super().changeEvent(event)

    def _arrange(self) -> None:
        view = self.view
        view.setModel(self.model)
        view.setFont(tabular(view.font()))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setCornerButtonEnabled(False)
        view.setTabKeyNavigation(False)
        view.setFrameShape(QTableView.Shape.NoFrame)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setAccessibleName("Components")
        view.setAccessibleDescription("Enter keeps the components up to the current row.")
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._show_menu)
        view.doubleClicked.connect(lambda index: self._commit(index.row()))
        view.installEventFilter(self)
        rows, columns = view.verticalHeader(), view.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # else thousands of rows are measured
        rows.setDefaultSectionSize(view.fontMetrics().height() + 6)
        columns.setResizeContentsPrecision(0)  # as wide as what is seen needs
        columns.setHighlightSections(False)
        columns.setStretchLastSection(True)
        with QSignalBlocker(self.model):
            view.setSortingEnabled(True)
            view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self._copy.clicked.connect(self.copy)
        self._export.clicked.connect(self.exportRequested)

    def _lay_out(self) -> None:
        strip = QHBoxLayout()
        strip.setContentsMargins(8, 0, 8, 0)
        strip.addWidget(self._summary, 1)
        strip.addWidget(self._copy)
        strip.addWidget(self._export)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addLayout(strip)
        column.addWidget(self.view, 1)
        self._message.setContentsMargins(16, 8, 16, 8)
        self._pages.addWidget(self._message)
        self._pages.addWidget(full)
        self._summary.setFont(tabular(self._summary.font()))
        self._mute()

    def _mute(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colours_of(palette).muted)
        self._summary.setPalette(palette)

    def _fit_columns(self) -> None:
        header = self.view.horizontalHeader()
        for column in range(self.model.columnCount() - 1):
            title = header.sectionSizeHint(column) - _SLACK
            self.view.setColumnWidth(column, max(title, self.view.sizeHintForColumn(column)))

    def _show_k(self) -> None:
        rows = self.rows
        if rows is not None and 1 <= rows.k <= len(rows) and not self.view.hasFocus():
            self.view.scrollTo(self.model.index(self.model.row_of(rows.k), 0))

    def _commit(self, row: int) -> None:
        if self._can_keep(row):
            self.componentsCommitted.emit(self.model.component_at(row))

    def _can_keep(self, row: int) -> bool:
        return 0 <= row < self.model.rowCount() and self.model.component_at(row) <= self.model.present

    def _show_menu(self, position: QPoint) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.view.viewport().mapToGlobal(position))

    def menu(self) -> QMenu:
        """Return what can be done with the table.

        Returns
        -------
        QMenu
            A new one.
        """
        menu = QMenu(self)
        row = self.view.currentIndex().row()
        if self._can_keep(row):
            component = self.model.component_at(row)
            menu.addAction(f"&Keep up to component {component}", lambda: self._commit(row))
            menu.addSeparator()
        menu.addAction("&Copy", QKeySequence.StandardKey.Copy, self.copy)
        menu.addAction("Select &all", QKeySequence.StandardKey.SelectAll, self.view.selectAll)
        menu.addSeparator()
        menu.addAction("&Export CSV…", self.exportRequested.emit)
        return menu

    def _refresh(self) -> None:
        rows = self.rows
        self._pages.setCurrentIndex(0 if rows is None or not len(rows) else 1)
        if rows is None:
            return
        kept = kept_words(self.model.present, rows.k, rows.left_out, len(rows))
        words = kept if rows.k else f"{len(rows)} components"
        self._summary.setText(f"{words} · double-click a row to keep up to there")


def _measured(rows: ComponentRows | None) -> bool:
    return rows is not None and bool(len(rows)) and not bool(np.isnan(rows.bits[0]))


def _button(text: str, about: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(about)
    button.setAutoRaise(True)
    return button
