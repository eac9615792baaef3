"""The pixel tab: the spectrum of the pixel under the cursor, before and after."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from pcaimage.codec import Region
from pcaimage.gui.tabs.pixel.plot import PixelPlot
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.band_names import BandNames
from pcaimage.insight.pixel_spectrum import PixelSpectrum, UsualSpectrum

EMPTY = "Move over an open image to see the spectrum of the pixel under the cursor here."


class PixelView(QWidget):
    """Shows the spectrum of the pixel under the cursor, or of the one that is pinned.

    It finds nothing out by itself: it asks for a pixel, and shows what :meth:`set_spectra` gets.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    targetChanged = Signal(int, int)  # noqa: N815
    """A pixel of the image whose spectrum is to be shown."""
    sampleChanged = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` of the pixel that is shown now; None for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: BandNames | None = None
        self._pixel: PixelSpectrum | None = None
        self._message = QLabel(EMPTY, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._message.setMargin(16)
        self._readout, self._legend = QLabel(), QLabel()
        self._readout.setFont(tabular(self._readout.font()))
        self._readout.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._pin = QCheckBox("Pin")
        self._pin.setToolTip("Stay with this pixel although the cursor moves on (P); a click pins, too.")
        self._pin.setAccessibleName("Pin the pixel")
        self._legend.setToolTip(
            "The grey band is the mean spectrum of the image and one standard deviation to either side."
        )
        self._plot = PixelPlot()
        self._arrange()
        self._plot.hovered.connect(lambda _: self._describe())
        self._plot.moved.connect(self._go)
        pin = QShortcut(QKeySequence("P"), self)
        pin.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        pin.activated.connect(self._pin.toggle)
        self.setAccessibleName("Pixel")
        self.say(EMPTY)

    @property
    def text(self) -> str:
        """The figures shown above the plot, or why there are none."""
        return self._message.text() if self._pixel is None else self._readout.text()

    @property
    def plot_widget(self) -> QWidget:
        """The plot alone, for an export."""
        return self._plot.view

    @property
    def pixel(self) -> PixelSpectrum | None:
        """What is shown."""
        return self._pixel

    @property
    def pinned(self) -> bool:
        """Whether the pixel stays although the cursor moves on."""
        return self._pin.isChecked()

    def set_target(self, x: int, y: int) -> None:
        """Follow the cursor, unless a pixel is pinned.

        Parameters
        ----------
        x, y : int
            The pixel of the image under the cursor.
        """
        if not self.pinned:
            self.targetChanged.emit(x, y)

    def pin_at(self, x: int, y: int) -> None:
        """Show a pixel, and stay with it.

        Parameters
        ----------
        x, y : int
            A pixel of the image.
        """
        self.set_pinned(True)
        self.targetChanged.emit(x, y)

    def set_pinned(self, pinned: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Stay with the pixel, or follow the cursor again.

        Parameters
        ----------
        pinned : bool
            Whether to stay.
        """
        with QSignalBlocker(self._pin):
            self._pin.setChecked(pinned)

    def set_spectra(self, names: BandNames, usual: UsualSpectrum, pixel: PixelSpectrum) -> None:
        """Show another pixel.

        Parameters
        ----------
        names : BandNames
            What the bands are called.
        usual : UsualSpectrum
            The mean of the image, and how far pixels lie around it.
        pixel : PixelSpectrum
            The pixel.
        """
        before, self._pixel, self._names = self._pixel, pixel, names
        self._plot.set_spectra(names, usual, pixel)
        self._plot.setAccessibleDescription(pixel.table(names))
        self._pages.setCurrentIndex(1)
        self._show_legend()
        self._describe()
        if before is None or (before.x, before.y) != (pixel.x, pixel.y):
            self.sampleChanged.emit(self.region)

    @property
    def region(self) -> Region | None:
        """Where the pixel is; None where there is none."""
        pixel = self._pixel
        return None if pixel is None else Region(pixel.x, pixel.y, pixel.x + 1, pixel.y + 1)

    def say(self, sentence: str) -> None:
        """Show no spectrum, but why there is none.

        Parameters
        ----------
        sentence : str
            For the user.
        """
        had, self._pixel = self._pixel is not None, None
        self._message.setText(sentence)
        self._pages.setCurrentIndex(0)
        self.setAccessibleDescription(sentence)
        if had:
            self.sampleChanged.emit(None)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._show_legend()
        super().changeEvent(event)

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(self._readout, 1)
        top.addWidget(self._legend)
        top.addWidget(self._pin)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self._plot, 1)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._message)
        self._pages.addWidget(full)

    def _go(self, across: int, down: int) -> None:
        if self._pixel is not None:
            self.pin_at(self._pixel.x + across, self._pixel.y + down)

    def _describe(self) -> None:
        pixel, names, band = self._pixel, self._names, self._plot.band
        if pixel is None or names is None:
            return
        text = pixel.summary(names)
        if band >= 0:
            text = f"({pixel.x}, {pixel.y}) · {pixel.describe(band, names)}"
        self._readout.setText(text)
        self._readout.setToolTip(text if self._readout.sizeHint().width() > self._readout.width() else "")
        self.setAccessibleDescription(text)

    def _show_legend(self) -> None:
        colours, pixel = colours_of(self.palette()), self._pixel
        if pixel is None:
            return
        parts = []
        if pixel.original is not None:
            parts.append((colours.curve, "original"))
        if pixel.reconstruction is not None:
            parts.append((colours.accent, "reconstruction"))
        parts.append((colours.muted, "mean ± σ"))
        shown = "&nbsp;&nbsp; ".join(
            f'<span style="color: {colour}">■</span>&nbsp;{text.replace(" ", "&nbsp;")}'
            for colour, text in parts
        )
        self._legend.setText(shown)
        self._legend.setAccessibleName(", ".join(text for _, text in parts))
