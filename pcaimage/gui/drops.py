"""Files that are dropped onto a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData


def dropped_files(data: QMimeData) -> list[str]:
    """Return the local files that a drag carries.

    Returns
    -------
    list of str
        Their paths; empty if it carries none, and should then not be accepted.
    """
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
