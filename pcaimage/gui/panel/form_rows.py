"""Layout helpers of the settings panel and of dialogs: rows, labels and headings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.boxes import hbox

_LABEL_WIDTH = 72
_MARK_WIDTH = 20


def dialog_form(parent: QWidget | None = None) -> QFormLayout:
    """Return a form layout for the rows of a dialog."""
    form = QFormLayout(parent)
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(8)
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
    mark = QToolButton()
    mark.setCheckable(True)
    mark.setAutoRaise(True)
    mark.setFixedWidth(_MARK_WIDTH)
    mark.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    mark.setAccessibleName(f"Goal: {name}")
    show_goal(mark, on=False)
    return mark


def show_goal(mark: QToolButton, *, on: bool) -> None:
    """Show whether a field is the goal; nothing is emitted."""
    mark.setChecked(on)
    text = "●" if on else "○"
    if mark.text() == text:
        return
    mark.setText(text)
    mark.setToolTip(
        "This is the goal: all else follows it, also after a change of the method."
        if on
        else "Make this the goal: keep its value, and let all else follow."
    )


def marked(field: QWidget, mark: QToolButton) -> QHBoxLayout:
    """Return a row with a field, and the mark of the goal on the right."""
    row = hbox(spacing=2)
    row.addWidget(field, 1)
    row.addWidget(mark)
    return row


def heading(text: str) -> QLabel:
    """Return the heading of a section."""
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def beside(title: QWidget, button: QWidget) -> QHBoxLayout:
    """Return a row with a heading on the left and a button on the right."""
    row = hbox()
    row.addWidget(title)
    row.addStretch()
    row.addWidget(button)
    return row
