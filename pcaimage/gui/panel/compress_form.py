"""The upper half of the settings panel: how the image is sampled and fitted."""

from __future__ import annotations

import math
from operator import attrgetter

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFormLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pcaimage.codec import Basis, Tune
from pcaimage.gui.boxes import hbox
from pcaimage.gui.panel.form_rows import ChoiceBox, FigureField, row_label, section, tips_of
from pcaimage.gui.session.choice import BASES, BLOCKS, METHODS, TUNES
from pcaimage.gui.session.requests import Choose, LeaveModel, SetNoData
from pcaimage.gui.session.resolve import PanelView
from pcaimage.insight.formatting import parse_number

_TIPS = tips_of("compress")
_ONLY_BANDS = "Only the Bands method has this option; choose that method first."
_NAN = "NaN always marks values that were not measured; this cannot be changed."
_SHOWN = attrgetter(
    *("enabled", "settings_enabled", "methods", "method", "block", "basis", "tune", "standardize"),
    *("model", "model_about", "mnf", "max_error", "error_offer", "nodata", "file_nodata"),
)
"""The part of a view that the form shows."""


class CompressForm(QWidget):
    """The rows for model, method, block size, basis, tune, standardisation, and values of many bands."""

    requested = Signal(object)  # a :data:`~pcaimage.gui.session.requests.Request`

    def __init__(self) -> None:
        super().__init__()
        self._shown: object = None
        self.method = ChoiceBox("Method", _TIPS["method"])
        self.block = ChoiceBox("Block size", _TIPS["block"], ((f"{side} × {side}", side) for side in BLOCKS))
        self.basis = ChoiceBox("Basis", _TIPS["basis"], ((text, basis) for basis, text in BASES.items()))
        self.tune = ChoiceBox("Optimise for", _TIPS["tune"], ((text, tune) for tune, text in TUNES.items()))
        self.standardize = QCheckBox("S&tandardise")
        self.standardize.setToolTip(_TIPS["standardize"])
        self._form = form = section(self)
        self._block_label = row_label("&Block size", self.block)
        self.model = ModelRow()
        form.addRow(row_label("M&odel", self.model), self.model)
        form.addRow(row_label("&Method", self.method), self.method)
        form.addRow(self._block_label, self.block)
        form.addRow(row_label("B&asis", self.basis), self.basis)
        form.addRow(row_label("O&ptimise for", self.tune), self.tune)
        form.addRow("", self.standardize)
        self.values = ValueRows(form)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        ask = self.requested.emit
        self.method.activated.connect(lambda _: ask(Choose(method=self.method.currentData())))
        self.block.activated.connect(lambda _: ask(Choose(block=self.block.currentData())))
        self.basis.activated.connect(lambda _: ask(Choose(basis=Basis(self.basis.currentData()))))
        self.tune.activated.connect(lambda _: ask(Choose(tune=Tune(self.tune.currentData()))))
        self.standardize.clicked.connect(lambda on: ask(Choose(standardize=on)))
        self.model.leave.clicked.connect(lambda: ask(LeaveModel()))
        self.values.requested.connect(self.requested)
        for box in (self.method, self.block, self.basis, self.tune):
            box.activated.connect(self._forget)
        for tick in (self.standardize, self.values.mnf):
            tick.clicked.connect(self._forget)

    def set_view(self, view: PanelView) -> None:
        """Show other settings without emitting anything."""
        shown = _SHOWN(view)
        if shown == self._shown:
            return
        self._shown = shown
        self.values.set_view(view)
        self.setEnabled(view.enabled and view.settings_enabled)
        offered = [(text, name) for name, text in METHODS.items() if name in {*view.methods, view.method}]
        self.method.offer(offered)
        self.method.choose(view.method)
        self.block.choose(view.block)
        self.basis.choose(view.basis)
        self.tune.choose(view.tune)
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
        # Photos have no block size, and built-in components are not standardised.
        for field in (self.block, self.standardize):
            self._form.setRowVisible(field, view.method != "photo")
        for field in (self.basis, self.tune):
            self._form.setRowVisible(field, view.method == "photo")
        with QSignalBlocker(self.standardize):
            self.standardize.setChecked(view.standardize)

    def _forget(self) -> None:
        """Note that the user changed a widget, so that the next view is shown in any case."""
        self._shown = None


