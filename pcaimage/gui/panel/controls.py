"""The panel at the right of the window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QPalette
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from pcaimage.gui.panel.compress_form import CompressForm
from pcaimage.gui.panel.form_rows import beside, heading
from pcaimage.gui.panel.keep_form import KeepForm
from pcaimage.gui.panel.preset_button import PresetButton
from pcaimage.gui.session.panel_view import PanelView
from pcaimage.gui.theme import colours_of

_WIDTH = 296
_NARROWEST = 272


class SettingsPanel(QScrollArea):
    """How to compress, and how much to keep; one setter shows all, and every change is only asked for.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    componentsRequested = Signal(int)  # noqa: N815
    """The k under the hand while it moves."""
    componentsCommitted = Signal(int)  # noqa: N815
    """The k at which the hand came to rest, or that was typed."""
    varianceRequested = Signal(float)  # noqa: N815
    """Percent of the variance to keep, 0 to 100."""
    psnrRequested = Signal(float)  # noqa: N815
    """The PSNR to reach, in dB."""
    ssimRequested = Signal(float)  # noqa: N815
    """The structural similarity to reach, at most 1."""
    presetRequested = Signal(str)  # noqa: N815
    """One of :data:`~pcaimage.gui.session.presets.PRESETS`."""
    sizeRequested = Signal(int)  # noqa: N815
    """The size not to exceed, in bytes."""
    stepRequested = Signal(object)  # noqa: N815
    """The quantiser's step as a float, or None to let it follow from k."""
    methodRequested = Signal(str)  # noqa: N815
    """``"blocks"``, ``"channels"`` or ``"stack"``."""
    blockRequested = Signal(int)  # noqa: N815
    """The side of a block in pixels."""
    basisRequested = Signal(object)  # noqa: N815
    """A :class:`~pcaimage.codec.Basis`, for photos."""
    standardizeRequested = Signal(bool)  # noqa: N815
    """Whether to divide features by their standard deviation."""
    modelLeft = Signal()  # noqa: N815
    """The image's own components are wanted in place of a model's."""
    mnfRequested = Signal(bool)  # noqa: N815
    """Whether to whiten the noise of many bands."""
    maxErrorRequested = Signal(object)  # noqa: N815
    """How far values may be off, as a float; None to promise nothing."""
    nodataRequested = Signal(object)  # noqa: N815
    """What stands where nothing was measured, as a float; None where everything was."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._body = QWidget()
        self.compress = CompressForm()
        self.keep = KeepForm()
        self.presets = PresetButton()
        self._error = _sentence()
        self._hint = _sentence()
        self._lay_out()
        self._forward()
        self.setAccessibleName("Settings")
        self.set_view(PanelView())

    def set_view(self, view: PanelView) -> None:
        """Show everything anew; nothing is emitted.

        Parameters
        ----------
        view : PanelView
            What to show.
        """
        self.compress.set_view(view)
        self.keep.set_view(view)
        self.presets.set_view(view)
        colours = colours_of(self.palette())
        _say(self._error, view.error, colours.error)
        _say(self._hint, view.hint, colours.muted)

    def sizeHint(self) -> QSize:
        """Return the width that the fields are comfortable in, and the height of all of them."""
        return QSize(_WIDTH, self._body.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the narrowest useful width; any height will do, the panel scrolls."""
        return QSize(_NARROWEST, 80)

    def _lay_out(self) -> None:
        body = self._body
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addWidget(heading("Compress"))
        column.addWidget(self.compress)
        column.addSpacing(16)
        column.addLayout(beside(heading("Keep"), self.presets))
        column.addWidget(self.keep)
        column.addWidget(self._error)
        column.addWidget(self._hint)
        column.addStretch()
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _forward(self) -> None:
        pairs = (
            (self.keep.componentsRequested, self.componentsRequested),
            (self.keep.componentsCommitted, self.componentsCommitted),
            (self.keep.varianceRequested, self.varianceRequested),
            (self.keep.psnrRequested, self.psnrRequested),
            (self.keep.ssimRequested, self.ssimRequested),
            (self.presets.presetRequested, self.presetRequested),
            (self.keep.sizeRequested, self.sizeRequested),
            (self.keep.stepRequested, self.stepRequested),
            (self.compress.methodRequested, self.methodRequested),
            (self.compress.blockRequested, self.blockRequested),
            (self.compress.basisRequested, self.basisRequested),
            (self.compress.standardizeRequested, self.standardizeRequested),
            (self.compress.model.leaveRequested, self.modelLeft),
            (self.compress.values.mnfRequested, self.mnfRequested),
            (self.compress.values.maxErrorRequested, self.maxErrorRequested),
            (self.compress.values.nodataRequested, self.nodataRequested),
        )
        for inner, outer in pairs:
            inner.connect(outer)


def _sentence() -> QLabel:
    label = QLabel(wordWrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.hide()
    return label


def _say(label: QLabel, text: str, colour: str) -> None:
    """Show a sentence, or nothing, and have it read aloud when it is new."""
    if label.palette().color(QPalette.ColorRole.WindowText) != QColor(colour):
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
        label.setPalette(palette)
    if text != label.text():
        label.setText(text)
        label.setVisible(bool(text))
        if text:
            QAccessible.updateAccessibility(QAccessibleEvent(label, QAccessible.Event.Alert))
