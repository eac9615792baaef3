"""The tab of the spectrum: explained variances, their cumulative share, and a line to drag for k."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPage, PlotHeader, choice_button
from pcaimage.gui.tabs.shared.pages import legend_of
from pcaimage.gui.tabs.spectrum.figures import SpectrumData, Threshold
from pcaimage.gui.tabs.spectrum.plot import SpectrumPlot
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.component_table import PLAIN

_TIP = (
    "The curve is the share {of} that all components up to that point keep together; "
    "drag the line to choose k."
)
_EMPTY = "The spectrum appears here once the components of an image are found."
_LEGEND_TIP = (
    "The colour axes are the principal components of the image's own channels: the first is the mixture of "
    "them that varies most, often close to brightness. The share is that of all its components."
)
_LOG, _LINEAR = "Log", "Linear"
_SCALE_TIPS = {
    _LOG: "Show variances on a logarithmic scale, where each line is a factor of ten. (L)",
    _LINEAR: "Show variances on a linear scale, where heights are shares of the variance. (L)",
}
_WIDE = 1100
"""Pixels of width from which on the legend has whole names."""
_GAP, _STALK, _PADDING = 4, 5, 10
"""Pixels between flags, below them, and beside their text."""


class SpectrumHeader(PlotHeader):
    """Shows the figures of a component, a legend of groups, and two buttons that choose the scale."""

    def __init__(self) -> None:
        legend = QLabel(textFormat=Qt.TextFormat.RichText)
        buttons = {
            name: choice_button(name, tip, f"{name} scale of the variance")
            for name, tip in _SCALE_TIPS.items()
        }
        super().__init__(legend, buttons)
        self._entries: tuple[tuple[str, str], ...] = ()
        self._legend = legend
        self._legend.setToolTip(_LEGEND_TIP)
        self.choose(_LOG)

    @property
    def legend(self) -> str:
        """The groups and their shares, as plain text."""
        return ", ".join(f"{name} {share}" for name, share in self._entries)

    def set_legend(self, entries: tuple[tuple[str, str], ...]) -> None:
        """Show the names and shares of groups; none where there is only one."""
        self._entries = entries
        self._recolour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the legend where there is little room."""
        super().resizeEvent(event)
        self._recolour()

    def _recolour(self) -> None:
        colours = colours_of(self.palette()).planes
        wide = self.width() >= _WIDE
        parts = [
            (colours[min(number, len(colours) - 1)], f"{name if wide else name.split()[0]} {share}")
            for number, (name, share) in enumerate(self._entries)
        ]
        self._legend.setText(legend_of(parts))
        self._legend.setAccessibleName(self.legend)
        self._legend.setVisible(bool(parts))


