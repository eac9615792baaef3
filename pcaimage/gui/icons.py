"""The actions' icons: single-coloured SVG files tinted from the colour scheme."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from pcaimage.assets import asset

if TYPE_CHECKING:
    from pcaimage.gui.colours import Colours

_SIZES = (16, 20, 24, 32)
_RATIOS = (1, 2, 3)


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
    for mode, colour, alpha in shades:
        tint = QColor(colour)
        tint.setAlpha(alpha)
        for size in _SIZES:
            for ratio in _RATIOS:
                icon.addPixmap(_render(renderer, size, ratio, tint), mode)
    return icon


def _render(renderer: QSvgRenderer, size: int, ratio: float, tint: QColor) -> QPixmap:
    side = round(size * ratio)
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), tint)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
