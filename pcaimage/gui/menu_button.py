"""A button that opens a menu: its arrow follows its text."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QStyleOptionToolButton, QToolButton, QWidget

ARROW = "\u2009▾"  # the end of the text of such a button


class MenuButton(QToolButton):
    """Opens its menu with a click; the style would put its arrow into the lower corner, like a comma."""

    def __init__(self, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._menu = menu  # Qt does not keep it
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def set_words(self, words: str) -> None:
        """Set the text before the arrow, which is also what the button is called."""
        self.setText(words + ARROW)
        self.setAccessibleName(words)

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        """Leave out the style's own arrow."""
        super().initStyleOption(option)
        option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
