"""Layout helpers of the settings panel and the preferences: rows, labels and headings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

_LABEL_WIDTH = 72


def section(parent: QWidget) -> QFormLayout:
    """Return a form layout for the rows of a widget."""
    form = QFormLayout(parent)
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(8)
    form.setVerticalSpacing(8)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
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


def heading(text: str) -> QLabel:
    """Return the heading of a section."""
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def beside(title: QWidget, button: QWidget) -> QHBoxLayout:
    """Return a row with a heading on the left and a button on the right."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(title)
    row.addStretch()
    row.addWidget(button)
    return row
