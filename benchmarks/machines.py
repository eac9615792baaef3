"""How fast workers with little memory that come one after the other compress an array that is whole nowhere.

``python -m benchmarks.machines [--gigabytes 4] [--memory 400] [--workers 1 2] [--late 5] [--error 4]
[--effort fast]`` makes the cube of :mod:`benchmarks.larger_than_memory`, which is never whole anywhere, on
workers that have so many megabytes each, and writes it by :func:`pcaimage.distributed.encode`. The work is
asked for before there is a worker: the first comes at once, each other so many seconds later, as in a growing
cluster.

Processor time is that of processes, whatever else the machine does: of all workers, and of the process that
has scheduler and client, which starts them.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.larger_than_memory import BANDS, SIDE, cube, peak
from benchmarks.tables import console, table
from pcaimage.choices import Effort
from pcaimage.quality import psnr_of_mse, white_of

TRIED = 3
"""Chunks of each array that are read back and compared."""


@dataclass(frozen=True)
class Found:
    """What so many workers took for an array."""

    workers: int
    gigabytes: float
    chunks: int
    wall: float  # seconds, from the call to its end
    worked: tuple[float, ...]  # processor seconds of each worker, with its start
    led: float  # processor seconds of scheduler and client
    memory: tuple[float, ...]  # the most megabytes of each worker
    ratio: float
    psnr: float  # of some chunks

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of a table."""
        work = sum(self.worked)
        return (
            str(self.workers),
            f"{1e3 * self.gigabytes / self.wall:.1f} MB/s",
            f"{1e3 * self.gigabytes / work:.1f} MB/s",
            " + ".join(f"{part / work:.0%}" for part in self.worked),
            " + ".join(f"{most:.0f}" for most in self.memory) + " MB",
            f"{self.led:.1f} s",
            f"{self.ratio:.1f}",
            f"{self.psnr:.2f} dB",
        )


HEADS = (
    "workers",
    "by the clock",
    "by a worker's processor time",
    "shares of it",
    "most memory",
    "scheduler and client",
    "ratio",
    "some chunks",
)


def measured(array: Any, workers: int, memory: int, late: float, **quality: Any) -> Found:
    """Write an array by so many workers, of which all but the first come late."""
    from distributed import Client, LocalCluster  # noqa: PLC0415 - it belongs to extras

    from pcaimage import distributed  # noqa: PLC0415 - as above

    how = {"threads_per_worker": 1, "memory_limit": f"{memory}MB", "dashboard_address": None}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=0, **how) as cluster,
        Client(cluster) as client,
    ):
        growing = [threading.Timer(late * number, cluster.scale, (number + 1,)) for number in range(workers)]
        path, start, led = Path(folder, "cube"), time.perf_counter(), time.process_time()
        for each in growing:
            each.start()
        written = distributed.encode(array, path, **quality)
        wall, led = time.perf_counter() - start, time.process_time() - led
        worked, most = client.run(time.process_time), client.run(peak)
        size = sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
        errors = list[float]()
        for place in np.linspace(0, array.npartitions - 1, TRIED).astype(int):
            row, column = np.unravel_index(place, array.numblocks[:2])
            chunk = array.blocks[row, column].compute()
            found = written[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
            errors.append(float(np.square(found.astype(float) - chunk).mean()))
    return Found(
        workers,
        array.nbytes / 1e9,
        array.npartitions,
        wall,
        tuple(worked.values()),
        led,
        tuple(most.values()),
        array.nbytes / size,
        psnr_of_mse(float(np.mean(errors)), white_of(chunk)),
    )


def main() -> None:
    """Measure, and print a table in Markdown, too."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--memory", type=int, default=400, help="megabytes of each worker")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--late", type=float, default=5.0, help="seconds from worker to worker")
    parser.add_argument("--psnr", type=float)
    parser.add_argument("--error", type=float, help="the largest of any value; exact without it and a PSNR")
    parser.add_argument("--effort", type=Effort, choices=tuple(Effort), default=Effort.STANDARD)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    quality = {"psnr": chosen.psnr, "max_error": chosen.error, "effort": chosen.effort}
    measured(cube(0.0), 1, chosen.memory, 0.0, **quality)  # what is imported once is not to count
    array, rows = cube(chosen.gigabytes), list[Found]()
    for workers in chosen.workers:
        rows.append(measured(array, workers, chosen.memory, chosen.late, **quality))
        console().print(*rows[-1].row)
    title = (
        f"{array.nbytes / 1e9:.2f} GB, chunks of {SIDE} × {SIDE} × {BANDS}, workers of {chosen.memory} MB; "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    console().print(table(title, HEADS, [each.row for each in rows]))
    for line in (HEADS, ("---", *["---:"] * (len(HEADS) - 1)), *(each.row for each in rows)):
        print("|", " | ".join(line), "|")
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(each) for each in rows], indent=1), "utf-8")


if __name__ == "__main__":
    main()
