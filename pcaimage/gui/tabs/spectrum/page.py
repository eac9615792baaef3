"""The spectrum: explained variances, their cumulative share, and a line at k that the hand can drag."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPlot
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.gui.tabs.spectrum.flags import ThresholdFlags
from pcaimage.gui.tabs.spectrum.header import SpectrumHeader
from pcaimage.gui.tabs.spectrum.plot import SpectrumItems
from pcaimage.gui.theme import colours_of
from pcaimage.insight.scale import PLAIN, Scale

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike
    from PySide6.QtGui import QKeyEvent

_TIP = "The curve is the share {of} that the components up to there keep together; drag the line to choose k."
_EMPTY = "The spectrum appears here when an image is open."


class SpectrumPlot(ChoosingPlot):
    """Shows how much each component explains, and lets k be chosen where it is seen.

    It changes nothing by itself: it asks for a k and shows it when :meth:`set_k` answers.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data = SpectrumData.of([], 0)
        self._k = 0
        self._left_out: frozenset[int] = frozenset()
        self._items = SpectrumItems(colours_of(self.palette()))
        self._surface = self._items.surface
        self._header, self._flags = SpectrumHeader(), ThresholdFlags(self._place_of)
        self._pages = QStackedLayout(self)
        self._lay_out()
        self._header.logarithmicRequested.connect(lambda on: self.set_logarithmic(on=on))
        self._flags.chosen.connect(self._choose)
        self._items.when_resized(self._flags.arrange)
        self.feel(self._surface)
        self.setAccessibleName("Spectrum")
        self._refresh()

    def _lay_out(self) -> None:
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self._flags)
        column.addWidget(self._items.widget, 1)
        self._pages.addWidget(QLabel(_EMPTY, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True))
        self._pages.addWidget(full)

    @property
    def text(self) -> str:
        """The figures shown above the plot."""
        return self._header.text if self._data.most else _EMPTY

    @property
    def logarithmic(self) -> bool:
        """Whether variances are shown on a logarithmic scale."""
        return self._data.logarithmic

    @property
    def header(self) -> SpectrumHeader:
        """The row above the plot."""
        return self._header

    @property
    def plot_widget(self) -> QWidget:
        """The plot alone, for an export."""
        return self._items.widget

    @property
    def flags(self) -> ThresholdFlags:
        """What marks where 90, 95 and 99 % of the variance are reached."""
        return self._flags

    def set_spectrum(
        self,
        variances: ArrayLike,
        n_components_max: int,
        groups: ArrayLike | None = None,
        group_names: Sequence[str] = (),
        scale: Scale = PLAIN,
        *,
        total: float = 0.0,
    ) -> None:
        """Show another spectrum.

        Parameters
        ----------
        variances : array_like, shape (n,)
            Explained variances in the order of the components; empty for no spectrum.
        n_components_max : int
            The largest k that can be asked for.
        groups : array_like of int, shape (n,), optional
            Which group each component belongs to, from 0, as of :class:`.insight.components.ColourAxes`.
        group_names : sequence of str, optional
            The groups, each of which has a colour; none where there is only one.
        scale : Scale, optional
            What variances are called.
        total : float, optional
            The variance of all features, if that is more than their sum.
        """
        self._data = SpectrumData.of(
            variances,
            n_components_max,
            groups,
            group_names,
            logarithmic=self.logarithmic,
            scale=scale,
            total=total,
        )
        self.setToolTip(f"{scale.about} {_TIP.format(of=scale.of)}")
        self._k = min(self._k, self._data.most)
        self.let_go()
        self._items.show_spectrum(self._data, self._left_out)
        self._header.set_legend(tuple(zip(self._data.group_names, self._data.group_shares, strict=True)))
        self._flags.set_thresholds(self._data.thresholds, scale.of)
        self._refresh()

    def set_k(self, k: int) -> None:
        """Show how many components are kept.

        Parameters
        ----------
        k : int
            Counted from 1.
        """
        k = min(k, self._data.most)
        if k != self._k:
            self._k = k
            self._refresh()

    def set_left_out(self, left_out: Collection[int]) -> None:
        """Show which components are left out; their bars are hollow.

        Parameters
        ----------
        left_out : collection of int
            Counted from 1.
        """
        if frozenset(left_out) != self._left_out:
            self._left_out = frozenset(left_out)
            self._items.show_left_out(self._data, self._left_out)
            self._refresh()

    def set_logarithmic(self, *, on: bool) -> None:
        """Show variances on a logarithmic or on a linear scale.

        Parameters
        ----------
        on : bool
            Whether it is logarithmic; this is a way of looking, and nothing else depends on it.
        """
        self._data = replace(self._data, logarithmic=on)
        self._items.show_spectrum(self._data, self._left_out)
        self._header.set_logarithmic(on=on)
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the line; L changes the scale."""
        if event.key() == Qt.Key.Key_L and not event.modifiers() and self._data.most:
            self.set_logarithmic(on=not self.logarithmic)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._items.set_colours(colours_of(self.palette()))
        super().changeEvent(event)

    def position_of(self, component: int) -> QPoint:
        """Return where a component is on the plot's surface.

        Parameters
        ----------
        component : int
            Counted from 1.

        Returns
        -------
        QPoint
            On :attr:`surface`.
        """
        return self._items.position_of(float(self._data.place(component)))

    @property
    def surface(self) -> QWidget:
        """The widget that feels the mouse."""
        return self._surface

    def _chosen(self) -> tuple[int, int]:
        return self._k, self._data.most

    def _k_at(self, position: QPointF) -> int:
        return self._data.component_at(self._items.axis_value(position))

    def _hover(self, k: int | None) -> None:
        self._items.show_hovered(self._data, k or 0)
        self._describe(self._k if k is None else k)

    def _mark_focus(self, *, on: bool) -> None:
        self._items.set_focus(on=on)

    def _choose(self, k: int) -> None:
        self._wish(k)
        self._commit()

    def _place_of(self, component: int) -> float:
        return float(self._surface.mapTo(self._items.widget, self.position_of(component)).x())

    def _describe(self, component: int) -> None:
        known = 1 <= component <= self._data.most
        if known:
            out = " · left out" if component in self._left_out else ""
            self._header.set_text(self._data.describe(component) + out)

    def _refresh(self) -> None:
        self._pages.setCurrentIndex(1 if self._data.most else 0)
        self._items.show_k(self._data, self._k)
        self._describe(self._k)
        kept = f"{self._k} of {self._data.most} components are kept; {self.text}"
        self.setAccessibleDescription(kept if self._data.most else _EMPTY)
