"""The row of the settings panel that names the model whose basis is used."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget


class ModelRow(QWidget):
    """A model's name, and a button to leave it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._full = ""
        self._name = QLabel()
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.leave = QToolButton()
        self.leave.setText("✕")
        self.leave.setAutoRaise(True)
        self.leave.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.leave.setToolTip("Leave the model: find the image's own components again.")
        self.leave.setAccessibleName("Leave the model")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._name, 1)
        row.addWidget(self.leave)
        self.setFocusProxy(self.leave)

    @property
    def text(self) -> str:
        """The model's name."""
        return self._full

    def set_model(self, name: str, about: str) -> None:
        """Show another model."""
        self._full = name
        self._name.setToolTip(about)
        self._name.setAccessibleName(f"Model {name}")
        self._name.setAccessibleDescription(about)
        self._shorten()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of the name as there is room for."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        metrics = self._name.fontMetrics()
        self._name.setText(metrics.elidedText(self._full, Qt.TextElideMode.ElideMiddle, self._name.width()))
