"""Plots of a report, as inline SVG that takes its colours from the page."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.component_table import PLAIN, ComponentRows
from pcaimage.insight.curve import Curve
from pcaimage.insight.formatting import file_size, superscript
from pcaimage.insight.references import Reference
from pcaimage.insight.size_breakdown import BreakdownItem

Floats = NDArray[np.float64]

_WIDTH, _HEIGHT = 480, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 10, 10, 34
_DECADES = 9.0
_MANY = 512
_LOWEST, _HIGHEST = 20.0, 55.0
"""Range of relevant qualities, in decibels."""


def spectrum_plot(rows: ComponentRows) -> str:
    """Return the spectrum as SVG with a logarithmic axis; empty if nothing varies."""
    values, most = rows.variances, len(rows)
    if not values.any():
        return ""
    top = math.log10(float(values.max())) + 0.1
    low = max(math.log10(float(values[values > 0].min())) - 0.2, top - _DECADES)
    low = min(low, top - 1)
    heights: Floats = np.log10(np.maximum(values, 10.0**low))
    edges = np.arange(most + 1) + 0.5
    many = most >= _MANY
    along = np.asarray(np.log10(edges) if many else edges, np.float64)
    frame = _Frame(float(along[0]), float(along[-1]), low, top)
    numbers = _powers(frame.left, frame.right) if many else _rounds(1, most, "")
    parts = [
        frame.axes(numbers, _powers(low, top), ("component", rows.scale.symbol)),
        frame.steps(along[rows.k :], heights[rows.k :], "left-out"),
        frame.steps(along[: rows.k + 1], heights[: rows.k], "kept"),
    ]
    what = "Explained variance" if rows.scale.of == PLAIN.of else f"Variance {rows.scale.symbol}"
    text = f"{what} of {most} components, of which the first {rows.k} are kept"
    return _svg(text, parts)


def curve_plot(curve: Curve | None, references: Sequence[Reference], here: tuple[int, float]) -> str:
    """Return the curves of size and quality of pcaimage and other codecs as SVG.

    `here` has the bytes and decibels of the file. The text is empty if there is nothing to compare the file
    with.
    """
    lines = [("pcaimage", curve.n_bytes, curve.psnr, "own")] if curve is not None and len(curve.psnr) else []
    for index, reference in enumerate(references):
        lines.append((reference.title, *reference.line(), f"reference-{index % 5}"))
    lines = [line for line in (_visible(*line) for line in lines) if len(line[1]) > 1]
    if not lines or not math.isfinite(here[1]):
        return ""
    sizes = np.concatenate([line[1] for line in lines] + [[here[0]]])
    quality = np.concatenate([line[2] for line in lines] + [[here[1]]])
    frame = _Frame(
        math.log10(float(sizes.min())) - 0.05,
        math.log10(float(sizes.max())) + 0.05,
        math.floor(float(quality.min())) - 1,
        math.ceil(float(quality.max())) + 1,
    )
    parts = [frame.axes(_sizes(frame), _rounds(frame.low, frame.high, " dB"), ("size of the file", "PSNR"))]
    for index, (title, n_bytes, psnr, kind) in enumerate(lines):
        parts.append(frame.line(np.log10(n_bytes), psnr, kind))
        parts.append(_label(title, kind, index))
    x, y = frame.place(math.log10(max(here[0], 1)), here[1])
    parts.append(f'<circle class="here" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
    names = ", ".join(line[0] for line in lines)
    return _svg(f"PSNR against the size of the file: {names}; the dot is this file", parts)


def bytes_plot(shares: Sequence[BreakdownItem], total: int) -> str:
    """Return the breakdown of the file's size as an SVG bar."""
    place, parts = 0.0, list[str]()
    for share, kind in zip(shares, part_kinds(shares), strict=True):
        width = 1000 * share.n_bytes / max(total, 1)
        name = html.escape(f"{share.name}: {file_size(share.n_bytes)}")
        parts.append(
            f'<rect class="{kind}" x="{place:.2f}" y="0" width="{width:.2f}" height="30">'
            f"<title>{name}</title></rect>"
        )
        place += width
    return (
        '<svg class="bar" viewBox="0 0 1000 30" preserveAspectRatio="none" role="img" '
        f'aria-label="Parts of the file; the table tells them">{"".join(parts)}</svg>'
    )


