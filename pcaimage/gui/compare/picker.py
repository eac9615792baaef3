"""The button in a caption that chooses what the view shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSpinBox, QStyleOptionToolButton, QToolButton, QWidget

from pcaimage.gui.theme import tabular

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QKeyEvent

_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down)


class ViewOption(NamedTuple):
    """One thing that a view can show.

    Parameters
    ----------
    value : object
        What is asked for when it is chosen; comparable.
    text : str
        What the menu calls it.
    enabled : bool, optional
        Whether it can be chosen now.
    tip : str, optional
        What it is, or why it cannot be chosen.
    options : tuple of ViewOption, optional
        What its submenu offers; its own value is then never asked for.
    """

    value: object
    text: str
    enabled: bool = True
    tip: str = ""
    options: tuple[ViewOption, ...] = ()


class ViewPicker(QWidget):
    """A small button with a menu, and a field for k while another k is shown.

    Parameters
    ----------
    name : str
        Of the view, for people who cannot see it.
    parent : QWidget
        The canvas.
    """

    requested = Signal(object)
    """The value of the option that the user chose."""
    componentsRequested = Signal(int)  # noqa: N815
    """The k that the user typed."""
    resized = Signal()
    """It needs more or less room."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self._options: tuple[ViewOption, ...] = ()
        self._current: object = None
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self.fill)
        self._button = _MenuButton(self._menu)
        self._field = QSpinBox(minimum=1, prefix="k ")
        self._field.setKeyboardTracking(False)
        self._field.setFont(tabular(self._field.font()))
        self._field.setAccessibleName(f"Components in the {name}")
        self._field.setToolTip("How many components the picture that is compared with keeps.")
        self._field.valueChanged.connect(self.componentsRequested)
        self._field.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._field)
        row.addWidget(self._button)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()

    @property
    def menu(self) -> QMenu:
        """The menu; it is filled when it opens."""
        return self._menu

    @property
    def button(self) -> QToolButton:
        """What opens the menu."""
        return self._button

    @property
    def field(self) -> QSpinBox:
        """The field for k."""
        return self._field

    def set_choices(self, options: Iterable[tuple[object, ...]], current: object) -> None:
        """Offer other things to show; nothing is emitted.

        Parameters
        ----------
        options : iterable of ViewOption, or of tuple
            In the order of the menu; tuples hold the fields of an option.
        current : object
            The value of what is shown.
        """
        self._options = tuple(_option(each) for each in options)
        self._current = current
        chosen = next((each for each in _flat(self._options) if each.value == current), None)
        shown = chosen.text if chosen is not None else "something else"
        self._button.setAccessibleName(f"The {self._name} shows: {shown}")
        self._button.setEnabled(bool(self._options))

    def set_components(self, k: int | None, most: int = 1) -> None:
        """Show the field for k, or hide it; nothing is emitted.

        Parameters
        ----------
        k : int or None
            What it says; None hides it.
        most : int, optional
            The largest that can be typed.
        """
        before = self._field.isHidden(), self._field.sizeHint()
        if k is not None:
            with QSignalBlocker(self._field):
                self._field.setMaximum(most)
                self._field.setValue(k)
        if self._field.isHidden() != (k is None):
            self._field.setVisible(k is not None)
        if before != (self._field.isHidden(), self._field.sizeHint()):
            self.resized.emit()

    def fill(self) -> None:
        """Fill the menu with what is offered now."""
        self._menu.clear()
        for below in self._menu.findChildren(QMenu):
            below.deleteLater()
        self._add(self._menu, self._options)

    def _add(self, menu: QMenu, options: Iterable[ViewOption]) -> None:
        for option in options:
            text = option.text.replace("&", "&&")
            if option.options:
                below = menu.addMenu(text)
                below.setToolTipsVisible(True)
                below.setEnabled(option.enabled)
                below.menuAction().setToolTip(option.tip)
                self._add(below, option.options)
                continue
            action = QAction(text, menu, checkable=True, checked=option.value == self._current)
            action.setEnabled(option.enabled)
            action.setToolTip(option.tip)
            action.triggered.connect(lambda _=False, value=option.value: self.requested.emit(value))
            menu.addAction(action)


class _MenuButton(QToolButton):
    """An arrow that opens a menu; Tab finds it, but a click leaves the keys where they are."""

    def __init__(self, menu: QMenu) -> None:
        super().__init__()
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoRaise(True)
        self.setText("▾")
        self.setToolTip("Choose what this view shows.")
        self.setFixedSize(24, 22)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the menu with the keys that open any other."""
        if Qt.Key(event.key()) in _OPENING:
            self.showMenu()
        else:
            super().keyPressEvent(event)

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        """Show one arrow; the style would add another."""
        super().initStyleOption(option)
        option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu


def _option(fields: tuple[object, ...]) -> ViewOption:
    return fields if isinstance(fields, ViewOption) else ViewOption(*fields)  # type: ignore[arg-type]


def _flat(options: Iterable[ViewOption]) -> Iterable[ViewOption]:
    for option in options:
        yield option
        yield from _flat(option.options)
