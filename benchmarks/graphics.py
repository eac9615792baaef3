"""Makes ten images that are no photographs: screenshots, diagrams, text and posters.

``python -m benchmarks.graphics FOLDER`` writes them as PNG files, for ``benchmarks.rate_distortion --images
FOLDER``. The real window and Qt's painter draw them without a screen, so they depend on the program's version
and on the machine's fonts: figures are comparable within one run only.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QApplication

from benchmarks.driven import driven_window
from benchmarks.photographs import made_photograph
from pcaimage.gui.theme import Scheme

SIZE = WIDTH, HEIGHT = 1024, 704
"""Pixels along both sides of each."""

_ROOT = Path(__file__).resolve().parent.parent
_HUES = ("#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf", "#bcbd22", "#8c564b")

Draw = Callable[[QPainter], None]


def window(scheme: Scheme, *, opened: bool) -> QImage:
    """Return a screenshot of the program's window.

    Parameters
    ----------
    scheme : {"light", "dark"}
        Its colours.
    opened : bool
        Whether an image is open in it.

    Returns
    -------
    QImage
        Of :data:`SIZE`.
    """
    with driven_window(scheme=scheme, size=SIZE) as driver:
        if opened:
            driver.open(made_photograph(480, 640))
        driver.until_idle()
        return driver.window.grab().toImage()


def drawn(draw: Draw, ground: str = "#ffffff") -> QImage:
    """Return a picture that is drawn on a plain ground.

    Parameters
    ----------
    draw : callable
        Takes the painter.
    ground : str
        Colour of the ground.

    Returns
    -------
    QImage
        Of :data:`SIZE`.
    """
    image = QImage(*SIZE, QImage.Format.Format_RGB888)
    image.fill(QColor(ground))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    draw(painter)
    painter.end()
    return image


def prose(painter: QPainter) -> None:
    """Draw a page of text in two columns."""
    text = " ".join((_ROOT / "LICENSE").read_text(encoding="utf-8").split()) * 4
    painter.setPen(QColor("#101010"))
    painter.setFont(QFont("DejaVu Serif", 10))
    for column in range(2):
        box = QRectF(30 + column * (WIDTH // 2), 24, WIDTH / 2 - 60, HEIGHT - 48)
        painter.drawText(box, Qt.TextFlag.TextWordWrap, text[column * 300 :])


def source(painter: QPainter) -> None:
    """Draw lines of source code, words in several colours."""
    painter.setFont(QFont("DejaVu Sans Mono", 9))
    height, advance = 16, painter.fontMetrics().horizontalAdvance("m")
    lines = (_ROOT / "benchmarks" / "bdrate.py").read_text(encoding="utf-8").splitlines()
    for row, line in enumerate(lines[: HEIGHT // height]):
        x = 20
        for word in line.split(" "):
            painter.setPen(QColor(_HUES[len(word) % len(_HUES)]).lighter(150))
            painter.drawText(x, 20 + row * height, word)
            x += (len(word) + 1) * advance


def bars(painter: QPainter) -> None:
    """Draw a chart of bars with its grid and numbers."""
    painter.setFont(QFont("DejaVu Sans", 10))
    for line in range(9):
        y = 60 + 70 * line
        painter.setPen(QPen(QColor("#d8d8d8"), 1))
        painter.drawLine(70, y, WIDTH - 40, y)
        painter.setPen(QColor("#303030"))
        painter.drawText(20, y + 5, f"{800 - 100 * line}")
    for number in range(24):
        value = 260 + 230 * math.sin(number * 0.7) + 9 * (number % 5)
        box = QRectF(84 + 38 * number, 620 - value, 26, value)
        painter.fillRect(box, QColor(_HUES[number % 4]))
        painter.drawText(QPointF(box.x() + 4, 640), f"{number + 1}")


def curves(painter: QPainter) -> None:
    """Draw curves with dots, and their legend."""
    painter.setPen(QPen(QColor("#202020"), 1.5))
    painter.drawRect(70, 30, WIDTH - 110, HEIGHT - 100)
    painter.setFont(QFont("DejaVu Sans", 11))
    for number, hue in enumerate(_HUES):
        painter.setPen(QPen(QColor(hue), 2))
        points = [
            QPointF(70 + 9 * x, 330 + (24 + 30 * number) * math.sin(0.07 * x + number) * math.exp(-x / 140))
            for x in range(101)
        ]
        painter.drawPolyline(QPolygonF(points))
        for point in points[::10]:
            painter.drawEllipse(point, 4, 4)
        painter.drawText(790, 60 + 22 * number, f"curve {number + 1}")


def boxes(painter: QPainter) -> None:
    """Draw a diagram of boxes and arrows."""
    painter.setFont(QFont("DejaVu Sans", 12))
    for row in range(5):
        for column in range(4):
            box = QRectF(40 + 250 * column, 40 + 132 * row, 170, 74)
            painter.setPen(QPen(QColor("#333333"), 2))
            painter.setBrush(QColor(_HUES[(row + column) % 8]).lighter(170))
            painter.drawRoundedRect(box, 10, 10)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"stage {row + 1}.{column + 1}")
            if column < 3:
                start, end = (
                    QPointF(box.right(), box.center().y()),
                    QPointF(box.right() + 80, box.center().y()),
                )
                painter.drawLine(start, end)
                painter.setBrush(QColor("#333333"))
                painter.drawPolygon(QPolygonF([end, end + QPointF(-12, -6), end + QPointF(-12, 6)]))


def poster(painter: QPainter) -> None:
    """Draw large shapes in flat, saturated colours, one over the other."""
    for number in range(14):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(_HUES[number % 8]))
        centre = QPointF((number * 397) % WIDTH, (number * 251) % HEIGHT)
        path = QPainterPath()
        path.addEllipse(centre, 90 + 13 * (number % 4), 70 + 21 * (number % 3))
        corner = centre + QPointF(60, -40)
        path.addPolygon(QPolygonF([corner, corner + QPointF(160, 40), corner + QPointF(30, 170), corner]))
        painter.drawPath(path)
    painter.setPen(QColor("#101010"))
    painter.setFont(QFont("DejaVu Sans", 72, QFont.Weight.Bold))
    painter.drawText(QRectF(0, 0, *SIZE), Qt.AlignmentFlag.AlignCenter, "OPEN DAY\n24 MAY")


def sign(painter: QPainter) -> None:
    """Draw a sign with large letters over a photograph."""
    pixels = np.ascontiguousarray(made_photograph(HEIGHT, WIDTH))
    ground = QImage(pixels.data, *SIZE, 3 * WIDTH, QImage.Format.Format_RGB888)
    painter.drawImage(0, 0, ground)
    painter.setPen(QPen(QColor("#ffffff"), 8))
    painter.setBrush(QColor("#0b5d2a"))
    painter.drawRoundedRect(QRectF(152, 182, 720, 340), 24, 24)
    painter.setFont(QFont("DejaVu Sans", 52, QFont.Weight.Bold))
    painter.drawText(
        QRectF(152, 182, 720, 340), Qt.AlignmentFlag.AlignCenter, "Market Square\nStation ↗ 2 km"
    )


def made() -> dict[str, Callable[[], QImage]]:
    """Return what makes each image, by its name."""
    return {
        "window-empty-light": lambda: window("light", opened=False),
        "window-light": lambda: window("light", opened=True),
        "window-dark": lambda: window("dark", opened=True),
        "text": lambda: drawn(prose),
        "code-dark": lambda: drawn(source, "#1e1e1e"),
        "bars": lambda: drawn(bars),
        "curves": lambda: drawn(curves),
        "boxes": lambda: drawn(boxes, "#fafaf5"),
        "poster": lambda: drawn(poster, "#ffd23f"),
        "sign": lambda: drawn(sign),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the images."""
    command = argparse.ArgumentParser(prog="python -m benchmarks.graphics", description=__doc__)
    command.add_argument("folder", type=Path, help="the folder for the images; made if it is missing")
    options = command.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication.instance() or QApplication(["pcaimage"])
    for name, make in made().items():
        path = options.folder / f"{name}.png"
        image = make().convertToFormat(QImage.Format.Format_RGB888)
        if not image.save(str(path)):
            command.error(f"{path} cannot be written")
        print(path)
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main())
