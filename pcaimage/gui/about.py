"""The About dialog: the versions of the program and of its libraries."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import cast

import numpy as np
import PySide6
from PySide6.QtCore import Qt, QTimer, qVersion
from PySide6.QtGui import QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QWidget,
)

import pcaimage
from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.dialogs import Scrolled, fit_to_screen
from pcaimage.gui.theme import enlarged
from pcaimage.imaging.image.formats import supported_formats
from pcaimage.machine.folders import asset

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


class AboutDialog(QDialog):
    """Shows name, licence and versions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = facts()
        self.copy = QPushButton(_COPY)
        self.setWindowTitle("About pcaimage")
        content = QWidget()
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

    def _head(self) -> QHBoxLayout:
        picture = QLabel()
        icon = QIcon(str(asset("icons", "app", "pcaimage-128.png")))
        picture.setPixmap(icon.pixmap(_ICON, _ICON))
        title = QLabel(f"pcaimage {pcaimage.__version__}")
        large = enlarged(title.font(), 1.5)
        large.setBold(True)
        title.setFont(large)
        words = vbox(title, *(QLabel(sentence, wordWrap=True) for sentence in _SENTENCES), spacing=4)
        return hbox((picture, 0, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=16)

    def _table(self) -> QFormLayout:
        form = QFormLayout(horizontalSpacing=16, verticalSpacing=4)
        for name, value in self._facts.items():
            label, shown = QLabel(name), QLabel(value, wordWrap=True)
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            shown.setAccessibleName(f"{name} {value}")
            shown.setMinimumWidth(340)
            form.addRow(label, shown)
        return form

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        self.copy.setToolTip("Copy all versions as text, to paste into a bug report.")
        self.copy.clicked.connect(self.copy_text)
        return buttons
