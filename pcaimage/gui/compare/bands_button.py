"""The button of the toolbar that opens the choice of bands."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from pcaimage.gui.compare.bands_form import BandsForm
from pcaimage.gui.session.look import Look
from pcaimage.insight.band_names import BandNames


class BandsButton(QToolButton):
    """Says which bands are shown; others are chosen in what it opens.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    requested = Signal(object)
    """A :data:`~pcaimage.gui.session.requests.Request`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.popup = QFrame(self, Qt.WindowType.Popup)
        self.popup.setFrameShape(QFrame.Shape.StyledPanel)
        self.form = BandsForm()
        column = QVBoxLayout(self.popup)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.form)
        self.popup.setAccessibleName("Choice of bands")
        self.form.requested.connect(self.requested)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setToolTip(
            "Choose which bands are shown as red, green and blue, and how they are stretched (B)."
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self.open)
        self.setText("Bands ▾")

    def set_look(self, look: Look, names: BandNames) -> None:
        """Show how the image is looked at; nothing is emitted.

        Parameters
        ----------
        look : Look
            How.
        names : BandNames
            The image's.
        """
        self.form.set_look(look, names)
        what, numbers = "Bands", [str(band + 1) for band in look.bands_of(names)]
        if look.preset == "components":
            what, numbers = "Components", ["1", "2", "3"]
        self.setText(f"{what} {' · '.join(numbers)} ▾")
        self.setAccessibleName(f"{what} {', '.join(numbers)} as red, green and blue")

    def open(self) -> None:
        """Open the choice below the button, or wherever on the screen there is room."""
        self.popup.adjustSize()
        where = self.mapToGlobal(QPoint(0, self.height()))
        room = self.screen().availableGeometry()
        place = QRect(where, self.popup.size())
        place.moveLeft(max(room.left(), min(place.left(), room.right() - place.width())))
        place.moveTop(max(room.top(), min(place.top(), room.bottom() - place.height())))
        self.popup.move(place.topLeft())
        self.popup.show()
        self.form.preset.setFocus(Qt.FocusReason.PopupFocusReason)
