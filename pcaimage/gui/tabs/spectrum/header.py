"""The row above the spectrum: figures, what the colours mean, and the scale of the variance."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.theme import colours_of, tabular

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

_WIDE = 1100
_LEGEND_TIP = (
    "The colour axes are the principal components of the image's own channels: the first is the mixture of "
    "them that varies most, often near to brightness. The share is that of all its components."
)
_SCALES = (
    ("Log", "Show variances on a logarithmic scale, where each line is a factor of ten. (L)", True),
    ("Linear", "Show variances on a linear scale, where heights are shares of the variance. (L)", False),
)


class SpectrumHeader(QWidget):
    """Shows the figures of a component, a legend, and two buttons that choose the scale.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    logarithmicRequested = Signal(bool)  # noqa: N815
    """Whether variances are to be shown on a logarithmic scale."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[tuple[str, str], ...] = ()
        self._readout, self._legend = QLabel(), QLabel(textFormat=Qt.TextFormat.RichText)
        self._readout.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for label in (self._readout, self._legend):
            label.setFont(tabular(label.font()))
        self._legend.setToolTip(_LEGEND_TIP)
        self._buttons = {on: _scale_button(name, tip) for name, tip, on in _SCALES}
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(16)
        row.addWidget(self._readout, 1)
        row.addWidget(self._legend)
        scales = QHBoxLayout()
        scales.setSpacing(0)
        for on, button in self._buttons.items():
            group.addButton(button)
            scales.addWidget(button)
            button.clicked.connect(lambda _, on=on: self.logarithmicRequested.emit(on))
        row.addLayout(scales)
        self.set_logarithmic(on=True)

    @property
    def text(self) -> str:
        """The figures shown."""
        return self._readout.text()

    @property
    def legend(self) -> str:
        """What the colours mean, as plain text."""
        return ", ".join(f"{name} {share}" for name, share in self._entries)

    @property
    def buttons(self) -> dict[bool, QToolButton]:
        """What chooses the scale, by whether it is logarithmic."""
        return self._buttons

    def set_text(self, text: str) -> None:
        """Show other figures.

        Parameters
        ----------
        text : str
            One line.
        """
        self._readout.setText(text)
        self._readout.setToolTip(text if self._readout.sizeHint().width() > self._readout.width() else "")

    def set_legend(self, entries: tuple[tuple[str, str], ...]) -> None:
        """Say what the colours mean.

        Parameters
        ----------
        entries : tuple of (str, str)
            Name and share of each group; empty where there is only one.
        """
        self._entries = entries
        self._show_legend()

    def set_logarithmic(self, *, on: bool) -> None:
        """Show which scale is chosen.

        Parameters
        ----------
        on : bool
            Whether it is logarithmic.
        """
        with QSignalBlocker(self._buttons[on]):
            self._buttons[on].setChecked(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the legend where there is little room."""
        super().resizeEvent(event)
        self._show_legend()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._show_legend()
        super().changeEvent(event)

    def _show_legend(self) -> None:
        colours = colours_of(self.palette()).planes
        wide = self.width() >= _WIDE
        parts = [
            f'<span style="color: {colours[min(number, len(colours) - 1)]}">■</span>&nbsp;'
            + escape(f"{name if wide else name.split()[0]} {share}").replace(" ", "&nbsp;")
            for number, (name, share) in enumerate(self._entries)
        ]
        self._legend.setText("&nbsp;&nbsp; ".join(parts))
        self._legend.setAccessibleName(self.legend)
        self._legend.setVisible(bool(parts))


def _scale_button(name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(name)
    button.setToolTip(tip)
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.setAccessibleName(f"{name} scale of the variance")
    return button
