"""The rows of the settings panel about the values of many bands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from pcaimage.gui.panel.figure_field import FigureField, parse_number
from pcaimage.gui.session.requests import Choose, SetNoData

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFormLayout

    from pcaimage.gui.session.panel_view import PanelView

_TIPS = {
    "mnf": (
        "Whiten the noise, which is estimated from neighbouring pixels, before components are found "
        "(minimum noise fraction), so that they are ordered by signal-to-noise ratio. It replaces "
        "Standardise."
    ),
    "error": (
        "No value in the file is off by more than this: what the components miss is stored, too. 0 "
        "stores whole numbers without loss."
    ),
    "nodata": (
        "The value that marks pixels that were not measured: the one given by the file, or one typed "
        "here. It comes back exactly, and no component is fitted to it. Untick it if every number "
        "counts."
    ),
}
_ONLY_BANDS = "Only the Bands method has this option; choose that method first."
_NAN = "NaN always marks values that were not measured; this cannot be changed."


class ValueRows(QObject):
    """Rows of a form for images of many bands: whitened noise, the greatest error, and no-data values."""

    requested = Signal(object)
    """A :data:`~pcaimage.gui.session.requests.Request`."""

    def __init__(self, form: QFormLayout) -> None:
        super().__init__(form)
        self._form = form
        self.mnf = QCheckBox("&Whiten noise (MNF)")
        self.error = SwitchedField("&Greatest error ±", "Greatest error")
        self.nodata = SwitchedField("No-&data value", "Value that marks missing data")
        width = max(row.box.sizeHint().width() for row in (self.error, self.nodata))
        for row in (self.error, self.nodata):  # their fields line up
            row.box.setMinimumWidth(width)
        form.addRow("", self.mnf)
        form.addRow(self.error)
        form.addRow(self.nodata)
        self.mnf.clicked.connect(lambda on: self.requested.emit(Choose(mnf=on)))
        self.error.requested.connect(lambda error: self.requested.emit(Choose(max_error=error)))
        self.nodata.requested.connect(lambda value: self.requested.emit(SetNoData(value)))

    def set_view(self, view: PanelView) -> None:
        """Show other settings; nothing is emitted."""
        for row in (self.mnf, self.error, self.nodata):
            self._form.setRowVisible(row, "bands" in view.methods)
        reason = "" if view.method == "bands" else _ONLY_BANDS
        with QSignalBlocker(self.mnf):
            self.mnf.setChecked(view.mnf)
        self.mnf.setEnabled(not reason)
        self.mnf.setToolTip(reason or _TIPS["mnf"])
        self.error.set_number(view.max_error, view.error_offer)
        self.error.setEnabled(not reason)
        self.error.explain(reason or _TIPS["error"])
        real = view.nodata is not None and math.isnan(view.nodata)
        self.nodata.set_number(view.nodata, view.nodata_said)
        self.nodata.setEnabled(not reason and not real)
        self.nodata.explain(reason or (_NAN if real else _TIPS["nodata"]))


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
