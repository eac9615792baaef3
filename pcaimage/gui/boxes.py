"""Layouts of one row or one column."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

Margins = int | tuple[int, int, int, int]  # pixels on all sides, or left, top, right and bottom
FREE: Final = None  # free room, in place of a widget
B = TypeVar("B", bound=QBoxLayout)


def hbox(
    *parts: Any, of: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QHBoxLayout:
    """Return a row, of a widget or to be put into another layout; without spacing, as the style has it.

    Its parts are widgets, layouts or :data:`FREE` room, each alone or in a tuple with its stretch and, after
    that, its alignment.
    """
    return _filled(QHBoxLayout() if of is None else QHBoxLayout(of), parts, margins, spacing)


def vbox(
    *parts: Any, of: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QVBoxLayout:
    """Return a column; see :func:`hbox`."""
    return _filled(QVBoxLayout() if of is None else QVBoxLayout(of), parts, margins, spacing)


def _filled(box: B, parts: tuple[Any, ...], margins: Margins, spacing: int | None) -> B:
    box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for each in parts:
        part, *more = each if isinstance(each, tuple) else (each,)
        if part is FREE:
            box.addStretch(*more)
        elif isinstance(part, QWidget):
            box.addWidget(part, *more)
        else:
            box.addLayout(part, *more)
    return box
