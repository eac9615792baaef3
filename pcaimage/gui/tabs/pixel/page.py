"""The pixel tab: the spectrum of the pixel under the cursor, before and after."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QLabel

from pcaimage.codec import Region
from pcaimage.gui.tabs.pixel.plot import PixelFigures, PixelPlot
from pcaimage.gui.tabs.shared.pages import PinnablePage, content_of
from pcaimage.gui.theme import colours_of
from pcaimage.insight.pixel_spectrum import PixelSpectrum

EMPTY = "The spectrum of the pixel under the cursor appears here: move over the pictures."


class PixelPage(PinnablePage[PixelFigures]):
    """Shows the spectrum of the pixel under the cursor, or of the pinned one."""

    def __init__(self) -> None:
        super().__init__("pixel", "Stay on this pixel when the cursor moves away (P); a click pins it, too.")
        self._figures: PixelFigures | None = None
        self._legend = QLabel()
        self._legend.setToolTip("The grey area is the mean spectrum of the image ± one standard deviation.")
        self._plot = PixelPlot()
        self._fill(content_of((self._readout, self._legend, self._pin), self._plot, spacing=16), EMPTY)
        self._plot.hovered.connect(lambda _: self._describe())
        self._plot.moved.connect(self._go)
        self.plot_widget = self._plot.plot_widget
        self.setAccessibleName("Pixel")

    @property
    def pixel(self) -> PixelSpectrum | None:
        """The spectrum that is shown."""
        return None if self._figures is None else self._figures.pixel

    def set_figures(self, figures: PixelFigures) -> None:
        """Show another pixel."""
        self._figures, pixel = figures, figures.pixel
        self._plot.set_figures(figures)
        self._plot.setAccessibleDescription(pixel.table(figures.names))
        self._show_content()
        self._show_legend()
        self._describe()
        self._set_region(Region(pixel.x, pixel.y, pixel.x + 1, pixel.y + 1))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._show_legend()
        super().changeEvent(event)

    def _clear(self) -> None:
        self._figures = None

    def _go(self, across: int, down: int) -> None:
        if self.pixel is not None:
            self.pin_at(self.pixel.x + across, self.pixel.y + down)

    def _describe(self) -> None:
        if self._figures is None:
            return
        pixel, names, band = self._figures.pixel, self._figures.names, self._plot.band
        text = pixel.summary(names)
        if band >= 0:
            text = f"({pixel.x}, {pixel.y}) · {pixel.describe(band, names)}"
        self._readout.show_line(text)
        self.setAccessibleDescription(text)

    def _show_legend(self) -> None:
        colours, pixel = colours_of(self.palette()), self.pixel
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
