"""Rows that the halves of the settings panel have in common."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

_LABEL_WIDTH = 72


def section(parent: QWidget) -> QFormLayout:
    """Lay out a widget as rows of labels and fields."""
    form = QFormLayout(parent)
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(8)
    form.setVerticalSpacing(8)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return form


def row_label(text: str, buddy: QWidget) -> QLabel:
    """Return a row's label, as wide as those of the other sections, so that their fields line up."""
    label = QLabel(text)
    label.setBuddy(buddy)
    label.setToolTip(buddy.toolTip())
    label.setMinimumWidth(_LABEL_WIDTH)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
    return label


def heading(text: str) -> QLabel:
    """Return the title of a section."""
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def beside(title: QWidget, button: QWidget) -> QHBoxLayout:
    """Put a button at the right end of a section's title."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(title)
    row.addStretch()
    row.addWidget(button)
    return row
