"""The look of the application: its style, light or dark colours, tabular figures."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from pcaimage.gui.colours import DARK, LIGHT, Colours, colours_for
from pcaimage.gui.style import Flat
from pcaimage.machine.folders import tables

Scheme = Literal["system", "light", "dark"]

_READ = tables("qt.json")
_ROLES = [(QPalette.ColorRole[role], name) for role, name in _READ["roles"]]
_TEXT_ROLES = [QPalette.ColorRole[role] for role in _READ["text"]]


class Theme(QObject):
    """Applies a colour scheme to the application, and follows the system's if that is chosen.

    Widgets need not know it: each uses :func:`colours_of` its palette, and repaints on Qt's ``PaletteChange``
    event; one that keeps colours is :class:`Coloured`. Only objects that are not widgets, such as actions
    with icons, listen to :attr:`changed`.
    """

    changed = Signal(object)  # the new :class:`~pcaimage.gui.colours.Colours`, after the scheme changed

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._scheme: Scheme = "system"
        self._colours = LIGHT
        app.setStyle(Flat())
        app.styleHints().colorSchemeChanged.connect(self._refresh)

    @property
    def scheme(self) -> Scheme:
        """The chosen scheme: ``"system"``, ``"light"`` or ``"dark"``."""
        return self._scheme

    @property
    def colours(self) -> Colours:
        """The colours in force."""
        return self._colours

    def set_scheme(self, scheme: Scheme) -> None:
        """Use a scheme from now on."""
        self._scheme = scheme
        hints = self._app.styleHints()
        if hasattr(hints, "setColorScheme"):  # since Qt 6.8; it makes title bars and dialogs follow
            hints.setColorScheme(
                {
                    "system": Qt.ColorScheme.Unknown,
                    "light": Qt.ColorScheme.Light,
                    "dark": Qt.ColorScheme.Dark,
                }[scheme],
            )
        self._refresh()

    def _refresh(self) -> None:
        dark = self._scheme == "dark" or (
            self._scheme == "system" and self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )
        self._colours = DARK if dark else LIGHT
        self._app.setPalette(qt_palette(self._colours))
        self.changed.emit(self._colours)


class Coloured(QWidget):
    """A widget that keeps colours of the scheme, and takes new ones when that changes."""

    def _recolour(self) -> None:
        """Take the colours of the palette."""

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()
        super().changeEvent(event)


def apply_theme(app: QApplication, scheme: Scheme = "system") -> Theme:
    """Set the style and the colour scheme of the application."""
    theme = Theme(app)
    theme.set_scheme(scheme)
    return theme


def qt_palette(colours: Colours) -> QPalette:
    """Return a scheme as a Qt palette."""
    palette = QPalette(QColor(colours.button), QColor(colours.window))
    for role, name in _ROLES:
        palette.setColor(role, QColor(getattr(colours, name)))
    greyed = faint(colours.muted, 150)
    for role in _TEXT_ROLES:
        palette.setColor(QPalette.ColorGroup.Disabled, role, greyed)
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Base, QColor(colours.window))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(colours.border))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Accent, QColor(colours.border))
    return palette


def colours_of(palette: QPalette) -> Colours:
    """Return the colour scheme that a widget's palette belongs to."""
    return colours_for(palette.color(QPalette.ColorRole.Window).name())


def faint(colour: str, alpha: int) -> QColor:
    """Return a colour that lets what is behind it show through; `alpha` goes from 0 to 255."""
    found = QColor(colour)
    found.setAlpha(alpha)
    return found


def tabular(font: QFont) -> QFont:
    """Return a font with figures of equal width (OpenType ``tnum``), so that changing numbers do not jump."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


def enlarged(font: QFont, factor: float) -> QFont:
    """Return a larger font, whether its size is set in points or, as on some desktops, in pixels."""
    result = QFont(font)
    if font.pointSizeF() > 0:
        result.setPointSizeF(font.pointSizeF() * factor)
    else:
        result.setPixelSize(round(font.pixelSize() * factor))
    return result
