"""The options of the two views, and the button in a caption that chooses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSpinBox, QStyleOptionToolButton, QToolButton, QWidget

from pcaimage.gui.session.choice import METHODS
from pcaimage.gui.session.state import Rival
from pcaimage.gui.theme import tabular
from pcaimage.imaging.rivals import RIVALS, obstacle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QKeyEvent

    from pcaimage.gui.compare.canvas import ImageCanvas
    from pcaimage.gui.session.document import Document
    from pcaimage.gui.session.state import SessionState
    from pcaimage.imaging import Image

_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down)


class ViewOption(NamedTuple):
    """One thing that a view can show, as an entry of a menu."""

    value: object
    """Requested when the option is chosen; comparable."""
    text: str
    enabled: bool = True
    tip: str = ""
    """An explanation, or why the option cannot be chosen."""
    options: tuple[ViewOption, ...] = ()
    """The entries of its submenu; its own value is then never requested."""


def left_options(state: SessionState) -> tuple[ViewOption, ...]:
    """Return what the left view can show; nothing without an original, for then there is no left view."""
    if state.document is None or state.document.image is None:
        return ()
    return (
        ViewOption("original", "Original"),
        ViewOption("reconstruction", "Reconstruction", tip="Compare it with the picture in the right view."),
    )


def right_options(state: SessionState) -> tuple[ViewOption, ...]:
    """Return what the right view can show.

    The reconstruction; another k; the same without rounding; with an original also other methods and formats
    at the same size.
    """
    document = state.document
    if document is None or state.fit is None:
        return ()
    rival = state.rival
    other = rival if rival is not None and rival.kind == "k" else Rival("k", k=_other_k(state))
    options = [
        ViewOption(None, "Reconstruction"),
        ViewOption(other, "Another k", tip="Two values of k against each other."),
    ]
    if state.fit.unrounded_psnr(state.setting) is not None:
        tip = "The same components with exact scores: what is missing then, PCA alone has left out."
        options.append(ViewOption(Rival("unrounded"), "Unrounded", tip=tip))
    if document.image is not None:
        options += [_methods(document, state.choice.method), *_formats(document, document.image)]
    return tuple(options)


def _other_k(state: SessionState) -> int:
    """Return the k to compare with at first: about half as many components as are kept, or all."""
    k = state.setting.k
    return k // 2 if k > 1 or state.fit is None else state.fit.n_components


def _methods(document: Document, present: str) -> ViewOption:
    others = tuple(
        ViewOption(Rival("method", method=method), METHODS[method])
        for method in document.methods
        if method != present
    )
    tip = "The image compressed by another method to the same number of bytes."
    if not others:
        return ViewOption("", "Other method of the same size", enabled=False, tip="There is no other.")
    return ViewOption("", "Other method of the same size", tip=tip, options=others)


def _formats(document: Document, image: Image) -> Iterable[ViewOption]:
    shape = image.pixels.shape[1:] if document.is_stack else image.pixels.shape
    for format_ in RIVALS:
        reason = obstacle(format_.name, shape, image.pixels.dtype)
        tip = reason or f"{format_.title} ({format_.note}) in as many bytes as the compressed file has."
        text = f"{format_.title} of the same size"
        yield ViewOption(Rival(format_.name), text, reason is None, tip)


class ViewPicker(QWidget):
    """A small button with a menu of options, and a field for k while the view shows another k.

    It sits in the caption of its parent, the canvas of the view that it names.
    """

    requested = Signal(object)
    """The value of the option that the user chose; for another k, a :class:`Rival`."""

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
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.field)
        row.addWidget(self.button)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()

    def set_choices(self, options: Iterable[ViewOption], current: object) -> None:
        """Offer other things to show, of which one has the current value; nothing is emitted."""
        self._options = tuple(options)
        self._current = current
        chosen = next((each for each in _flat(self._options) if each.value == current), None)
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
        self.menu.clear()
        for below in self.menu.findChildren(QMenu):
            below.deleteLater()
        self._add(self.menu, self._options)

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
    """An arrow that opens a menu; Tab focuses it, but a click leaves the focus where it is."""

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


def _flat(options: Iterable[ViewOption]) -> Iterable[ViewOption]:
    for option in options:
        yield option
        yield from _flat(option.options)
