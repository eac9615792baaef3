"""The block inspector: one sample taken apart into its mean and what each component adds."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from pcaimage.gui.tabs.block.figures import (
    LAPPED_NOTE,
    ScoreBars,
    describe_score,
    describe_stage,
    stage_for,
    stage_title,
    what_sample,
)
from pcaimage.gui.tabs.block.plot import ScoreChart
from pcaimage.gui.tabs.block.strip import StageStrip
from pcaimage.gui.tabs.error.figures import figure
from pcaimage.gui.tabs.shared.sample_pictures import SamplePictures
from pcaimage.gui.tabs.shared.titled import Titled
from pcaimage.gui.theme import tabular
from pcaimage.insight.inspection import Bytes, Inspection

EMPTY = "Move over an open image to see the block under the cursor taken apart here."
_ROOM_FOR_NOTE = 230


class BlockInspector(QWidget):
    """Shows the sample under the cursor, or the one that is pinned, and how it is summed up.

    It finds nothing out by itself: it asks for what lies at a pixel, and shows what :meth:`set_sample` gets.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    targetChanged = Signal(int, int)  # noqa: N815
    """A pixel of the image whose sample is to be shown."""
    sampleChanged = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` of the sample that is shown now; None for none."""
    pinnedChanged = Signal(bool)  # noqa: N815
    """Whether the sample stays although the cursor moves on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inspection: Inspection | None = None
        self._bars: ScoreBars | None = None
        self._wanted: int | None = None
        self._place = 0
        self._message = QLabel(EMPTY, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._message.setMargin(16)
        self._readout = QLabel()
        self._readout.setFont(tabular(self._readout.font()))
        self._readout.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._note = QLabel(LAPPED_NOTE)
        self._note.setForegroundRole(self._note.palette().ColorRole.PlaceholderText)
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._around = QCheckBox("Surroundings")
        self._pin = QCheckBox("Pin")
        self._pictures, self._strip, self._chart = SamplePictures(), StageStrip(), ScoreChart()
        self._describe_controls()
        self._arrange()
        self._connect()
        self.setAccessibleName("Block inspector")
        self.say(EMPTY)

    @property
    def text(self) -> str:
        """The figures shown above the pictures, or why there are none."""
        return self._message.text() if self._inspection is None else self._readout.text()

    @property
    def plot_widget(self) -> QWidget:
        """The chart of the scores alone, for an export."""
        return self._chart.plot_widget

    @property
    def pinned(self) -> bool:
        """Whether the sample stays although the cursor moves on."""
        return self._pin.isChecked()

    def set_target(self, x: int, y: int) -> None:
        """Follow the cursor, unless a sample is pinned.

        Parameters
        ----------
        x, y : int
            The pixel of the image under the cursor.
        """
        if not self.pinned:
            self.targetChanged.emit(x, y)

    def pin_at(self, x: int, y: int) -> None:
        """Show the sample at a pixel, and stay with it.

        Parameters
        ----------
        x, y : int
            A pixel of the image.
        """
        self.set_pinned(True)
        self.targetChanged.emit(x, y)

    def set_pinned(self, pinned: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Stay with the sample, or follow the cursor again.

        Parameters
        ----------
        pinned : bool
            Whether to stay.
        """
        self._pin.setChecked(pinned)

    def set_sample(self, inspection: Inspection) -> None:
        """Show another sample, at the step that was chosen.

        Parameters
        ----------
        inspection : Inspection
            The sample.
        """
        before = None if self._inspection is None else self._inspection.place.region
        self._inspection, self._bars = inspection, ScoreBars.of(inspection)
        with QSignalBlocker(self._slider):
            self._slider.setMaximum(len(inspection.stages) - 1)
        self._strip.set_inspection(inspection)
        self._chart.set_bars(self._bars, None if inspection.lapped else inspection.view.step)
        self._around.setEnabled(inspection.samples.size > 1)
        self._pages.setCurrentIndex(1)
        self._show_note()
        self._show_stage(stage_for(inspection, self._wanted))
        if inspection.place.region != before:
            self.sampleChanged.emit(inspection.place.region)

    def say(self, sentence: str) -> None:
        """Show no sample, but why there is none.

        Parameters
        ----------
        sentence : str
            For the user.
        """
        had = self._inspection is not None
        self._inspection = self._bars = None
        self._strip.set_inspection(None)
        self._pictures.show_pictures()
        self._message.setText(sentence)
        self._pages.setCurrentIndex(0)
        self.setAccessibleDescription(sentence)
        if had:
            self.sampleChanged.emit(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the note where there is room for it."""
        super().resizeEvent(event)
        self._show_note()

    def _describe_controls(self) -> None:
        self._slider.setFixedWidth(128)
        self._slider.setPageStep(4)
        self._slider.setAccessibleName("Step")
        self._slider.setToolTip("Goes step by step from the mean alone to the sum of all that is kept.")
        self._around.setToolTip("Show the pixels around the block, too.")
        self._pin.setToolTip("Stay with this block although the cursor moves on (P).")
        self._pin.setAccessibleName("Pin the block")

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self._readout, 1)
        for widget in (self._slider, self._around, self._pin):
            top.addWidget(widget)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        for place, (pane, stretch) in enumerate(((self._pictures, 3), (self._strip, 5), (self._chart, 3))):
            splitter.addWidget(pane)
            splitter.setStretchFactor(place, stretch)
            splitter.setCollapsible(place, False)
        splitter.setHandleWidth(8)
        splitter.setSizes([268, 380, 236])
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(splitter, 1)
        column.addWidget(self._note)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._message)
        self._pages.addWidget(full)

    def _connect(self) -> None:
        self._slider.valueChanged.connect(self._choose)
        self._strip.stageRequested.connect(self._choose)
        self._pictures.moved.connect(self._go)
        self._chart.hovered.connect(self._hover)
        self._around.toggled.connect(lambda _: self._show_stage(self._place))
        self._pin.toggled.connect(self.pinnedChanged)
        pin = QShortcut(QKeySequence("P"), self)
        pin.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        pin.activated.connect(self._pin.toggle)

    def _choose(self, place: int) -> None:
        if self._inspection is None:
            return
        last = place == len(self._inspection.stages) - 1
        # Who chose all sees all of the next block, too, however many components that are.
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
        self._chart.set_stage(stage.number)
        title = "all kept" if place == len(inspection.stages) - 1 else f"to {stage_title(stage)}"
        rms = "" if stage.rms is None else f" · RMS {figure(stage.rms)}"
        pictures = [self._titled(f"{title}{rms}", stage.picture)]
        if inspection.original is not None:
            pictures.insert(0, self._titled("original", inspection.original))
        self._pictures.show_pictures(*pictures)
        self._describe(describe_stage(stage))

    def _titled(self, title: str, pixels: Bytes) -> Titled:
        inspection = self._inspection
        if inspection is None or inspection.samples.size == 0:
            return Titled(title, pixels)
        if self._around.isChecked() or inspection.samples.size == 1:
            return Titled(title, pixels, inspection.inner)
        left, top, right, bottom = inspection.inner
        return Titled(title, pixels[top:bottom, left:right].copy())

    def _hover(self, number: int) -> None:
        inspection = self._inspection
        if inspection is not None:
            stage = inspection.stages[self._place]
            self._describe(describe_score(inspection, number) if number else describe_stage(stage))

    def _describe(self, words: str) -> None:
        if self._inspection is not None:
            text = f"{what_sample(self._inspection)} · {words}"
            self._readout.setText(text)
            self._readout.setToolTip(text)
            self.setAccessibleDescription(text)

    def _show_note(self) -> None:
        lapped = self._inspection is not None and self._inspection.lapped
        self._note.setVisible(lapped and self.height() >= _ROOM_FOR_NOTE)
        self._note.setToolTip(LAPPED_NOTE)
