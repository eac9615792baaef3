"""The button in a caption that chooses what a view shows, and the menus of such choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import QMenu, QSpinBox, QToolButton, QWidget

from pcaimage.gui.boxes import hbox
from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.options import ViewOption, flat
from pcaimage.gui.menu_button import MenuButton
from pcaimage.gui.session.state import Rival
from pcaimage.gui.theme import tabular

_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down)


class ViewPicker(QWidget):
    """A small button with a menu of options, and a field for k while the view shows another k.

    It sits in the caption of its parent, the canvas of the view that it names.
    """

    requested = Signal(object)  # the value of the option that the user chose; for another k, a :class:`Rival`

    def __init__(self, name: str, parent: ImageCanvas) -> None:
        super().__init__(parent)
        self._name = name
        self._caption = parent.caption
        self._options: tuple[ViewOption, ...] = ()
        self._current: object = None
        self.menu = QMenu(self)
        """It is filled when it opens."""
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self._fill)
        self.button: QToolButton = _MenuButton(self.menu)
        self.field = QSpinBox(minimum=1, prefix="k ")
        self.field.setKeyboardTracking(False)
        self.field.setFont(tabular(self.field.font()))
        self.field.setAccessibleName(f"Components in the {name}")
        self.field.setToolTip("How many components this picture keeps.")
        self.field.valueChanged.connect(lambda k: self.requested.emit(Rival("k", k=k)))
        self.field.hide()
        hbox(self.field, self.button, of=self, spacing=4)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()

    def set_choices(self, options: Iterable[ViewOption], current: object) -> None:
        """Offer other things to show, of which one has the current value; nothing is emitted."""
        self._options = tuple(options)
        self._current = current
        chosen = next((each for each in flat(self._options) if each.value == current), None)
        shown = chosen.text if chosen is not None else "something else"
        self.button.setAccessibleName(f"The {self._name} shows: {shown}")
        self.button.setEnabled(bool(self._options))
        self._caption.set_companion(self)

    def set_components(self, k: int | None, most: int = 1) -> None:
        """Show k in the field, at most `most`, or hide the field; nothing is emitted."""
        before = self.field.isHidden(), self.field.sizeHint()
        if k is not None:
            with QSignalBlocker(self.field):
                self.field.setMaximum(most)
                self.field.setValue(k)
        if self.field.isHidden() != (k is None):
            self.field.setVisible(k is not None)
        if before != (self.field.isHidden(), self.field.sizeHint()):
            self._caption.refresh()

    def _fill(self) -> None:
        fill_options(self.menu, self._options, self._current, self.requested.emit)


def fill_options(
    menu: QMenu, options: Iterable[ViewOption], current: object, choose: Callable[[object], object]
) -> None:
    """Fill a menu with options of which one is checked, and call `choose` with the value of another."""
    menu.clear()
    menu.setToolTipsVisible(True)
    for each in (*menu.findChildren(QMenu), *menu.findChildren(QActionGroup)):
        each.deleteLater()
    _add(menu, options, current, choose, QActionGroup(menu))


def _add(
    menu: QMenu,
    options: Iterable[ViewOption],
    current: object,
    choose: Callable[[object], object],
    group: QActionGroup,
) -> None:
    for option in options:
        text = option.text.replace("&", "&&")
        if option.options:
            below = menu.addMenu(text)
            below.setToolTipsVisible(True)
            below.setEnabled(option.enabled)
            below.menuAction().setToolTip(option.tip)
            _add(below, option.options, current, choose, group)
            continue
        action = QAction(text, menu, checkable=True, checked=option.value == current, enabled=option.enabled)
        action.setToolTip(option.tip)
        action.triggered.connect(lambda _=False, value=option.value: choose(value))
        menu.addAction(group.addAction(action))


class _MenuButton(MenuButton):
    """An arrow that opens a menu; Tab focuses it, but a click leaves the focus where it is."""

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
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
