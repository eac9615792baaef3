"""What is higher than a small screen: shown whole where there is room, and else scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog

_SHARE = 0.9
"""How much of the screen a dialog takes: window managers draw frames and panels, too."""


class Scrolled(QScrollArea):
    """Shows a widget, which it scrolls up and down only."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self._content = content

    def sizeHint(self) -> QSize:
        """Ask for so much that nothing need be scrolled."""
        content = self._content
        wanted = content.sizeHint().expandedTo(content.minimumSize())
        if content.hasHeightForWidth():
            wanted.setHeight(content.heightForWidth(wanted.width()))
        return wanted

    def minimumSizeHint(self) -> QSize:
        """Return the whole width, and the height of a few lines."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(self.sizeHint().width() + bar, 5 * self.fontMetrics().height())


def fit_to_screen(dialog: QDialog, wanted: QSize | None = None) -> None:
    """Make a dialog as large as it wants to be, or as the screen allows."""
    room = dialog.screen().availableSize() * _SHARE
    dialog.resize((dialog.sizeHint() if wanted is None else wanted).boundedTo(room))
