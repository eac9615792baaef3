"""Time and memory of the photo method, compared with other codecs at the same rate, and by size.

``python -m benchmarks.photo_speed --image FILE [--sizes 1,4,12,24,50,100] [--rate 1.0] [--json FILE]``
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.photo_sizes import MEGA, Size, growth, measure_sizes
from benchmarks.photo_stages import (
    Coded,
    Cost,
    equals,
    rivals,
    step_for,
    time_codecs,
    time_first_pictures,
)
from benchmarks.photographs import Bytes, large_photograph
from benchmarks.tables import Target, console, seconds, table, targets_table, write_json

MEMORY_LIMIT = 1.5
"""Upper limit in gigabytes on a process, including libraries, for photographs of up to 24 megapixels."""
MEMORY_SIZE = 24.5
GROWTH_LIMIT = 1.1
"""Upper limit on the exponent with which processor seconds grow with pixels."""

SIZES = (1.0, 4.0, 12.0, 24.0, 50.0, 100.0)

_TIMES = ("encode", "CPU", "to JPEG 2000", "decode", "CPU", "to JPEG 2000")


@dataclasses.dataclass(frozen=True)
class Report:
    """All measurements.

    Parameters
    ----------
    name : str
        Name of the photograph.
    codecs : list of Coded
        The photo method first, then JPEG 2000 and the others.
    first : dict of str to Cost
        Time to the first pictures.
    sizes : list of Size
        In ascending order.
    """

    name: str
    shape: tuple[int, ...]
    codecs: list[Coded]
    first: dict[str, Cost]
    sizes: list[Size]

    @property
    def growth(self) -> dict[str, float]:
        """Exponents of the growth of processor seconds with pixels; 1 is linear."""
        if len(self.sizes) < 2:
            return {}
        pixels = [size.megapixels for size in self.sizes]
        return {
            "encoding": growth(pixels, [size.own.encode.cpu for size in self.sizes]),
            "decoding": growth(pixels, [size.own.decode.cpu for size in self.sizes]),
        }

    @property
    def targets(self) -> list[Target]:
        """The targets, and the measured values."""
        found = [
            Target(f"growth of the seconds of all cores, {name}", power, GROWTH_LIMIT, "")
            for name, power in self.growth.items()
        ]
        for size in self.sizes:
            if size.megapixels <= MEMORY_SIZE:
                for job, footprint in (("encoding", size.encode), ("decoding", size.decode)):
                    name = f"memory of {job} {size.megapixels:.0f} megapixels, libraries included"
                    found.append(Target(name, footprint.total / 1e9, MEMORY_LIMIT, " GB"))
        return found

    def tables(self) -> list[Table]:
        """Return all results as tables."""
        anchor = self.codecs[1]
        beside = [
            (coded.name, f"{coded.bpp:.3f}", f"{coded.psnr:.2f}", *_times(coded, anchor))
            for coded in self.codecs
        ]
        over = [
            (f"{size.megapixels:.1f}", f"{size.own.bpp:.2f}", *_times(size.own, size.other))
            for size in self.sizes
        ]
        memory = [
            (f"{size.megapixels:.1f}", *map(_megabytes, (3 * size.megapixels * MEGA, *size.bytes)))
            for size in self.sizes
        ]
        heads = ("megapixels", "raw", "encode", "with libraries", "decode", "with libraries")
        return [
            table("Files of one size (best times)", ("", "bit/pixel", "PSNR", *_TIMES), beside),
            table(
                "Up to the first picture (best times)",
                ("of", "on the clock", "CPU"),
                [(name, seconds(cost.wall), seconds(cost.cpu)) for name, cost in self.first.items()],
            ),
            table("Over sizes (best times)", ("megapixels", "bit/pixel", *_TIMES), over),
            table("Peak memory over sizes", heads, memory),
            targets_table(self.targets),
        ]

    def plain(self) -> dict[str, Any]:
        """Return all results as data for JSON."""
        return {
            "image": self.name,
            "shape": list(self.shape),
            "codecs": [dataclasses.asdict(coded) for coded in self.codecs],
            "first pictures": {name: dataclasses.asdict(cost) for name, cost in self.first.items()},
            "sizes": [dataclasses.asdict(size) for size in self.sizes],
            "growth": self.growth,
            "targets": [{**dataclasses.asdict(target), "reached": target.reached} for target in self.targets],
        }


def measure(name: str, array: Bytes, sizes: Sequence[float], rate: float, runs: int) -> Report:
    """Measure a photograph, and scaled versions of some megapixels, at `rate` bits per pixel."""
    step, data = step_for(array, rate)
    codecs = equals(array, data, step) | rivals(array, step)
    return Report(
        name=name,
        shape=array.shape,
        codecs=time_codecs(array, codecs, runs),
        first=time_first_pictures(array, data, step, runs),
        sizes=measure_sizes(array, sizes, rate, runs),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if a target is missed and that was asked to be an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.photo_speed", description=__doc__)
    add = parser.add_argument
    add("--image", type=Path, help="a photograph; by default one is found or made")
    add("--sizes", type=_sizes, default=SIZES, help="megapixels, such as 1,24,100")
    add("--rate", type=float, default=1.0, help="bits per pixel (%(default)s)")
    add("--json", type=Path, help="a file to write the results to, as JSON")
    add("--runs", type=int, default=5, help="repetitions of fast functions (%(default)s)")
    add("--strict", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    name, array = large_photograph(options.image)
    screen = console()
    screen.print(f"{name}, {array.shape[1]} × {array.shape[0]} pixels, {array.nbytes / 1e6:.0f} MB raw\n")
    report = measure(name, array, options.sizes, options.rate, options.runs)
    for each in report.tables():
        screen.print(each)
        screen.print()
    write_json(options.json, report.plain())
    return int(options.strict and not all(target.reached for target in report.targets))


def _times(coded: Coded, anchor: Coded) -> tuple[str, ...]:
    """Return table cells of encoding and decoding: elapsed, processor time, and ratio to the anchor."""
    return tuple(
        cell
        for cost, other in ((coded.encode, anchor.encode), (coded.decode, anchor.decode))
        for cell in (seconds(cost.wall), seconds(cost.cpu), f"{cost.wall / other.wall:.2f}×")
    )


def _megabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.0f} MB"


def _sizes(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
