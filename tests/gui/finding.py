"""Finds widgets as a user of a screen reader does: by kind and accessible name."""

from typing import TypeVar

from PySide6.QtWidgets import QWidget

W = TypeVar("W", bound=QWidget)


def find(parent, kind, name=""):
    """Return the only widget of a kind below a parent, or the one with an accessible name."""
    found = [each for each in parent.findChildren(kind) if not name or each.accessibleName() == name]
    assert len(found) == 1, f"{len(found)} widgets of kind {kind.__name__} are called {name!r}."
    return found[0]
