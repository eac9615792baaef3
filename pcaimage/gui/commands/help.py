"""The list of all keys, which can be searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from pcaimage.gui.commands.keys import AFTER, BEFORE
from pcaimage.gui.commands.menus import MENUS
from pcaimage.gui.commands.table import ACTIONS, SubmenuSpec
from pcaimage.gui.dialogs import fit_to_screen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pcaimage.gui.commands.table import ActionSpec, Key

_SIZE = 780, 620
_AIR = 8
_NATIVE = QKeySequence.SequenceFormat.NativeText

Group = tuple[str, list[tuple[str, str]]]
"""A title, and rows of keys and what they do."""


def native(key: Key) -> list[str]:
    """Return what a key is called on this platform.

    Parameters
    ----------
    key : str or QKeySequence.StandardKey
        A key; a word that is no key, such as ``Wheel``, stays as it is but for Shift and its like.

    Returns
    -------
    list of str
        One; none for standard keys that the platform does not have, and of several the most usual.
    """
    if not isinstance(key, str):
        return [sequence.toString(_NATIVE) for sequence in QKeySequence.keyBindings(key)[:1]]
    text = QKeySequence(key).toString(_NATIVE)
    if text:
        return [text]
    held, plus, done = key.rpartition("+")
    return [QKeySequence(f"{held}+A").toString(_NATIVE)[:-1] + done if plus else key]


def keys_text(keys: Iterable[Key]) -> str:
    """Return keys as text."""
    names = [name for key in keys for name in native(key) if name]
    return ", ".join(dict.fromkeys(names))


def all_keys(specs: Sequence[ActionSpec] = ACTIONS) -> list[Group]:
    """Return all keys, in the order of the menus and then by the part that hears them."""
    known = {spec.name: spec for spec in specs}
    groups: list[Group] = [_words(title, rows) for title, rows in BEFORE]
    for title, items in MENUS:
        names = [
            name for item in items for name in (item.items if isinstance(item, SubmenuSpec) else (item,))
        ]
        rows = [(keys_text(known[name].keys), _what(known[name])) for name in names if name in known]
        groups.append((title.replace("&", ""), [row for row in rows if row[0]]))
    groups += [_words(title, rows) for title, rows in AFTER]
    return [group for group in groups if group[1]]


def _words(title: str, rows: Iterable[tuple[tuple[str, ...], str]]) -> Group:
    return title, [(keys_text(keys), what) for keys, what in rows]


def _what(spec: ActionSpec) -> str:
    if spec.group == "tab":
        return f"The tab “{spec.text.replace('&', '')}”"
    return spec.tip.removesuffix(".")


class KeyboardHelp(QDialog):
    """Shows all keys; what is typed above them leaves those that it is about."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.search, self.list = QLineEdit(), QTreeWidget()
        self.nothing = QLabel("No shortcut matches.")
        self._rows: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self._fill()
        self._lay_out()
        self.search.textChanged.connect(self.look_for)
        fit_to_screen(self, QSize(*_SIZE))

    def look_for(self, text: str) -> None:
        """Show only keys that something is said about.

        Parameters
        ----------
        text : str
            Words that must all occur in a key's name, in what it does, or in the title above.
        """
        words = text.casefold().split()
        any_left = False
        for group, items in self._rows:
            for item in items:
                said = " ".join((group.text(0), item.text(0), item.text(1))).casefold()
                item.setHidden(not all(word in said for word in words))
            left = not all(item.isHidden() for item in items)
            group.setHidden(not left)
            any_left = any_left or left
        self.nothing.setVisible(not any_left)

    def _fill(self) -> None:
        tree = self.list
        tree.setColumnCount(2)
        tree.setHeaderLabels(["Keys", "Action"])
        tree.setAccessibleName("Keys and their actions")
        tree.setRootIsDecorated(False)
        tree.setItemsExpandable(False)
        tree.setUniformRowHeights(True)
        tree.setIndentation(_AIR)
        tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        tree.header().setSectionsMovable(False)
        bold = tree.font()
        bold.setBold(True)
        height = tree.fontMetrics().height() + _AIR
        for title, rows in all_keys():
            group = QTreeWidgetItem(tree, [title])
            group.setFont(0, bold)
            group.setFlags(Qt.ItemFlag.ItemIsEnabled)
            group.setFirstColumnSpanned(True)
            group.setSizeHint(0, QSize(0, height))
            group.setExpanded(True)
            items = [QTreeWidgetItem(group, [keys, what]) for keys, what in rows]
            for item in items:
                width = tree.fontMetrics().horizontalAdvance(item.text(0)) + 2 * _AIR
                item.setSizeHint(0, QSize(width, height))
                item.setToolTip(1, item.text(1))
            self._rows.append((group, items))

    def _lay_out(self) -> None:
        self.search.setPlaceholderText("Search keys")
        self.search.setAccessibleName("Search keys")
        self.search.setClearButtonEnabled(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        # Return in the search must not close what is searched.
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self.nothing)
        column.addWidget(buttons)


def show_keyboard_help(parent: QWidget) -> KeyboardHelp:
    """Show all keys beside the window, which can be used meanwhile.

    Returns
    -------
    KeyboardHelp
        The one that is open already, if there is one; it is deleted when it is closed.
    """
    dialog = parent.findChild(KeyboardHelp) or KeyboardHelp(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    dialog.activateWindow()
    return dialog
