"""Renders the application icon to the PNG sizes that desktops need."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

FOLDER = Path(__file__).resolve().parent.parent / "icons" / "app"
SIZES = (16, 32, 48, 64, 128, 256, 512)
LARGEST_SMALL = 32  # up to this size the dots would blur, so a simpler drawing is used


def render(drawing: Path, size: int) -> QImage:
    """Render an SVG drawing to a square image of `size` pixels with a transparent background."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(drawing)).render(painter)
    painter.end()
    return image


def main() -> None:
    """Write one PNG for each size."""
    for size in SIZES:
        name = "pcaimage-small.svg" if size <= LARGEST_SMALL else "pcaimage.svg"
        path = FOLDER / f"pcaimage-{size}.png"
        if not render(FOLDER / name, size).save(str(path)):
            raise OSError(f"{path} could not be written.")


if __name__ == "__main__":
    main()
