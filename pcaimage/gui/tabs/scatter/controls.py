"""What is chosen of the scatter plot: components, pictures, all points; and a line that tells of an image."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QSpinBox, QToolButton, QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.theme import tabular


class ScatterControls(QWidget):
    """Two components and two buttons, and a line of words beside or below them.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.across, self.up = QSpinBox(), QSpinBox()
        self.thumbnails, self.whole = QToolButton(), QToolButton()
        self._text = QLabel()
        for box, name in ((self.across, "across"), (self.up, "up")):
            box.setPrefix("Component ")
            box.setKeyboardTracking(False)
            box.setAccessibleName(f"Component {name}")
            box.setToolTip(f"The component whose scores are drawn {name}.")
        self.thumbnails.setText("Pictures")
        self.thumbnails.setCheckable(True)
        self.thumbnails.setToolTip("Draw images at their points, wherever there is room.")
        self.whole.setText("Show all")
        self.whole.setToolTip("Bring all points into view (Home).")
        self._text.setFont(tabular(self._text.font()))
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout()
        row.setSpacing(8)
        for widget in (self.across, QLabel("×"), self.up, self.thumbnails, self.whole):
            row.addWidget(widget)
        row.addStretch(0)
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._both.setContentsMargins(8, 0, 8, 0)
        self._both.setSpacing(4)
        self._both.addLayout(row)
        self._both.addWidget(self._text, 1)

    @property
    def text(self) -> str:
        """The line of words."""
        return self._text.text()

    def set_text(self, words: str) -> None:
        """Tell of another image.

        Parameters
        ----------
        words : str
            One line; where it is cut off, the tooltip has all of it.
        """
        self._text.setText(words)
        self._text.setToolTip(words)

    def set_stacked(self, *, stacked: bool) -> None:
        """Set the words below the controls, or beside them.

        Parameters
        ----------
        stacked : bool
            Whether below.
        """
        way = QBoxLayout.Direction.TopToBottom if stacked else QBoxLayout.Direction.LeftToRight
        self._both.setDirection(way)

    def set_colours(self, colours: Colours) -> None:
        """Use another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        """
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colours.muted)
        self._text.setPalette(palette)
