"""Every component in a table that can be sorted, copied and exported."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QMimeData, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QToolButton

from pcaimage.gui.boxes import hbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.session.requests import ExportTable, Keep
from pcaimage.gui.tabs.shared.pages import MessagePage
from pcaimage.gui.tabs.shared.sorted_table import SortedTableModel, TableColumn, prepare_table
from pcaimage.gui.theme import colours_of
from pcaimage.insight.component_table import COLUMNS, ComponentRows, to_html, to_tsv
from pcaimage.insight.formatting import kept_words

_SLACK = 12  # pixels by which Qt makes titles wider than needed


class ComponentModel(SortedTableModel):
    """The figures of all components as a sorted table; components are counted from 1."""

    words = frozenset({"state"})

    def __init__(self, colours: Colours, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: ComponentRows | None = None
        self._present: int | None = None
        self._colours = colours

    @property
    def rows(self) -> ComponentRows | None:
        """The figures shown."""
        return self._rows

    @property
    def columns(self) -> Sequence[TableColumn]:
        """The columns shown."""
        return COLUMNS if self._rows is None else self._rows.columns

    @property
    def present(self) -> int:
        """The number of components that can be kept."""
        rows = 0 if self._rows is None else len(self._rows)
        return rows if self._present is None else min(self._present, rows)

    def set_rows(self, rows: ComponentRows | None, present: int | None = None) -> None:
        """Show other figures; where they are of as many components, the selection stays.

        Only the first `present` components are in the file; None for all.
        """
        now, self._present = self._rows, present
        same = rows is not None and now is not None and (len(rows), rows.columns) == (len(now), now.columns)
        with self._replacing(same_items=same):
            self._rows = rows

    def set_kept(self, k: int, left_out: frozenset[int]) -> None:
        """Show that other components are kept."""
        rows = self._rows
        if rows is None or (rows.k, rows.left_out) == (k, left_out):
            return
        self._rows = rows.kept(k, left_out)
        if self.columns[self._sorted_by[0]].key == "state":
            self.sort(*self._sorted_by)
        self._changed()

    def set_colours(self, colours: Colours) -> None:
        """Show another colour scheme."""
        self._colours = colours
        self._changed()

    def component_at(self, row: int) -> int:
        """Return the component in a row."""
        return self.item_at(row) + 1

    def row_of_component(self, component: int) -> int:
        """Return the row of a component."""
        return self.row_of(component - 1)

    def _keys(self, key: str) -> NDArray[Any]:
        return np.zeros(0) if self._rows is None else self._rows.values(key)

    def _text(self, key: str, item: int) -> str:
        if self._rows is None:
            return ""
        component = item + 1
        if key == "state" and component > self.present:
            return "not in the file"
        last = " ◂ k" if key == "state" and component == self._rows.k else ""
        return self._rows.shown(key, component) + last

    def _style(self, key: str, item: int, role: int) -> Any:
        """Highlight the last component that is kept, and mute those behind it."""
        rows, component, colours = self._rows, item + 1, self._colours
        if rows is None:
            return None
        if role == Qt.ItemDataRole.BackgroundRole and component == rows.k:
            return QColor(colours.accent_soft)
        if role == Qt.ItemDataRole.FontRole and component == rows.k:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and rows.state(component) != "kept":
            return QColor(colours.muted)
        if role == Qt.ItemDataRole.DecorationRole and key == "axis" and rows.axes is not None:
            return QColor(colours.planes[int(rows.axes[component - 1]) - 1])
        return None


class TablePage(MessagePage):
    """Lists what each component explains and costs, and asks for a k; :meth:`set_k` shows the answer."""

    requested = Signal(object)  # a request: to keep the components up to a row, or to export the table

    def __init__(self) -> None:
        super().__init__()
        self.model = ComponentModel(colours_of(self.palette()), self)
        self.view = QTableView()
        self._copy = _button(
            "Copy", "Copy the selected rows, or all rows if none is selected, for a spreadsheet."
        )
        self._export = _button("Export CSV…", "Write all rows in full precision to a file.")
        self._arrange()
        row = hbox((self._readout, 1), self._copy, self._export, margins=(8, 0, 8, 0))
        self._add_content(row, (self.view, 1))
        self._readout.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setAccessibleName("Table of components")
        self.setFocusProxy(self.view)
        # The Tab key enters at the proxy, and would skip widgets before it. Qt handles the last one first.
        self.setTabOrder(self.view, self._export)
        self.setTabOrder(self.view, self._copy)

    @property
    def rows(self) -> ComponentRows | None:
        """The figures shown."""
        return self.model.rows

    def set_rows(self, rows: ComponentRows | None, present: int | None = None) -> None:
        """Show other figures; order and selection stay where that makes sense.

        Only the first `present` components are in the file; None for all.
        """
        fresh, measured = self.model.rowCount() == 0, _measured(self.rows)
        self.model.set_rows(rows, present)
        self._refresh()
        if fresh or _measured(rows) != measured:
            self._fit_columns()
        if fresh:
            self._show_k()

    def set_k(self, k: int, left_out: Collection[int] = ()) -> None:
        """Mark which components are kept: the first k but for some, counted from 1."""
        moved = self.rows is not None and self.rows.k != k
        self.model.set_kept(k, frozenset(left_out))
        if moved:
            self._show_k()
        self._refresh()

    def set_message(self, sentence: str) -> None:
        """Set the sentence that is shown while there are no rows."""
        super().set_message(sentence)
        self._refresh()

    def selected(self) -> list[int]:
        """Return the selected components, counted from 1, in the order shown."""
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

    def _recolour(self) -> None:
        self.model.set_colours(colours_of(self.palette()))

    def _arrange(self) -> None:
        view = self.view
        view.setModel(self.model)
        prepare_table(view)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setCornerButtonEnabled(False)
        view.setFrameShape(QTableView.Shape.NoFrame)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setAccessibleName("Components")
        view.setAccessibleDescription("Enter keeps the components up to the current row.")
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._show_menu)
        view.doubleClicked.connect(lambda index: self._commit(index.row()))
        where = Qt.ShortcutContext.WidgetShortcut
        QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view, self.copy, context=where)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            QShortcut(QKeySequence(key), view, lambda: self._commit(view.currentIndex().row()), context=where)
        view.verticalHeader().setDefaultSectionSize(view.fontMetrics().height() + 6)
        columns = view.horizontalHeader()
        columns.setResizeContentsPrecision(0)  # as wide as the visible cells need
        columns.setStretchLastSection(True)
        with QSignalBlocker(self.model):
            view.setSortingEnabled(True)
            view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self._copy.clicked.connect(self.copy)
        self._export.clicked.connect(self._request_export)

    def _fit_columns(self) -> None:
        header = self.view.horizontalHeader()
        for column in range(self.model.columnCount() - 1):
            title = header.sectionSizeHint(column) - _SLACK
            self.view.setColumnWidth(column, max(title, self.view.sizeHintForColumn(column)))

    def _show_k(self) -> None:
        rows = self.rows
        if rows is not None and 1 <= rows.k <= len(rows) and not self.view.hasFocus():
            self.view.scrollTo(self.model.index(self.model.row_of_component(rows.k), 0))

    def _commit(self, row: int) -> None:
        if self._can_keep(row):
            self.requested.emit(Keep(self.model.component_at(row)))

    def _request_export(self) -> None:
        self.requested.emit(ExportTable())

    def _can_keep(self, row: int) -> bool:
        return 0 <= row < self.model.rowCount() and self.model.component_at(row) <= self.model.present

    def _show_menu(self, position: QPoint) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.view.viewport().mapToGlobal(position))

    def menu(self) -> QMenu:
        """Return a new context menu."""
        menu = QMenu(self)
        row = self.view.currentIndex().row()
        if self._can_keep(row):
            component = self.model.component_at(row)
            menu.addAction(f"&Keep up to component {component}", lambda: self._commit(row))
            menu.addSeparator()
        menu.addAction("&Copy", QKeySequence.StandardKey.Copy, self.copy)
        menu.addAction("Select &all", QKeySequence.StandardKey.SelectAll, self.view.selectAll)
        menu.addSeparator()
        menu.addAction("&Export CSV…", self._request_export)
        return menu

    def _refresh(self) -> None:
        rows = self.rows
        self._show_content(on=rows is not None and len(rows) > 0)
        if rows is None:
            return
        kept = kept_words(self.model.present, rows.k, rows.left_out, len(rows))
        words = kept if rows.k else f"{len(rows)} components"
        self._readout.setText(f"{words} · double-click a row to keep up to there")


def _measured(rows: ComponentRows | None) -> bool:
    return rows is not None and bool(len(rows)) and not bool(np.isnan(rows.bits[0]))


def _button(text: str, about: str) -> QToolButton:
    button = QToolButton(autoRaise=True)
    button.setText(text)
    button.setToolTip(about)
    return button
