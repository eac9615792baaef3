"""A report as a single HTML file, section by section. All external text is escaped."""

from __future__ import annotations

import html
import math
import os
import re
from string import Template

import pcaimage
from pcaimage.codec import Preparation, preparation_of, unrounded_psnr_of
from pcaimage.imaging import bits_per_pixel
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.insight.component_table import PLAIN, ComponentRows
from pcaimage.insight.formatting import decibels, file_size, percent
from pcaimage.insight.report import Report
from pcaimage.insight.report_plots import bytes_plot, curve_plot, part_kinds, spectrum_plot
from pcaimage.insight.size_breakdown import items_of
from pcaimage.machine.folders import asset
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Blocks, name_of

COMPONENTS = 12
"""Number of components listed."""

_UNFIT = re.compile("[^\\t\\n\\r\\x20-\\x7e\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that neither HTML nor XML allows."""
_VIEWS = ("Original", "Reconstruction", "Difference")


def report_html(report: Report) -> str:
    """Render a report as one HTML page, with its pictures, plots and style; it is well-formed XML, too."""
    title = _escaped(report.image.name or "Image")
    sections = [
        _header(report, title),
        _pictures(report),
        _crops(report),
        _plots(report),
        _components(report),
        _bytes(report),
        _again(report),
    ]
    page = Template(asset("resources", "report.html").read_text("utf-8"))
    body = "\n".join(section for section in sections if section)
    return page.substitute(title=title, version=_escaped(pcaimage.__version__), sections=body)


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
    figures = {
        "Image": f"{image.width} × {image.height}, {_channels(report)}",
        "Method": _method(report),
        "Components k": f"{compressed.k} of {max(len(report.rows), header.max_components)}",
        "Step Δ": f"{float(header.step):.4g}",
        "Size": f"{file_size(total)} ({_whole(total)} bytes)",
        "Of the raw pixels": ratio,
        "Bits per pixel": f"{bits_per_pixel(total, image.pixels.shape):.3g}",
        "PSNR": decibels(report.psnr) + _unrounded(report),
        "SSIM": f"{report.ssim:.4f}",
        "Variance kept": _variance_kept(report.rows, compressed.k),
    }
    if image.file_size:
        share = 100 * total / image.file_size
        original = f"{file_size(image.file_size)} {image.format}".strip()
        figures["Of the original"] = f"{share:.{1 if share < 10 else 0}f}\u00a0% of {original}"
    if report.rows.left_out:
        figures["Left out by hand"] = ", ".join(map(str, sorted(report.rows.left_out)))
    if math.isnan(report.rows.psnr[0]) and compressed.spectrum.size < compressed.k:
        figures.pop("Variance kept")  # the file stores the variances of its own components only
    return figures


def _unrounded(report: Report) -> str:
    """Return the PSNR before rounding as text; empty where it is not known, or not higher."""
    unrounded = unrounded_psnr_of(report.compressed, report.rows.left_out)
    if unrounded is None or unrounded <= report.psnr + 0.005:
        return ""
    return f" ({decibels(unrounded)} before rounding)"


def _variance_kept(rows: ComponentRows, k: int) -> str:
    kept = percent(100 * float(rows.cumulative[k - 1]))
    return kept if rows.scale.of == PLAIN.of else f"{kept} {rows.scale.of}"


def _header(report: Report, title: str) -> str:
    rows = "".join(
        f"<div><dt>{_escaped(name)}</dt><dd>{_escaped(text)}</dd></div>"
        for name, text in figures_of(report).items()
    )
    return (
        f"<header>\n<h1>{title}</h1>\n"
        '<p class="muted">Compressed by principal component analysis, beside its original</p>\n'
        f"<dl>{rows}</dl>\n</header>"
    )


def _pictures(report: Report) -> str:
    pair = report.pair
    kind = "whole exact" if pair.whole else "whole"
    height, width = pair.original.shape[:2]
    figures = [
        _figure(uri, f"{view} of the whole image, {width} × {height} pixels", view, kind)
        for view, uri in zip(_VIEWS, pair.pictures(), strict=True)
    ]
    notes = [f"Difference: black where equal, brightest from {pair.full_scale:g} levels on."]
    notes += [] if pair.whole else ["Whole pictures are reduced to fit, as JPEG; parts below are exact."]
    notes += ["Opacity is kept exactly and is not shown."] if report.image.alpha is not None else []
    if report.image.is_stack:
        notes.append(f"Image {report.frame + 1} of {report.image.frames} is shown; figures are of all.")
    return _section("Pictures", f'<div class="row">{"".join(figures)}</div>{_muted(" ".join(notes))}')


def _crops(report: Report) -> str:
    rows = []
    for name, (left, top), uris in report.pair.crops():
        place = f"{name.lower()}, at {left}, {top}, at 100 %"
        figures = [
            _figure(uri, f"{view}, {place}", f"{view} · {left}, {top}", "exact")
            for view, uri in zip(_VIEWS, uris, strict=True)
        ]
        rows.append(_section(f"{name}, at 100 %", f'<div class="row">{"".join(figures)}</div>'))
    return "\n".join(rows)


def _plots(report: Report) -> str:
    spectrum = spectrum_plot(report.rows)
    curve = curve_plot(report.curve, report.references, (report.parts.total, report.psnr))
    parts = [
        f"<section>\n<h2>{title}</h2>\n<figure>{plot}<figcaption>{about}</figcaption></figure>\n</section>"
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
        f'<th scope="col"{_text(column.key)} title="{_escaped(column.about)}">{_escaped(column.title)}</th>'
        for column in columns
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{_text(column.key)}>{_escaped(rows.shown(column.key, n))}</td>" for column in columns)
        + "</tr>"
        for n in range(1, min(COMPONENTS, len(rows)) + 1)
    )
    caption = f"The first {min(COMPONENTS, len(rows))} of {len(rows)} components"
    table = f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return _section("Components", table)


def _bytes(report: Report) -> str:
    shares, total = items_of(report.parts), report.parts.total
    body = "".join(
        f'<tr><td class="text"><span class="swatch {kind}"></span>{_escaped(share.name)}</td>'
        f"<td>{_whole(share.n_bytes)}</td><td>{100 * share.n_bytes / total:.1f}\u00a0%</td>"
        f'<td class="text">{_escaped(share.about)}</td></tr>'
        for share, kind in zip(shares, part_kinds(shares), strict=True)
    )
    table = (
        '<table><thead><tr><th scope="col">Part</th><th scope="col">Bytes</th><th scope="col">Share</th>'
        f'<th scope="col" class="text">What it is</th></tr></thead><tbody>{body}</tbody></table>'
    )
    return _section("Where the bytes go", bytes_plot(shares, total) + table)


def _again(report: Report) -> str:
    made = _muted(f"Made by pcaimage {_escaped(pcaimage.__version__)}.")
    if not report.command:
        return _section("How it was made", made)
    return _section("How it was made", f"<pre><code>{_escaped(report.command)}</code></pre>{made}")


def _section(title: str, body: str) -> str:
    return f"<section>\n<h2>{_escaped(title)}</h2>\n{body}\n</section>"


def _figure(uri: str, alt: str, caption: str, kind: str) -> str:
    return (
        f'<figure><img class="{kind}" src="{uri}" alt="{_escaped(alt)}"/>'
        f"<figcaption>{_escaped(caption)}</figcaption></figure>"
    )


def _muted(text: str) -> str:
    return f'<p class="muted">{text}</p>'


def _text(key: str) -> str:
    return ' class="text"' if key == "state" else ""


def _escaped(text: str) -> str:
    """Escape HTML's special characters, and replace those that XML forbids."""
    return html.escape(_UNFIT.sub("\ufffd", text))


def _whole(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def _channels(report: Report) -> str:
    channels = report.image.channels
    name = "channel" if channels <= 4 else "band"
    text = f"{channels} {name}{'' if channels == 1 else 's'}, {8 * report.image.pixels.itemsize} bits"
    return f"{report.image.frames} images, {text}" if report.image.is_stack else text


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
