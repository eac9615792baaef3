"""The tab of size and quality: how large the file of every k is, and how good, beside other codecs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton

from pcaimage.gui.session.requests import Keep, Request, request_of
from pcaimage.gui.tabs.curve.figures import CurveData, Measure, Present, describe, rivals_at, summary
from pcaimage.gui.tabs.curve.plot import CurvePlot
from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPage, PlotHeader, choice_button
from pcaimage.gui.theme import colours_of
from pcaimage.imaging.rivals.rivals import RIVALS
from pcaimage.insight.curve import Curve
from pcaimage.insight.references import Reference

_TIP = (
    "The size of the file, and how close it is to the original; click to choose. The other "
    "codecs' curves are for this image, too. The elbow is where additional bytes begin to gain less."
)
_MEASURES: dict[Measure, tuple[str, str]] = {
    "psnr": (
        "PSNR",
        "Show the peak signal-to-noise ratio: how small the squared error of the pixels is.",
    ),
    "ssim": (
        "SSIM",
        "Show the structural similarity: how alike small parts of both images look, at most 1.",
    ),
}


class CurvePage(ChoosingPage):
    """Shows the size and quality at every operating point, and lets one be chosen."""

    measureChanged = Signal(str)  # noqa: N815
    """The measure on the vertical axis: ``"psnr"`` or ``"ssim"``."""
    curveAppeared = Signal()  # noqa: N815
    """There is a curve where there was none."""

    def __init__(self) -> None:
        plot = CurvePlot(colours_of(QGuiApplication.palette()))
        buttons: dict[str, QToolButton] = {
            name: choice_button(title, tip, f"Show {title}") for name, (title, tip) in _MEASURES.items()
        }
        header = PlotHeader(buttons)
        super().__init__(plot, header)
        self._curves, self._header = plot, header
        self.data, self._present = CurveData(), Present()
        self._notes: dict[str, tuple[str, str]] = {}
        header.chosen.connect(lambda name: self.set_measure("ssim" if name == "ssim" else "psnr"))
        header.choose(self.data.measure)
        self.setAccessibleName("Size and quality")
        self.setToolTip(_TIP)
        self._refresh()

    @property
    def note(self) -> str:
        """The note on work in progress, or on curves that are missing."""
        return " · ".join(note for note, _ in self._notes.values() if note)

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The colour and the name of each curve; none where the own is alone."""
        colours, names = colours_of(self.palette()), [rival.name for rival in RIVALS]
        shown = [
            (colours.references[names.index(each.name)], each.title)
            for each in self.data.references
            if each.name in self.data.lines
        ]
        return ((colours.accent, "pcaimage"), *shown) if shown else ()

    @property
    def number(self) -> int:
        """The number of the point that is nearest to the present setting, from 1; 0 for none."""
        return self.data.number_of(self._present)

    @property
    def most(self) -> int:
        """Number of points that can be chosen; 0 without a curve."""
        return self.data.most

    def set_curve(self, curve: Curve | None) -> None:
        """Show another curve, one that has grown, or none; the other codecs' curves stay."""
        before = self.data.most
        if curve is None or len(curve) != before:
            self._end_drag()
        self._show(replace(self.data, curve=curve))
        if curve is not None and not before:
            self.curveAppeared.emit()

    def set_references(self, references: Iterable[Reference]) -> None:
        """Show what other codecs make of the image."""
        self._show(replace(self.data, references=tuple(references)))

    def set_original(
        self, n_bytes: int | None, name: str = "original", *, deep: bool = False, similar: bool = True
    ) -> None:
        """Show the size of the file that was opened, called such as ``"original PNG"``; None for none.

        `deep` images have 16 bits; `similar` says whether structural similarity can be shown.
        """
        data = self.data
        if (n_bytes, name, deep, similar) != (data.original, data.original_name, data.deep, data.similar):
            changed = replace(data, original=n_bytes, original_name=name, deep=deep, similar=similar)
            self._show(changed)

    def set_measure(self, measure: Measure) -> None:
        """Show another measure on the vertical axis; nothing else depends on it."""
        if measure != self.data.measure:
            self._header.choose(measure)
            self._show(replace(self.data, measure=measure))
            self.measureChanged.emit(measure)

    def set_k(self, k: int) -> None:
        """Show how many components are kept, without figures that are certain; 0 for none."""
        self.set_present(Present(k))

    def set_present(self, present: Present) -> None:
        """Show the present k with the figures known of its file."""
        if present != self._present:
            self._present = present
            self._refresh()

    def set_note(self, source: str, note: str, tip: str = "") -> None:
        """Show a short note, with a tooltip, on work in progress or on missing data.

        Each source has one note; an empty one removes it.
        """
        self._notes[source] = note, tip
        self._header.remark.setToolTip(" ".join(tip for _, tip in self._notes.values() if tip))
        self._name_curves()

    def set_message(self, sentence: str) -> None:
        """Set the reason why there is no plot; visible only while there is none."""
        if sentence != self._message.text():
            super().set_message(sentence)
            self._refresh()

    def position_of(self, number: int) -> QPoint:
        """Return where a point, counted from 1 and known, is on :attr:`surface`."""
        place = self.data.place(number)
        return QPoint() if place is None else self._curves.position_of(*place)

    def _request(self, number: int, final: bool) -> Request:  # noqa: FBT001 - as PendingK calls it
        points = None if self.data.curve is None else self.data.curve.points
        return Keep(number, final) if points is None else request_of(points, number, final=final)

    def _number_at(self, x: float) -> int:
        return self.data.number_at(x)

    def _hover(self, number: int | None) -> None:
        self._curves.show_hovered(self.data.place(number) if number is not None else None)
        self._describe(number)

    def _show(self, data: CurveData) -> None:
        self.data = data
        self._curves.show_data(data)
        self._curves.show_hovered(None)
        self._header.set_choice(on=data.similar and data.shown != "share")
        self._name_curves()
        self._refresh()

    def _describe(self, number: int | None) -> None:
        """Show the figures of a point, or the present ones."""
        present = self._present if number in {None, self.number} else None
        number = self.number if number is None else number
        parts = describe(self.data, number, present), rivals_at(self.data, number, present)
        self._readout.setText(" · ".join(part for part in parts if part))

    def _recolour(self) -> None:
        super()._recolour()
        self._name_curves()

    def _name_curves(self) -> None:
        """Show the names of the curves before the note."""
        self._header.set_legend(self.legend, self.note)

    def _refresh(self) -> None:
        plotted = self.data.curve is not None or bool(self.data.references)
        self._show_content(on=plotted)
        self._curves.show_place(self.data.place(self.number, self._present))
        self._describe(None)
        self.setAccessibleDescription(summary(self.data, self._present) or self._message.text())
