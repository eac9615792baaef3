"""The bar of qualities: three presets with their sizes, a menu of all, and the slider between them."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.panel.form_rows import heading
from pcaimage.gui.panel.k_slider import KSlider
from pcaimage.gui.session.requests import UsePreset
from pcaimage.gui.session.resolve import PanelView
from pcaimage.gui.session.targets import OFFERED, PRESETS, Preset
from pcaimage.gui.theme import tabular
from pcaimage.insight.formatting import change_words, file_size

_PADDING = 10
_BETWEEN = 10
_WIDEST = "≈ 00.0\u00a0KB", "−00\u00a0%"  # the room of sizes and savings, which is kept until they are known
_LARGER = "This would not be smaller than the file that was opened: keep that one."
_AIR = 12
_LEAST = 90  # the least width of the slider in a row


class PresetButtons(QWidget):
    """A button for each quality, with the size that its file would have and the saving."""

    requested = Signal(object)  # a :class:`~pcaimage.gui.session.requests.UsePreset`

    def __init__(self) -> None:
        super().__init__()
        self.buttons = {name: _QualityButton(PRESETS[name]) for name in OFFERED}
        """The buttons by the names of their presets."""
        for name, button in self.buttons.items():
            button.clicked.connect(lambda _=False, name=name: self._ask(name))
        self.box = vbox(*self.buttons.values(), of=self, spacing=4)
        self._chosen = ""

    def set_view(self, view: PanelView) -> None:
        """Check the button of the goal, and show other sizes."""
        self._chosen = view.goal.preset if view.k_max else ""
        for name, button in self.buttons.items():
            preset, chosen = PRESETS[name], name == self._chosen
            exact = chosen and not view.size_estimated
            offer = view.size if exact else view.offers.get(name)
            smaller = offer is None or offer < (view.original_size or math.inf)
            button.setEnabled(_allowed(preset, view) and smaller)
            button.setChecked(chosen)
            button.show_size(offer, view.original_size, exact=exact)
            tip = view.bounded or (preset.noise_tip if view.by_noise else preset.tip)
            button.setToolTip(tip if smaller else _LARGER)

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
        self._name, self._size, self.saving = QLabel(self._title), QLabel(), QLabel()
        for label, widest in ((self._name, ""), (self._size, _WIDEST[0]), (self.saving, _WIDEST[1])):
            label.setFont(tabular(label.font()))
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance(widest))
            label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        parts = self._name, FREE, self._size, self.saving
        box = hbox(*parts, of=self, margins=(_PADDING, 0, _PADDING, 0), spacing=_BETWEEN)
        box.setSizeConstraint(QBoxLayout.SizeConstraint.SetNoConstraint)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_size(None, None)

    def show_size(self, n_bytes: int | None, original: int | None, *, exact: bool = False) -> None:
        """Show how large the file would be, and how much smaller than the original, if known."""
        size = "" if n_bytes is None else f"{'' if exact else '≈ '}{file_size(n_bytes)}"
        saving = change_words(original, n_bytes)
        self._size.setText(size)
        self.saving.setText(saving)
        self.setAccessibleName(", ".join(filter(None, (self._title, size, saving))))

    def sizeHint(self) -> QSize:
        """Return room for the labels."""
        return QSize(self._room(self._name, self._size, self.saving), self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return room for the name alone."""
        return QSize(self._room(self._name), self.fontMetrics().height() + _AIR)

    def _room(self, *labels: QLabel) -> int:
        return sum(label.sizeHint().width() + _BETWEEN for label in labels) - _BETWEEN + 2 * _PADDING

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show size and saving where there is room."""
        super().resizeEvent(event)
        self._size.setVisible(self.width() >= self._room(self._name, self._size))
        self.saving.setVisible(self.width() >= self.sizeHint().width())


class QualityBar(QWidget):
    """Presets and the slider, in a row, or in a column under a heading."""

    def __init__(self, slider: KSlider) -> None:
        super().__init__()
        self.qualities, self._slider = PresetButtons(), slider
        self.presets = QPushButton("Other Qualities")
        self.presets.setToolTip("Lossless, shares of the variance, and presets of yours.")
        self.presets.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.export = QPushButton("Export for Others…")
        self.export.setToolTip("Write the image in a format that other programs open, such as JPEG or PNG.")
        self.details = QToolButton(autoRaise=True)
        self.details.setText("All Settings")
        self.details.setCheckable(True)
        self.details.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.details.setToolTip("Show the other settings, with k, PSNR and what the bytes are for.")
        self._heading = heading("Quality and size")
        parts = self._heading, self.qualities, self.presets, (slider, 1), self.export, self.details
        self._box = vbox(*parts, of=self, spacing=8)
        self.set_row(False)

    def set_row(self, row: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Lay all out in a row, or in a column."""
        way = QBoxLayout.Direction.LeftToRight if row else QBoxLayout.Direction.TopToBottom
        for box in (self.qualities.box, self._box):
            box.setDirection(way)
            box.activate()  # else the window's first layout takes a column's height for that of a row
        self._box.setContentsMargins(*((8, 6, 8, 6) if row else (0, 0, 0, 0)))
        self._heading.setVisible(not row)
        self.details.setVisible(row)
        self._slider.setMinimumWidth(_LEAST if row else 0)

    def set_view(self, view: PanelView) -> None:
        """Show another view."""
        self.qualities.set_view(view)
        self.presets.setEnabled(view.enabled and view.k_max > 0)
        for part in (self.qualities, self.presets):
            part.setVisible(view.editing)
        self.export.setVisible(not view.editing)
        self.export.setEnabled(view.k_max > 0)
        self._heading.setText("Quality and size" if view.editing else "Make it smaller")


def _allowed(preset: Preset, view: PanelView) -> bool:
    """Return whether a preset is possible now."""
    if not (view.enabled and view.k_max):
        return False
    if preset.variance is not None:
        return True
    return not view.bounded and (view.psnr_enabled or preset.bits is not None)
