"""The preferences dialog: every change applies at once, and Cancel reverts all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QDoubleSpinBox, QLabel, QSpinBox, QWidget

from pcaimage.codec import Effort
from pcaimage.errors import ImageError
from pcaimage.gui.boxes import vbox
from pcaimage.gui.dialogs import ask_profile, fit_to_screen, open_once, stand_above
from pcaimage.gui.panel.form_rows import ChoiceBox, dialog_form, heading, row_label, tips_of
from pcaimage.gui.preferences import (
    FEWEST_BYTES,
    FEWEST_PIXELS,
    MOST_BYTES,
    MOST_PIXELS,
    Preferences,
    PreferenceValues,
)
from pcaimage.gui.screen.profile import SRGB, SYSTEM, check_profile
from pcaimage.gui.session.choice import BLOCKS, EFFORTS, METHODS
from pcaimage.gui.speech import speak
from pcaimage.gui.theme import Theme
from pcaimage.imaging.image.limits import Limits
from pcaimage.insight.formatting import Units, use_units
from pcaimage.language import LANGUAGES

_MEGA, _GIGA = 1_000_000, 1_000_000_000
_WIDTH = 420
_TIPS = tips_of("preferences")


class PreferencesDialog(QDialog):
    """Shows the values of all preferences, and emits other values."""

    changed = Signal(object)
    """The :class:`~pcaimage.gui.preferences.PreferenceValues` to use; on Cancel the former ones."""

    def __init__(self, values: PreferenceValues, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = self.values = values
        self.scheme = ChoiceBox("Theme", _TIPS["scheme"], _SCHEMES)
        self.profile = ChoiceBox("Screen profile", _TIPS["screen"], ())
        self.complaint = QLabel(wordWrap=True)
        self.complaint.hide()
        self.language = ChoiceBox("Language", _TIPS["language"], _LANGUAGES)
        self.units = ChoiceBox("Sizes", _TIPS["units"], _UNITS)
        self.method = ChoiceBox("Method", _TIPS["method"], _METHODS)
        self.block = ChoiceBox("Block size", _TIPS["block"], ((f"{side} × {side}", side) for side in BLOCKS))
        self.standardize = QCheckBox("Sta&ndardise")
        self.effort = ChoiceBox("Effort", _TIPS["effort"], ((text, each) for each, text in EFFORTS.items()))
        self.several = ChoiceBox("Several images", _TIPS["several"], _SEVERAL)
        self.pixels, self.gigabytes = QSpinBox(), QDoubleSpinBox()
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self.setWindowTitle("Preferences")
        self._name()
        self._lay_out()
        self._show(values)
        self._connect()

    def reject(self) -> None:
        """Revert all changes, and close."""
        self._request(self._before)
        super().reject()

    def _name(self) -> None:
        self.standardize.setToolTip(_TIPS["standardize"])
        self.pixels.setAccessibleName("Limit in megapixels")
        self.pixels.setToolTip(_TIPS["pixels"])
        self.pixels.setRange(FEWEST_PIXELS // _MEGA, MOST_PIXELS // _MEGA)
        self.pixels.setSuffix(" megapixels")
        self.pixels.setSingleStep(50)
        self.gigabytes.setAccessibleName("Memory limit for pixels")
        self.gigabytes.setToolTip(_TIPS["bytes"])
        self.gigabytes.setRange(FEWEST_BYTES / _GIGA, MOST_BYTES / _GIGA)
        self.gigabytes.setDecimals(1)
        self.gigabytes.setSingleStep(0.5)
        self.gigabytes.setSuffix(" GB")
        for field in (self.pixels, self.gigabytes):
            field.setGroupSeparatorShown(True)
            field.setKeyboardTracking(False)

    def _lay_out(self) -> None:
        content = QWidget()
        column = vbox(of=content, margins=(16, 16, 16, 8), spacing=8)
        sections: dict[str, dict[str, QWidget]] = {
            "Look": {
                "&Language": self.language,
                "&Theme": self.scheme,
                "Sc&reen": self.profile,
                "&Sizes in": self.units,
            },
            "New images": {
                "&Method": self.method,
                "&Block size": self.block,
                "": self.standardize,
                "E&ffort": self.effort,
                "Se&veral": self.several,
            },
            "Largest image": {"&Pixels": self.pixels, "M&emory": self.gigabytes},
        }
        for title, rows in sections.items():
            column.addWidget(heading(title))
            form = dialog_form()
            for text, field in rows.items():
                form.addRow(row_label(text, field), field)
            column.addLayout(form)
            if title == "Look":
                column.addWidget(self.complaint)
            column.addSpacing(8)
        self.note = QLabel("Method and limits apply from the next image on; the open image stays as it is.")
        self.note.setWordWrap(True)
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        column.addWidget(self.note)
        column.addStretch()
        content.setMinimumWidth(_WIDTH)
        stand_above(content, self.buttons, self)
        fit_to_screen(self)

    def _connect(self) -> None:
        for box in (
            self.language,
            self.scheme,
            self.units,
            self.method,
            self.block,
            self.effort,
            self.several,
        ):
            box.activated.connect(self._read)
        self.profile.activated.connect(self._read_screen)
        self.standardize.clicked.connect(self._read)
        self.pixels.valueChanged.connect(self._read)
        self.gigabytes.valueChanged.connect(self._read)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        restore = self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.setToolTip("Set all preferences back to their defaults.")
        restore.clicked.connect(lambda: self._request(PreferenceValues()))

    def _show(self, values: PreferenceValues) -> None:
        fields: tuple[tuple[ChoiceBox, object], ...] = (
            (self.language, values.language),
            (self.scheme, values.scheme),
            (self.units, values.units),
            (self.method, values.choice.method),
            (self.block, values.choice.block),
            (self.effort, values.choice.effort),
            (self.several, values.several or ""),
            (self.profile, values.screen),
        )
        self.profile.offer(_screens(values.screen))
        for box, data in fields:
            box.choose(data)
        with QSignalBlocker(self.standardize), QSignalBlocker(self.pixels), QSignalBlocker(self.gigabytes):
            self.standardize.setChecked(values.choice.standardize)
            self.pixels.setValue(round(values.limits.max_pixels / _MEGA))
            self.gigabytes.setValue(values.limits.max_bytes / _GIGA)
        self.block.setEnabled(values.choice.method == "blocks")
        self.standardize.setEnabled(values.choice.method != "photo")

    def _read(self) -> None:
        """Emit the values of the fields; limits that were not changed keep their exact numbers."""
        now = self.values
        limits = now.limits
        if self.pixels.value() != round(limits.max_pixels / _MEGA):
            limits = replace(limits, max_pixels=self.pixels.value() * _MEGA)
        if abs(self.gigabytes.value() - limits.max_bytes / _GIGA) > 0.05:
            limits = Limits(limits.max_pixels, round(self.gigabytes.value() * _GIGA))
        block = self.block.currentData()
        method, standardize = self.method.currentData(), self.standardize.isChecked()
        block = now.choice.block if block is None else block
        effort = Effort(self.effort.currentData())
        choice = now.choice.changed(method=method, block=block, standardize=standardize, effort=effort)
        units = Units(self.units.currentData())
        scheme, several = self.scheme.currentData(), self.several.currentData() or None
        language = self.language.currentData()
        self._request(PreferenceValues(scheme, units, choice, limits, several, now.screen, language))

    def _read_screen(self) -> None:
        """Take the profile that was chosen, after asking for its file where that was chosen."""
        self.complaint.hide()
        wanted = self.profile.currentData()
        if wanted == _FILE:
            before = self.values.screen
            folder = str(Path(before).parent) if before not in (SYSTEM, SRGB) else ""
            path = ask_profile(self, folder)
            wanted = before
            try:
                if path is not None:
                    check_profile(path)
                    wanted = str(path.absolute())
            except ImageError as error:
                self.complaint.setText(str(error))
                self.complaint.show()
        self._request(replace(self.values, screen=wanted))
        self._show(self.values)

    def _request(self, values: PreferenceValues) -> None:
        if values != self.values:
            self.values = values
            self._show(values)
            self.changed.emit(values)


_LANGUAGES = (("Follow the system", ""), *((name, each) for each, name in LANGUAGES.items()))
_SCHEMES = (("Follow the system", "system"), ("Light", "light"), ("Dark", "dark"))
_FILE = "?"  # stands for a file that is still to be chosen
_UNITS = (("KB and MB, 1 KB = 1000 bytes", Units.DECIMAL), ("KiB and MiB, 1 KiB = 1024 bytes", Units.BINARY))
_SEVERAL = (
    ("Ask each time", ""),
    ("Separate photographs", "separate"),
    ("Images of a stack", "stack"),
    ("Bands of one image", "bands"),
)
_METHODS = tuple((text, name) for name, text in METHODS.items() if name != "stack")


def _screens(present: str) -> list[tuple[str, str]]:
    """Return the profiles of the screen that can be chosen, and the one that is."""
    found = [("Profile of the system", SYSTEM), ("sRGB", SRGB)]
    if present not in (SYSTEM, SRGB):
        found.append((Path(present).name, present))
    return [*found, ("Choose a file…", _FILE)]


def edit_preferences(
    parent: QWidget, preferences: Preferences, theme: Theme, on_changed: Callable[[PreferenceValues], object]
) -> PreferencesDialog:
    """Show the dialog; store and apply the preferences chosen in it.

    `on_changed` is called with every new set of values, and with the former one on Cancel, after theme and
    units have taken effect.
    """
    dialog = PreferencesDialog(preferences.values, parent)

    def apply(values: PreferenceValues) -> None:
        preferences.values = values
        if values.scheme != theme.scheme:
            theme.set_scheme(values.scheme)
        speak(values.language)
        use_units(values.units)
        on_changed(values)

    dialog.changed.connect(apply)
    open_once(dialog)
    return dialog
