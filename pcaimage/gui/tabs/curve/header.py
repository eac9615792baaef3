"""The row above the plot of size and quality: figures, what is still being found out, and the measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.theme import tabular

if TYPE_CHECKING:
    from pcaimage.gui.tabs.curve.figures import Measure

_MEASURES: tuple[tuple[Measure, str, str], ...] = (
    ("psnr", "PSNR", "Show the peak signal-to-noise ratio: how small the squared error of the pixels is."),
    ("ssim", "SSIM", "Show the structural similarity: how alike small parts of both images look, at most 1."),
)


class CurveHeader(QWidget):
    """Shows figures and a note, and two buttons that choose the measure.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    measureRequested = Signal(str)  # noqa: N815
    """``"psnr"`` or ``"ssim"``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures, self._note = QLabel(), QLabel()
        self._figures.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for label in (self._figures, self._note):
            label.setFont(tabular(label.font()))
        self._note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._buttons = {measure: _button(title, tip) for measure, title, tip in _MEASURES}
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(16)
        row.addWidget(self._figures, 1)
        row.addWidget(self._note)
        measures = QHBoxLayout()
        measures.setSpacing(0)
        for measure, button in self._buttons.items():
            group.addButton(button)
            measures.addWidget(button)
            button.clicked.connect(lambda _, measure=measure: self.measureRequested.emit(measure))
        row.addLayout(measures)
        self.set_measure("psnr")

    @property
    def text(self) -> str:
        """The figures shown."""
        return self._figures.text()

    @property
    def note(self) -> str:
        """What is still being found out, or cannot be."""
        return self._note.text()

    @property
    def buttons(self) -> dict[Measure, QToolButton]:
        """What chooses the measure."""
        return self._buttons

    def set_text(self, text: str) -> None:
        """Show other figures.

        Parameters
        ----------
        text : str
            One line.
        """
        self._figures.setText(text)
        self._figures.setToolTip(text if self._figures.sizeHint().width() > self._figures.width() else "")

    def set_note(self, note: str, tip: str = "") -> None:
        """Say what is still being found out, or cannot be.

        Parameters
        ----------
        note : str
            A few words; empty for none.
        tip : str
            The whole sentence.
        """
        self._note.setText(note)
        self._note.setToolTip(tip)
        self._note.setVisible(bool(note))

    def set_measure(self, measure: Measure) -> None:
        """Show which measure is chosen.

        Parameters
        ----------
        measure : {"psnr", "ssim"}
            The measure.
        """
        with QSignalBlocker(self._buttons[measure]):
            self._buttons[measure].setChecked(True)

    def set_choice(self, *, on: bool) -> None:
        """Let the measure be chosen, or not.

        Parameters
        ----------
        on : bool
            Whether there is more than one.
        """
        for button in self._buttons.values():
            button.setVisible(on)


def _button(title: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(title)
    button.setToolTip(tip)
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.setAccessibleName(f"Show {title}")
    return button
