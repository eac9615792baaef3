"""The presets of the settings panel: three qualities with their sizes, and a menu of the others."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QSizePolicy, QWidget

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.session.requests import UsePreset
from pcaimage.gui.session.resolve import PanelView
from pcaimage.gui.session.targets import OFFERED, PRESETS, Preset
from pcaimage.gui.theme import tabular
from pcaimage.insight.formatting import file_size

_PADDING = 10
_LARGER = " Larger than the file that was opened: keep that one, or take a smaller quality."
_AIR = 12


class PresetButtons(QWidget):
    """A button for each quality, with the size that its file would have and the saving."""

    requested = Signal(object)
    """A :class:`~pcaimage.gui.session.requests.UsePreset`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons = {name: _QualityButton(PRESETS[name]) for name in OFFERED}
        """The buttons by the names of their presets."""
        for name, button in self.buttons.items():
            button.clicked.connect(lambda _=False, name=name: self._ask(name))
        vbox(*self.buttons.values(), of=self, spacing=4)
        self._chosen = ""

    def set_view(self, view: PanelView) -> None:
        """Check the button of the goal, and show other sizes."""
        self._chosen = view.goal.preset if view.k_max else ""
        for name, button in self.buttons.items():
            button.setEnabled(_allowed(PRESETS[name], view))
            button.setChecked(name == self._chosen)
            button.show_size(view.offers.get(name), view.original_size)
            preset = PRESETS[name]
            tip = view.bounded or (preset.noise_tip if view.by_noise else preset.tip)
            larger = view.offers.get(name, 0) > (view.original_size or math.inf)
            button.setToolTip(tip + _LARGER * larger)

    def _ask(self, name: str) -> None:
        # The session's answer checks a button, not the click.
        for each, button in self.buttons.items():
            button.setChecked(each == self._chosen)
        self.requested.emit(UsePreset(name))


class _QualityButton(QPushButton):
    """A button with a name on the left, and a size with its saving on the right."""

    def __init__(self, preset: Preset) -> None:
        super().__init__()
        self.setCheckable(True)
        self._title = preset.text.replace("&", "")
        self._name, self._size = QLabel(self._title), QLabel()
        self._size.setFont(tabular(self._size.font()))
        for label in (self._name, self._size):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        hbox(self._name, FREE, self._size, of=self, margins=(_PADDING, 0, _PADDING, 0))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_size(None, None)

    def show_size(self, n_bytes: int | None, original: int | None) -> None:
        """Show about how large the file would be, and how much smaller than the original, if known."""
        text = "" if n_bytes is None else f"≈ {file_size(n_bytes)}"
        if n_bytes is not None and original:
            text += f"   {_change(n_bytes, original)}"
        self._size.setText(text)
        self.setAccessibleName(f"{self._title}, {text}" if text else self._title)

    def sizeHint(self) -> QSize:
        """Return room for the labels."""
        return QSize(160, self.fontMetrics().height() + _AIR)


def _change(n_bytes: int, original: int) -> str:
    """Return by how much a file is smaller or larger than the original, in per cent."""
    change = round(100 * (n_bytes / original - 1))
    return f"−{-change}\u00a0%" if change < 0 else f"+{change}\u00a0%"


class PresetMenu(QPushButton):
    """The menu button of the other presets."""

    requested = Signal(object)
    """A :class:`~pcaimage.gui.session.requests.UsePreset`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("More", parent)
        self.setToolTip("Lossless, and shares of the variance.")
        self.setAccessibleName("More presets")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        menu = QMenu(self, toolTipsVisible=True)
        self._actions = {}
        group = QActionGroup(menu, exclusionPolicy=QActionGroup.ExclusionPolicy.ExclusiveOptional)
        for name in PRESETS:
            if name not in OFFERED:
                action = self._actions[name] = menu.addAction(PRESETS[name].text)
                action.triggered.connect(lambda _=False, name=name: self.requested.emit(UsePreset(name)))
                action.setCheckable(True)
                group.addAction(action)
        self.setMenu(menu)

    def set_view(self, view: PanelView) -> None:
        """Grey out the presets that are not possible now, and check that of the goal."""
        self.setEnabled(view.enabled and view.k_max > 0)
        for name, action in self._actions.items():
            preset = PRESETS[name]
            action.setEnabled(_allowed(preset, view))
            action.setChecked(name == view.goal.preset)
            action.setToolTip(preset.tip if preset.variance is not None else view.bounded or preset.tip)


def _allowed(preset: Preset, view: PanelView) -> bool:
    """Return whether a preset is possible now."""
    if not (view.enabled and view.k_max):
        return False
    if preset.variance is not None:
        return True
    return not view.bounded and (view.psnr_enabled or preset.bits is not None)
