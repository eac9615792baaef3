"""Rate and distortion of a user's own images: curves of every codec at hand, and a page that shows them."""

from __future__ import annotations

import datetime as dt
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

import pcaimage
from pcaimage.codec.coding.reduction import reduced
from pcaimage.errors import ImageError
from pcaimage.imaging import Image
from pcaimage.imaging.image.formats import supported_formats
from pcaimage.imaging.rivals.rivals import RIVALS, rival_named
from pcaimage.insight import references
from pcaimage.insight.curve import to_eight_bits
from pcaimage.insight.report import data_uri
from pcaimage.insight.report_page import curve_plot, escaped, figure, muted, page_of, section
from pcaimage.language import Own
from pcaimage.progress import Progress, part

_SMALL = 200  # longest side in pixels of the picture of an image


@dataclass(frozen=True, eq=False)
class Measured:
    """An image, and the curves of all codecs that can encode it; the program's own is the first."""

    name: str
    picture: str  # a data URI
    sides: tuple[int, int]  # width and height
    curves: tuple[references.Reference, ...]

    def changes(self) -> dict[str, float | None]:
        """Return the mean change of size at equal PSNR from each other codec to the program's own."""
        return {each.name: references.change_of_size(self.curves[0], each) for each in self.curves[1:]}

    def values(self) -> dict[str, Any]:
        """Return the figures by their JSON keys."""
        curves = [
            {"codec": each.name, "settings": each.qualities, "bytes": each.n_bytes, "psnr": each.psnr}
            for each in self.curves
        ]
        sides = {"width": self.sides[0], "height": self.sides[1], "sampled": self.curves[0].sampled}
        return {"image": self.name, **sides, "change": self.changes(), "curves": curves}


def measured(image: Image, progress: Progress) -> Measured:
    """Measure an image; ImageError if it is one that the other codecs do not take."""
    pixels = image.pixels
    if image.is_stack:
        raise ImageError("It holds several images, and other codecs take one.")
    if pixels.dtype.kind != "u" or image.channels not in {1, 3}:
        raise ImageError("It is neither grey nor colour of 8 or 16 bits, which is what other codecs take.")
    curves = [references.own_curve(pixels, part(progress, 0.0, 0.2), white=image.peak)]
    curves += references.reference_curves(pixels, part(progress, 0.2, 1.0), image.peak)
    shown = to_eight_bits(pixels, image.peak)
    picture = data_uri((reduced(shown, _SMALL) + 0.5).astype(np.uint8), image.icc_profile, exact=False)
    progress(1, 1)
    return Measured(image.name or "image", picture, (image.width, image.height), tuple(curves))


def mean_changes(images: Sequence[Measured]) -> dict[str, tuple[float, int]]:
    """Return the means of the images' changes, and of how many images they are."""
    found: dict[str, list[float]] = {}
    for each in images:
        for name, change in each.changes().items():
            if change is not None:
                found.setdefault(name, []).append(change)
    return {name: (fmean(changes), len(changes)) for name, changes in found.items()}


def change_text(change: float) -> str:
    """Return a relative change as text, such as ``"−12.3 %"``."""
    return f"{'−' if change < 0 else '+'}{abs(100 * change):.1f}\u00a0%"


def bench_page(images: Sequence[Measured], failures: Sequence[tuple[str, str]]) -> str:
    """Return a page of HTML on images that were measured, and those that could not be, with the reasons."""
    count = f"{len(images):,} image{'' if len(images) == 1 else 's'}"
    title = escaped(f"Size and quality of {count}")
    head = f"<header>\n<h1>{title}</h1>\n{muted(*_about())}\n</header>"
    names = [each.name for each in images[0].curves] if images else []
    curves = [[curve for each in images for curve in each.curves if curve.name == name] for name in names]
    common = [references.mean_curve(each) for each in curves if len(each) == len(images)]
    means = _plot(common, "Means over all images")
    failed = "".join(f"<li>{escaped(Own(name))}: {escaped(reason)}</li>" for name, reason in failures)
    return page_of(
        title,
        [
            head,
            section("All images", f'<div class="halves">{_changes(images)}{means}</div>'),
            *(_image(each) for each in images),
            section("Not measured", f"<ul>{failed}</ul>") if failed else "",
        ],
    )


def _about() -> list[str]:
    settings = "; ".join(f"{each.title}: {each.note}" for each in RIVALS)
    others = [f"{title} {version}" for title, version in supported_formats().items() if version]
    versions = [f"{dt.date.today():%Y-%m-%d}", platform.machine(), *others]  # noqa: DTZ011
    sentences = ["PSNR over all channels against bytes, without metadata and opacity.", f"{settings}."]
    return [*sentences, f"Made by pcaimage {pcaimage.__version__}.", " · ".join(versions)]


def _changes(images: Sequence[Measured]) -> str:
    rows = "".join(
        f'<tr><td class="text">{escaped(rival_named(name).title)}</td>'
        f"<td>{escaped(change_text(mean))}</td><td>{count}</td></tr>"
        for name, (mean, count) in mean_changes(images).items()
    )
    titles = ("beside", f"bytes of {references.OWN}", "images")
    head = "".join(f'<th scope="col">{escaped(title)}</th>' for title in titles)
    caption = escaped("Bytes at equal PSNR, beside each other codec, averaged over the curves")
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _plot(curves: Sequence[references.Reference], about: str) -> str:
    return f"<figure>{curve_plot(None, curves)}<figcaption>{escaped(about)}</figcaption></figure>"


def _image(each: Measured) -> str:
    width, height = each.sides
    caption = f"{width} × {height} pixels{', from a sample of it' if each.curves[0].sampled else ''}"
    titled = zip(each.curves[1:], each.changes().values(), strict=True)
    told = [f"{change_text(change)} beside {curve.title}" for curve, change in titled if change is not None]
    plot = _plot(each.curves, "; ".join(told) or "No quality in common")
    picture = figure(each.picture, f"{each.name}, small", caption, "")
    return section(Own(each.name), f'<div class="halves">{picture}{plot}</div>')