class ThresholdFlags(QWidget):
    """Buttons over the components at which 90, 95 and 99 % of the variance are reached.

    `place` returns where a component is, in pixels from the left edge.
    """

    chosen = Signal(int)
    """The k of a flag that was clicked."""

    def __init__(self, place: Callable[[int], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._flags: list[tuple[Threshold, QToolButton]] = []
        self._of = PLAIN.of
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def buttons(self) -> list[QToolButton]:
        """The flags, from left to right."""
        return [button for _, button in self._flags]

    def set_thresholds(self, thresholds: Sequence[Threshold], of: str) -> None:
        """Show other thresholds, which are ascending; `of` names the variance that they are shares of."""
        if (of, *thresholds) != (self._of, *(mark for mark, _ in self._flags)):
            self._of = of
            for _, button in self._flags:
                button.hide()
                button.deleteLater()
            self._flags = [(mark, self._flag(mark)) for mark in thresholds]
        self.arrange()

    def arrange(self) -> None:
        """Put each flag over its component, or beside it where another is in the way."""
        sizes = [button.fontMetrics().horizontalAdvance(mark.name) + _PADDING for mark, button in self._flags]
        lefts: list[float] = []
        for (mark, _), width in zip(self._flags, sizes, strict=True):
            centred = self._place(mark.k) - width / 2
            lefts.append(max(centred, lefts[-1] + sizes[len(lefts) - 1] + _GAP if lefts else 0.0))
        limit = float(self.width())
        for number in reversed(range(len(lefts))):
            lefts[number] = min(lefts[number], limit - sizes[number])
            limit = lefts[number] - _GAP
        for (_, button), left, width in zip(self._flags, lefts, sizes, strict=True):
            button.setGeometry(round(left), 0, width, self.height() - _STALK)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a height for one line; any width will do."""
        return QSize(0, self.fontMetrics().height() + _STALK + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the flags over their components."""
        super().resizeEvent(event)
        self.arrange()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Draw a stalk from each flag to its component."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours_of(self.palette()).curve), 1.0))
        for mark, button in self._flags:
            foot = button.geometry().center()
            top = QPointF(foot.x() + 0.5, self.height() - _STALK)
            painter.drawLine(top, QPointF(self._place(mark.k), self.height()))
        painter.end()

    def _flag(self, mark: Threshold) -> QToolButton:
        components = "1 component" if mark.k == 1 else f"{mark.k} components"
        button = QToolButton(self, autoRaise=True)
        button.setText(mark.name)
        button.setFont(tabular(button.font()))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(f"{mark.name} {self._of} is reached with {components}; click to keep that many.")
        button.setAccessibleName(f"Keep {components}, the fewest that reach {mark.name} {self._of}")
        button.clicked.connect(lambda: self.chosen.emit(mark.k))
        button.show()
        return button


class SpectrumPage(ChoosingPage):
    """Shows how much of the variance each component explains, and lets k be chosen on that."""

    def __init__(self) -> None:
        plot = SpectrumPlot(colours_of(QGuiApplication.palette()))
        header, flags = SpectrumHeader(), ThresholdFlags(self._place_of)
        super().__init__(plot, header, flags)
        self.set_message(_EMPTY)
        self._spectrum, self._header, self.flags = plot, header, flags
        self._data = SpectrumData.of([], 0)
        self._k = 0
        self._left_out: frozenset[int] = frozenset()
        self._header.chosen.connect(lambda name: self.set_logarithmic(on=name == _LOG))
        self.flags.chosen.connect(self._choose)
        self._spectrum.when_resized(self.flags.arrange)
        self.setAccessibleName("Spectrum")
        self._refresh()

    @property
    def legend(self) -> str:
        """The groups and their shares, as plain text; empty where there is only one."""
        return self._header.legend

    @property
    def logarithmic(self) -> bool:
        """Whether variances are shown on a logarithmic scale."""
        return self._data.logarithmic

    @property
    def number(self) -> int:
        """The k that is shown; 0 for none."""
        return self._k

    @property
    def most(self) -> int:
        """The largest k that can be chosen; 0 without a spectrum."""
        return self._data.most

    def set_spectrum(self, data: SpectrumData) -> None:
        """Show another spectrum, on the scale that was chosen."""
        self._data = replace(data, logarithmic=self.logarithmic)
        self.setToolTip(f"{data.scale.about} {_TIP.format(of=data.scale.of)}")
        self._k = min(self._k, self._data.most)
        self._end_drag()
        self._spectrum.show_spectrum(self._data, self._left_out)
        self._header.set_legend(tuple(zip(self._data.group_names, self._data.group_shares, strict=True)))
        self.flags.set_thresholds(self._data.thresholds, data.scale.of)
        self._refresh()

    def set_k(self, k: int) -> None:
        """Show how many components are kept."""
        k = min(k, self._data.most)
        if k != self._k:
            self._k = k
            self._refresh()

    def set_left_out(self, left_out: Collection[int]) -> None:
        """Show which components, counted from 1, are left out; their bars are hollow."""
        if frozenset(left_out) != self._left_out:
            self._left_out = frozenset(left_out)
            self._spectrum.show_left_out(self._left_out)
            self._refresh()

    def set_logarithmic(self, *, on: bool) -> None:
        """Show variances on a logarithmic or on a linear scale; nothing else depends on it."""
        self._data = replace(self._data, logarithmic=on)
        self._spectrum.show_spectrum(self._data, self._left_out)
        self._header.choose(_LOG if on else _LINEAR)
        self._refresh()

    def position_of(self, component: int) -> QPoint:
        """Return where a component, counted from 1, is on :attr:`surface`."""
        return self._spectrum.position_of_component(component)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the line; L changes the scale."""
        if event.key() == Qt.Key.Key_L and not event.modifiers() and self._data.most:
            self.set_logarithmic(on=not self.logarithmic)
        else:
            super().keyPressEvent(event)

    def _number_at(self, x: float) -> int:
        return self._data.component_at(x)

    def _hover(self, number: int | None) -> None:
        self._spectrum.show_hovered(number or 0)
        self._describe(self._k if number is None else number)

    def _place_of(self, component: int) -> float:
        return float(self.surface.mapTo(self.plot_widget, self.position_of(component)).x())

    def _describe(self, component: int) -> None:
        if 1 <= component <= self._data.most:
            out = " · left out" if component in self._left_out else ""
            self._readout.show_line(self._data.describe(component) + out)

    def _refresh(self) -> None:
        self._show_content(on=self._data.most > 0)
        self._spectrum.show_k(self._k)
        self._describe(self._k)
        kept = f"{self._k} of {self._data.most} components are kept; {self.text}"
        self.setAccessibleDescription(kept if self._data.most else _EMPTY)
