"""Comparison of the curves of several codecs, as printed tables and as data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, get_args

from rich.table import Table

from benchmarks.curves import RANGE, Axis, Curve, Point, Range, mean_curve, similarity
from benchmarks.published import against_published, published
from benchmarks.tables import table

AXES: tuple[Axis, ...] = get_args(Axis)
TIMED_AT = 1.0
"""Bits per pixel of the files whose times are compared."""
TIMED_AGAINST = "JPEG 2000"

_NOTHING = "–"


class Comparison:
    """Curves of several codecs for several images.

    Parameters
    ----------
    curves : sequence of Curve
        One for each codec and image.
    own : sequence of str
        Names of this project's codecs; all others are references.
    """

    def __init__(self, curves: Sequence[Curve], own: Sequence[str]) -> None:
        self._curves = {(curve.codec, curve.image): curve for curve in curves}
        self.codecs = list(dict.fromkeys(curve.codec for curve in curves))
        self.images = list(dict.fromkeys(curve.image for curve in curves))
        self.own = [name for name in self.codecs if name in own]
        self.anchors = [name for name in self.codecs if name not in own]
        points = [point for curve in curves for point in curve.points]
        self.axes = [axis for axis in AXES if points and all(point.has(axis) for point in points)]

    def of(self, codec: str) -> list[Curve]:
        """Return a codec's curves, by image."""
        return [self._curves[codec, image] for image in self.images]

    def change(self, codec: str, anchor: str, image: str, axis: Axis, within: Range = RANGE) -> float | None:
        """Return a codec's mean change of the rate at equal quality; see :meth:`Curve.rate_against`."""
        return self._curves[codec, image].rate_against(self._curves[anchor, image], axis, within)

    def mean_change(
        self, codec: str, anchor: str, axis: Axis, within: Range = RANGE
    ) -> tuple[float | None, int]:
        """Return the mean of :meth:`change` over images, and the number of images that have one."""
        found = [self.change(codec, anchor, image, axis, within) for image in self.images]
        changes = [change for change in found if change is not None]
        return (fmean(changes) if changes else None), len(changes)

    def points_table(self) -> Table:
        """Return each codec's files: means over the images that have all of its settings."""
        rows = []
        for codec in self.codecs:
            curves = self.of(codec)
            shared = set.intersection(*({point.quality for point in curve.points} for curve in curves))
            means = [_means([_find(curve, quality) for curve in curves]) for quality in shared]
            for n, (quality, bpp, psnr, ssim) in enumerate(sorted(means, key=lambda mean: mean[1])):
                cells = (f"{quality:g}", f"{bpp:.3f}", f"{psnr:.2f}", f"{ssim:.4f}")
                rows.append(("" if n else codec, *cells))
        heads = ("codec", "setting", "bit/pixel", "PSNR", "SSIM")
        return table(f"Files, means over all images ({len(self.images)})", heads, rows)

    def rates_table(self, axis: Axis, within: Range = RANGE) -> Table:
        """Return the mean change of size at equal quality, of every codec against every other."""
        rows = []
        for codec in [*self.own, *self.anchors[1:]]:
            cells = (
                _NOTHING if codec == anchor else self._mean(codec, anchor, axis, within)
                for anchor in self.anchors
            )
            rows.append((codec, *cells))
        low, high = within
        title = f"Bytes at equal {axis.upper()}, {low:g} to {high:g} bit/pixel"
        return table(title, ("against", *self.anchors), rows)

    def published_table(self, ranges: Sequence[Range]) -> Table:
        """Return the change of size at equal PSNR against curves that others published of the same images."""
        rows = []
        for codec in self.own:
            for within in ranges:
                changes = against_published(self.of(codec), within)
                rows.append((codec, f"{within[0]:g}–{within[1]:g}", *map(_percent, changes.values())))
        return table("Bytes at equal PSNR, against published curves", ("", "bit/pixel", *published()), rows)

    def _mean(self, codec: str, anchor: str, axis: Axis, within: Range) -> str:
        mean, count = self.mean_change(codec, anchor, axis, within)
        return _percent(mean) + ("" if count == len(self.images) or mean is None else f" ({count})")

    def each_table(self, codec: str, axis: Axis) -> Table:
        """Return one codec's changes of size, image by image."""
        rows = [
            (image, *(_percent(self.change(codec, anchor, image, axis)) for anchor in self.anchors))
            for image in self.images
        ]
        return table(f"{codec}: bytes at equal {axis.upper()}", ("image", *self.anchors), rows)

    def beside_table(self) -> Table:
        """Return every file of this project next to the first other codec at the same size."""
        anchor = self.anchors[0]
        rows = []
        for curve in (self._curves[codec, image] for image in self.images for codec in self.own):
            other = self._curves[anchor, curve.image]
            for point in curve.points:
                psnr, decibels = other.at(point.bpp, "psnr"), other.at(point.bpp, "ssim")
                own = (f"{point.quality:g}", f"{point.bpp:.3f}", f"{point.psnr:.2f}", f"{point.ssim:.4f}")
                beside = (
                    _NOTHING if psnr is None else f"{psnr:.2f}",
                    _NOTHING if decibels is None else f"{similarity(decibels):.4f}",
                )
                rows.append((curve.image, curve.codec, *own, *beside))
        heads = ("image", "codec", "setting", "bit/pixel", "PSNR", "SSIM", f"{anchor}: PSNR", "SSIM")
        return table(f"Files, beside {anchor} of the same size", heads, rows)

    def times(self) -> dict[str, tuple[float, float]]:
        """Return each codec's mean seconds per megapixel for encoding and decoding."""
        found = {}
        for codec in self.codecs:
            seconds = [curve.seconds_at(TIMED_AT) for curve in self.of(codec) if curve.points]
            if seconds:
                found[codec] = (fmean(each[0] for each in seconds), fmean(each[1] for each in seconds))
        return found

    def times_table(self) -> Table:
        """Return :meth:`times`, and their ratios to those of JPEG 2000 if that was measured."""
        times = self.times()
        reference = times.get(TIMED_AGAINST, (math.nan, math.nan))
        rows = []
        for codec, seconds in times.items():
            pairs = zip(seconds, reference, strict=True)
            cells = ((f"{1000 * own:.1f} ms", _ratio(own / other)) for own, other in pairs)
            rows.append((codec, *(cell for pair in cells for cell in pair)))
        ratio = f"of {TIMED_AGAINST}'s"
        title = f"Times for a megapixel, files of {TIMED_AT:g} bit/pixel"
        return table(title, ("", "encode", ratio, "decode", ratio), rows)

    def plain(self, *, timed: bool, ranges: Sequence[Range] = ()) -> dict[str, Any]:
        """Return files, mean curves at equal rates, and changes of the rate as data for JSON.

        Changes are those over :data:`RANGE`; of other ranges there are means, also against published curves.
        Times are included if they are meaningful (`timed`).
        """
        points = [point for curve in self._curves.values() for point in curve.points]
        return {
            "images": self.images,
            "own": self.own,
            "range": list(RANGE),
            "points": [_plain(point, timed=timed) for point in points],
            "mean_curves": {
                codec: {axis: mean_curve(self.of(codec), axis) for axis in self.axes} for codec in self.codecs
            },
            "changes": {
                codec: {
                    anchor: {axis: self._changes(codec, anchor, axis) for axis in self.axes}
                    for anchor in self.anchors
                }
                for codec in self.codecs
            },
            "ranges": {f"{low:g}–{high:g}": self._means_within((low, high)) for low, high in ranges},
            "seconds_per_megapixel": self.times() if timed else None,
        }

    def _means_within(self, within: Range) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for axis in self.axes:
            for codec in self.own:
                means = {anchor: self.mean_change(codec, anchor, axis, within)[0] for anchor in self.anchors}
                if axis == "psnr":
                    means |= against_published(self.of(codec), within)
                found.setdefault(axis, {})[codec] = means
        return found

    def _changes(self, codec: str, anchor: str, axis: Axis) -> dict[str, Any]:
        return {
            "mean": self.mean_change(codec, anchor, axis)[0],
            "each": {image: self.change(codec, anchor, image, axis) for image in self.images},
        }


def _find(curve: Curve, quality: float) -> Point:
    return next(point for point in curve.points if point.quality == quality)


def _means(points: Sequence[Point]) -> tuple[float, float, float, float]:
    return (
        points[0].quality,
        fmean(point.bpp for point in points),
        fmean(point.psnr for point in points),
        fmean(point.ssim for point in points),
    )


def _percent(change: float | None) -> str:
    return _NOTHING if change is None else f"{100 * change:+.1f} %"


def _ratio(value: float) -> str:
    return _NOTHING if math.isnan(value) else f"{value:.2f}"


def _plain(point: Point, *, timed: bool) -> dict[str, Any]:
    """Return a point without values that JSON cannot represent, and without meaningless times."""
    values = asdict(point)
    if not timed:
        del values["encode_seconds"], values["decode_seconds"]
    return {**values, "psnr": point.psnr if math.isfinite(point.psnr) else None}
