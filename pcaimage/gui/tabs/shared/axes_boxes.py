"""Two boxes that choose the components of a scatter plot."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLabel, QSpinBox, QWidget

from pcaimage.gui.boxes import hbox


class AxesBoxes(QWidget):
    """Chooses the components whose scores are drawn across and up, counted from 1."""

    changed = Signal()  # other components are chosen

    def __init__(self) -> None:
        super().__init__()
        self.across, self.up = QSpinBox(), QSpinBox()
        for box, name in ((self.across, "across"), (self.up, "up")):
            box.setPrefix("c")  # as the axes are named
            box.setKeyboardTracking(False)
            box.setAccessibleName(f"Component {name}")
            box.setToolTip(f"The component whose scores are drawn {name}.")
            box.valueChanged.connect(lambda _: self.changed.emit())
        hbox(self.across, QLabel("×"), self.up, of=self, spacing=8)

    @property
    def chosen(self) -> tuple[int, int]:
        """The components that are chosen: across and up."""
        return self.across.value(), self.up.value()

    def set_components(self, count: int) -> None:
        """Offer other components, at first the first two; nothing is emitted."""
        for box, usual in ((self.across, 1), (self.up, 2)):
            with QSignalBlocker(box):
                box.setRange(1, max(count, 1))
                box.setValue(min(usual, max(count, 1)))
