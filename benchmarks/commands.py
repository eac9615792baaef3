"""Whole commands compared with OpenJPEG's, each in a process of its own: time, processor time and memory.

``python -m benchmarks.commands [--image FILE] [--sizes 12,24,50] [--rate 1.0] [--runs 3] [--json FILE]``
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Pillow
from rich.table import Table

from benchmarks.command_costs import Command, Spent, in_turns, started_twice
from benchmarks.photo_sizes import MEGA, resized
from benchmarks.photo_stages import step_for
from benchmarks.photographs import Bytes, large_photograph
from benchmarks.tables import Target, console, seconds, table, targets_table, write_json
from pcaimage.api import open_bytes
from pcaimage.codec import Tune
from pcaimage.imaging import psnr

SIZES = (12.0, 24.0, 50.0)
SMALL = 64
"""Side of the image at which commands consist mostly of starting the program."""

_SAVE = """
import sys
from PIL import Image
Image.MAX_IMAGE_PIXELS = None
with Image.open(sys.argv[1]) as image:
    image.save(sys.argv[2], {})
"""
_JPEG2000 = _SAVE.format(
    "'JPEG2000', irreversible=True, no_jp2=True, mct=1, quality_mode='rates',"
    "quality_layers=[float(sys.argv[3])]"
)
_PLAIN = _SAVE.format("")

LIMITS = {
    "library encode": 2.2,
    "library encode, fast": 1.0,
    "library decode": 2.2,
    "encode --step": 3.0,
    "encode --step, fast": 1.5,
    "encode --size": 4.4,
    "encode --psnr": 4.4,
    "decode to BMP": 3.0,
    "decode to TIFF": 3.0,
}
"""Upper limit on each job's time, relative to OpenJPEG's."""

START_LIMIT, MEMORY_LIMIT = 0.5, 80.0
"""Upper limits of a command on an image of 64 × 64 pixels, in seconds and megabytes."""

LEAST_USED, DECIBELS = 0.97, 0.05
"""Least share of a target size that is used, and largest deviation from a target PSNR."""


@dataclass(frozen=True)
class Sized:
    """All commands at one size.

    Parameters
    ----------
    megapixels : float
        Millions of pixels.
    own, other : dict of str to Spent
        Costs by job: of this program, and of OpenJPEG through Pillow.
    used : float
        Share of the target size that the file of ``--size`` has.
    missed : float
        Deviation in decibels of the file of ``--psnr``.
    """

    megapixels: float
    own: dict[str, Spent]
    other: dict[str, Spent]
    used: float
    missed: float

    def ratio(self, job: str) -> float:
        """Return the time of a job relative to OpenJPEG's."""
        return self.own[job].wall / self.other[job].wall


@dataclass(frozen=True)
class Report:
    """All measurements.

    Parameters
    ----------
    name : str
        Name of the photograph.
    sizes : list of Sized
        In ascending order.
    starts : dict of str to Spent
        Costs of commands on a small image: the very first one, and later ones.
    """

    name: str
    sizes: list[Sized]
    starts: dict[str, Spent]

    @property
    def targets(self) -> list[Target]:
        """The targets, and the measured values."""
        found = []
        for size in self.sizes:
            for job, limit in LIMITS.items():
                name = f"{job}, {size.megapixels:.0f} megapixels"
                found.append(Target(name, size.ratio(job), limit, "×"))
            share = f"share of a size that is left over, {size.megapixels:.0f} megapixels"
            left = 1 - size.used if size.used <= 1 else np.inf
            found.append(Target(share, 100 * left, 100 * (1 - LEAST_USED), " %"))
            found.append(Target(f"PSNR, {size.megapixels:.0f} megapixels", size.missed, DECIBELS, " dB"))
        for job, start in self.starts.items():
            name = f"{job}, {SMALL} × {SMALL}"
            found.append(Target(name, start.wall, START_LIMIT, " s"))
            found.append(Target(f"{name}, memory", start.memory / MEGA, MEMORY_LIMIT, " MB"))
        return found

    def tables(self) -> list[Table]:
        """Return all results as tables."""
        heads = ("", "time", "CPU", "memory", "OpenJPEG", "CPU", "memory", "ratio", "of CPU")
        found = [
            table(
                f"{size.megapixels:.1f} megapixels (best times)",
                heads,
                [
                    (job, *_cells(own), *_cells(size.other[job]), *_ratios(own, size.other[job]))
                    for job, own in size.own.items()
                ],
            )
            for size in self.sizes
        ]
        starts = [(name, *_cells(start)) for name, start in self.starts.items()]
        found.append(table(f"{SMALL} × {SMALL} pixels", ("", "time", "CPU", "memory"), starts))
        return [*found, targets_table(self.targets)]

    def plain(self) -> dict[str, Any]:
        """Return all results as data for JSON."""
        return {
            "image": self.name,
            "sizes": [asdict(size) for size in self.sizes],
            "starts": {name: asdict(start) for name, start in self.starts.items()},
            "targets": [{**asdict(target), "reached": target.reached} for target in self.targets],
        }


