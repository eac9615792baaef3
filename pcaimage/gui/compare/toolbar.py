"""The toolbar's widgets for the views: the zoom, and the choice of a stack's image and of bands."""

from __future__ import annotations

from functools import partial
from typing import cast

from PySide6.QtCore import QPoint, QRect, QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListView, QMenu, QSpinBox, QStyleOptionToolButton, QToolButton, QWidget

from pcaimage.gui.boxes import vbox
from pcaimage.gui.compare.viewport import PRESETS, percent_text
from pcaimage.gui.menu_button import ARROW, MenuButton
from pcaimage.gui.panel.form_rows import ChoiceBox, row_label, section, tips_of
from pcaimage.gui.session.display import STRETCHES, Look, LookPreset, offered
from pcaimage.gui.session.requests import ShowBands
from pcaimage.gui.theme import tabular
from pcaimage.insight.bands import BandNames

_WIDEST = f"0000\u00a0%{ARROW}"
_FRAME = 12
_PRESET_NAMES: dict[LookPreset, str] = {
    "usual": "Largest variance",
    "true-colour": "True colour",
    "infrared": "Colour infrared",
    "components": "First three components",
    "own": "Chosen bands",
}
_COLOURS = ("Red", "Green", "Blue")
_LETTERS = 26  # the width of boxes
_TIPS = tips_of("bands")


class ImageNumber(QSpinBox):
    """Shows which image of a stack is shown, and chooses another: by its number, or with the arrow keys."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Image of the stack")
        self.setPrefix("Image ")
        self.setKeyboardTracking(False)
        self.setMaximum(1)

    def set_count(self, count: int) -> None:
        """Offer the images of a stack."""
        with QSignalBlocker(self):
            self.setRange(1, count)
        self.setSuffix(f" of {count:,}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go one image back or on also with Left and Right."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.stepBy(step)
        else:
            super().keyPressEvent(event)


class ZoomButton(MenuButton):
    """Shows the scale of the image; a click offers others."""

    scaleRequested = Signal(float)  # noqa: N815
    """Device pixels per image pixel; 1 is 100 %."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(menu := QMenu(parent), parent)
        for scale in reversed(PRESETS):
            menu.addAction(percent_text(scale)).setData(scale)
        menu.triggered.connect(lambda action: self.scaleRequested.emit(action.data()))
        self.setFont(tabular(self.font()))
        self.setFixedWidth(self.fontMetrics().horizontalAdvance(_WIDEST) + _FRAME)
        self.setToolTip("The zoom: screen pixels per image pixel.")
        self.set_scale(None)

    def set_scale(self, scale: float | None) -> None:
        """Show another scale, in device pixels per image pixel; None while no image is open."""
        self.setText("" if scale is None else percent_text(scale))
        self.setEnabled(scale is not None)
        self.setAccessibleName("Zoom" if scale is None else f"Zoom {percent_text(scale)}")

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        """Put the arrow after the number."""
        super().initStyleOption(option)
        option.text = (option.text or "—") + ARROW


class BandsForm(QFrame):
    """Shows how the bands of an image are displayed; changes are only requested."""

    requested = Signal(object)  # a :class:`ShowBands`

    def __init__(self) -> None:
        super().__init__()
        self._look, self._names = Look(), BandNames(1)
        self._labels = QStringListModel(self)
        box = partial(ChoiceBox, letters=_LETTERS)
        stretches = ((_stretch_name(percentiles), percentiles) for percentiles in STRETCHES)
        self.preset = box("Bands shown", _TIPS["show"])
        self.stretch = box("Stretch", _TIPS["stretch"], stretches)
        self.colours = tuple(box(name, f"The band that is shown in {name.lower()}.") for name in _COLOURS)
        form = section(self)
        form.setContentsMargins(16, 16, 16, 16)
        form.addRow(row_label("&Show", self.preset), self.preset)
        for name, combo in zip(_COLOURS, self.colours, strict=True):
            combo.setModel(self._labels)
            combo.setMaxVisibleItems(16)
            cast("QListView", combo.view()).setUniformItemSizes(True)  # else a thousand bands are measured
            form.addRow(row_label(f"&{name}", combo), combo)
        form.addRow(row_label("S&tretch", self.stretch), self.stretch)
        self.preset.activated.connect(self._choose_preset)
        self.stretch.activated.connect(self._choose_stretch)
        for colour, combo in enumerate(self.colours):
            combo.currentIndexChanged.connect(partial(self._choose_band, colour))

    def set_look(self, look: Look, names: BandNames) -> None:
        """Show a look at bands of these names; nothing is emitted."""
        new = names is not self._names
        self._look, self._names = look, names
        blockers = [QSignalBlocker(each) for each in (self.preset, self.stretch, *self.colours)]
        if new:
            self._labels.setStringList([names.label(band) for band in range(names.count)])
            self.preset.offer((_PRESET_NAMES[preset], preset) for preset in offered(names))
        self.preset.choose(look.preset)
        self.stretch.setCurrentText(_stretch_name(look.percentiles))
        for combo, band in zip(self.colours, look.bands_of(names), strict=True):
            combo.setCurrentIndex(band)
            combo.setEnabled(look.preset != "components")
        del blockers

    def _choose_preset(self, place: int) -> None:
        preset: LookPreset = self.preset.itemData(place)
        self._request(Look(preset, self._look.bands_of(self._names), self._look.percentiles))

    def _choose_stretch(self, place: int) -> None:
        low, high = self.stretch.itemData(place)
        self._request(Look(self._look.preset, self._look.bands, (low, high)))

    def _choose_band(self, colour: int, band: int) -> None:
        bands = list(self._look.bands_of(self._names))
        bands[colour] = band
        if band >= 0:
            self._request(Look("own", (bands[0], bands[1], bands[2]), self._look.percentiles))

    def _request(self, look: Look) -> None:
        self.requested.emit(ShowBands(look))


class BandsButton(QToolButton):
    """Says which bands are shown; a click opens a form that chooses others."""

    requested = Signal(object)  # a :class:`ShowBands`

    def __init__(self) -> None:
        super().__init__()
        self.popup = QFrame(self, Qt.WindowType.Popup, frameShape=QFrame.Shape.StyledPanel)
        self.form = BandsForm()
        vbox(self.form, of=self.popup)
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
        """Show a look at bands of these names; nothing is emitted."""
        self.form.set_look(look, names)
        what, numbers = "Bands", [str(band + 1) for band in look.bands_of(names)]
        if look.preset == "components":
            what, numbers = "Components", ["1", "2", "3"]
        self.setText(f"{what} {' · '.join(numbers)} ▾")
        self.setAccessibleName(f"{what} {', '.join(numbers)} as red, green and blue")

    def open(self) -> None:
        """Open the form below the button, or wherever on the screen there is room."""
        self.popup.adjustSize()
        where = self.mapToGlobal(QPoint(0, self.height()))
        room = self.screen().availableGeometry()
        place = QRect(where, self.popup.size())
        place.moveLeft(max(room.left(), min(place.left(), room.right() - place.width())))
        place.moveTop(max(room.top(), min(place.top(), room.bottom() - place.height())))
        self.popup.move(place.topLeft())
        self.popup.show()
        self.form.preset.setFocus(Qt.FocusReason.PopupFocusReason)


def _stretch_name(percentiles: tuple[float, float]) -> str:
    """Return the name of the percentiles of black and white, such as ``1–99 %``."""
    low, high = percentiles
    return "Full range" if (low, high) == STRETCHES[0] else f"{low:g}–{high:g}\u00a0%"
