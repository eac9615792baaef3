"""The actions' icons: single-coloured SVG files tinted from the colour scheme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from pcaimage.gui.colours import Colours
from pcaimage.machine.folders import asset

_SIDES = {
    16: (1,),
    20: (1,),
    24: (1,),
    32: (1, 2),
    40: (2,),
    48: (2, 3),
    60: (3,),
    64: (2,),
    72: (3,),
    96: (3,),
}
"""Sizes in pixels, with the device pixel ratios at which they are 16, 20, 24 or 32 wide."""


@lru_cache(maxsize=256)
def load_icon(name: str, colours: Colours) -> QIcon:
    """Return an icon in the text colour of a scheme, crisp at device pixel ratios 1, 2 and 3.

    It is empty if there is no such file: an action works without its icon.
    """
    icon = QIcon()
    try:
        renderer = QSvgRenderer(str(asset("icons", f"{name}.svg")))
    except FileNotFoundError:
        return icon
    if not renderer.isValid():
        return icon
    shades = ((QIcon.Mode.Normal, colours.text, 255), (QIcon.Mode.Disabled, colours.muted, 120))
    for side, ratios in _SIDES.items():
        shape = _render(renderer, side)
        for mode, colour, alpha in shades:
            tint = QColor(colour)
            tint.setAlpha(alpha)
            pixmap = _tinted(shape, tint)
            for ratio in ratios:
                pixmap.setDevicePixelRatio(ratio)
                icon.addPixmap(pixmap, mode)
    return icon


def _render(renderer: QSvgRenderer, side: int) -> QPixmap:
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    return pixmap


def _tinted(shape: QPixmap, tint: QColor) -> QPixmap:
    pixmap = shape.copy()
    painter = QPainter(pixmap)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), tint)
    painter.end()
    return pixmap
