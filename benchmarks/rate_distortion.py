"""Benchmarks of file size against quality, compared with other codecs.

``python -m benchmarks.rate_distortion --images DIR [--json FILE] [--picture FILE.svg]``
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cache import PointCache, default_cache
from benchmarks.codecs import RIVALS, Codec, rivals
from benchmarks.comparison import AXES, Comparison
from benchmarks.measuring import measure
from benchmarks.methods import BY, METHODS, Choice
from benchmarks.photographs import find_images
from benchmarks.pictures import write_picture
from benchmarks.tables import console, write_json


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.rate_distortion", description=__doc__)
    add = made.add_argument
    add("--images", type=Path, required=True, help="a folder, or one image")
    add("--limit", type=int, help="the number of images to use")
    add("--json", type=Path, help="a file to write the results to, as JSON")
    add("--picture", type=_picture_file, help="an .svg or .png file to draw the mean curves to")
    add("--dark", action="store_true", help="draw a .png for dark surroundings; an .svg follows them")
    add("--method", nargs="+", choices=tuple(METHODS), default=[next(iter(METHODS))], help="this project's")
    add("--codecs", nargs="*", choices=RIVALS, default=RIVALS, help="the others; all by default")
    add("--each", action="store_true", help="print every image's figures too, not only the means")
    add("--blocks", type=_sizes, default=(8,), help="sizes of blocks, such as 8,16")
    add("--by", choices=BY, default="k", help="the kind of settings of blocks")
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


def chosen_methods(options: argparse.Namespace) -> list[Codec]:
    """Return this project's codecs with the settings to measure."""
    choice = Choice(options.blocks, options.by)
    own = [codec for method in options.method for codec in METHODS[method](choice)]
    if options.settings:
        own = [dataclasses.replace(codec, qualities=options.settings) for codec in own]
    return own


def report(comparison: Comparison, *, each: bool, timed: bool) -> None:
    """Print the tables, with every image's figures if `each`, and with times if they are meaningful."""
    screen = console()
    screen.print(comparison.points_table())
    if comparison.anchors:
        if each:
            screen.print(comparison.beside_table())
            for codec in comparison.own:
                for axis in AXES:
                    screen.print(comparison.each_table(codec, axis))
        for axis in AXES:
            screen.print(comparison.rates_table(axis))
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
    curves = measure(images[: options.limit], [*own, *others], options.jobs, PointCache(options.cache))
    comparison = Comparison(curves, [codec.name for codec in own])
    timed = options.jobs == 1
    report(comparison, each=options.each, timed=timed)
    write_json(options.json, comparison.plain(timed=timed))
    if options.picture:
        write_picture(options.picture, comparison, dark=options.dark)
    return 0


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
