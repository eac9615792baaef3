"""The dialogs of help: all keyboard shortcuts and mouse gestures with a search field, and versions."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import cast

import numpy as np
import PySide6
from PySide6 import QtWidgets
from PySide6.QtCore import QSize, Qt, QTimer, qVersion
from PySide6.QtGui import QGuiApplication, QIcon, QKeySequence, QPalette

import pcaimage
from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.commands.actions import ACTIONS, ActionSpec
from pcaimage.gui.commands.build import MENUS, SUBMENUS
from pcaimage.gui.dialogs import Scrolled, fit_to_screen
from pcaimage.gui.shortcuts import Key
from pcaimage.gui.theme import enlarged
from pcaimage.imaging.image.formats import supported_formats
from pcaimage.machine.folders import asset

_SIZE = 880, 620
_AIR = 8
_NATIVE = QKeySequence.SequenceFormat.NativeText

KeyGroup = tuple[str, list[tuple[str, str]]]  # a title, and rows of keys and their actions


def native(key: Key) -> list[str]:
    """Return the platform's name of a key in a list: none for a standard key that the platform lacks.

    A word that is not a key, such as ``Wheel``, stays as it is; its modifiers are translated.
    """
    if not isinstance(key, str):
        return [sequence.toString(_NATIVE) for sequence in QKeySequence.keyBindings(key)[:1]]
    text = QKeySequence(key).toString(_NATIVE)
    if text:
        return [text]
    held, plus, done = key.rpartition("+")
    return [QKeySequence(f"{held}+A").toString(_NATIVE)[:-1] + done if plus else key]


def keys_text(keys: Iterable[Key]) -> str:
    """Return the names of keys, separated by commas."""
    names = [name for key in keys for name in native(key) if name]
    return ", ".join(dict.fromkeys(names))


def all_keys() -> list[KeyGroup]:
    """Return all keys: those of the pictures, of the actions in the order of the menus, and of widgets."""
    known = {spec.name: spec for spec in ACTIONS}
    text = asset("resources", "keys.json").read_text("utf-8")
    of_widgets: list[KeyGroup] = [
        (title, [(keys_text(keys.split(", ")), what) for keys, what in rows.items()])
        for title, rows in json.loads(text).items()
    ]
    groups = of_widgets[:1]
    for title, words in MENUS.items():
        names = " ".join(SUBMENUS[name][1] if name in SUBMENUS else name for name in words.split()).split()
        rows = [(keys_text(known[name].keys), _what(known[name])) for name in names if name in known]
        groups.append((title.replace("&", ""), [row for row in rows if row[0]]))
    groups += of_widgets[1:]
    return [group for group in groups if group[1]]


def _what(spec: ActionSpec) -> str:
    if spec.name.startswith("tab-"):
        return f"The tab “{spec.text.replace('&', '')}”"
    return spec.tip.removesuffix(".")


class KeyboardHelp(QtWidgets.QDialog):
    """Shows all keys, or those that match the search."""

    def __init__(self, parent: QtWidgets.QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.search, self.list = QtWidgets.QLineEdit(), QtWidgets.QTreeWidget()
        self.nothing = QtWidgets.QLabel("No shortcut matches.")
        self._rows: list[tuple[QtWidgets.QTreeWidgetItem, list[QtWidgets.QTreeWidgetItem]]] = []
        self._fill()
        self._lay_out()
        self.search.textChanged.connect(self.look_for)
        fit_to_screen(self, QSize(*_SIZE))

    def look_for(self, text: str) -> None:
        """Show the keys whose name, action or group contains all words of `text`."""
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
        tree.setSelectionMode(QtWidgets.QAbstractItemView.SelectionMode.SingleSelection)
        tree.header().setSectionResizeMode(0, QtWidgets.QHeaderView.ResizeMode.ResizeToContents)
        tree.header().setSectionsMovable(False)
        bold = tree.font()
        bold.setBold(True)
        height = tree.fontMetrics().height() + _AIR
        for title, rows in all_keys():
            group = QtWidgets.QTreeWidgetItem(tree, [title])
            group.setFont(0, bold)
            group.setFlags(Qt.ItemFlag.ItemIsEnabled)
            group.setFirstColumnSpanned(True)
            group.setSizeHint(0, QSize(0, height))
            group.setExpanded(True)
            items = [QtWidgets.QTreeWidgetItem(group, [keys, what]) for keys, what in rows]
            for item in items:
                width = tree.fontMetrics().horizontalAdvance(item.text(0)) + 2 * _AIR
                item.setSizeHint(0, QSize(width, height))
                item.setToolTip(1, item.text(1))
            self._rows.append((group, items))

    def _lay_out(self) -> None:
        self.search.setPlaceholderText("Search keys")
        self.search.setTextMargins(3, 0, 3, 0)
        self.search.setAccessibleName("Search keys")
        self.search.setClearButtonEnabled(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.hide()
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        # Return in the search field must not close the dialog.
        buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        vbox(self.search, (self.list, 1), self.nothing, buttons, of=self, margins=16, spacing=8)


def show_keyboard_help(parent: QtWidgets.QWidget) -> KeyboardHelp:
    """Show the list of keys without blocking the window; a dialog that is open is reused."""
    dialog = parent.findChild(KeyboardHelp) or KeyboardHelp(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    dialog.activateWindow()
    return dialog


_ICON = 64
_PACKAGES = (("NumPy", "numpy"), ("Pillow", "pillow"))
_SHOWN_FOR = 2000
_COPY = "&Copy for a Bug Report"
_SENTENCES = (
    "Compresses images by principal component analysis, and shows what each component contributes.",
    "MIT licence. It comes with no warranty.",
)


def facts() -> dict[str, str]:
    """Return the versions and the environment that a bug report should name."""
    found = {
        "pcaimage": pcaimage.__version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "Qt": f"{qVersion()}, PySide6 {PySide6.__version__}, pyqtgraph {_version('pyqtgraph')}",
    }
    found.update((title, _version(package)) for title, package in _PACKAGES)
    found["Linear algebra"] = _blas()
    found["Pillow"] = f"{_version('pillow')}, tifffile {_version('tifffile')}"
    for name, of in supported_formats().items():
        found[name] = of or "not part of this installation"
    found["System"] = f"{platform.platform()}, {os.cpu_count()} processors"
    screens = QGuiApplication.screens()
    scale = f", scale {screens[0].devicePixelRatio():g}" if screens else ""
    found["Screen"] = f"{QGuiApplication.platformName()}{scale}"
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _blas() -> str:
    built = cast("dict[str, dict[str, dict[str, str]]]", np.show_config(mode="dicts"))
    known = built.get("Build Dependencies", {}).get("blas", {})
    return " ".join(str(known[key]) for key in ("name", "version") if known.get(key)) or "unknown"


class AboutDialog(QtWidgets.QDialog):
    """Shows name, licence and versions."""

    def __init__(self, parent: QtWidgets.QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = facts()
        self.copy = QtWidgets.QPushButton(_COPY)
        self.setWindowTitle("About pcaimage")
        content = QtWidgets.QWidget()
        vbox(self._head(), self._table(), FREE, of=content, margins=(0, 0, 8, 0), spacing=16)
        shown = Scrolled(content)
        shown.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # arrow keys scroll it
        shown.setAccessibleName("Versions")
        vbox(shown, self._buttons(), of=self, margins=(16, 16, 8, 16), spacing=16)
        fit_to_screen(self)
        self._calm = QTimer(self, singleShot=True, interval=_SHOWN_FOR)
        self._calm.timeout.connect(lambda: self.copy.setText(_COPY))

    @property
    def text(self) -> str:
        """All versions, one per line."""
        return "\n".join(f"{name}: {value}" for name, value in self._facts.items())

    def copy_text(self) -> None:
        """Put all versions on the clipboard."""
        QGuiApplication.clipboard().setText(self.text)
        self.copy.setText("Copied")
        self._calm.start()

    def _head(self) -> QtWidgets.QHBoxLayout:
        picture = QtWidgets.QLabel()
        picture.setPixmap(QIcon(str(asset("icons", "app", "pcaimage-128.png"))).pixmap(_ICON, _ICON))
        title = QtWidgets.QLabel(f"pcaimage {pcaimage.__version__}")
        large = enlarged(title.font(), 1.5)
        large.setBold(True)
        title.setFont(large)
        words = vbox(
            title, *(QtWidgets.QLabel(sentence, wordWrap=True) for sentence in _SENTENCES), spacing=4
        )
        return hbox((picture, 0, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=16)

    def _table(self) -> QtWidgets.QFormLayout:
        form = QtWidgets.QFormLayout(horizontalSpacing=16, verticalSpacing=4)
        for name, value in self._facts.items():
            label, shown = QtWidgets.QLabel(name), QtWidgets.QLabel(value, wordWrap=True)
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            shown.setAccessibleName(f"{name} {value}")
            shown.setMinimumWidth(340)
            form.addRow(label, shown)
        return form

    def _buttons(self) -> QtWidgets.QDialogButtonBox:
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.copy, QtWidgets.QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        self.copy.setToolTip("Copy all versions as text, to paste into a bug report.")
        self.copy.clicked.connect(self.copy_text)
        return buttons