def part_kinds(shares: Sequence[BreakdownItem]) -> list[str]:
    """Return the CSS class of each part's colour; groups of scores have one each."""
    groups = count()
    return [
        f"part-{share.kind}-{next(groups) % 4}" if share.kind == "scores" else f"part-{share.kind}"
        for share in shares
    ]


class _Frame:
    """Axes of a plot: maps data coordinates to those of the SVG."""

    def __init__(self, left: float, right: float, low: float, high: float) -> None:
        self.left, self.right, self.low, self.high = left, max(right, left + 1e-9), low, high

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the position of a point."""
        across = (x - self.left) / (self.right - self.left)
        up = (y - self.low) / (self.high - self.low)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)

    def line(self, xs: Floats, ys: Floats, kind: str) -> str:
        """Return a curve."""
        points = (self.place(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
        return f'<polyline class="line {kind}" points="{_points(points)}"/>'

    def steps(self, edges: Floats, heights: Floats, kind: str) -> str:
        """Return adjacent bars as one shape."""
        if not len(heights):
            return ""
        xs, ys = np.repeat(edges, 2), np.concatenate([[self.low], np.repeat(heights, 2), [self.low]])
        points = (self.place(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
        return f'<polygon class="{kind}" points="{_points(points)}"/>'

    def axes(
        self, across: list[tuple[float, str]], up: list[tuple[float, str]], names: tuple[str, str]
    ) -> str:
        """Return the axes with their numbers and names."""
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        parts = [f'<path class="axis" d="M{_LEFT},{_TOP} V{bottom} H{right}"/>']
        for value, text in across:
            x, _ = self.place(value, self.low)
            parts.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{text}</text>')
        for value, text in up:
            _, y = self.place(self.left, value)
            parts.append(f'<path class="grid" d="M{_LEFT},{y:.1f} H{right}"/>')
            parts.append(f'<text x="{_LEFT - 4}" y="{y + 3.5:.1f}" text-anchor="end">{text}</text>')
        middle = (_LEFT + right) / 2
        parts.append(f'<text x="{middle}" y="{_HEIGHT - 5}" text-anchor="middle">{names[0]}</text>')
        parts.append(f'<text transform="translate(10 {_HEIGHT / 2 - 8}) rotate(-90)">{names[1]}</text>')
        return "".join(parts)


def _visible(title: str, n_bytes: Floats, psnr: Floats, kind: str) -> tuple[str, Floats, Floats, str]:
    shown = (psnr >= _LOWEST) & (psnr <= _HIGHEST) & (n_bytes >= 1)
    return title, np.asarray(n_bytes)[shown], np.asarray(psnr)[shown], kind


def _label(title: str, kind: str, index: int) -> str:
    x, y = _LEFT + 14, _TOP + 12 + 14 * index
    swatch = f'<path class="line {kind}" d="M{x},{y - 3.5} h16"/>'
    return f'{swatch}<text x="{x + 21}" y="{y}">{html.escape(title)}</text>'


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _powers(low: float, high: float) -> list[tuple[float, str]]:
    first, last = math.ceil(low), math.floor(high)
    every = max(1, -(-(last - first + 1) // 5))
    return [(power, _power(power)) for power in range(first, last + 1) if power % every == 0]


def _power(power: int) -> str:
    return f"{10.0**power:g}" if -2 <= power <= 3 else f"10{superscript(power)}"


def _rounds(low: float, high: float, unit: str) -> list[tuple[float, str]]:
    """Return up to six round numbers."""
    span = max(high - low, 1.0)
    size = 10.0 ** math.floor(math.log10(span / 5))
    step = next(size * times for times in (1, 2, 5, 10) if span / (size * times) <= 6)
    step = max(step, 1.0)
    first = math.ceil(low / step)
    return [(step * n, f"{step * n:g}{unit}") for n in range(first, math.floor(high / step) + 1) if n]


def _sizes(frame: _Frame) -> list[tuple[float, str]]:
    """Return round sizes on a logarithmic axis."""
    wanted = (
        times * 10.0**power
        for power in range(math.floor(frame.left), math.ceil(frame.right) + 1)
        for times in (1, 2, 5)
    )
    found = [(math.log10(size), size) for size in wanted if frame.left <= math.log10(size) <= frame.right]
    every = max(1, -(-len(found) // 6))
    return [(place, _short(size)) for place, size in found[::every]]


def _short(size: float) -> str:
    return file_size(size).replace(".0\u00a0", "\u00a0")


def _svg(text: str, parts: Sequence[str]) -> str:
    label = html.escape(text)
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )
