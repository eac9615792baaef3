"""Benchmarks of file size against quality, compared with other codecs.

``python -m benchmarks.rate_distortion --images DIR [--json FILE] [--picture FILE.svg]``
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.cache import PointCache, default_cache
from benchmarks.codecs import RIVALS, USUAL, Codec, rivals
from benchmarks.comparison import Comparison
from benchmarks.curves import RANGE, Range
from benchmarks.levers import LEVERS, without
from benchmarks.measuring import measure
from benchmarks.methods import BY, METHODS, Choice
from benchmarks.perceptual import MEASURES
from benchmarks.photographs import find_images, middles
from benchmarks.pictures import write_picture
from benchmarks.tables import console, write_json


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.rate_distortion", description=__doc__)
    add = made.add_argument
    add("--images", type=Path, required=True, help="a folder, or one image")
    add("--limit", type=int, help="the number of images to use")
    add_reductions(add)
    add("--json", type=Path, help="a file to write the results to, as JSON")
    add("--picture", type=_picture_file, help="an .svg or .png file to draw the mean curves to")
    add("--dark", action="store_true", help="draw a .png for dark surroundings; an .svg follows them")
    add("--method", nargs="+", choices=tuple(METHODS), default=[next(iter(METHODS))], help="this project's")
    add("--codecs", nargs="*", choices=RIVALS, default=USUAL, help="the others; the quick ones by default")
    add("--each", action="store_true", help="print every image's figures too, not only the means")
    add("--ranges", nargs="+", type=_range, default=[RANGE], help="bits per pixel, such as 0.1-0.5 0.5-3")
    add(
        "--published", action="store_true", help="compare with curves that others published of Kodak's images"
    )
    add("--blocks", type=_sizes, default=(8,), help="sizes of blocks, such as 8,16")
    add("--by", choices=BY, default="k", help="the kind of settings of blocks")
    add("--measures", nargs="+", choices=tuple(MEASURES), default=[], help="measured beside PSNR and SSIM")
    add_levers(add)
    add("--settings", type=_numbers, help="settings of this project's methods, such as 4,16,64")
    add(
        "--cache", type=Path, default=default_cache(), help="the cache of other codecs' results (%(default)s)"
    )
    add(
        "--jobs",
        type=int,
        default=2,
        help="the number of processes; with 1, times are measured too, and the cache is not used",
    )
    return made


def add_reductions(add: Callable[..., object]) -> None:
    """Add the options that make a run quicker, by :meth:`argparse.ArgumentParser.add_argument`."""
    add(
        "--crop",
        type=int,
        metavar="SIDE",
        help="the middle of each image, so many pixels high and wide",
    )
    add(
        "--every",
        type=int,
        default=1,
        choices=(1, 2, 3),
        help="every Nth setting of a codec (%(default)s)",
    )


def add_levers(add: Callable[..., object]) -> None:
    """Add the option that leaves out parts of the photo method."""
    add(
        "--without",
        nargs="+",
        choices=tuple(LEVERS),
        default=[],
        help="parts of the photo method to leave out",
    )


def chosen_methods(options: argparse.Namespace) -> list[Codec]:
    """Return this project's codecs with the settings to measure."""
    choice = Choice(options.blocks, options.by)
    own = [without(codec, options.without) for method in options.method for codec in METHODS[method](choice)]
    if options.settings:
        return [dataclasses.replace(codec, qualities=options.settings) for codec in own]
    return [codec.every(options.every) for codec in own]


def report(
    comparison: Comparison, *, each: bool, timed: bool = False, ranges: Sequence[Range] = (RANGE,)
) -> None:
    """Print the tables, with every image's figures if `each`, and with times if they are meaningful."""
    screen = console()
    screen.print(comparison.points_table())
    if comparison.anchors:
        if each:
            screen.print(comparison.beside_table())
            for codec in comparison.own:
                for axis in comparison.axes:
                    screen.print(comparison.each_table(codec, axis))
        for axis in comparison.axes:
            for within in ranges:
                screen.print(comparison.rates_table(axis, within))
    if timed:
        screen.print(comparison.times_table())


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and draw the picture."""
    command = parser()
    options = command.parse_args(arguments)
    images = find_images(options.images) if options.images.is_dir() else [options.images]
    if not images:
        command.error(f"there are no images in {options.images}")
    others, missing = rivals(options.codecs)
    for sentence in missing:
        print(sentence, file=sys.stderr)
    own = chosen_methods(options)
    codecs = [*own, *(codec.every(options.every) for codec in others)]
    with tempfile.TemporaryDirectory() as folder:
        shown = images[: options.limit]
        if options.crop:
            shown = middles(shown, options.crop, Path(folder))
        curves = measure(shown, codecs, options.jobs, PointCache(options.cache), options.measures)
    comparison = Comparison(curves, [codec.name for codec in own])
    timed = options.jobs == 1
    report(comparison, each=options.each, timed=timed, ranges=options.ranges)
    if options.published:
        console().print(comparison.published_table(options.ranges))
    write_json(options.json, comparison.plain(timed=timed, ranges=options.ranges))
    if options.picture:
        write_picture(options.picture, comparison, dark=options.dark)
    return 0


def _range(text: str) -> Range:
    low, high = (float(part) for part in text.split("-"))
    return low, high


def _picture_file(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in {".svg", ".png"}:
        raise argparse.ArgumentTypeError("a picture is an .svg or a .png file")
    return path


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
