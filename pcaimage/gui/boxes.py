"""Layouts of one row or one column."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

Margins = int | tuple[int, int, int, int]
"""Pixels on all sides, or left, top, right and bottom."""
B = TypeVar("B", bound=QBoxLayout)


def hbox(parent: QWidget | None = None, margins: Margins = 0, spacing: int | None = None) -> QHBoxLayout:
    """Return a row, of a widget or to be put into another layout; without spacing, as the style has it."""
    return _spaced(QHBoxLayout() if parent is None else QHBoxLayout(parent), margins, spacing)


def vbox(parent: QWidget | None = None, margins: Margins = 0, spacing: int | None = None) -> QVBoxLayout:
    """Return a column; see :func:`hbox`."""
    return _spaced(QVBoxLayout() if parent is None else QVBoxLayout(parent), margins, spacing)


def _spaced(box: B, margins: Margins, spacing: int | None) -> B:
    box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    return box
