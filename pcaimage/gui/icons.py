"""The actions' icons: single-coloured SVG files, drawn in the text colour of the scheme in force."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from pcaimage.gui.colours import Colours
from pcaimage.gui.theme import colours_of, faint
from pcaimage.machine.folders import asset


@cache
def load_icon(name: str) -> QIcon:
    """Return an icon, which is drawn when it is shown; empty if there is no such file."""
    return QIcon(_Tinted(name)) if f"{name}.svg" in icon_files() else QIcon()


@cache
def icon_files() -> frozenset[str]:
    """Return the names of all files of icons."""
    return frozenset(each.name for each in asset("icons").iterdir())


class _Tinted(QIconEngine):
    """Draws a file in the colours of the application at that moment."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._drawn: dict[tuple[int, int, bool, Colours], QPixmap] = {}

    def clone(self) -> QIconEngine:
        """Return a copy, for Qt."""
        return _Tinted(self._name)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:  # noqa: ARG002 - Qt's
        """Return the icon in a size, in device pixels."""
        enabled, colours = mode != QIcon.Mode.Disabled, colours_of(QGuiApplication.palette())
        key = size.width(), size.height(), enabled, colours
        if key not in self._drawn:
            self._drawn[key] = self._draw(size, colours, enabled=enabled)
        return self._drawn[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw the icon."""
        ratio = painter.device().devicePixelRatioF()
        pixmap = QPixmap(self.pixmap(rect.size() * ratio, mode, state))
        pixmap.setDevicePixelRatio(ratio)
        painter.drawPixmap(rect, pixmap)

    def _draw(self, size: QSize, colours: Colours, *, enabled: bool) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        tint = faint(colours.text if enabled else colours.muted, 255 if enabled else 120)
        painter, renderer = QPainter(pixmap), QSvgRenderer(str(asset("icons", f"{self._name}.svg")))
        renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        renderer.render(painter, QRectF(QPoint(), size))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(pixmap.rect(), tint)
        painter.end()
        return pixmap
