"""The actions' icons: single-coloured SVG files tinted from the colour scheme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from pcaimage.gui.colours import Colours
from pcaimage.machine.folders import asset


@lru_cache(maxsize=256)
def load_icon(name: str, colours: Colours) -> QIcon:
    """Return an icon in the text colour of a scheme, drawn at the sizes at which it is shown.

    It is empty if there is no such file: an action works without its icon.
    """
    try:
        return QIcon(_Tinted(str(asset("icons", f"{name}.svg")), colours))
    except FileNotFoundError:
        return QIcon()


class _Tinted(QIconEngine):
    """Draws a file in the colours of a scheme."""

    def __init__(self, path: str, colours: Colours) -> None:
        super().__init__()
        self._path, self._colours = path, colours
        self._drawn: dict[tuple[int, int, bool], QPixmap] = {}

    def clone(self) -> QIconEngine:
        """Return a copy, for Qt."""
        return _Tinted(self._path, self._colours)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:  # noqa: ARG002 - Qt's
        """Return the icon in a size, in device pixels."""
        enabled = mode != QIcon.Mode.Disabled
        key = size.width(), size.height(), enabled
        if key not in self._drawn:
            self._drawn[key] = self._draw(size, enabled=enabled)
        return self._drawn[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw the icon."""
        ratio = painter.device().devicePixelRatioF()
        pixmap = QPixmap(self.pixmap(rect.size() * ratio, mode, state))
        pixmap.setDevicePixelRatio(ratio)
        painter.drawPixmap(rect, pixmap)

    def _draw(self, size: QSize, *, enabled: bool) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        tint = QColor(self._colours.text if enabled else self._colours.muted)
        tint.setAlpha(255 if enabled else 120)
        painter, renderer = QPainter(pixmap), QSvgRenderer(self._path)
        renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        renderer.render(painter, QRectF(QPoint(), size))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(pixmap.rect(), tint)
        painter.end()
        return pixmap
