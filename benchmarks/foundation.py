"""Benchmarks of fitting, previews, coding and memory on one large photograph.

``python -m benchmarks.foundation [--image FILE] [--json FILE]``
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.codecs import Codec, avif, fast_jpeg, jpeg2000, webp
from benchmarks.memory import Peak, peaks
from benchmarks.photographs import Bytes, large_photograph
from benchmarks.stages import (
    SAMPLING,
    Coding,
    Rival,
    Zoom,
    time_coding,
    time_fitting,
    time_previews,
    time_rival,
)
from benchmarks.tables import Target, console, seconds, table, targets_table, timing_cells, write_json
from benchmarks.timing import Timing
from pcaimage.codec import Analysis

FIT_LIMIT = 4.0
"""Upper limit on cutting and fitting together, relative to one XᵀX."""
CUT_LIMIT = 2.0
"""Upper limit on cutting, relative to copying the image."""
PICTURE_LIMIT = 1500.0
"""Milliseconds from the decoded array to the first picture."""
FRAME_LIMIT = 33.0
"""Milliseconds from a move of the slider to its picture."""
MEMORY_LIMIT = 12.0
"""Upper limit on peak memory, relative to the raw image."""

KS = (8, 32, 96, 192)
MEMORY_K = 32

_STAGES = {
    "copy": "a copy of the image",
    "blocks": "cutting into blocks",
    "product": "XᵀX in float32 (the reference)",
    "fit": "cutting and fitting",
    "scores": "all scores",
    "picture": "from the array to the first picture",
}


@dataclasses.dataclass(frozen=True)
class Report:
    """All measurements.

    Parameters
    ----------
    name : str
        Name of the photograph.
    fitting : dict of str to Timing
        From :func:`time_fitting`.
    zooms : list of Zoom
        From :func:`time_previews`.
    codings : list of Coding
        Costs of coding at several k.
    rivals : list of Rival
        Costs of other codecs.
    memory : list of Peak
        Peak memory of whole jobs.
    """

    name: str
    shape: tuple[int, ...]
    fitting: dict[str, Timing]
    zooms: list[Zoom]
    codings: list[Coding]
    rivals: list[Rival]
    memory: list[Peak]

    @property
    def targets(self) -> list[Target]:
        """The targets, and the measured values."""
        best = {name: timing.best for name, timing in self.fitting.items()}
        slowest = max(self.zooms, key=lambda zoom: zoom.timing.median)
        return [
            Target(
                "cutting into blocks, in copies of the image", best["blocks"] / best["copy"], CUT_LIMIT, ""
            ),
            Target("cutting and fitting, in products XᵀX", best["fit"] / best["product"], FIT_LIMIT, ""),
            Target("from the array to the first picture", 1000 * best["picture"], PICTURE_LIMIT, " ms"),
            Target(
                f"picture of a view, median, {slowest.name}",
                1000 * slowest.timing.median,
                FRAME_LIMIT,
                " ms",
            ),
            *(Target(f"memory: {peak.job}", peak.ratio, MEMORY_LIMIT, "× raw") for peak in self.memory),
        ]

    def tables(self) -> list[Table]:
        """Return all results as tables."""
        heads = ("best", "median", "95 %", "worst")
        fitting = [(_STAGES[name], *timing_cells(timing)) for name, timing in self.fitting.items()]
        zooms = [(zoom.name, seconds(zoom.first), *timing_cells(zoom.timing)) for zoom in self.zooms]
        pixels = self.shape[0] * self.shape[1]
        codings = [
            (
                f"{coding.k}",
                *_quality(coding.n_bytes, coding.psnr, pixels),
                *map(
                    seconds, (coding.quantize, coding.reconstruct, coding.encode, coding.decode, coding.save)
                ),
            )
            for coding in self.codings
        ]
        rivals = [
            (
                rival.name,
                *_quality(rival.n_bytes, rival.psnr, pixels),
                seconds(rival.encode),
                seconds(rival.decode),
            )
            for rival in self.rivals
        ]
        memory = [(peak.job, f"{peak.n_bytes / 1e6:.0f} MB", f"{peak.ratio:.1f}×") for peak in self.memory]
        stages = ("quantise", "reconstruct", "encode", "decode", "save")
        return [
            table("Up to the first picture", ("", *heads), fitting),
            table("Pictures of a view of 1600 × 1000, k from 1 to 192", ("zoom", "first", *heads), zooms),
            table("Coding (best times)", ("k", "kB", "bit/pixel", "PSNR", *stages), codings),
            table(
                "Other codecs in the same run (best times)",
                ("", "kB", "bit/pixel", "PSNR", "encode", "decode"),
                rivals,
            ),
            table("Peak memory, libraries not counted", ("", "peak", "of the raw image"), memory),
            targets_table(self.targets),
        ]

    def plain(self) -> dict[str, Any]:
        """Return all results as data for JSON."""
        return {
            "image": self.name,
            "shape": list(self.shape),
            "fitting": {name: timing.summary() for name, timing in self.fitting.items()},
            "previews": {zoom.name: {"first": zoom.first, **zoom.timing.summary()} for zoom in self.zooms},
            "coding": [dataclasses.asdict(coding) for coding in self.codings],
            "rivals": [dataclasses.asdict(rival) for rival in self.rivals],
            "memory": [dataclasses.asdict(peak) for peak in self.memory],
            "targets": [{**dataclasses.asdict(target), "reached": target.reached} for target in self.targets],
        }


def _quality(n_bytes: int, decibels: float, pixels: int) -> tuple[str, str, str]:
    return f"{n_bytes / 1000:.0f}", f"{8 * n_bytes / pixels:.3f}", f"{decibels:.2f}"


def rivals() -> list[tuple[Codec, float]]:
    """Return the codecs to time, each at a common quality, with Pillow's default speed."""
    return [(fast_jpeg(), 75), (webp(method=4), 80), (jpeg2000(), 1.0), (avif(speed=6), 75)]


def measure(name: str, array: Bytes, runs: int) -> Report:
    """Measure everything; fast functions are repeated `runs` times."""
    fitting = time_fitting(array, runs)
    analysis = Analysis.fit(array, SAMPLING)
    most = analysis.n_components
    ks = sorted({min(round(k), most) for k in np.geomspace(1, 192, 40)})
    few = max(1, runs // 3)
    return Report(
        name=name,
        shape=array.shape,
        fitting=fitting,
        zooms=time_previews(analysis, ks, few),
        codings=[time_coding(array, analysis, k, few) for k in KS if k <= most],
        rivals=[time_rival(array, codec, quality, few) for codec, quality in rivals()],
        memory=peaks(array, min(MEMORY_K, most)),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if a target is missed and that was asked to be an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foundation", description=__doc__)
    parser.add_argument("--image", type=Path, help="a photograph; by default one is found or made")
    parser.add_argument("--json", type=Path, help="a file to write the results to, as JSON")
    parser.add_argument("--runs", type=int, default=7, help="repetitions of fast functions")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    name, array = large_photograph(options.image)
    screen = console()
    screen.print(f"{name}, {array.shape[1]} × {array.shape[0]} pixels, {array.nbytes / 1e6:.0f} MB raw\n")
    report = measure(name, array, options.runs)
    for each in report.tables():
        screen.print(each)
        screen.print()
    write_json(options.json, report.plain())
    return int(options.strict and not all(target.reached for target in report.targets))


if __name__ == "__main__":
    sys.exit(main())
