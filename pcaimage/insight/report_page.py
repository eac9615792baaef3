"""A report as a single HTML file in the language in use, with plots as SVG. All external text is escaped."""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Iterable, Sequence
from itertools import count
from string import Template

import numpy as np
from numpy.typing import NDArray

import pcaimage
from pcaimage.codec import Preparation, preparation_of, unrounded_psnr_of
from pcaimage.imaging import bits_per_pixel
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.imaging.image.formats import title_of
from pcaimage.insight.component_table import PLAIN, ComponentRows
from pcaimage.insight.curve import Curve
from pcaimage.insight.formatting import decibels, file_size, percent, superscript
from pcaimage.insight.references import OWN, Reference
from pcaimage.insight.report import Report
from pcaimage.insight.size_breakdown import BreakdownItem, items_of
from pcaimage.language import Own, language_tag, tr
from pcaimage.machine.folders import asset
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Blocks, name_of

COMPONENTS = 12  # number of components listed

_UNFIT = re.compile("[^\\t\\n\\r\\x20-\\x7e\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that neither HTML nor XML allows."""
_VIEWS = ("Original", "Reconstruction", "Difference")


def report_html(report: Report) -> str:
    """Render a report as one HTML page, with its pictures, plots and style; it is well-formed XML, too."""
    title = escaped(Own(report.image.name) if report.image.name else "Image")
    sections = [
        _header(report, title),
        _pictures(report),
        _crops(report),
        _plots(report),
        _components(report),
        _bytes(report),
        _again(report),
    ]
    return page_of(title, sections)


def page_of(title: str, sections: Iterable[str]) -> str:
    """Return a page with a title, which is HTML, and sections, of which empty ones are left out."""
    page = Template(asset("resources", "report.html").read_text("utf-8"))
    body = "\n".join(each for each in sections if each)
    return page.substitute(language=language_tag(), title=title, version=pcaimage.__version__, sections=body)


def save_report(
    path: str | os.PathLike[str], report: Report, progress: Progress = no_progress, *, overwrite: bool = False
) -> None:
    """Render a report and write it to a file."""
    progress(0, 1)
    atomic_write_bytes(path, report_html(report).encode(), overwrite=overwrite)


def figures_of(report: Report) -> dict[str, str]:
    """Return the figures of a compression as text, by their names."""
    image, compressed, total = report.image, report.compressed, report.parts.total
    header = compressed.header
    raw = image.raw_bytes
    ratio = f"{raw / total:.1f} : 1" if total <= raw else f"1 : {total / raw:.1f}"
    unrounded = unrounded_psnr_of(compressed, report.rows.left_out)
    better = ""
    if unrounded is not None and unrounded > report.psnr + 0.005:
        better = f" ({decibels(unrounded)} before rounding)"
    kept, scale = percent(100 * float(report.rows.cumulative[compressed.k - 1])), report.rows.scale
    figures = {
        "Image": f"{image.width} × {image.height}, {_channels(report)}",
        "Method": _method(report),
        "Components k": f"{compressed.k} of {max(len(report.rows), header.max_components)}",
        "Step Δ": f"{float(header.step):.4g}",
        "Size": f"{file_size(total)} ({total:,} bytes)",
        "Of the raw pixels": ratio,
        "Bits per pixel": f"{bits_per_pixel(total, image.pixels.shape):.3g}",
        "PSNR": decibels(report.psnr) + better,
        "SSIM": f"{report.ssim:.4f}",
        "Variance kept": kept if scale.of == PLAIN.of else f"{kept} {scale.of}",
    }
    if image.file_size:
        share = 100 * total / image.file_size
        original = f"{file_size(image.file_size)} {title_of(image.format)}".strip()
        figures["Of the original"] = f"{share:.{1 if share < 10 else 0}f}\u00a0% ({original})"
    if report.rows.left_out:
        figures["Left out by hand"] = ", ".join(map(str, sorted(report.rows.left_out)))
    if math.isnan(report.rows.psnr[0]) and compressed.spectrum.size < compressed.k:
        figures.pop("Variance kept")  # the file stores the variances of its own components only
    return figures


def _header(report: Report, title: str) -> str:
    rows = "".join(
        f"<div><dt>{escaped(name)}</dt><dd>{escaped(text)}</dd></div>"
        for name, text in figures_of(report).items()
    )
    return (
        f"<header>\n<h1>{title}</h1>\n"
        f"{muted('Compressed by principal component analysis, beside its original')}\n"
        f"<dl>{rows}</dl>\n</header>"
    )


def _pictures(report: Report) -> str:
    pair = report.pair
    kind = "whole" + pair.whole * " exact"
    height, width = pair.original.shape[:2]
    figures = [
        figure(uri, f"{view} of the whole image, {width} × {height} pixels", view, kind)
        for view, uri in zip(_VIEWS, pair.pictures(), strict=True)
    ]
    notes = [f"Difference: black where equal, brightest from {pair.full_scale:g} levels on."]
    notes += [] if pair.whole else ["Whole pictures are reduced to fit, as JPEG; parts below are exact."]
    notes += ["Opacity is kept exactly and is not shown."] if report.image.alpha is not None else []
    if report.image.is_stack:
        notes.append(f"Image {report.frame + 1} of {report.image.frames} is shown; figures are of all.")
    return section("Pictures", f'<div class="row">{"".join(figures)}</div>{muted(*notes)}')


def _crops(report: Report) -> str:
    rows = []
    for name, (left, top), uris in report.pair.crops():
        place = f"{name.lower()}, at {left}, {top}, at 100 %"
        figures = [
            figure(uri, f"{view}, {place}", f"{view} · {left}, {top}", "exact")
            for view, uri in zip(_VIEWS, uris, strict=True)
        ]
        rows.append(section(f"{name}, at 100 %", f'<div class="row">{"".join(figures)}</div>'))
    return "\n".join(rows)


def _plots(report: Report) -> str:
    spectrum = spectrum_plot(report.rows)
    curve = curve_plot(report.curve, report.references, (report.parts.total, report.psnr))
    parts = [
        section(title, f"<figure>{plot}<figcaption>{escaped(about)}</figcaption></figure>")
        for title, plot, about in (
            ("Spectrum", spectrum, "How much each component explains; in colour those that are kept."),
            ("Size and quality", curve, "Estimates for every k, and other codecs; the dot is this file."),
        )
        if plot
    ]
    return f'<div class="halves">{"".join(parts)}</div>' if parts else ""


def _components(report: Report) -> str:
    rows = report.rows
    columns = rows.columns
    head = "".join(
        f'<th scope="col"{_text(column.key)} title="{escaped(column.about)}">{escaped(column.title)}</th>'
        for column in columns
    )
    body = ""
    for n in range(1, min(COMPONENTS, len(rows)) + 1):
        cells = ((each.key, rows.shown(each.key, n).replace("\u202f", ",")) for each in columns)
        body += f"<tr>{''.join(f'<td{_text(key)}>{escaped(text)}</td>' for key, text in cells)}</tr>"
    caption = escaped(f"The first {min(COMPONENTS, len(rows))} of {len(rows)} components")
    table = f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return section("Components", table)


def _bytes(report: Report) -> str:
    shares, total = items_of(report.parts), report.parts.total
    body = "".join(
        f'<tr><td class="text"><span class="swatch {kind}"></span>{escaped(share.name)}</td>'
        f"<td>{escaped(f'{share.n_bytes:,}')}</td>"
        f"<td>{escaped(f'{100 * share.n_bytes / total:.1f}')}\u00a0%</td>"
        f'<td class="text">{escaped(share.about)}</td></tr>'
        for share, kind in zip(shares, part_kinds(shares), strict=True)
    )
    titles = "".join(f'<th scope="col">{escaped(title)}</th>' for title in ("Part", "Bytes", "Share"))
    titles += f'<th scope="col" class="text">{escaped("What it is")}</th>'
    table = f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
    return section("Where the bytes go", bytes_plot(shares, total) + table)


def _again(report: Report) -> str:
    command = f"<pre><code>{escaped(Own(report.command))}</code></pre>" if report.command else ""
    return section("How it was made", command + muted(f"Made by pcaimage {pcaimage.__version__}."))


def section(title: str, body: str) -> str:
    """Return a section with a title, which is text."""
    return f"<section>\n<h2>{escaped(title)}</h2>\n{body}\n</section>"


def figure(uri: str, alt: str, caption: str, kind: str) -> str:
    """Return a picture with a caption below it; `kind` is a class of the page's style."""
    return (
        f'<figure><img class="{kind}" src="{uri}" alt="{escaped(alt)}"/>'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )


def muted(*sentences: str) -> str:
    """Return a paragraph of less weight."""
    return f'<p class="muted">{" ".join(map(escaped, sentences)).replace("。 ", "。")}</p>'


def _text(key: str) -> str:
    return ' class="text"' if key == "state" else ""


def escaped(text: str) -> str:
    """Return a text in the language in use as HTML; what XML forbids is replaced."""
    return html.escape(_UNFIT.sub("\ufffd", tr(text)))


def _channels(report: Report) -> str:
    channels = report.image.channels
    parts = [f"{report.image.frames} images"] if report.image.is_stack else []
    parts.append(f"{channels} {'channel' if channels <= 4 else 'band'}{'s' if channels > 1 else ''}")
    return ", ".join([*parts, f"{8 * report.image.pixels.itemsize} bits"])


def _method(report: Report) -> str:
    header = report.compressed.header
    sampling = header.sampling
    text = name_of(sampling).capitalize()
    if isinstance(sampling, Blocks):
        text += f", {sampling.size} × {sampling.size}"
    prepared = {Preparation.STANDARDIZED: ", standardised", Preparation.MNF: ", noise whitened (MNF)"}
    text += prepared.get(preparation_of(report.compressed), "")
    return text + (
        ", without loss" if report.compressed.residual is not None and math.isinf(report.psnr) else ""
    )


Floats = NDArray[np.float64]

_WIDTH, _HEIGHT = 480, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 10, 10, 34
_DECADES = 9.0
_MANY = 512
_LOWEST, _HIGHEST = 20.0, 55.0  # range of relevant qualities, in decibels


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


def curve_plot(
    curve: Curve | None, references: Sequence[Reference], here: tuple[int, float] | None = None
) -> str:
    """Return the curves of size and quality of pcaimage and other codecs as SVG.

    `here` has the bytes and decibels of the file, if there is one. The text is empty if there is nothing to
    compare with.
    """
    lines = [("pcaimage", curve.n_bytes, curve.psnr, "own")] if curve is not None and len(curve.psnr) else []
    others = (f"reference-{index % 5}" for index in count())
    lines += [(each.title, *each.line(), "own" if each.name == OWN else next(others)) for each in references]
    lines = [line for line in (_visible(*line) for line in lines) if len(line[1]) > 1]
    if not lines or not (here is None or math.isfinite(here[1])):
        return ""
    sizes = np.concatenate([line[1] for line in lines] + [[here[0]] if here else []])
    quality = np.concatenate([line[2] for line in lines] + [[here[1]] if here else []])
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
    text = f"PSNR against the size of the file: {', '.join(line[0] for line in lines)}"
    if here is not None:
        x, y = frame.place(math.log10(max(here[0], 1)), here[1])
        parts.append(f'<circle class="here" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
        text += "; the dot is this file"
    return _svg(text, parts)


def bytes_plot(shares: Sequence[BreakdownItem], total: int) -> str:
    """Return the breakdown of the file's size as an SVG bar."""
    place, parts = 0.0, list[str]()
    for share, kind in zip(shares, part_kinds(shares), strict=True):
        width = 1000 * share.n_bytes / max(total, 1)
        name = escaped(f"{share.name}: {file_size(share.n_bytes)}")
        parts.append(
            f'<rect class="{kind}" x="{place:.2f}" y="0" width="{width:.2f}" height="30">'
            f"<title>{name}</title></rect>"
        )
        place += width
    return (
        '<svg class="bar" viewBox="0 0 1000 30" preserveAspectRatio="none" role="img" '
        f'aria-label="{escaped("Parts of the file; the table tells them")}">{"".join(parts)}</svg>'
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
            parts.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{escaped(text)}</text>')
        for value, text in up:
            _, y = self.place(self.left, value)
            parts.append(f'<path class="grid" d="M{_LEFT},{y:.1f} H{right}"/>')
            parts.append(f'<text x="{_LEFT - 4}" y="{y + 3.5:.1f}" text-anchor="end">{escaped(text)}</text>')
        middle, (below, beside) = (_LEFT + right) / 2, map(escaped, names)
        parts.append(f'<text x="{middle}" y="{_HEIGHT - 5}" text-anchor="middle">{below}</text>')
        parts.append(f'<text transform="translate(10 {_HEIGHT / 2 - 8}) rotate(-90)">{beside}</text>')
        return "".join(parts)


def _visible(title: str, n_bytes: Floats, psnr: Floats, kind: str) -> tuple[str, Floats, Floats, str]:
    shown = (psnr >= _LOWEST) & (psnr <= _HIGHEST) & (n_bytes >= 1)
    return title, np.asarray(n_bytes)[shown], np.asarray(psnr)[shown], kind


def _label(title: str, kind: str, index: int) -> str:
    x, y = _LEFT + 14, _TOP + 12 + 14 * index
    swatch = f'<path class="line {kind}" d="M{x},{y - 3.5} h16"/>'
    return swatch + f'<text x="{x + 21}" y="{y}">{escaped(title)}</text>'


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _powers(low: float, high: float) -> list[tuple[float, str]]:
    first, last = math.ceil(low), math.floor(high)
    every = max(1, -(-(last - first + 1) // 5))
    return [
        (power, f"{10.0**power:g}" if -2 <= power <= 3 else f"10{superscript(power)}")
        for power in range(first, last + 1)
        if power % every == 0
    ]


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
    return [(place, file_size(size).replace(".0\u00a0", "\u00a0")) for place, size in found[::every]]


def _svg(text: str, parts: Sequence[str]) -> str:
    label = escaped(text)
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )
