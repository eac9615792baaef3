"""The mean curves of several codecs as a picture for documents."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.comparison import Comparison
from benchmarks.curves import RANGE, Axis, mean_curve
from benchmarks.drawing import Line, Panel, Tick, draw
from pcaimage.gui.colours import DARK, LIGHT, Colours

_STYLES = {
    "JPEG 4:2:0": "orange",
    "JPEG 4:4:4": "orange",
    "JPEG 2000": "green",
    "WebP": "violet",
    "JPEG XL": "red",
    "AVIF": "teal",
    "AVIF (psnr)": "teal",
}
_DASHED = {"JPEG 4:4:4", "AVIF (psnr)"}
_HUES = {
    "orange": ("#a3541a", "#eba36f"),
    "green": ("#24733f", "#6fcf8f"),
    "violet": ("#7a3fb0", "#c3a1f2"),
    "red": ("#b8234f", "#ff8da8"),
    "teal": ("#0b6f7d", "#62cbd8"),
}
"""Colours for light and for dark surroundings; each is legible as text."""

_RATES = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0)
_SIMILARITIES = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999)
_SCALE = 2
"""Pixels of a PNG for each unit of the drawing."""


def picture(comparison: Comparison, schemes: Sequence[Colours] = (LIGHT, DARK)) -> str:
    """Draw mean PSNR and SSIM of several images over the rate, as SVG.

    Parameters
    ----------
    schemes : sequence of Colours
        One colour scheme, or one each for light and dark surroundings, of which a browser chooses.

    Raises
    ------
    ValueError
        If no codec has a rate in common on all images.
    """
    curves = {axis: _lines(comparison, axis) for axis in ("psnr", "ssim")}
    if not any(line.points for line in curves["psnr"]):
        raise ValueError("No codec has files of one size for all images; there is nothing to draw.")
    low, high = RANGE
    count = len(comparison.images)
    below = f"bit/pixel ({'1 image' if count == 1 else f'mean of {count} images'})"
    x_ticks = [(rate, f"{rate:g}") for rate in _RATES if low <= rate <= high]
    panels = [
        Panel("PSNR (RGB), dB", below, x_ticks, _psnr_ticks(curves["psnr"]), curves["psnr"]),
        Panel("SSIM", below, x_ticks, _ssim_ticks(curves["ssim"]), curves["ssim"]),
    ]
    return draw(panels, _style(schemes))


def write_picture(path: Path, comparison: Comparison, *, dark: bool = False) -> None:
    """Write the picture as ``.svg``, which adapts to its page, or as ``.png`` for light or dark ones."""
    if path.suffix.lower() == ".png":
        _write_png(path, picture(comparison, [DARK if dark else LIGHT]))
    else:
        path.write_text(picture(comparison), encoding="utf-8")


def _lines(comparison: Comparison, axis: Axis) -> list[Line]:
    """Return the curves; this project's come last, so that they are on top."""
    lines = []
    for codec in [*comparison.anchors, *comparison.own]:
        own = codec in comparison.own
        lines.append(
            Line(
                label=codec,
                style="own" if own else _STYLES[codec],
                points=mean_curve(comparison.of(codec), axis),
                dashed=codec in comparison.own[1:] or codec in _DASHED,
                strong=own,
            )
        )
    return lines


def _bounds(lines: Sequence[Line]) -> tuple[float, float]:
    values = [value for line in lines for _, value in line.points]
    return min(values), max(values)


def _psnr_ticks(lines: Sequence[Line]) -> list[Tick]:
    low, high = _bounds(lines)
    return [(5.0 * n, f"{5 * n}") for n in range(math.floor(low / 5), math.ceil(high / 5) + 1)]


def _ssim_ticks(lines: Sequence[Line]) -> list[Tick]:
    """Return round similarities at their positions in decibels, the outermost beyond all curves."""
    low, high = _bounds(lines)
    places = [(-10 * math.log10(1 - value), f"{value:g}") for value in _SIMILARITIES]
    first = max((n for n, (place, _) in enumerate(places) if place <= low), default=0)
    last = min((n for n, (place, _) in enumerate(places) if place >= high), default=len(places) - 1)
    return places[first : last + 1]


def _style(schemes: Sequence[Colours]) -> str:
    light, *other = (_rules(colours) for colours in schemes)
    dark = "".join(f"@media (prefers-color-scheme: dark) {{{rules}}}" for rules in other)
    return light + dark


def _rules(colours: Colours) -> str:
    hues: Mapping[str, str] = {name: pair[colours.dark] for name, pair in _HUES.items()}
    rules = [
        f".page{{fill:{colours.base}}}",
        f".text{{fill:{colours.text}}}",
        f".soft{{fill:{colours.muted}}}",
        f".grid{{stroke:{colours.grid};stroke-width:0.7;fill:none}}",
    ]
    for name, colour in {**hues, "own": colours.accent}.items():
        rules += [f".{name}-line{{stroke:{colour}}}", f".{name}-text{{fill:{colour}}}"]
    return "".join(rules)


def _write_png(path: Path, drawing: str) -> None:
    # Imported here, as only this needs Qt.
    from PySide6.QtCore import QByteArray  # noqa: PLC0415
    from PySide6.QtGui import QGuiApplication, QImage, QPainter  # noqa: PLC0415
    from PySide6.QtSvg import QSvgRenderer  # noqa: PLC0415

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication.instance() or QGuiApplication([])
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    image = QImage(renderer.defaultSize() * _SCALE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    del application
    if not image.save(str(path)):
        raise OSError(f"{path.name} cannot be written.")
