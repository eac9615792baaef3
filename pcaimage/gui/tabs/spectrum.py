"""The spectrum: explained variances, their cumulative share, and a line at k that the hand can drag."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from pcaimage.gui.tabs.spectrum_data import SpectrumData
from pcaimage.gui.tabs.spectrum_flags import ThresholdFlags
from pcaimage.gui.tabs.spectrum_header import SpectrumHeader
from pcaimage.gui.tabs.spectrum_plot import SpectrumItems
from pcaimage.gui.theme import colours_of
from pcaimage.insight.variance_terms import PLAIN, VarianceTerms

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent

_TIP = "The curve is the share {of} that the components up to there keep together; drag the line to choose k."
_EMPTY = "The spectrum appears here when an image is open."
_PAGE = 10


class SpectrumPlot(QWidget):
    """Shows how much each component explains, and lets k be chosen where it is seen.

    It changes nothing by itself: it asks for a k and shows it when :meth:`set_k` answers.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    componentsRequested = Signal(int)  # noqa: N815
    """The k under the hand while it moves."""
    componentsCommitted = Signal(int)  # noqa: N815
    """The k at which the hand came to rest; always the last one that was requested."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data = SpectrumData.of([], 0)
        self._k = 0
        self._left_out: frozenset[int] = frozenset()
        self._wished: int | None = None  # requested, and not committed yet
        self._dragging = False
        self._items = SpectrumItems(colours_of(self.palette()))
        self._surface = self._items.surface
        self._header, self._flags = SpectrumHeader(), ThresholdFlags(self._place_of)
        self._pages = QStackedLayout(self)
        self._lay_out()
        self._header.logarithmicRequested.connect(lambda on: self.set_logarithmic(on=on))
        self._flags.chosen.connect(self._choose)
        self._items.when_resized(self._flags.arrange)
        self._surface.setMouseTracking(True)
        self._surface.installEventFilter(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
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
        scale: VarianceTerms = PLAIN,
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
        scale : VarianceTerms, optional
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
        self._wished = None
        self._dragging = False
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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Feel the hand on the plot before the plot's own panning and menus do."""
        kinds = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseButtonDblClick: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
        }
        if watched is not self._surface:
            return super().eventFilter(watched, event)
        if event.type() in kinds:
            kinds[event.type()](cast("QMouseEvent", event))
            return True
        if event.type() == QEvent.Type.Leave:
            self._items.show_hovered(self._data, 0)
            self._describe(self._k)
        return event.type() == QEvent.Type.Wheel

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the line with the arrows, Page Up and Page Down, Home and End; L changes the scale."""
        if event.key() == Qt.Key.Key_L and not event.modifiers() and self._data.most:
            self.set_logarithmic(on=not self.logarithmic)
            return
        target = {
            Qt.Key.Key_Left: self._k - 1,
            Qt.Key.Key_Right: self._k + 1,
            Qt.Key.Key_PageDown: self._k - _PAGE,
            Qt.Key.Key_PageUp: self._k + _PAGE,
            Qt.Key.Key_Home: 1,
            Qt.Key.Key_End: self._data.most,
        }.get(Qt.Key(event.key()))
        if target is None or not self._data.most:
            super().keyPressEvent(event)
        else:
            self._wish(max(1, min(target, self._data.most)))

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Commit what the keys asked for once they are let go."""
        if not event.isAutoRepeat():
            self._commit()
        super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys move the line."""
        self._items.set_focus(on=True)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Commit what was asked for before another widget takes the keys."""
        self._items.set_focus(on=False)
        if not self._dragging:
            self._commit()
        super().focusOutEvent(event)

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

    def _component(self, position: QPointF) -> int:
        return self._data.component_at(self._items.axis_value(position))

    def _press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._data.most:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._dragging = True
            self._wish(self._component(event.position()))

    def _move(self, event: QMouseEvent) -> None:
        if not self._data.most:
            return
        component = self._component(event.position())
        if self._dragging:
            self._wish(component)
        self._items.show_hovered(self._data, component)
        self._describe(component)

    def _release(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._dragging:
            self._wish(self._component(event.position()))
            self._dragging = False
            self._commit()

    def _choose(self, k: int) -> None:
        self._wish(k)
        self._commit()

    def _place_of(self, component: int) -> float:
        return float(self._surface.mapTo(self._items.widget, self.position_of(component)).x())

    def _wish(self, k: int) -> None:
        if k != (self._k if self._wished is None else self._wished):
            self._wished = k
            self.componentsRequested.emit(k)

    def _commit(self) -> None:
        wished, self._wished = self._wished, None
        if wished is not None:
            self.componentsCommitted.emit(wished)

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
