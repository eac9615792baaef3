"""What the settings panel asks about the values of many bands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox

from pcaimage.gui.panel.switched_field import SwitchedField

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFormLayout

    from pcaimage.gui.session.panel_view import PanelView
from pcaimage.gui.session.requests import Choose, SetNoData

_TIPS = {
    "mnf": (
        "Whiten the noise, which is estimated from neighbouring pixels, before components are found (minimum "
        "noise fraction): they then stand in the order of their signal-to-noise ratio. It takes the place of "
        "Standardise."
    ),
    "error": (
        "No value of the file is off by more than this: what the components lack is kept, too. 0 keeps whole "
        "numbers without loss."
    ),
    "nodata": (
        "The value of what was not measured, as the file says or as is typed here; it comes back exactly, "
        "and no component is fitted to it. Untick it where every number counts."
    ),
}
_ONLY_BANDS = "Only the method Bands knows it; choose that first."
_NAN = "What is no number was not measured; that cannot be chosen."


class ValueRows(QObject):
    """Rows of a form for images of many bands: whitened noise, the greatest error, and no-data values."""

    requested = Signal(object)
    """A :data:`~pcaimage.gui.session.requests.Request`."""

    def __init__(self, form: QFormLayout) -> None:
        super().__init__(form)
        self._form = form
        self.mnf = QCheckBox("&Whiten noise (MNF)")
        self.error = SwitchedField("&Greatest error ±", "Greatest error")
        self.nodata = SwitchedField("No-&data value", "Value of what was not measured")
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
