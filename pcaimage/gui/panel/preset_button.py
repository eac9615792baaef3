"""The button that offers presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from pcaimage.gui.session.presets import PRESETS

if TYPE_CHECKING:
    from pcaimage.gui.session.panel_view import PanelView


class PresetButton(QPushButton):
    """Offers ready-made answers to how much is kept.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    presetRequested = Signal(str)  # noqa: N815
    """One of :data:`~pcaimage.gui.session.presets.PRESETS`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("&Presets", parent)
        self.setToolTip("Qualities and sizes that are often wanted.")
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
            action.triggered.connect(lambda _=False, name=name: self.presetRequested.emit(name))
            before = preset
        self.setMenu(menu)

    def set_view(self, view: PanelView) -> None:
        """Grey out what makes no sense now.

        Parameters
        ----------
        view : PanelView
            What the panel shows.
        """
        self.setEnabled(view.enabled and view.k_max > 0 and view.targets_enabled)
        for name, preset in PRESETS.items():
            needs_original = preset.variance is None and preset.bits is None
            refused = view.bounded if preset.variance is None else ""
            self._actions[name].setEnabled(not refused and (view.psnr_enabled or not needs_original))
            self._actions[name].setToolTip(refused or preset.tip)
