"""The upper half of the settings panel: how the image is sampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pcaimage.codec import Basis
from pcaimage.gui.panel.form_rows import row_label, section
from pcaimage.gui.panel.value_rows import ValueRows
from pcaimage.gui.session.panel_view import BASES, BLOCKS, METHODS, PanelView
from pcaimage.gui.session.requests import Choose, LeaveModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QWheelEvent

_TIPS = {
    "method": (
        "Photo uses components that were found in many photographs and overlap their neighbours; it "
        "makes the smallest files of images with one to four channels. The other methods find "
        "components in this image, where one observation is a square block of pixels, one pixel with "
        "all its channels, or a whole image of a stack."
    ),
    "block": "The side of the square blocks that the image is cut into, in pixels.",
    "basis": (
        "Components found in many photographs are built in and take no bytes; the image's own suit it "
        "better, but are stored with it. Automatic uses the image's own where that promises to save "
        "bytes."
    ),
    "standardize": (
        "Divide every feature by its standard deviation first, so that each counts the same however "
        "much it varies."
    ),
}


class CompressForm(QWidget):
    """Method, and what belongs to it: block size and standardisation, basis, or what values are like."""

    requested = Signal(object)
    """A :data:`~pcaimage.gui.session.requests.Request`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: object = None
        self.method = _Choice("Method", _TIPS["method"])
        self.block = _Choice("Block size", _TIPS["block"])
        self.block.offer((f"{side} × {side}", side) for side in BLOCKS)
        self.basis = _Choice("Basis", _TIPS["basis"])
        self.basis.offer((text, basis) for basis, text in BASES.items())
        self.standardize = QCheckBox("S&tandardise")
        self.standardize.setToolTip(_TIPS["standardize"])
        self._form = form = section(self)
        self._block_label = row_label("&Block size", self.block)
        self.model = ModelRow()
        form.addRow(row_label("M&odel", self.model), self.model)
        form.addRow(row_label("&Method", self.method), self.method)
        form.addRow(self._block_label, self.block)
        form.addRow(row_label("B&asis", self.basis), self.basis)
        form.addRow("", self.standardize)
        self.values = ValueRows(form)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        ask = self.requested.emit
        self.method.activated.connect(lambda _: ask(Choose(method=self.method.currentData())))
        self.block.activated.connect(lambda _: ask(Choose(block=self.block.currentData())))
        self.basis.activated.connect(lambda _: ask(Choose(basis=Basis(self.basis.currentData()))))
        self.standardize.clicked.connect(lambda on: ask(Choose(standardize=on)))
        self.model.leave.clicked.connect(lambda: ask(LeaveModel()))
        self.values.requested.connect(self.requested)
        for box in (self.method, self.block, self.basis):
            box.activated.connect(self._forget)
        self.standardize.clicked.connect(self._forget)

    def set_view(self, view: PanelView) -> None:
        """Show other settings, if they are others; nothing is emitted."""
        self.values.set_view(view)
        shown = (
            view.enabled and view.settings_enabled,
            view.methods,
            view.method,
            view.block,
            view.basis,
            view.standardize,
            view.model,
            view.model_about,
        )
        if shown == self._shown:
            return
        self._shown = shown
        self.setEnabled(view.enabled and view.settings_enabled)
        offered = [(text, name) for name, text in METHODS.items() if name in {*view.methods, view.method}]
        self.method.offer(offered)
        self.method.choose(view.method)
        self.block.choose(view.block)
        self.basis.choose(view.basis)
        self._form.setRowVisible(self.model, bool(view.model))
        self.model.set_model(view.model, view.model_about)
        for widget in (self.block, self._block_label):
            widget.setEnabled(view.method == "blocks" and not view.model)
        reason = f"{view.model} determines this; leave the model to choose." if view.model else ""
        self.method.setEnabled(not view.model)
        self.standardize.setEnabled(not view.model)
        self.method.setToolTip(reason or _TIPS["method"])
        self.block.setToolTip(reason or _TIPS["block"])
        self.standardize.setToolTip(reason or _TIPS["standardize"])
        # The components of photographs are what they are.
        for field in (self.block, self.standardize):
            self._form.setRowVisible(field, view.method != "photo")
        self._form.setRowVisible(self.basis, view.method == "photo")
        with QSignalBlocker(self.standardize):
            self.standardize.setChecked(view.standardize)

    def _forget(self) -> None:
        """Note that the user changed what is shown."""
        self._shown = None


class _Choice(QComboBox):
    """A combo box that the wheel changes only while it has the focus."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def offer(self, choices: Iterable[tuple[str, object]]) -> None:
        """Set what can be chosen, unless it is the same, so that an open list stays open."""
        wanted = list(choices)
        if wanted != [(self.itemText(i), self.itemData(i)) for i in range(self.count())]:
            with QSignalBlocker(self):
                self.clear()
                for text, data in wanted:
                    self.addItem(text, data)

    def choose(self, data: object) -> None:
        """Show a choice; nothing is emitted."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(data))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the panel unless the box has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


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
