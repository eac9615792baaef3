"""A batch of photographs with one worker and with several: throughput, processor time and memory.

``python -m benchmarks.batch [--image FILE] [--count 200] [--megapixels 1.0] [--workers 2] [--runs 3]
[--links 1]``

Where other programs run on the same cores, workers wait for these. Linux counts how long each was ready to
run and did not: rates without that are printed, too. ``--links 10`` has each photograph ten times, as hard
links.
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
from dataclasses import dataclass, field
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
    waited : float
        Seconds that a worker was ready to run while others had the cores; the mean over workers.
    """

    wall: float
    cpu: float
    memory: float
    waited: float

    @property
    def alone(self) -> float:
        """About how many seconds it takes where nothing else runs."""
        return self.wall - self.waited


@dataclass
class _Watched:
    """Observations of workers while they ran."""

    peak: float = 0.0
    waits: dict[str, float] = field(default_factory=dict)


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
    watched, ended = _Watched(), threading.Event()
    before, start = os.times(), time.perf_counter()
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(words, env=environment(), stdout=nowhere) as process:
        watcher = threading.Thread(target=_watch, args=(process.pid, watched, ended))
        watcher.start()
        code = process.wait()
        ended.set()
        watcher.join()
    wall, after = time.perf_counter() - start, os.times()
    shutil.rmtree(out)
    if code:
        raise subprocess.CalledProcessError(code, words)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent(wall, cpu, watched.peak / 1e6, sum(watched.waits.values()) / workers)


def _watch(parent: int, watched: _Watched, ended: threading.Event) -> None:
    """Record the peak memory of any worker and how long each waited, as reported while it runs."""
    while not ended.wait(_POLL):
        with suppress(OSError):
            listed = Path(f"/proc/{parent}/task").glob("*/children")
            for child in " ".join(each.read_text() for each in listed).split():
                watched.peak = max(watched.peak, _peak(child))
                for thread in Path(f"/proc/{child}/task").iterdir():
                    waited = _waited(thread)
                    watched.waits[thread.name] = max(watched.waits.get(thread.name, 0.0), waited)


def _waited(thread: Path) -> float:
    """Return how many seconds a thread was ready and did not run."""
    with suppress(OSError, ValueError, IndexError):
        return int((thread / "schedstat").read_text(encoding="ascii").split()[1]) * 1e-9
    return 0.0


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
    parser.add_argument("--links", type=int, default=1, help="how often each photograph is in the folder")
    chosen = parser.parse_args()
    name, whole = large_photograph(chosen.image)
    found: dict[int, list[Spent]] = {1: [], chosen.workers: []}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "in")
        folder.mkdir()
        photographs(folder, whole, chosen.count // chosen.links, chosen.megapixels)
        for each in sorted(folder.iterdir()):
            for number in range(1, chosen.links):
                folder.joinpath(f"{each.stem}-{number:04}{each.suffix}").hardlink_to(each)
        load = os.getloadavg()[0]
        for _ in range(chosen.runs):
            for workers, runs in found.items():
                runs.append(spent(folder, workers))
    best = {workers: min(runs, key=lambda each: each.alone) for workers, runs in found.items()}
    rows = [
        (
            f"{workers} worker{'s' if workers > 1 else ''}",
            f"{each.wall:.1f} s",
            f"{chosen.count / each.wall:.2f} / s",
            f"{chosen.count / each.alone:.2f} / s",
            f"{each.cpu:.1f} s",
            f"{each.memory:.0f} MB",
        )
        for workers, each in best.items()
    ]
    title = (
        f"{chosen.count} photographs of {chosen.megapixels:g} megapixels, from {name}; "
        f"best of {chosen.runs}, load before {load:.1f} on {os.cpu_count()} cores"
    )
    console().print(table(title, ("", "time", "rate", "rate alone", "CPU", "worker's memory"), rows))
    share = chosen.workers
    gain = min(each.alone for each in found[1]) / min(each.alone for each in found[share]) / share
    plain = min(each.wall for each in found[1]) / min(each.wall for each in found[share])
    targets = [
        Target("time of all workers, of one's share", 1 / gain, 1 / LEAST_GAIN, " ×"),
        Target("memory of a worker", max(each.memory for each in best.values()), MOST_MEMORY, " MB"),
    ]
    console().print(targets_table(targets))
    console().print(
        f"{chosen.workers} workers: {gain * share:.2f} × the rate of one; {plain:.2f} × beside the others."
    )


if __name__ == "__main__":
    main()
