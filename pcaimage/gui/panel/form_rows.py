"""Parts of the settings panel and of dialogs: rows, labels, headings, and fields for figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from PySide6 import QtWidgets
from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QValidator, QWheelEvent

from pcaimage.gui.boxes import hbox
from pcaimage.gui.theme import tabular
from pcaimage.language import tr
from pcaimage.machine.folders import tables

_LABEL_WIDTH = 72


def tips_of(form: str) -> dict[str, str]:
    """Return the tips of a form's rows, by their names."""
    tips: dict[str, dict[str, str]] = tables("tips.json")
    return tips[form]


class ChoiceBox(QtWidgets.QComboBox):
    """A combo box of texts and what they stand for; the wheel changes it only while it has the focus.

    It is as wide as so many letters, or by default as its longest text.
    """

    def __init__(
        self, name: str, tip: str = "", choices: Iterable[tuple[str, object]] = (), letters: int = 0
    ) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if letters:
            self.setSizeAdjustPolicy(
                QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            self.setMinimumContentsLength(letters)
        self.offer(choices)

    def offer(self, choices: Iterable[tuple[str, object]]) -> None:
        """Set the items, unless they are the same, so that an open list stays open; nothing is emitted."""
        wanted = [(tr(text), data) for text, data in choices]
        if wanted != [(self.itemText(i), self.itemData(i)) for i in range(self.count())]:
            with QSignalBlocker(self):
                self.clear()
                for text, data in wanted:
                    self.addItem(text, data)

    def choose(self, data: object) -> None:
        """Select an item by its data, or the first if there is none such; nothing is emitted."""
        with QSignalBlocker(self):
            self.setCurrentIndex(max(self.findData(data), 0))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll what the box stands in unless it has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def dialog_form(parent: QtWidgets.QWidget | None = None) -> QtWidgets.QFormLayout:
    """Return a form layout for the rows of a dialog."""
    form = QtWidgets.QFormLayout(parent, horizontalSpacing=16, verticalSpacing=8)
    form.setFieldGrowthPolicy(QtWidgets.QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form


def section(parent: QtWidgets.QWidget) -> QtWidgets.QFormLayout:
    """Return a form layout for the rows of a section of the panel."""
    form = dialog_form(parent)
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(8)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return form


def row_label(text: str, buddy: QtWidgets.QWidget) -> QtWidgets.QLabel:
    """Return the label of a row, as wide as those of other sections, so that the fields line up."""
    label = QtWidgets.QLabel(text)
    label.setBuddy(buddy)
    label.setToolTip(buddy.toolTip())
    label.setMinimumWidth(_LABEL_WIDTH)
    label.setSizePolicy(QtWidgets.QSizePolicy.Policy.Preferred, QtWidgets.QSizePolicy.Policy.Expanding)
    return label


def told(text: str) -> QtWidgets.QLabel:
    """Return the label of a row of text, as wide as those of fields."""
    label = QtWidgets.QLabel(text)
    label.setMinimumWidth(_LABEL_WIDTH)
    return label


def goal_mark(name: str) -> QtWidgets.QToolButton:
    """Return the mark beside a field, which is checked while the field is the goal."""
    mark = QtWidgets.QToolButton(autoRaise=True)
    mark.setText("Hold")
    mark.setCheckable(True)
    mark.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    mark.setAccessibleName(f"Goal: {name}")
    show_goal(mark, on=False)
    return mark


def show_goal(mark: QtWidgets.QToolButton, *, on: bool) -> None:
    """Show whether a field is the goal; nothing is emitted."""
    mark.setChecked(on)
    mark.setToolTip(
        "This value is the goal: all else follows it, also after a change of the method."
        if on
        else "Hold this value, as the goal, and let all else follow."
    )


def marked(field: QtWidgets.QWidget, mark: QtWidgets.QToolButton) -> QtWidgets.QHBoxLayout:
    """Return a row with a field, and the mark of the goal on the right."""
    return hbox((field, 1), mark, spacing=2)


def heading(text: str) -> QtWidgets.QLabel:
    """Return the heading of a section."""
    label = QtWidgets.QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def side_by_side(
    first: QtWidgets.QWidget, second: QtWidgets.QWidget, stretch: tuple[int, int] = (1, 1)
) -> QtWidgets.QHBoxLayout:
    """Return a row of two fields."""
    return hbox((first, stretch[0]), (second, stretch[1]), spacing=8)


_UNKNOWN = "—"
_WIDEST = "≈ 000.0 KiB"
_NOT_TYPED = ("[", "]", "{", "}")
_AIR = 16  # for the frame and the arrows


class FigureField(QtWidgets.QAbstractSpinBox):
    """A field with a unit, whose arrows go through the components one by one.

    Qt's own spin boxes hold a value, round it, and emit it when another is set; this one holds only its text.
    Its arrows do not add to the number, because there is no fixed difference between two values of k: they
    request the next k, which always changes the number. `parse` converts the typed text to a number, or None.
    """

    typed = Signal(float)  # a number was typed and confirmed with Enter or by leaving the field
    stepped = Signal(int)  # the number of components to add, or if negative to remove

    def __init__(self, parse: Callable[[str], float | None]) -> None:
        super().__init__()
        self._parse = parse
        self._shown = _UNKNOWN
        self._up = self._down = False
        self._typing = False  # Enter resets Qt's own flag before it emits its signal
        self.setFont(tabular(self.font()))
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Fixed)
        self.lineEdit().setText(_UNKNOWN)
        # It fills its area: the panel below is not painted with each number.
        self.lineEdit().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.lineEdit().textEdited.connect(self._note_typing)
        self.editingFinished.connect(self._confirm)

    @property
    def editing(self) -> bool:
        """Whether a typed text has not been confirmed yet."""
        return self._typing

    def set_figure(self, text: str | None, *, can_rise: bool = False, can_fall: bool = False) -> None:
        """Show a number with its unit, or None if it is unknown; unconfirmed typing is left alone."""
        shown = _UNKNOWN if text is None else tr(text)
        if (can_rise, can_fall) != (self._up, self._down):
            self._up, self._down = can_rise, can_fall
            self.update()
        self._shown = shown
        if not self.editing and self.lineEdit().text() != shown:
            self._restore()

    def stepEnabled(self) -> QtWidgets.QAbstractSpinBox.StepEnabledFlag:
        """Tell Qt which arrows are enabled."""
        flags = QtWidgets.QAbstractSpinBox.StepEnabledFlag.StepNone
        if self._up:
            flags |= QtWidgets.QAbstractSpinBox.StepEnabledFlag.StepUpEnabled
        if self._down:
            flags |= QtWidgets.QAbstractSpinBox.StepEnabledFlag.StepDownEnabled
        return flags

    def stepBy(self, steps: int) -> None:
        """Request more or fewer components."""
        self._restore()
        self.stepped.emit(steps)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept any text; it is parsed when it is confirmed."""
        return QValidator.State.Acceptable, text, position

    def fixup(self, text: str) -> str:
        """Leave the text as it is."""
        return text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Discard the typed text on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.editing:
            self._restore()
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leave keys to the window that mean nothing here: brackets, and undo unless something was typed."""
        if event.type() == QEvent.Type.ShortcutOverride and self._passes(cast("QKeyEvent", event)):
            event.ignore()
            return False
        return super().event(event)

    def _passes(self, event: QKeyEvent) -> bool:
        undoing = event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
        return event.text() in _NOT_TYPED if event.text() and not undoing else undoing and not self.editing

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the panel unless the field has the focus, so that scrolling changes no value."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def minimumSizeHint(self) -> QSize:
        """Return a width that fits the longest number."""
        hint = super().minimumSizeHint()
        hint.setWidth(self.fontMetrics().horizontalAdvance(_WIDEST) + 2 * _AIR)
        return hint

    def sizeHint(self) -> QSize:
        """Return the minimum; the layout adds to it."""
        return self.minimumSizeHint()

    def _note_typing(self) -> None:
        self._typing = True

    def _confirm(self) -> None:
        if not self.editing:
            return
        value = self._parse(self.lineEdit().text())
        self._restore()
        if value is not None:
            self.typed.emit(value)

    def _restore(self) -> None:
        """Show the current number; a number that was typed replaces it once it is accepted."""
        self._typing = False
        self.lineEdit().setText(self._shown)
