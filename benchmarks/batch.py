"""A batch of photographs with one worker and with several: throughput, processor time and memory.

``python -m benchmarks.batch [--image FILE] [--count 200] [--megapixels 1.0] [--workers 2] [--runs 3]``
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.command_costs import environment
from benchmarks.photographs import Bytes, large_photograph
from benchmarks.tables import Target, console, table, targets_table
from pcaimage.imaging import Image, write_image

LEAST_GAIN, MOST_MEMORY = 0.95, 600.0
"""Least gain from another worker, as a share of the ideal; and most megabytes that a worker may use."""

_POLL = 0.1


@dataclass(frozen=True)
class Spent:
    """Cost of a batch.

    Parameters
    ----------
    wall, cpu : float
        Elapsed seconds, and processor seconds of all cores together.
    memory : float
        Peak megabytes of a worker.
    """

    wall: float
    cpu: float
    memory: float


def photographs(folder: Path, whole: Bytes, count: int, megapixels: float) -> None:
    """Write JPEG photographs that are random crops of a large one."""
    random = np.random.default_rng(15)
    height = min(whole.shape[0], round((megapixels * 1e6 * 3 / 4) ** 0.5))
    width = min(whole.shape[1], round(megapixels * 1e6 / height))
    for number in range(count):
        top = int(random.integers(whole.shape[0] - height + 1))
        left = int(random.integers(whole.shape[1] - width + 1))
        part = np.ascontiguousarray(whole[top : top + height, left : left + width])
        write_image(folder / f"{number:05}.jpg", Image(part), quality=92)


def spent(folder: Path, workers: int) -> Spent:
    """Compress a folder into a new one with the command line, then remove the latter."""
    out = folder.with_name("out")
    words = [
        sys.executable,
        "-m",
        "pcaimage",
        "batch",
        str(folder),
        "-o",
        str(out),
        "--workers",
        str(workers),
    ]
    peaks, ended = [0.0], threading.Event()
    before, start = os.times(), time.perf_counter()
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(words, env=environment(), stdout=nowhere) as process:  # noqa: S603 - the program
        watcher = threading.Thread(target=_watch, args=(process.pid, peaks, ended))
        watcher.start()
        code = process.wait()
        ended.set()
        watcher.join()
    wall, after = time.perf_counter() - start, os.times()
    shutil.rmtree(out)
    if code:
        raise subprocess.CalledProcessError(code, words)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent(wall, cpu, max(peaks) / 1e6)


def _watch(parent: int, peaks: list[float], ended: threading.Event) -> None:
    """Record the peak memory of any worker, which the system reports while it runs."""
    while not ended.wait(_POLL):
        with suppress(OSError):
            listed = Path(f"/proc/{parent}/task").glob("*/children")
            children = " ".join(each.read_text() for each in listed).split()
            peaks += [_peak(child) for child in children]


def _peak(process: str) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return 1024.0 * int(line.split()[1])
    return 0.0


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--image", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--megapixels", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    name, whole = large_photograph(chosen.image)
    found: dict[int, list[Spent]] = {1: [], chosen.workers: []}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "in")
        folder.mkdir()
        photographs(folder, whole, chosen.count, chosen.megapixels)
        load = os.getloadavg()[0]
        for _ in range(chosen.runs):
            for workers, runs in found.items():
                runs.append(spent(folder, workers))
    best = {
        workers: Spent(*(min(getattr(each, what) for each in runs) for what in ("wall", "cpu", "memory")))
        for workers, runs in found.items()
    }
    rows = [
        (
            f"{workers} worker{'s' if workers > 1 else ''}",
            f"{each.wall:.1f} s",
            f"{chosen.count / each.wall:.2f} / s",
            f"{each.cpu:.1f} s",
            f"{each.memory:.0f} MB",
        )
        for workers, each in best.items()
    ]
    title = (
        f"{chosen.count} photographs of {chosen.megapixels:g} megapixels, from {name}; "
        f"best of {chosen.runs}, load before {load:.1f} on {os.cpu_count()} cores"
    )
    console().print(table(title, ("", "time", "rate", "CPU", "worker's memory"), rows))
    gain = best[1].wall / best[chosen.workers].wall / chosen.workers
    targets = [
        Target("time of all workers, of one's share", 1 / gain, 1 / LEAST_GAIN, " ×"),
        Target("memory of a worker", max(each.memory for each in best.values()), MOST_MEMORY, " MB"),
    ]
    console().print(targets_table(targets))
    console().print(f"{chosen.workers} workers: {gain * chosen.workers:.2f} × the rate of one.")


if __name__ == "__main__":
    main()
