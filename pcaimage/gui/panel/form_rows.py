"""Layout helpers of the settings panel and of dialogs: rows, labels and headings."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.boxes import hbox

_LABEL_WIDTH = 72


class ChoiceBox(QComboBox):
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
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(letters)
        self.offer(choices)

    def offer(self, choices: Iterable[tuple[str, object]]) -> None:
        """Set the items, unless they are the same, so that an open list stays open; nothing is emitted."""
        wanted = list(choices)
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


def dialog_form(parent: QWidget | None = None) -> QFormLayout:
    """Return a form layout for the rows of a dialog."""
    form = QFormLayout(parent, horizontalSpacing=16, verticalSpacing=8)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form


def section(parent: QWidget) -> QFormLayout:
    """Return a form layout for the rows of a section of the panel."""
    form = dialog_form(parent)
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(8)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return form


def row_label(text: str, buddy: QWidget) -> QLabel:
    """Return the label of a row, as wide as those of other sections, so that the fields line up."""
    label = QLabel(text)
    label.setBuddy(buddy)
    label.setToolTip(buddy.toolTip())
    label.setMinimumWidth(_LABEL_WIDTH)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
    return label


def told(text: str) -> QLabel:
    """Return the label of a row of text, as wide as those of fields."""
    label = QLabel(text)
    label.setMinimumWidth(_LABEL_WIDTH)
    return label


def goal_mark(name: str) -> QToolButton:
    """Return the mark beside a field, which is checked while the field is the goal."""
    mark = QToolButton(autoRaise=True)
    mark.setText("Hold")
    mark.setCheckable(True)
    mark.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    mark.setAccessibleName(f"Goal: {name}")
    show_goal(mark, on=False)
    return mark


def show_goal(mark: QToolButton, *, on: bool) -> None:
    """Show whether a field is the goal; nothing is emitted."""
    mark.setChecked(on)
    mark.setToolTip(
        "This value is the goal: all else follows it, also after a change of the method."
        if on
        else "Hold this value, as the goal, and let all else follow."
    )


def marked(field: QWidget, mark: QToolButton) -> QHBoxLayout:
    """Return a row with a field, and the mark of the goal on the right."""
    return hbox((field, 1), mark, spacing=2)


def heading(text: str) -> QLabel:
    """Return the heading of a section."""
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def side_by_side(first: QWidget, second: QWidget, stretch: tuple[int, int] = (1, 1)) -> QHBoxLayout:
    """Return a row of two fields."""
    return hbox((first, stretch[0]), (second, stretch[1]), spacing=8)
