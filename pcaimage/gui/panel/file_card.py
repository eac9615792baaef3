"""The card of a compressed file that was opened without its original, with a button to export it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from pcaimage.gui.panel.form_rows import section, told
from pcaimage.gui.session.resolve import PanelView


class FileCard(QWidget):
    """Describes an opened file, in place of settings that cannot be changed without its original."""

    exportRequested = Signal()  # noqa: N815
    """The user wants the image in a format that other programs open."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[str, QLabel] = {}
        form = section(self)
        for name in ("Image", "Method", "Made from"):
            value = self._values[name] = QLabel(wordWrap=True)
            value.setAccessibleName(name)
            form.addRow(told(name), value)
        self.export = QPushButton("Export for Others…")
        self.export.setToolTip("Write the image in a format that other programs open, such as JPEG or PNG.")
        self.export.clicked.connect(self.exportRequested)
        form.addRow(self.export)
        self._form = form

    @property
    def text(self) -> str:
        """The description, line by line."""
        shown = ((name, label.text()) for name, label in self._values.items())
        return "\n".join(f"{name}: {text}" for name, text in shown if text)

    def set_view(self, view: PanelView) -> None:
        """Describe another file."""
        for name, label in self._values.items():
            label.setText(view.about.get(name, ""))
            self._form.setRowVisible(label, bool(label.text()))
        self.export.setEnabled(view.k_max > 0)