class ModelRow(QWidget):
    """The name of a model, and a button to leave it."""

    def __init__(self) -> None:
        super().__init__()
        self._full = ""
        self._name = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.leave = QToolButton(autoRaise=True)
        self.leave.setText("✕")
        self.leave.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.leave.setToolTip("Leave the model: find the image's own components again.")
        self.leave.setAccessibleName("Leave the model")
        hbox((self._name, 1), self.leave, of=self, spacing=8)
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
        """Elide the name to the new width."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        metrics = self._name.fontMetrics()
        self._name.setText(metrics.elidedText(self._full, Qt.TextElideMode.ElideMiddle, self._name.width()))


class ValueRows(QObject):
    """The rows for the values of many bands: whitened noise, the greatest error, and the no-data value."""

    requested = Signal(object)  # a :data:`~pcaimage.gui.session.requests.Request`

    def __init__(self, form: QFormLayout) -> None:
        super().__init__(form)
        self._form = form
        self.mnf = QCheckBox("&Whiten noise (MNF)")
        self.error = SwitchedField("&Greatest error ±", "Greatest error")
        self.nodata = SwitchedField("No-&data value", "Value that marks missing data")
        width = max(row.box.sizeHint().width() for row in (self.error, self.nodata))
        for row in (self.error, self.nodata):  # so that their fields line up
            row.box.setMinimumWidth(width)
        form.addRow("", self.mnf)
        form.addRow(self.error)
        form.addRow(self.nodata)
        self.mnf.clicked.connect(lambda on: self.requested.emit(Choose(mnf=on)))
        self.error.requested.connect(lambda error: self.requested.emit(Choose(max_error=error)))
        self.nodata.requested.connect(lambda value: self.requested.emit(SetNoData(value)))

    def set_view(self, view: PanelView) -> None:
        """Show other settings without emitting anything."""
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
        self.nodata.set_number(view.nodata, view.file_nodata)
        self.nodata.setEnabled(not reason and not real)
        self.nodata.explain(reason or (_NAN if real else _TIPS["nodata"]))


class SwitchedField(QWidget):
    """A check box, and the number that applies while it is ticked; typing a number ticks it.

    It holds no state: the number is requested, and shown once the session has changed. `name` is the
    accessible name of the number.
    """

    requested = Signal(object)  # the number as a float; None to switch it off

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self._offer: float | None = None
        self.box = QCheckBox(text)
        self.field = FigureField(parse_number)
        self.field.setButtonSymbols(FigureField.ButtonSymbols.NoButtons)
        self.field.setAccessibleName(name)
        hbox(self.box, (self.field, 1), of=self, spacing=8)
        self.setFocusProxy(self.box)
        self.box.clicked.connect(self._switch)
        self.field.typed.connect(self.requested.emit)

    def set_number(self, number: float | None, offer: float | None) -> None:
        """Show a number, or None while it is switched off, without emitting anything.

        Ticking the box requests `offer`; if that is None, the number has to be typed first.
        """
        self._offer = offer
        with QSignalBlocker(self.box):
            self.box.setChecked(number is not None)
        self.field.set_figure(None if number is None else f"{number:.9g}")

    def explain(self, tip: str) -> None:
        """Set the tooltip: the meaning of the number, or why it cannot be changed."""
        for widget in (self.box, self.field):
            widget.setToolTip(tip)

    def _switch(self, ticked: bool) -> None:  # noqa: FBT001 - a Qt slot
        with QSignalBlocker(self.box):
            self.box.setChecked(not ticked)  # until the session has changed it
        if not ticked:
            self.requested.emit(None)
        elif self._offer is not None:
            self.requested.emit(self._offer)
        else:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            self.field.selectAll()
