"""Curves as SVG with a label at the end of each curve, light or dark like the surrounding page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

PLOT_WIDTH, PLOT_HEIGHT = 320, 390
LEFT, TOP, RIGHT, BOTTOM = 50, 40, 120, 46
LINE_HEIGHT = 16
"""Least distance between labels."""

_WIDTH = LEFT + PLOT_WIDTH + RIGHT
_HEIGHT = TOP + PLOT_HEIGHT + BOTTOM

Tick = tuple[float, str]


@dataclass(frozen=True)
class Line:
    """A curve, with points from left to right.

    Parameters
    ----------
    label : str
        Label at its right end.
    style : str
        CSS class of its colour.
    points : sequence of (float, float)
        In data coordinates.
    dashed, strong : bool
        Line style.
    """

    label: str
    style: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    strong: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves over a logarithmic axis.

    Parameters
    ----------
    title, below : str
        Title, and label of the horizontal axis.
    x_ticks, y_ticks : sequence of (float, str)
        Ticks on the axes, ascending, with their labels; the outermost ones bound the panel.
    lines : sequence of Line
        The curves, within those bounds.
    """

    title: str
    below: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    lines: Sequence[Line]

    def x(self, value: float) -> float:
        """Return the horizontal position of a value, in the picture's units."""
        low, high = math.log(self.x_ticks[0][0]), math.log(self.x_ticks[-1][0])
        return LEFT + PLOT_WIDTH * (math.log(value) - low) / (high - low)

    def y(self, value: float) -> float:
        """Return the vertical position of a value from the top, in the picture's units."""
        low, high = self.y_ticks[0][0], self.y_ticks[-1][0]
        return TOP + PLOT_HEIGHT * (high - value) / (high - low)


def draw(panels: Sequence[Panel], style: str) -> str:
    """Draw panels side by side, as SVG.

    Parameters
    ----------
    style : str
        CSS for the classes ``page``, ``text``, ``soft`` and ``grid``, and ``NAME-line`` and ``NAME-text`` for
        each of the lines' styles.
    """
    width = _WIDTH * len(panels)
    size = f'viewBox="0 0 {width} {_HEIGHT}" width="{width}" height="{_HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif" font-size="13">',
        f"<style>{style}</style>",
        f'<rect class="page" width="{width}" height="{_HEIGHT}"/>',
    ]
    for number, panel in enumerate(panels):
        parts += [f'<g transform="translate({number * _WIDTH} 0)">', *_axes(panel), *_curves(panel), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Move positions apart to a least gap, in their order, with the least sum of squared displacements."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    groups: list[
        list[float]
    ] = []  # runs of touching labels, as the offsets that each label wants for the run's first one
    for rank, index in enumerate(order):
        groups.append([wanted[index] - rank * gap])
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    firsts = [_mean(group) for group in groups for _ in group]
    placed = dict(zip(order, (first + rank * gap for rank, first in enumerate(firsts)), strict=True))
    return [placed[index] for index in range(len(wanted))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _axes(panel: Panel) -> list[str]:
    right, bottom = LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT
    parts = [_text(LEFT, TOP - 16, panel.title, "text", weight="600")]
    for value, label in panel.x_ticks:
        x = panel.x(value)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        parts.append(_text(x, bottom + 18, label, "soft", anchor="middle"))
    for value, label in panel.y_ticks:
        y = panel.y(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        parts.append(_text(LEFT - 8, y + 4.5, label, "soft", anchor="end"))
    parts.append(_text(LEFT + PLOT_WIDTH / 2, bottom + 37, panel.below, "soft", anchor="middle"))
    return parts


def _curves(panel: Panel) -> list[str]:
    lines = [line for line in panel.lines if line.points]
    ends = [(panel.x(line.points[-1][0]), panel.y(line.points[-1][1])) for line in lines]
    heights = spread([y for _, y in ends], LINE_HEIGHT)
    beside = LEFT + PLOT_WIDTH + 16
    parts = []
    for line, (x, y), height in zip(lines, ends, heights, strict=True):
        places = " ".join(f"{panel.x(rate):.1f},{panel.y(value):.1f}" for rate, value in line.points)
        dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
        width = 3.2 if line.strong else 1.7
        kind = f'class="{line.style}-line" fill="none"'
        leader = f"M{x + 1:.1f} {y:.1f}L{beside - 3} {height:.1f}"
        parts.append(f'<path {kind} stroke-width="0.8" d="{leader}"/>')
        parts.append(f'<polyline {kind} stroke-width="{width}"{dashes} points="{places}"/>')
        weight = "600" if line.strong else "400"
        parts.append(_text(beside, height + 4.5, line.label, f"{line.style}-text", weight=weight))
    return parts


def _text(x: float, y: float, words: str, style: str, *, anchor: str = "start", weight: str = "400") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{style}" {place} font-weight="{weight}">{escape(words)}</text>'
