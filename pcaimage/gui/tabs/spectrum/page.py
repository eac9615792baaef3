"""The tab of the spectrum: explained variances, their cumulative share, and a line to drag for k."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPage, PlotHeader, choice_button
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.gui.tabs.spectrum.plot import SpectrumPlot
from pcaimage.gui.theme import colours_of

_TIP = (
    "The curve is the share {of} that all components up to that point keep together; "
    "drag the line, or click a percentage, to choose k."
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


class SpectrumPage(ChoosingPage):
    """Shows how much of the variance each component explains, and lets k be chosen on that."""

    def __init__(self) -> None:
        plot = SpectrumPlot(colours_of(QGuiApplication.palette()))
        header = PlotHeader(
            {
                name: choice_button(name, tip, f"{name} scale of the variance")
                for name, tip in _SCALE_TIPS.items()
            }
        )
        super().__init__(plot, header)
        header.remark.setToolTip(_LEGEND_TIP)
        header.choose(_LOG)
        self.set_message(_EMPTY)
        self._spectrum, self._header = plot, header
        self._data = SpectrumData.of([], 0)
        self._k = 0
        self._left_out: frozenset[int] = frozenset()
        self._header.chosen.connect(lambda name: self.set_logarithmic(on=name == _LOG))
        self.setAccessibleName("Spectrum")
        self._refresh()

    @property
    def legend(self) -> str:
        """The groups and their shares, as plain text; empty where there is only one."""
        return ", ".join(name for _, name in self._entries)

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
        self._header.set_legend(self._entries)
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

    @property
    def _entries(self) -> list[tuple[str, str]]:
        colours = colours_of(self.palette()).planes
        # That they are of colour is said by the tip: all three fit into a narrow window.
        names = (name.replace("colour ", "") for name in self._data.group_names)
        groups = zip(names, self._data.group_shares, strict=True)
        return [(colours[min(n, len(colours) - 1)], " ".join(each)) for n, each in enumerate(groups)]

    def _recolour(self) -> None:
        super()._recolour()
        self._header.set_legend(self._entries)

    def _describe(self, component: int) -> None:
        if 1 <= component <= self._data.most:
            out = " · left out" if component in self._left_out else ""
            self._readout.setText(self._data.describe(component) + out)

    def _refresh(self) -> None:
        self._show_content(on=self._data.most > 0)
        self._spectrum.show_k(self._k)
        self._describe(self._k)
        kept = f"{self._k} of {self._data.most} components are kept; {self.text}"
        self.setAccessibleDescription(kept if self._data.most else _EMPTY)
