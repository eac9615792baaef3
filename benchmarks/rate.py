"""How small files get, and how good they are, beside JPEG and others.

``python -m benchmarks.rate --images DIR [--json FILE]``
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from rich.table import Table

from benchmarks.codecs import Codec, jpeg, pca_blocks, rivals
from benchmarks.curves import Curve, measure
from benchmarks.photographs import find_images
from benchmarks.tables import console, table, write_json


def points_table(own: Sequence[Curve], anchor: Sequence[Curve]) -> Table:
    """Return every file of this project beside the anchor at the same size.

    Parameters
    ----------
    own, anchor : sequence of Curve
        Curves of the same images.

    Returns
    -------
    Table
        The anchor's numbers are interpolated; there is a dash where it has no file of that size.
    """
    anchors = {curve.image: curve for curve in anchor}
    rows = []
    for curve in own:
        for point in curve.points:
            other = anchors[curve.image].at(point.bpp)
            beside = ("–", "–") if other is None else (f"{other[0]:.2f}", f"{other[1]:.4f}")
            own_cells = (f"{point.bpp:.3f}", f"{point.psnr:.2f}", f"{point.ssim:.4f}")
            rows.append((curve.image, curve.codec, f"{point.quality:g}", *own_cells, *beside))
    name = anchor[0].codec
    heads = ("image", "codec", "setting", "bit/pixel", "PSNR", "SSIM", f"{name}: PSNR", "SSIM")
    return table(f"Files, beside {name} of the same size", heads, rows)


def rates_table(curves: Sequence[Curve], codecs: Sequence[str], anchors: Sequence[str]) -> Table:
    """Return the mean change of size at equal PSNR.

    Parameters
    ----------
    curves : sequence of Curve
        Of all codecs and images.
    codecs, anchors : sequence of str
        Names of those that are judged, and of those that they are compared with.

    Returns
    -------
    Table
        Means over images, with the number of images on which the curves met.
    """
    by_key = {(curve.codec, curve.image): curve for curve in curves}
    images = list(dict.fromkeys(curve.image for curve in curves))
    rows = []
    for codec in codecs:
        cells = []
        for anchor in anchors:
            pairs = ((by_key[codec, image], by_key[anchor, image]) for image in images)
            changes = [change for own, other in pairs if (change := own.rate_against(other)) is not None]
            cells.append(f"{100 * fmean(changes):+.1f} % ({len(changes)})" if changes else "–")
        rows.append((codec, *cells))
    return table("Bytes at equal PSNR (images)", ("", *(f"against {name}" for name in anchors)), rows)


def chosen_codecs(options: argparse.Namespace) -> tuple[list[Codec], list[Codec]]:
    """Return this project's codecs and the others.

    Parameters
    ----------
    options : argparse.Namespace
        Of the command line.

    Returns
    -------
    (list of Codec, list of Codec)
        The curves to measure.
    """
    own = [pca_blocks(size, options.by) for size in options.blocks]
    if options.settings:
        own = [dataclasses.replace(codec, qualities=tuple(options.settings)) for codec in own]
    return own, rivals() if options.all else [jpeg("4:2:0")]


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _sizes(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.

    Returns
    -------
    int
        0.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rate", description=__doc__)
    parser.add_argument("--images", type=Path, required=True, help="a folder, or one image")
    parser.add_argument("--json", type=Path, help="where to write the results for other programs")
    parser.add_argument("--limit", type=int, help="how many images to take")
    parser.add_argument("--blocks", type=_sizes, default=[8, 16], help="block sizes, such as 8,16")
    parser.add_argument("--by", choices=("k", "variance", "psnr"), default="k", help="what settings are")
    parser.add_argument("--settings", type=_numbers, help="their values, such as 4,16,64")
    parser.add_argument("--all", action="store_true", help="measure all other codecs, not only JPEG")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    options = parser.parse_args(arguments)
    images = find_images(options.images) if options.images.is_dir() else [options.images]
    if not images:
        parser.error(f"there are no images in {options.images}")
    own, others = chosen_codecs(options)
    curves = measure(images[: options.limit], [*own, *others], options.workers)
    names, anchors = [codec.name for codec in own], [codec.name for codec in others]
    screen = console()
    anchor_curves = [curve for curve in curves if curve.codec == anchors[0]]
    screen.print(points_table([curve for curve in curves if curve.codec in names], anchor_curves))
    screen.print(rates_table(curves, [*names, *anchors[1:]], anchors))
    write_json(options.json, {"curves": [dataclasses.asdict(curve) for curve in curves]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
