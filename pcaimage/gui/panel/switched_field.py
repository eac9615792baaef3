"""A number that can be switched on and off."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from pcaimage.gui.panel.figure_field import FigureField
from pcaimage.gui.panel.parsing import parse_number


class SwitchedField(QWidget):
    """A check box, and the number that counts while it is ticked; typing one ticks it.

    It holds no state: what the user does is asked for, and shown when it is so.

    Parameters
    ----------
    name : str
        What the number is called by who cannot see it.
    """

    requested = Signal(object)
    """The number as a float; None to switch it off."""

    def __init__(self, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer: float | None = None
        self.box = QCheckBox(text)
        self.field = FigureField(parse_number)
        self.field.setButtonSymbols(FigureField.ButtonSymbols.NoButtons)
        self.field.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.box)
        row.addWidget(self.field, 1)
        self.setFocusProxy(self.box)
        self.box.clicked.connect(self._switch)
        self.field.typed.connect(self.requested.emit)

    def set_number(self, number: float | None, offer: float | None) -> None:
        """Show a number; nothing is emitted.

        Parameters
        ----------
        number : float or None
            None where it is switched off.
        offer : float or None
            What is asked for when the box is ticked; without it the number has to be typed first.
        """
        self._offer = offer
        with QSignalBlocker(self.box):
            self.box.setChecked(number is not None)
        self.field.set_figure(None if number is None else f"{number:.9g}")

    def explain(self, tip: str) -> None:
        """Say what it is, or why it cannot be used."""
        for widget in (self.box, self.field):
            widget.setToolTip(tip)

    def _switch(self, ticked: bool) -> None:  # noqa: FBT001 - a Qt slot
        with QSignalBlocker(self.box):
            self.box.setChecked(not ticked)  # until it is so
        if not ticked:
            self.requested.emit(None)
        elif self._offer is not None:
            self.requested.emit(self._offer)
        else:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            self.field.selectAll()