def measure_size(array: Bytes, rate: float, runs: int, folder: Path) -> Sized:
    """Measure all commands on one uint8 image of shape (H, W, 3); each job's least cost counts.

    Files have `rate` bits per pixel, and are written to `folder`.
    """
    step, data = step_for(array, rate, tune=Tune.EYE)
    decibels = round(psnr(array, open_bytes(data).decode()), 2)
    (folder / "photo.pcai").write_bytes(data)
    np.save(folder / "image.npy", array)
    Pillow.fromarray(array).save(folder / "image.bmp")
    own, other = _own(folder, step, len(data), decibels), _others(folder, array.size / len(data))
    # OpenJPEG's encoders come first, as they make the files for its decoders.
    commands = {f"other {job}": command for job, command in other.items()} | own
    costs = in_turns(commands, runs)
    by_size, by_psnr = (json.loads(costs[job][1]) for job in ("encode --size", "encode --psnr"))
    spent = {name: cost for name, (cost, _) in costs.items()}

    def rival(job: str) -> str:
        return f"other {job.split(' --', maxsplit=1)[0].removesuffix(', fast')}"

    return Sized(
        array.shape[0] * array.shape[1] / MEGA,
        {job: spent[job] for job in own},
        {job: spent[rival(job)] for job in own},
        by_size["file_bytes"] / len(data),
        abs(by_psnr["psnr"] - decibels),
    )


def _own(folder: Path, step: float, size: int, decibels: float) -> dict[str, Command]:
    """Return this program's commands by job."""

    def encode(name: str, *options: str) -> Command:
        files = str(folder / "image.bmp"), str(folder / f"{name}.pcai")
        return Command(("-m", "pcaimage", "encode", *files, *options, "--overwrite", "--json"))

    def decode(ending: str) -> Command:
        files = str(folder / "photo.pcai"), str(folder / f"decoded.{ending}")
        return Command(("-m", "pcaimage", "decode", *files, "--overwrite"))

    return {
        "library encode": _job("photo", "encode", folder / "image.npy", folder / "library.pcai", step),
        "library encode, fast": _job("fast", "encode", folder / "image.npy", folder / "fast.pcai", step),
        "library decode": _job("photo", "decode", folder / "photo.pcai", folder / "unused", step),
        "encode --step": encode("step", "--step", repr(step)),
        "encode --step, fast": encode("quick", "--step", repr(step), "--effort", "fast"),
        "encode --size": encode("size", "--size", str(size)),
        "encode --psnr": encode("psnr", "--psnr", str(decibels)),
        "decode to BMP": decode("bmp"),
        "decode to TIFF": decode("tif"),
    }


def _others(folder: Path, reduction: float) -> dict[str, Command]:
    """Return OpenJPEG's commands by job."""
    image, coded, library = folder / "image.bmp", folder / "image.j2k", folder / "library.j2k"
    quality = 24 / reduction

    def saved(*arguments: str) -> Command:
        return Command(("-c", *arguments))

    return {
        "library encode": _job("jpeg2000", "encode", folder / "image.npy", library, quality),
        "library decode": _job("jpeg2000", "decode", library, folder / "unused", quality),
        "encode": saved(_JPEG2000, str(image), str(coded), repr(reduction)),
        "decode to BMP": saved(_PLAIN, str(coded), str(folder / "other.bmp")),
        "decode to TIFF": saved(_PLAIN, str(coded), str(folder / "other.tif")),
    }


def _job(codec: str, job: str, source: Path, target: Path, quality: float) -> Command:
    arguments = ("-m", "benchmarks.command_jobs", codec, job, str(source), str(target), repr(quality))
    return Command(arguments, inner=True)


def measure_starts(array: Bytes, runs: int, folder: Path) -> dict[str, Spent]:
    """Measure commands on a small crop of a photograph, which mostly measures the start of the program.

    The least of `runs` runs counts, except for the very first command. Files and, at first empty, caches are
    in `folder`.
    """
    image, coded, back = folder / "small.bmp", folder / "small.pcai", folder / "small.tif"
    Pillow.fromarray(np.ascontiguousarray(array[:SMALL, :SMALL])).save(image)
    commands = [
        Command(("-m", "pcaimage", "encode", str(image), str(coded), "--overwrite")),
        Command(("-m", "pcaimage", "decode", str(coded), str(back), "--overwrite")),
    ]
    first, (encode, decode) = started_twice(commands, folder / "caches", runs)
    return {"very first encode": first, "encode": encode, "decode": decode}


def measure(name: str, array: Bytes, sizes: Sequence[float], rate: float, runs: int) -> Report:
    """Measure everything at some sizes in megapixels, at `rate` bits per pixel."""
    with tempfile.TemporaryDirectory() as folder:
        starts = measure_starts(array, max(runs, 3), Path(folder))
        measured = [
            measure_size(np.ascontiguousarray(resized(array, size)), rate, runs, Path(folder))
            for size in sorted(sizes)
        ]
    return Report(name, measured, starts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if a target is missed and that was asked to be an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    add = parser.add_argument
    add("--image", type=Path, help="a photograph; by default one is found or made")
    add("--sizes", type=_sizes, default=SIZES, help="megapixels, such as 12,24,50")
    add("--rate", type=float, default=1.0, help="bits per pixel (%(default)s)")
    add("--runs", type=int, default=3, help="turns (%(default)s)")
    add("--json", type=Path, help="a file to write the results to, as JSON")
    add("--strict", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    name, array = large_photograph(options.image)
    screen = console()
    screen.print(f"{name}, {array.shape[1]} × {array.shape[0]} pixels\n")
    report = measure(name, array, options.sizes, options.rate, options.runs)
    for each in report.tables():
        screen.print(each)
        screen.print()
    write_json(options.json, report.plain())
    return int(options.strict and not all(target.reached for target in report.targets))


def _ratios(own: Spent, other: Spent) -> tuple[str, str]:
    return f"{own.wall / other.wall:.2f}×", f"{own.cpu / other.cpu:.2f}×"


def _cells(cost: Spent) -> tuple[str, str, str]:
    return seconds(cost.wall), seconds(cost.cpu), f"{cost.memory / MEGA:.0f} MB"


def _sizes(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
