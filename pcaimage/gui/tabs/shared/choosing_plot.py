"""A page with a plot on which k, or another number, is chosen by mouse or keyboard."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping
from html import escape
from typing import Any, cast

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import QButtonGroup, QGraphicsView, QLabel, QToolButton, QWidget

from pcaimage.gui.boxes import hbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.screen.pending_k import PendingK
from pcaimage.gui.session.requests import Keep, Request
from pcaimage.gui.tabs.shared.pages import MessagePage, Readout, legend_of
from pcaimage.gui.tabs.shared.pens import Pens, colour_axes, signed_axes
from pcaimage.gui.theme import Coloured, colours_of, tabular
from pcaimage.language import tr

_PAGE = 10


class ChoosingPlot:
    """A pyqtgraph plot on which k is chosen: it neither pans nor zooms, and has no menus."""

    axes: tuple[str, ...] = ("left", "bottom")

    def __init__(self, colours: Colours) -> None:
        self._drawing: Any = pg.PlotWidget(enableMenu=False, axisItems=signed_axes())
        self._plot: Any = self._drawing.getPlotItem()
        self._pens = Pens(self.widget, lambda: self.set_colours(self._colours))
        self._colours = colours
        self._focused = False
        self._plot.hideButtons()
        self._plot.setMenuEnabled(enableMenu=False)
        self._plot.setMouseEnabled(x=False, y=False)
        self._plot.vb.disableAutoRange()
        self.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        font = tabular(QFont(self.widget.font()))
        for name in self.axes:
            self._plot.getAxis(name).setTickFont(font)

    @property
    def widget(self) -> QGraphicsView:
        """The plot's widget."""
        view: QGraphicsView = self._drawing
        return view

    @property
    def surface(self) -> QWidget:
        """The widget that receives the mouse."""
        return self.widget.viewport()

    def set_focus(self, *, on: bool) -> None:
        """Emphasise the mark of k while keys move it."""
        self._focused = on
        self._paint_focus(on=on)

    def set_colours(self, colours: Colours) -> None:
        """Draw in another colour scheme."""
        self._colours = colours
        self._drawing.setBackground(colours.base)
        colour_axes(self._plot, self.axes, colours, self._pens)
        self._paint(colours)
        self._paint_focus(on=self._focused)

    def axis_value(self, position: QPointF) -> float:
        """Return the horizontal coordinate of the plot at a position of :attr:`surface`."""
        return float(self._plot.vb.mapSceneToView(self.widget.mapToScene(position.toPoint())).x())

    def flag_at(self, _position: QPointF) -> int:
        """Return the number that a name at a position of :attr:`surface` stands for; 0 for none."""
        return 0

    def position_of(self, x: float, y: float) -> QPoint:
        """Return the position on :attr:`surface` of coordinates of the plot."""
        scene: QPointF = self._plot.vb.mapViewToScene(QPointF(x, y))
        return self.widget.mapFromScene(scene)

    @abstractmethod
    def _paint(self, colours: Colours) -> None:
        """Set the pens and brushes of everything but the axes."""

    @abstractmethod
    def _paint_focus(self, *, on: bool) -> None:
        """Set the pens of the mark of k."""

    def _add(self, items: Iterable[tuple[Any, int]]) -> None:
        """Add items with their z values; the axes do not follow their extents."""
        for item, z in items:
            item.setZValue(z)
            self._plot.addItem(item, ignoreBounds=True)


class PlotHeader(Coloured):
    """The row above a plot: figures, a remark, and buttons that choose one of several views."""

    chosen = Signal(str)  # the name of the view whose button was clicked

    def __init__(self, buttons: Mapping[str, QToolButton]) -> None:
        super().__init__()
        self.figures, self._buttons = Readout(), dict(buttons)
        self.remark = QLabel(textFormat=Qt.TextFormat.RichText)
        self.remark.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.remark.setFont(tabular(self.remark.font()))
        group = QButtonGroup(self)
        for name, button in self._buttons.items():
            group.addButton(button)
            button.clicked.connect(lambda _, name=name: self.chosen.emit(name))
        views = hbox(*self._buttons.values(), spacing=0)
        hbox((self.figures, 1), self.remark, views, of=self, margins=(8, 0, 8, 0), spacing=16)

    def set_legend(self, entries: Collection[tuple[str, str]], note: str = "") -> None:
        """Show what colours stand for, and a note."""
        self.remark.setText("&nbsp;&nbsp; ".join(filter(None, (legend_of(entries), escape(tr(note))))))
        names = ", ".join(name for _, name in entries)
        self.remark.setAccessibleName(" · ".join(filter(None, (names, note))))
        self.remark.setVisible(bool(names or note))

    def choose(self, name: str) -> None:
        """Check the button of a view; nothing is emitted."""
        self._buttons[name].setChecked(True)

    def set_choice(self, *, on: bool) -> None:
        """Show the buttons, or hide them where there is only one view."""
        for button in self._buttons.values():
            button.setVisible(on)


