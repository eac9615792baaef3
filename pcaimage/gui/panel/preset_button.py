"""The button that offers presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from pcaimage.gui.session.presets import PRESETS
from pcaimage.gui.session.requests import UsePreset

if TYPE_CHECKING:
    from pcaimage.gui.session.panel_view import PanelView


class PresetButton(QPushButton):
    """Offers ready-made answers to how much is kept."""

    requested = Signal(object)
    """A :data:`~pcaimage.gui.session.requests.Request`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("&Presets", parent)
        self.setToolTip("Common qualities and sizes.")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self._actions = {}
        before = None
        for name, preset in PRESETS.items():
            if before is not None and (before.variance is None) != (preset.variance is None):
                menu.addSeparator()
            action = self._actions[name] = menu.addAction(preset.text)
            action.setToolTip(preset.tip)
            action.triggered.connect(lambda _=False, name=name: self.requested.emit(UsePreset(name)))
            before = preset
        self.setMenu(menu)

    def set_view(self, view: PanelView) -> None:
        """Grey out what makes no sense now."""
        self.setEnabled(view.enabled and view.k_max > 0)
        for name, preset in PRESETS.items():
            needs_original = preset.variance is None and preset.bits is None
            refused = view.bounded if preset.variance is None else ""
            self._actions[name].setEnabled(not refused and (view.psnr_enabled or not needs_original))
            self._actions[name].setToolTip(refused or preset.tip)
