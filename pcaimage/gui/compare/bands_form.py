"""Choosing what is red, green and blue, and how far it is stretched."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QListView, QWidget

from pcaimage.gui.panel.form_rows import row_label, section
from pcaimage.gui.session.look import STRETCHES, Look, LookPreset, offered
from pcaimage.gui.session.requests import ShowBands
from pcaimage.insight.band_names import BandNames

PRESET_NAMES: dict[LookPreset, str] = {
    "spread": "Evenly spread",
    "true-colour": "True colour",
    "infrared": "Colour infrared",
    "components": "First three components",
    "own": "Chosen bands",
}
"""What the presets are called in the window."""
COLOURS = ("Red", "Green", "Blue")

_WIDTH = 26
"""Letters that there is room for."""
_TIPS = {
    "show": (
        "True colour shows the bands nearest to 640, 550 and 460 nm, colour infrared those nearest to 860, "
        "650 and 550 nm. The first three components are the directions in which spectra vary most."
    ),
    "stretch": (
        "Which percentiles of each band of the original are shown as black and as white. The reconstruction "
        "is stretched alike, so that they can be compared."
    ),
}


class BandsForm(QFrame):
    """Shows how an image of many bands is looked at; every change is only asked for.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    requested = Signal(object)
    """A :data:`~pcaimage.gui.session.requests.Request`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._names = Look(), BandNames(1)
        self._labels = QStringListModel(self)
        self.preset, self.stretch = _combo("Bands shown", _TIPS["show"]), _combo("Stretch", _TIPS["stretch"])
        self.colours = tuple(_combo(name, f"The band that is shown in {name.lower()}.") for name in COLOURS)
        for percentiles in STRETCHES:
            self.stretch.addItem(stretch_name(percentiles), percentiles)
        form = section(self)
        form.setContentsMargins(16, 16, 16, 16)
        form.addRow(row_label("&Show", self.preset), self.preset)
        for name, combo in zip(COLOURS, self.colours, strict=True):
            combo.setModel(self._labels)
            form.addRow(row_label(f"&{name}", combo), combo)
        form.addRow(row_label("S&tretch", self.stretch), self.stretch)
        self.preset.activated.connect(self._choose_preset)
        self.stretch.activated.connect(self._choose_stretch)
        for colour, combo in enumerate(self.colours):
            combo.currentIndexChanged.connect(self._chooser(colour))

    def set_look(self, look: Look, names: BandNames) -> None:
        """Show how the image is looked at; nothing is emitted.

        Parameters
        ----------
        look : Look
            How.
        names : BandNames
            The image's.
        """
        new = names is not self._names
        self._look, self._names = look, names
        blockers = [QSignalBlocker(each) for each in (self.preset, self.stretch, *self.colours)]
        if new:
            self._labels.setStringList([names.label(band) for band in range(names.count)])
            self.preset.clear()
            for preset in offered(names):
                self.preset.addItem(PRESET_NAMES[preset], preset)
        self.preset.setCurrentIndex(self.preset.findData(look.preset))
        self.stretch.setCurrentText(stretch_name(look.percentiles))
        for combo, band in zip(self.colours, look.bands_of(names), strict=True):
            combo.setCurrentIndex(band)
            combo.setEnabled(look.preset != "components")
        del blockers

    def _choose_preset(self, place: int) -> None:
        preset: LookPreset = self.preset.itemData(place)
        self._ask(Look(preset, self._look.bands_of(self._names), self._look.percentiles))

    def _choose_stretch(self, place: int) -> None:
        low, high = self.stretch.itemData(place)
        self._ask(Look(self._look.preset, self._look.bands, (low, high)))

    def _chooser(self, colour: int) -> Callable[[int], None]:
        def choose(band: int) -> None:
            bands = list(self._look.bands_of(self._names))
            bands[colour] = band
            if band >= 0:
                self._ask(Look("own", (bands[0], bands[1], bands[2]), self._look.percentiles))

        return choose

    def _ask(self, look: Look) -> None:
        self.requested.emit(ShowBands(look))


def stretch_name(percentiles: tuple[float, float]) -> str:
    """Return what a stretch is called.

    Parameters
    ----------
    percentiles : (float, float)
        Black and white.

    Returns
    -------
    str
        Such as ``1–99 %``.
    """
    low, high = percentiles
    return "Full range" if (low, high) == STRETCHES[0] else f"{low:g}–{high:g}\u00a0%"


def _combo(name: str, tip: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setToolTip(tip)
    combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    # A thousand bands must not be measured one by one.
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(_WIDTH)
    combo.setMaxVisibleItems(16)
    view = combo.view()
    if isinstance(view, QListView):
        view.setUniformItemSizes(True)
    return combo
