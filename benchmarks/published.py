"""Curves of codecs that others measured and published of Kodak's images; ``published.json`` says where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.bdrate import bd_rate
from benchmarks.curves import Curve, Range

_FILE = Path(__file__).with_suffix(".json")


@cache
def published() -> dict[str, dict[str, Any]]:
    """Return the source and the points, bits per pixel and PSNR of red, green and blue, of each codec.

    Points are means over the 24 images at each of the codec's settings, or each image's own.
    """
    found: dict[str, dict[str, Any]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def against_published(curves: Sequence[Curve], within: Range) -> dict[str, float | None]:
    """Return the mean change of the rate at equal PSNR of one codec's curves against each published one.

    Where means over the images were published, so are those of the curves taken, at each setting. Of images
    other than Kodak's there are none.
    """
    if any(Path(curve.image).stem not in published()["Cool-Chic 5.0"]["images"] for curve in curves):
        return {}
    return {name: _change(curves, kept, within) for name, kept in published().items()}


def _change(curves: Sequence[Curve], kept: dict[str, Any], within: Range) -> float | None:
    if "means" in kept:
        pairs = [(kept["means"], _means(curves))]
    else:
        points = kept["images"]
        pairs = [(points[Path(each.image).stem], list(zip(*each.by("psnr"), strict=True))) for each in curves]
    changes = []
    for theirs, ours in pairs:
        one, two = (tuple(zip(*sorted(points), strict=True)) for points in (theirs, ours))
        try:
            changes.append(bd_rate((one[0], one[1]), (two[0], two[1]), within))
        except ValueError:
            continue
    return fmean(changes) if changes else None


def _means(curves: Sequence[Curve]) -> list[tuple[float, float]]:
    shared = set.intersection(*({point.quality for point in curve.points if point.lossy} for curve in curves))
    found = []
    for quality in shared:
        points = [point for curve in curves for point in curve.points if point.quality == quality]
        found.append((fmean(point.bpp for point in points), fmean(point.psnr for point in points)))
    return found
