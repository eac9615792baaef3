"""The block tab: one sample taken apart into its mean and what each component adds."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QSlider

from pcaimage.gui.screen.picture import Titled
from pcaimage.gui.tabs.block.figures import (
    EMPTY,
    LAPPED_NOTE,
    ScoreBars,
    describe_place,
    describe_score,
    describe_stage,
    stage_for,
    stage_title,
)
from pcaimage.gui.tabs.block.plot import ScorePlot, StageStrip
from pcaimage.gui.tabs.shared.pages import PinnablePage, content_of, panes
from pcaimage.gui.tabs.shared.sample_pictures import SamplePictures
from pcaimage.insight.formatting import short_figure
from pcaimage.insight.inspection import Bytes, Inspection

_ROOM_FOR_NOTE = 230


class BlockPage(PinnablePage[Inspection]):
    """Shows the sample under the cursor, or the pinned one, and how it is summed up by its components."""

    def __init__(self) -> None:
        super().__init__("block", "Stay on this block when the cursor moves away (P).")
        self._inspection: Inspection | None = None
        self._wanted: int | None = None
        """The component whose stage the user chose; None for the sum of all."""
        self._place = 0
        """The place of the stage that is highlighted."""
        self._note = QLabel(LAPPED_NOTE, wordWrap=True)
        self._note.setForegroundRole(self._note.palette().ColorRole.PlaceholderText)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setFixedWidth(128)
        self._slider.setPageStep(4)
        self._slider.setAccessibleName("Step")
        self._slider.setToolTip("Goes step by step from the mean alone to the sum of all kept components.")
        self._around = QCheckBox("Surroundings")
        self._around.setToolTip("Show the pixels around the block, too.")
        self._pictures, self._strip, self._plot = SamplePictures(), StageStrip(), ScorePlot()
        sides = panes((self._pictures, 3), (self._strip, 5), (self._plot, 3), sizes=[268, 380, 236])
        line = (self._readout, self._slider, self._around, self._pin)
        self._fill(content_of(line, sides, self._note, spacing=12), EMPTY)
        self._slider.valueChanged.connect(self._choose)
        self._strip.row.chosen.connect(self._choose)
        self._pictures.moved.connect(self._go)
        self._plot.hovered.connect(self._hover)
        self._around.toggled.connect(lambda _: self._show_stage(self._place))
        self.plot_widget = self._plot.plot_widget
        self.setAccessibleName("Block inspector")

    def set_figures(self, figures: Inspection) -> None:
        """Show another sample, at the stage that was chosen."""
        self._inspection = figures
        with QSignalBlocker(self._slider):
            self._slider.setMaximum(len(figures.stages) - 1)
        self._strip.set_inspection(figures)
        self._plot.set_bars(ScoreBars.of(figures), None if figures.lapped else figures.view.step)
        self._around.setEnabled(figures.samples.size > 1)
        self._show_content()
        self._show_note()
        self._show_stage(stage_for(figures, self._wanted))
        self._set_region(figures.place.region)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the note where there is room for it."""
        super().resizeEvent(event)
        self._show_note()

    def _clear(self) -> None:
        self._inspection = None
        self._strip.set_inspection(None)
        self._pictures.show_pictures()

    def _choose(self, place: int) -> None:
        if self._inspection is None:
            return
        last = place == len(self._inspection.stages) - 1
        # The choice of the complete sum carries over to the next block, which may have more components.
        self._wanted = None if last else self._inspection.stages[place].number
        self._show_stage(place)

    def _go(self, across: int, down: int) -> None:
        if self._inspection is not None:
            self.pin_at(*self._inspection.samples.neighbour(self._inspection.place, across, down).centre)

    def _show_stage(self, place: int) -> None:
        inspection = self._inspection
        if inspection is None:
            return
        self._place, stage = place, inspection.stages[place]
        with QSignalBlocker(self._slider):
            self._slider.setValue(place)
        self._strip.set_stage(place)
        self._plot.set_stage(stage.number)
        title = "all kept" if place == len(inspection.stages) - 1 else f"to {stage_title(stage)}"
        rms = "" if stage.rms is None else f" · RMS {short_figure(stage.rms)}"
        pictures = [self._titled(f"{title}{rms}", stage.picture, inspection)]
        if inspection.original is not None:
            pictures.insert(0, self._titled("original", inspection.original, inspection))
        self._pictures.show_pictures(*pictures)
        self._describe(inspection, describe_stage(stage))

    def _titled(self, title: str, pixels: Bytes, inspection: Inspection) -> Titled:
        if inspection.samples.size == 0:
            return Titled(title, pixels)
        if self._around.isChecked() or inspection.samples.size == 1:
            return Titled(title, pixels, inspection.inner)
        left, top, right, bottom = inspection.inner
        return Titled(title, pixels[top:bottom, left:right].copy())

    def _hover(self, number: int) -> None:
        inspection = self._inspection
        if inspection is not None:
            stage = describe_stage(inspection.stages[self._place])
            self._describe(inspection, describe_score(inspection, number) if number else stage)

    def _describe(self, inspection: Inspection, words: str) -> None:
        text = f"{describe_place(inspection)} · {words}"
        self._readout.setText(text)
        self.setAccessibleDescription(text)

    def _show_note(self) -> None:
        lapped = self._inspection is not None and self._inspection.lapped
        self._note.setVisible(lapped and self.height() >= _ROOM_FOR_NOTE)