def choice_button(title: str, tip: str, accessible_name: str) -> QToolButton:
    """Return a button that chooses a view."""
    button = QToolButton(autoRaise=True)
    button.setText(title)
    button.setToolTip(tip)
    button.setCheckable(True)
    button.setAccessibleName(accessible_name)
    return button


class ChoosingPage(MessagePage):
    """Requests the number under the mouse while it is dragged, or of a key, counted from 1.

    It is a k, unless a page says otherwise. An answer comes through a setter.
    """

    requested = Signal(object)  # a :data:`~pcaimage.gui.session.requests.Request`

    def __init__(self, plot: ChoosingPlot, header: PlotHeader, *rows: QWidget) -> None:
        """Lay out rows above a plot; a message is shown instead while there is nothing to plot."""
        super().__init__(readout=header.figures)
        self._plot = plot
        self._pending = PendingK(lambda number, final: self.requested.emit(self._request(number, final)))
        self._dragging = False
        self._add_content(header, *rows, (plot.widget, 1), spacing=0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Mouse events are taken here before the plot's own panning and menus see them.
        plot.surface.setMouseTracking(True)
        plot.surface.installEventFilter(self)

    @property
    def plot_widget(self) -> QWidget:
        """The plot alone, for an export."""
        return self._plot.widget

    @property
    def surface(self) -> QWidget:
        """The widget that receives the mouse."""
        return self._plot.surface

    @property
    @abstractmethod
    def number(self) -> int:
        """The number that is shown; 0 for none."""

    @property
    @abstractmethod
    def most(self) -> int:
        """The largest number that can be chosen; 0 where there is nothing to choose."""

    @abstractmethod
    def _number_at(self, x: float) -> int:
        """Return the number at a horizontal coordinate of the plot."""

    @abstractmethod
    def _hover(self, number: int | None) -> None:
        """Show the figures of a number, or of the present one."""

    def _request(self, number: int, final: bool) -> Request:  # noqa: FBT001 - as PendingK calls it
        """Return the request for a number."""
        return Keep(number, final)

    def _choose(self, number: int) -> None:
        """Choose a number at once."""
        self._pending.choose(number, self.number)
        self._pending.commit()

    def _end_drag(self) -> None:
        """Forget a drag that is not finished: it was on another plot."""
        self._pending.cancel()
        self._dragging = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the mouse over the plot."""
        kinds = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseButtonDblClick: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
        }
        if event.type() in kinds:
            kinds[event.type()](cast("QMouseEvent", event))
            return True
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        return event.type() == QEvent.Type.Wheel or super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the number with the arrows, Page Up and Page Down, Home and End."""
        target = {
            Qt.Key.Key_Left: self.number - 1,
            Qt.Key.Key_Right: self.number + 1,
            Qt.Key.Key_Down: self.number - 1,
            Qt.Key.Key_Up: self.number + 1,
            Qt.Key.Key_PageDown: self.number - _PAGE,
            Qt.Key.Key_PageUp: self.number + _PAGE,
            Qt.Key.Key_Home: 1,
            Qt.Key.Key_End: self.most,
        }.get(Qt.Key(event.key()))
        if target is None or not self.most:
            super().keyPressEvent(event)
        else:
            self._pending.choose(max(1, min(target, self.most)), self.number)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Commit the number that keys have requested."""
        if not event.isAutoRepeat():
            self._pending.commit()
        super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys choose."""
        self._plot.set_focus(on=True)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Commit the pending number before another widget gets the keyboard focus."""
        self._plot.set_focus(on=False)
        if not self._dragging:
            self._pending.commit()
        super().focusOutEvent(event)

    def _recolour(self) -> None:
        self._plot.set_colours(colours_of(self.palette()))

    def _press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.most:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            if flag := self._plot.flag_at(event.position()):
                self._choose(flag)
            else:
                self._dragging = True
                self._drag(event)

    def _move(self, event: QMouseEvent) -> None:
        if not self.most:
            return
        if self._dragging:
            self._drag(event)
        flag = 0 if self._dragging else self._plot.flag_at(event.position())
        self.surface.setCursor(Qt.CursorShape.PointingHandCursor if flag else Qt.CursorShape.ArrowCursor)
        self._hover(flag or self._number_at(self._plot.axis_value(event.position())))

    def _release(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._dragging:
            self._drag(event)
            self._dragging = False
            self._pending.commit()

    def _drag(self, event: QMouseEvent) -> None:
        self._pending.choose(self._number_at(self._plot.axis_value(event.position())), self.number)
