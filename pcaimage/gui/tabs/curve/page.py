"""Size and quality: what the file of every k takes and keeps, beside other codecs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from pcaimage.gui.tabs.curve.figures import CurveData, Measure, Present
from pcaimage.gui.tabs.curve.header import CurveHeader
from pcaimage.gui.tabs.curve.plot import CurveItems
from pcaimage.gui.tabs.curve.words import figures, rivals_at, summary
from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPlot
from pcaimage.gui.theme import colours_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pcaimage.insight.curve import Curve
    from pcaimage.insight.references import Reference

EMPTY = "Size and quality of every k appear here when an image is open."
_TIP = (
    "How large the file of every k is, and how near to the original; click to choose k. Other codecs' curves "
    "are of this image. The elbow is where further bytes begin to buy less."
)


class CurvePlot(ChoosingPlot):
    """Shows what every k costs and buys, and lets k be chosen where that is seen.

    It changes nothing by itself but what it measures by: it asks for a k and shows it when :meth:`set_k` or
    :meth:`set_present` answers.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    measureChanged = Signal(str)  # noqa: N815
    """What is shown upwards: ``"psnr"`` or ``"ssim"``."""
    curveAppeared = Signal()  # noqa: N815
    """There is a curve where there was none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data, self._present = CurveData(), Present()
        self._message = EMPTY
        self._notes: dict[str, tuple[str, str]] = {}
        self._items = CurveItems(colours_of(self.palette()))
        self._header = CurveHeader()
        self._pages = QStackedLayout(self)
        self._empty = QLabel(EMPTY, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._lay_out()
        self._header.measureRequested.connect(lambda measure: self.set_measure(cast("Measure", measure)))
        self.feel(self._items.surface)
        self.setAccessibleName("Size and quality")
        self.setToolTip(_TIP)
        self._refresh()

    @property
    def text(self) -> str:
        """The figures shown above the plot, or why there is no plot."""
        return self._header.text if self._pages.currentIndex() else self._message

    @property
    def measure(self) -> Measure:
        """What is shown upwards where both can be known."""
        return self._data.measure

    @property
    def header(self) -> CurveHeader:
        """The row above the plot."""
        return self._header

    @property
    def data(self) -> CurveData:
        """What is shown."""
        return self._data

    @property
    def plot_widget(self) -> QWidget:
        """The plot alone, for an export."""
        return self._items.widget

    @property
    def surface(self) -> QWidget:
        """The widget that feels the mouse."""
        return self._items.surface

    def set_curve(self, curve: Curve | None) -> None:
        """Show another curve, or one that has grown.

        Parameters
        ----------
        curve : Curve or None
            None for none; the other codecs' curves stay.
        """
        before = self._data.most
        if curve is None or curve.n_components != before:
            self.let_go()
        self._show(replace(self._data, curve=curve))
        if curve is not None and not before:
            self.curveAppeared.emit()

    def set_references(self, references: Iterable[Reference]) -> None:
        """Show what other codecs make of the image.

        Parameters
        ----------
        references : iterable of Reference
            Those that are known so far.
        """
        self._show(replace(self._data, references=tuple(references)))

    def set_original(
        self, n_bytes: int | None, name: str = "original", *, deep: bool = False, similar: bool = True
    ) -> None:
        """Show how large the file is that was opened.

        Parameters
        ----------
        n_bytes : int or None
            Its size; None where there is none.
        name : str
            What it is called, such as ``"original PNG"``.
        deep : bool
            Whether its pixels have 16 bits.
        similar : bool
            Whether structural similarity can be shown of it.
        """
        data = self._data
        if (n_bytes, name, deep, similar) != (data.original, data.original_name, data.deep, data.similar):
            changed = replace(data, original=n_bytes, original_name=name, deep=deep, similar=similar)
            self._show(changed)

    def set_measure(self, measure: Measure) -> None:
        """Show another measure upwards; this is a way of looking, and nothing else depends on it.

        Parameters
        ----------
        measure : {"psnr", "ssim"}
            The measure.
        """
        if measure != self._data.measure:
            self._header.set_measure(measure)
            self._show(replace(self._data, measure=measure))
            self.measureChanged.emit(measure)

    def set_k(self, k: int) -> None:
        """Show how many components are kept, of which nothing is known for certain.

        Parameters
        ----------
        k : int
            Counted from 1; 0 for none.
        """
        self.set_present(Present(k))

    def set_present(self, present: Present) -> None:
        """Show the setting, with what is known of its file.

        Parameters
        ----------
        present : Present
            k and figures.
        """
        if present != self._present:
            self._present = present
            self._refresh()

    def set_note(self, source: str, note: str, tip: str = "") -> None:
        """Say what is still being found out, or cannot be.

        Parameters
        ----------
        source : str
            Who says so; each has one note.
        note : str
            A few words; empty for none.
        tip : str
            The whole sentence.
        """
        self._notes[source] = note, tip
        notes, tips = (list(filter(None, texts)) for texts in zip(*self._notes.values(), strict=True))
        self._header.set_note(" · ".join(notes), " ".join(tips))

    def say(self, message: str) -> None:
        """Say why there is no plot; that is seen while there is none.

        Parameters
        ----------
        message : str
            A sentence.
        """
        self._message = message
        self._refresh()

    def position_of(self, k: int) -> QPoint:
        """Return where a k is on the plot's surface.

        Parameters
        ----------
        k : int
            Counted from 1; its place is known.

        Returns
        -------
        QPoint
            On :attr:`surface`.
        """
        place = self._data.place(k)
        return QPoint() if place is None else self._items.position_of(place)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._items.set_colours(colours_of(self.palette()))
        super().changeEvent(event)

    def _lay_out(self) -> None:
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self._items.widget, 1)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(full)

    def _chosen(self) -> tuple[int, int]:
        return self._present.k, self._data.most

    def _k_at(self, position: QPointF) -> int:
        return self._data.k_at(self._items.axis_value(position))

    def _hover(self, k: int | None) -> None:
        self._items.show_hovered(self._data.place(k) if k is not None else None)
        self._describe(self._present.k if k is None else k)

    def _mark_focus(self, *, on: bool) -> None:
        self._items.set_focus(on=on)

    def _show(self, data: CurveData) -> None:
        self._data = data
        self._items.show_data(data)
        self._items.show_hovered(None)
        self._header.set_choice(on=data.similar and data.shown != "share")
        self._refresh()

    def _describe(self, k: int) -> None:
        parts = figures(self._data, k, self._present), rivals_at(self._data, k, self._present)
        self._header.set_text(" · ".join(part for part in parts if part))

    def _refresh(self) -> None:
        plotted = self._data.curve is not None or bool(self._data.references)
        self._pages.setCurrentIndex(1 if plotted else 0)
        self._empty.setText(self._message)
        self._items.show_place(self._data.place(self._present.k, self._present))
        self._describe(self._present.k)
        self.setAccessibleDescription(summary(self._data, self._present) or self._message)
